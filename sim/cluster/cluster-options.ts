/** What a cluster is to be: every part has a default. */
import type { Release } from '../api/release/release.ts';
import type { AdmissionPlugin } from '../apiserver/admission/admission.ts';
import type { FeatureGates } from '../apiserver/feature-gates.ts';
import type { ChoiceLog } from '../engine/choices.ts';
import type { Latency } from '../engine/link.ts';
import type { Decision, Schedule } from '../engine/schedule-policy.ts';
import type { Micros } from '../engine/time.ts';
import type { TraceOptions } from '../engine/trace.ts';
import type { AgentSettings } from '../node/node-agent.ts';
import type { SchedulerConfiguration } from '../scheduler/configuration/scheduler-configuration.ts';
import type { Cluster } from './cluster.ts';
import type { AuthorizationMode } from './control-plane.ts';
import type { NodesOption } from './fleet.ts';

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
