/** What a scenario says of its cluster, as options of `createCluster`. */
import {
  FeatureGates,
  microseconds,
  milliseconds,
  RELEASE_1_31,
  type ClusterOptions,
  type Schedule,
} from '../../sim/index.ts';
import { assignments } from './assignments.ts';
import { latencyOf } from './faults.ts';
import type { ClusterSpec, Scenario } from '../language/scenario-shape.ts';

export function clusterOptions({
  nodes = 0,
  apiServers,
  controllers,
  controllerManagers,
  scheduler,
  schedulers,
  leaderElect,
  metricsServer,
  latency,
  schedule,
  authorizationMode,
  allowPrivileged,
  compactionInterval,
  watchCacheLag,
  featureGates,
  runtimeConfig,
  agents,
  admission,
  settled = true,
  epoch,
  storageMembers,
}: ClusterSpec): ClusterOptions {
  return {
    nodes,
    settled,
    ...(storageMembers !== undefined && { storageMembers }),
    ...(epoch !== undefined && { epochMs: Date.parse(epoch) }),
    ...(admission?.disable && { disabledAdmissionPlugins: admission.disable }),
    ...(apiServers !== undefined && { apiServers }),
    ...(controllers && { controllers }),
    ...(controllerManagers !== undefined && { controllerManagers }),
    ...(scheduler !== undefined && { scheduler }),
    ...(schedulers !== undefined && { schedulers }),
    ...(leaderElect !== undefined && { leaderElect }),
    ...(metricsServer !== undefined && { metricsServer }),
    ...(latency && { latency: latencyOf(latency) }),
    ...(schedule !== undefined && { schedule: scheduleOf(schedule) }),
    ...(authorizationMode && { authorizationMode }),
    ...(allowPrivileged !== undefined && { allowsPrivileged: allowPrivileged }),
    ...(compactionInterval !== undefined && { compactionInterval: microseconds(compactionInterval) }),
    ...(watchCacheLag !== undefined && { watchCacheLag: microseconds(watchCacheLag) }),
    ...(featureGates && { featureGates: FeatureGates.parse(RELEASE_1_31.gates, assignments(featureGates)) }),
    ...(runtimeConfig && { runtimeConfig: assignments(runtimeConfig) }),
    ...(agents && { agents: agentSettings(agents) }),
  };
}

function scheduleOf(schedule: NonNullable<ClusterSpec['schedule']>): Schedule {
  if (typeof schedule === 'string') return schedule;
  const { policy, window, changePoints, delays } = schedule;
  const within = window === undefined ? {} : { window: microseconds(window) };
  if (policy === 'delays') return { policy, ...within, ...(delays !== undefined && { delays }) };
  if (policy !== 'priorities') return { policy, ...within };
  return { policy, ...within, ...(changePoints !== undefined && { changePoints }) };
}

/**
 * The cluster of a run: with the first seed things happen as they come, with others in any order, unless the scenario
 * says how. A function of scenario and seed alone, so that a run is the same whatever runs beside it.
 */
export function clusterOfRun(
  { cluster = {}, seed: firstSeed = 1 }: Scenario['spec'],
  seed: number,
): ClusterSpec {
  if (cluster.schedule !== undefined || seed === firstSeed) return cluster;
  return { ...cluster, schedule: { policy: 'random', window: WINDOW } };
}

const WINDOW = milliseconds(1);

const agentSettings = ({
  rootDir,
  authorizationMode,
  anonymousAuth,
}: NonNullable<ClusterSpec['agents']>): NonNullable<ClusterOptions['agents']> => ({
  ...(rootDir !== undefined && { rootDirectory: rootDir }),
  ...(authorizationMode && { authorizationMode }),
  ...(anonymousAuth !== undefined && { allowsAnonymous: anonymousAuth }),
});
