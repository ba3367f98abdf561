/** Assembles a cluster from a plain description. Wires, decides nothing. */
import { RELEASE_1_31 } from '../api/release/release-1-31.ts';
import type { Release } from '../api/release/release.ts';
import type { Signer } from '../api/certificates/certificate.ts';
import type { AdmissionPlugin } from '../apiserver/admission/admission.ts';
import { checkPluginNames } from '../apiserver/admission/default-plugins.ts';
import { FeatureGates } from '../apiserver/feature-gates.ts';
import { strangeRuntimeConfigKey } from '../apiserver/registry/runtime-config.ts';
import { noteSeveralReleases } from '../apiserver/stores/versioned-storage.ts';
import type { StoredObject } from '../apiserver/stores/stored-object.ts';
import { ApiClient } from '../client/api-client.ts';
import type { ChoiceLog } from '../engine/choices.ts';
import type { Latency } from '../engine/link.ts';
import type { Decision, Schedule } from '../engine/schedule-policy.ts';
import { Simulation } from '../engine/simulation.ts';
import { microseconds, type Micros } from '../engine/time.ts';
import type { TraceOptions } from '../engine/trace.ts';
import { type AgentSettings, NodeAgent } from '../node/node-agent.ts';
import { SharedVolumes } from '../node/volumes/volume-places.ts';
import type { NodeTemplate } from '../node/node-template.ts';
import { Scheduler, type SchedulerOptions } from '../scheduler/scheduler.ts';
import type { SchedulerConfiguration } from '../scheduler/configuration/scheduler-configuration.ts';
import { MemoryStorage } from '../storage/memory-storage.ts';
import { ApiServerActor, type ApiServerSettings } from './api-server-actor.ts';
import { Cluster } from './cluster.ts';
import type { AuthorizationMode } from './control-plane.ts';
import { selectControllers, USUAL_CONTROLLERS } from './controller-selection.ts';
import {
  ControllerManager,
  type ControllerManagerOptions,
} from '../controllers/manager/controller-manager.ts';
import { type NodesOption, templatesOf } from './fleet.ts';
import { RequestFaults } from './request-faults.ts';
import { settlingTime } from './settling-time.ts';
import { StorageMembers } from './storage-members.ts';
import { leftBehindBy, NOTHING_LEFT, together } from './left-behind.ts';
import { METRICS_OBJECTS } from './metrics-server/metrics-objects.ts';
import { startMetricsServer } from './metrics-server/metrics-server.ts';
import { managerCredentials } from './manager-credentials.ts';
import { WriteCount } from './write-count.ts';

export interface ClusterOptions {
  /** A number, a fleet over zones, or a list of names, templates and fleets; default none. */
  readonly nodes?: NodesOption;
  /** Safe integer; default 1. */
  readonly seed?: number;
  /** Answers instead of the seed: the choices of an earlier run's report. */
  readonly replay?: ChoiceLog;
  /**
   * Whether it begins when everything is up: nodes Ready, namespaces with their service accounts, leaders elected. What
   * it takes to get there happens before time 0. Default in `sim/index.ts`: true; here: false.
   */
  readonly settled?: boolean;
  /** Called once all is there and before anything happens, also what happens before time 0: for who looks on. */
  readonly onAssembled?: (cluster: Cluster) => void;
  /** Milliseconds since 1970 at time 0; default 2025-01-01T00:00:00Z. */
  readonly epochMs?: number;
  readonly latency?: Latency;
  /** How the order of what could happen at about the same time is found; default `first-come`. */
  readonly schedule?: Schedule;
  /** Told of each decision of a `random` schedule, in order; it changes nothing. */
  readonly onDecision?: (decision: Decision) => void;
  readonly trace?: TraceOptions;
  /** Whether choices are kept for `report`; default true. */
  readonly isRecording?: boolean;
  /** How many API servers share the storage; default 1. */
  readonly apiServers?: number;
  /**
   * Names of controllers as kube-controller-manager has them, or `*` and `-name`; default: all there are. A name
   * `controller/<name>` in a fault means the controller, or the managers that run it.
   */
  readonly controllers?: readonly string[];
  /** How many managers run them, `controller-manager/0` and on; default 1. */
  readonly controllerManagers?: number;
  /** Whether pods are given nodes, and how: the parts of KubeSchedulerConfiguration that mean something; default true. */
  readonly scheduler?: boolean | SchedulerConfiguration;
  /** How many schedulers there are, `scheduler/0` and on, of which one leads; default 1. */
  readonly schedulers?: number;
  /** Managers and schedulers work only while they hold a lease; default: if there are several of a kind. */
  readonly leaderElect?: boolean;
  /**
   * A metrics server, the actor `metrics-server`, that serves `metrics.k8s.io` from what the workloads' behaviour says
   * they use; default: there is none, and autoscalers find no metrics.
   */
  readonly metricsServer?: boolean;
  readonly authorizationMode?: AuthorizationMode;
  /** Of API servers, and of agents that are of no other; default 1.31. */
  readonly release?: Release;
  /** Of single API servers, in turn; undefined ones are of the cluster's. */
  readonly serverReleases?: readonly (Release | undefined)[];
  readonly featureGates?: FeatureGates;
  readonly runtimeConfig?: string;
  /** See `ControlPlaneOptions`. */
  readonly showsHiddenMetricsFor?: string;
  /** Admission plugins beside the servers' own: after those of them that change objects, before quotas are charged. */
  readonly admission?: readonly AdmissionPlugin[];
  /** Names of the servers' own plugins that do not run, such as `ServiceAccount`. @throws RangeError for others */
  readonly disabledAdmissionPlugins?: readonly string[];
  /** Whether containers may be privileged, as `--allow-privileged` says; default false. */
  readonly allowsPrivileged?: boolean;
  /** How often old history is dropped; default 5 minutes, 0: never. */
  readonly compactionInterval?: Micros;
  /** How late API servers see changes; default 0. */
  readonly watchCacheLag?: Micros;
  /**
   * Members of the storage, `etcd/0` and on, that can lag, be cut off and lose their majority; `apiserver/1` talks to
   * `etcd/1`, in turn. Default: none, a storage that does not fail.
   */
  readonly storageMembers?: number;
  /**
   * Whether controllers have never run on it: service accounts, root certificates and sums of roles are theirs to make.
   * Default: only if it is said not to be `settled`; else they are there, as an earlier life has left them.
   */
  readonly isFirstBoot?: boolean;
  /** See `ControlPlaneOptions`: a mode for tests. */
  readonly writesByDelta?: boolean;
  /** Who may use the endpoints of node agents, and where agents keep what is theirs. */
  readonly agents?: AgentSettings;
}

/** Addresses of API servers inside the cluster end in 10 and on. */
const FIRST_SERVER = 10;
const SERVER_PORT = 6443;
const USER = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
/** Names of all controllers but those that have to be named, in the order in which they start. */
export const EVERY_CONTROLLER = USUAL_CONTROLLERS;

/** A cluster at virtual time 0: its actors start with the first step, or before it when it is `settled`. */
export function createCluster(options: ClusterOptions = {}): Cluster {
  const cluster = assembledCluster(options);
  options.onAssembled?.(cluster);
  if (options.settled === true) cluster.simulation.runUntil(microseconds(0));
  return cluster;
}

function assembledCluster(options: ClusterOptions): Cluster {
  checkPluginNames(options.disabledAdmissionPlugins ?? []);
  checkRuntimeConfig(options.release ?? RELEASE_1_31, options.runtimeConfig);
  const { authorizationMode, featureGates, runtimeConfig, compactionInterval, watchCacheLag } = options;
  return assembleCluster(simulationOf(options), {
    storage: new MemoryStorage<StoredObject>(),
    ...(options.nodes !== undefined && { nodes: options.nodes }),
    ...(options.apiServers !== undefined && { apiServers: options.apiServers }),
    ...(options.controllers && { controllers: options.controllers }),
    ...(options.controllerManagers !== undefined && { controllerManagers: options.controllerManagers }),
    ...(options.scheduler !== undefined && { scheduler: options.scheduler }),
    ...(options.schedulers !== undefined && { schedulers: options.schedulers }),
    ...(options.leaderElect !== undefined && { leaderElect: options.leaderElect }),
    ...(authorizationMode !== undefined && { authorizationMode }),
    ...(options.release && { release: options.release }),
    ...(options.serverReleases && { serverReleases: options.serverReleases }),
    ...(featureGates && { featureGates }),
    ...(runtimeConfig !== undefined && { runtimeConfig }),
    ...(options.showsHiddenMetricsFor !== undefined && {
      showsHiddenMetricsFor: options.showsHiddenMetricsFor,
    }),
    ...(options.admission && { admission: options.admission }),
    ...(options.allowsPrivileged !== undefined && { allowsPrivileged: options.allowsPrivileged }),
    ...(options.disabledAdmissionPlugins && {
      disabledAdmissionPlugins: options.disabledAdmissionPlugins,
    }),
    ...(compactionInterval !== undefined && { compactionIntervalMs: compactionInterval / 1_000 }),
    ...(watchCacheLag !== undefined && { watchCacheLagMs: watchCacheLag / 1_000 }),
    ...(options.storageMembers !== undefined && { storageMembers: options.storageMembers }),
    ...(options.metricsServer === true && { metricsServer: 'installed' as const }),
    isFirstBoot: options.isFirstBoot ?? options.settled === false,
    ...(options.writesByDelta !== undefined && { writesByDelta: options.writesByDelta }),
    ...(options.agents && { agents: options.agents }),
    remake: () => createCluster(unobserved(options)),
  });
}

/** @throws RangeError for an API version that there is not. */
function checkRuntimeConfig(release: Release, text = ''): void {
  const stranger = strangeRuntimeConfigKey(release.catalog.resources.all, text);
  if (stranger !== undefined)
    throw new RangeError(`runtimeConfig: there is no API version ${JSON.stringify(stranger)}`);
}

/** Who looks on, looks at one cluster. */
function unobserved({ trace, onAssembled: _, onDecision: __, ...options }: ClusterOptions): ClusterOptions {
  return trace?.keeps === undefined ? options : { ...options, trace: { keeps: trace.keeps } };
}

/** What a cluster is made of, whatever drives its simulation. */
export interface AssemblyOptions
  extends
    ApiServerSettings,
    Pick<
      ClusterOptions,
      | 'nodes'
      | 'apiServers'
      | 'controllers'
      | 'controllerManagers'
      | 'scheduler'
      | 'schedulers'
      | 'leaderElect'
      | 'agents'
      | 'storageMembers'
      | 'isFirstBoot'
      | 'serverReleases'
    > {
  /** PEM: what clients inside the cluster trust API servers by; default: one whose key nobody has. */
  readonly rootCertificate?: string;
  /** Who signs what certificate requests ask for; default: what only looks like a signature. */
  readonly signer?: Signer;
  /** `standby`: it answers as soon as somebody makes the objects for it. */
  readonly metricsServer?: 'standby' | 'installed';
  /** Makes another such cluster. */
  readonly remake?: () => Cluster;
}

/** Puts the actors of a cluster into a simulation. */
export function assembleCluster(simulation: Simulation, options: AssemblyOptions): Cluster {
  const {
    nodes = 0,
    apiServers: serverCount = 1,
    controllers = EVERY_CONTROLLER,
    controllerManagers: managerCount = 1,
    scheduler = true,
    schedulers: schedulerCount = 1,
    leaderElect,
    observers = [],
    agents: agentSettings = {},
    release = RELEASE_1_31,
    serverReleases = [],
    storageMembers = 0,
    remake,
    rootCertificate,
    signer,
    isFirstBoot = false,
    metricsServer,
    ...settings
  } = options;
  const { storage } = settings;
  if (serverReleases.length > 0) noteSeveralReleases(storage);
  const writes = new WriteCount();
  const requestFaults = new RequestFaults((percent) =>
    simulation.choices.site('faults of requests').bool(percent / 100),
  );
  const soon = (what: string, act: () => void): void => void simulation.at(simulation.now, what, act);
  const templates = templatesOf(nodes);
  const servers = Array.from({ length: serverCount }, (_, index) => `apiserver/${index}`);
  const members =
    storageMembers > 0
      ? new StorageMembers(simulation, { count: storageMembers, servers, storage })
      : undefined;
  const credentials = managerCredentials({
    ...(rootCertificate !== undefined && { rootCertificate }),
    ...(signer && { signer }),
  });
  const selected = selectControllers(controllers);
  const leftBehind = together(
    isFirstBoot ? NOTHING_LEFT : leftBehindBy(selected, credentials),
    metricsServer === 'installed' ? METRICS_OBJECTS : NOTHING_LEFT,
  );
  const apiServers = servers.map(
    (name, index) =>
      new ApiServerActor(simulation, name, {
        authorizesNodes: templates.length > 0,
        advertisedAddress: { ip: `192.0.2.${FIRST_SERVER + index}`, port: SERVER_PORT },
        leftBehind,
        ...settings,
        release: serverReleases[index] ?? release,
        requestFaults,
        ...(members && { members }),
        crash: (actor) => soon('crash at a request', () => cluster.faults.crash(actor)),
        breakOff: (a, b) => soon('reset at a request', () => simulation.network.reset(a, b)),
        observers: [writes, ...observers],
      }),
  );
  const controllerManagers = managersOf(simulation, {
    count: managerCount,
    servers,
    controllers: selected,
    electsLeader: leaderElect ?? managerCount > 1,
    credentials,
  });
  const schedulers = schedulersOf(simulation, {
    count: scheduler === false ? 0 : schedulerCount,
    servers,
    electsLeader: leaderElect ?? schedulerCount > 1,
    ...(typeof scheduler === 'object' && { configuration: scheduler }),
  });
  const agentGates = settings.featureGates ?? new FeatureGates(release.gates);
  const servesCheckpoints = ({ gates }: Release): boolean =>
    agentGates.isEnabledIn(gates, 'ContainerCheckpoint');
  const volumes = new SharedVolumes();
  const makeAgent = (template: NodeTemplate, actorName?: string): NodeAgent =>
    new NodeAgent(simulation, {
      template,
      servers,
      volumes,
      servesCheckpoints,
      release: template.release ?? release,
      ...agentSettings,
      ...(actorName !== undefined && { actorName }),
    });
  const agents = templates.map((template) => makeAgent(template));
  if (metricsServer) startMetricsServer(simulation, 'metrics-server', servers);
  const user = simulation.actor('user/test');
  const userClient = new ApiClient({ context: user.context, servers, user: USER, userAgent: 'kubesim-test' });
  const cluster: Cluster = new Cluster({
    simulation,
    storage,
    apiServers,
    controllerManagers,
    schedulers,
    agents,
    makeAgent,
    requestFaults,
    ...(members && { members }),
    userClient,
    writes,
    ...(remake && { remake }),
  });
  return cluster;
}

type ManagersOptions = Omit<ControllerManagerOptions, 'number'> & { readonly count: number };

/** None where there is nothing to manage. */
function managersOf(
  simulation: Simulation,
  { count, ...options }: ManagersOptions,
): readonly ControllerManager[] {
  if (options.controllers.length === 0) return [];
  return Array.from(
    { length: count },
    (_, number) => new ControllerManager(simulation, { ...options, number }),
  );
}

type SchedulersOptions = Omit<SchedulerOptions, 'number'> & { readonly count: number };

const schedulersOf = (
  simulation: Simulation,
  { count, ...options }: SchedulersOptions,
): readonly Scheduler[] =>
  Array.from({ length: count }, (_, number) => new Scheduler(simulation, { ...options, number }));

function simulationOf(options: ClusterOptions): Simulation {
  const { seed = 1, replay, epochMs, latency, trace, isRecording, settled = false } = options;
  const { schedule, onDecision } = options;
  return new Simulation({
    seed,
    ...(settled && { startsAt: microseconds(0 - settlingTime(options)) }),
    ...(replay && { replay }),
    ...(epochMs !== undefined && { epochMs }),
    ...(latency && { latency }),
    ...(schedule && { schedule }),
    ...(onDecision && { onDecision }),
    ...(trace && { trace }),
    ...(isRecording !== undefined && { isRecording }),
  });
}
