/** Assembles a cluster from a plain description. Wires, decides nothing. */
import { RELEASE_1_31 } from '../api/release/release-1-31.ts';
import type { Release } from '../api/release/release.ts';
import type { Signer } from '../api/certificates/certificate.ts';
import { checkPluginNames } from '../apiserver/admission/default-plugins.ts';
import { FeatureGates } from '../apiserver/feature-gates.ts';
import { strangeRuntimeConfigKey } from '../apiserver/registry/runtime-config.ts';
import { noteSeveralReleases } from '../apiserver/stores/versioned-storage.ts';
import type { StoredObject } from '../apiserver/stores/stored-object.ts';
import { ApiClient } from '../client/api-client.ts';
import { Simulation } from '../engine/simulation.ts';
import { microseconds } from '../engine/time.ts';
import { NodeAgent } from '../node/node-agent.ts';
import { SharedVolumes } from '../node/volumes/volume-places.ts';
import type { NodeTemplate } from '../node/node-template.ts';
import { Scheduler, type SchedulerOptions } from '../scheduler/scheduler.ts';
import { MemoryStorage } from '../storage/memory-storage.ts';
import { ApiServerActor, type ApiServerSettings } from './api-server-actor.ts';
import { checkOptions } from './check-options.ts';
import { Cluster } from './cluster.ts';
import type { ClusterOptions } from './cluster-options.ts';
import { selectControllers, USUAL_CONTROLLERS } from './controller-selection.ts';
import {
  ControllerManager,
  type ControllerManagerOptions,
} from '../controllers/manager/controller-manager.ts';
import { templatesOf } from './fleet.ts';
import { RequestFaults } from './request-faults.ts';
import { settlingTime } from './settling-time.ts';
import { StorageMembers } from './storage-members.ts';
import { leftBehindBy, NOTHING_LEFT, together } from './left-behind.ts';
import { METRICS_OBJECTS } from './metrics-server/metrics-objects.ts';
import { startMetricsServer } from './metrics-server/metrics-server.ts';
import { managerCredentials } from './manager-credentials.ts';
import { WriteCount } from './write-count.ts';

/** Addresses of API servers inside the cluster end in 10 and on. */
const FIRST_SERVER = 10;
const SERVER_PORT = 6443;
const USER = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
/** Names of all controllers but those that have to be named, in the order in which they start. */
export const EVERY_CONTROLLER = USUAL_CONTROLLERS;

/**
 * A cluster at virtual time 0: its actors start with the first step, or before it when it is `settled`.
 * @throws RangeError for options that say nothing that there is
 */
export function createCluster(options: ClusterOptions = {}): Cluster {
  const cluster = assembledCluster(options);
  options.onAssembled?.(cluster);
  if (options.settled === true) cluster.simulation.runUntil(microseconds(0));
  return cluster;
}

function assembledCluster(options: ClusterOptions): Cluster {
  checkOptions(options);
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
