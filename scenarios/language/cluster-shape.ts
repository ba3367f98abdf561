/** The part of the scenario language that says on what a scenario runs. */
import { optional } from './shape.ts';
import { duration, flag, integer, map, struct, word } from './shape-builders.ts';

export const clusterShape = struct({
  name: 'Cluster',
  doc: 'The cluster that the scenario runs on. Without it: an API server and its controllers, no nodes.',
  fields: {
    nodes: optional(
      integer('Nodes `worker-1`, `worker-2`, … that register and renew their leases.', 0, 10_000),
    ),
    authorizationMode: optional(
      word('Who may do what. Default: AlwaysAllow.', ['AlwaysAllow', 'AlwaysDeny', 'RBAC']),
    ),
    compactionInterval: optional(duration('How often old history is dropped; 0: never. Default: 5m.')),
    watchCacheLag: optional(duration('How late the API server sees changes. Default: 0.')),
    featureGates: optional(map('Feature gates of the API server.', flag('On or off.'))),
    runtimeConfig: optional(
      map('API versions to serve or not: `api/all`, `apps/v1`.', flag('Served or not.')),
    ),
  },
});
