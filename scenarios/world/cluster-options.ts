/** What a scenario says of its cluster, as options of `createCluster`. */
import {
  FeatureGates,
  microseconds,
  milliseconds,
  RELEASE_1_31,
  type ClusterOptions,
  type Schedule,
} from '../../sim/index.ts';
import { requireRelease } from './require-release.ts';
import { assignments } from './assignments.ts';
import { latencyOf } from './faults.ts';
import type { ClusterSpec, Scenario } from '../language/scenario-shape.ts';

export function clusterOptions({
  nodes = 0,
  release: releaseName,
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
  const release = releaseName === undefined ? undefined : requireRelease(releaseName);
  const { gates } = release ?? RELEASE_1_31;
  return {
    nodes: withReleases(nodes),
    settled,
    ...(release && { release }),
    ...serversOf(apiServers),
    ...(storageMembers !== undefined && { storageMembers }),
    ...(epoch !== undefined && { epochMs: Date.parse(epoch) }),
    ...(admission?.disable && { disabledAdmissionPlugins: admission.disable }),
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
    ...(featureGates && { featureGates: FeatureGates.parse(gates, assignments(featureGates)) }),
    ...(runtimeConfig && { runtimeConfig: assignments(runtimeConfig) }),
    ...(agents && { agents: agentSettings(agents) }),
  };
}

function serversOf(
  servers: ClusterSpec['apiServers'],
): Pick<ClusterOptions, 'apiServers' | 'serverReleases'> {
  if (servers === undefined) return {};
  if (typeof servers === 'number') return { apiServers: servers };
  return {
    apiServers: servers.length,
    serverReleases: servers.map(({ release }) =>
      release === undefined ? undefined : requireRelease(release),
    ),
  };
}

/** The release of a fleet is that of each of its agents. */
function withReleases(nodes: NonNullable<ClusterSpec['nodes']>): NonNullable<ClusterOptions['nodes']> {
  if (typeof nodes === 'number') return nodes;
  return 'count' in nodes ? fleetOf(nodes) : nodes.map(fleetOf);
}

const fleetOf = ({
  release,
  template,
  ...fleet
}: Exclude<NonNullable<ClusterSpec['nodes']>, number | readonly unknown[]>) => ({
  ...fleet,
  ...((template ?? release !== undefined) && {
    template: { ...template, ...(release !== undefined && { release: requireRelease(release) }) },
  }),
});

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
