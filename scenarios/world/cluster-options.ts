/** What a scenario says of its cluster, as options of `createCluster`. */
import { FeatureGates, RELEASE_1_31, type ClusterOptions } from '../../sim/index.ts';
import { latencyOf } from './faults.ts';
import type { ClusterSpec } from '../language/scenario-shape.ts';

export function clusterOptions({
  nodes = 0,
  apiServers,
  latency,
  authorizationMode,
  compactionInterval,
  watchCacheLag,
  featureGates,
  runtimeConfig,
  agents,
}: ClusterSpec): ClusterOptions {
  return {
    nodes,
    ...(apiServers !== undefined && { apiServers }),
    ...(latency && { latency: latencyOf(latency) }),
    ...(authorizationMode && { authorizationMode }),
    compactionIntervalMs: (compactionInterval ?? 300_000_000) / 1_000,
    ...(watchCacheLag !== undefined && { watchCacheLagMs: watchCacheLag / 1_000 }),
    ...(featureGates && { featureGates: FeatureGates.parse(RELEASE_1_31.gates, assignments(featureGates)) }),
    ...(runtimeConfig && { runtimeConfig: assignments(runtimeConfig) }),
    ...(agents && { agents: agentSettings(agents) }),
  };
}

const agentSettings = ({
  rootDir,
  authorizationMode,
  anonymousAuth,
}: NonNullable<ClusterSpec['agents']>): NonNullable<ClusterOptions['agents']> => ({
  ...(rootDir !== undefined && { rootDirectory: rootDir }),
  ...(authorizationMode && { authorizationMode }),
  ...(anonymousAuth !== undefined && { allowsAnonymous: anonymousAuth }),
});

const assignments = (flags: Readonly<Record<string, boolean>>): string =>
  Object.entries(flags)
    .map(([name, isOn]) => `${name}=${isOn}`)
    .join(',');
