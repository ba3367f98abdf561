/** Faults that fit a cluster: of every family, at anybody whom there is. Drawn as templates of the language. */
import type { Json, JsonMap } from '../language/shape.ts';

export const FAULT_FAMILIES = [
  'crashes',
  'network',
  'requests',
  'watches',
  'clocks',
  'machines',
  'storage',
] as const;
export type FaultFamily = (typeof FAULT_FAMILIES)[number];

interface Actors {
  readonly servers: readonly string[];
  readonly managers: readonly string[];
  readonly schedulers: readonly string[];
  readonly nodes: readonly string[];
  readonly members: readonly string[];
}

const numbered = (prefix: string, count: number, from = 0): readonly string[] =>
  Array.from({ length: count }, (_, index) => `${prefix}${index + from}`);

/** Whom there is in a cluster that was drawn. */
export function actorsOf(cluster: JsonMap): Actors {
  const count = (member: string, fallback: number): number =>
    typeof cluster[member] === 'number' ? cluster[member] : fallback;
  const hasControllers = !(Array.isArray(cluster['controllers']) && cluster['controllers'].length === 0);
  return {
    servers: numbered('apiserver/', count('apiServers', 1)),
    managers: hasControllers ? numbered('controller-manager/', count('controllerManagers', 1)) : [],
    schedulers: cluster['scheduler'] === false ? [] : numbered('scheduler/', count('schedulers', 1)),
    nodes: numbered('worker-', count('nodes', 0), 1),
    members: numbered('etcd/', count('storageMembers', 0)),
  };
}

const oneOf = (values: readonly Json[]): Json =>
  values.length === 1 ? (values[0] ?? null) : { $oneOf: values };

/** Templates of faults, by family; none where nobody is there whom it could strike. */
export function anyFault(cluster: JsonMap, families: readonly FaultFamily[]): readonly JsonMap[] {
  const actors = actorsOf(cluster);
  return families.flatMap((family) => FAMILIES[family](actors));
}

const FAMILIES: Readonly<Record<FaultFamily, (actors: Actors) => readonly JsonMap[]>> = {
  crashes: ({ servers, managers, schedulers, nodes }) => {
    const workers = [...managers, ...schedulers, ...nodes.map((node) => `node/${node}`)];
    const actor = oneOf([...workers, ...servers]);
    return [
      { crash: { actor, silent: { $maybe: true } } },
      { pause: { actor } },
      ...(workers.length === 0
        ? []
        : ['crashBefore', 'crashAfter'].map((verb) => ({
            [verb]: {
              actor: oneOf(workers),
              verb: { $oneOf: ['update', 'create', 'patch', 'delete'] },
              after: { $between: [0, 12] },
            },
          }))),
    ];
  },
  network: ({ servers, managers, schedulers, nodes }) => {
    const clients = [...managers, ...schedulers, ...nodes.map((node) => `node/${node}`)];
    const server = oneOf(servers);
    if (clients.length === 0) return [];
    const link = { from: oneOf(clients), to: server };
    const way = { $oneOf: ['both', 'forth', 'back'] };
    return [
      { partition: { ...link, way } },
      { hold: { ...link, way } },
      { reset: link },
      { flap: { ...link, down: { $between: ['500ms', '10s'] }, up: { $between: ['500ms', '10s'] } } },
      { latency: { ...link, min: '10ms', typical: '200ms', max: { $between: ['300ms', '4s'] } } },
    ];
  },
  requests: ({ servers, managers, schedulers, nodes }) => {
    const clients = [...managers, ...schedulers, ...nodes.map((node) => `node/${node}`), 'user/test'];
    const some = { actor: oneOf(clients), after: { $between: [0, 8] }, count: { $between: [1, 6] } };
    const verb = { $oneOf: ['create', 'update', 'patch', 'delete', 'list', 'get'] };
    return [
      { failRequests: { ...some, verb, status: { $oneOf: [500, 409, 503, 504, 429] } } },
      {
        loseAnswers: {
          ...some,
          verb: { $oneOf: ['create', 'update', 'patch', 'delete'] },
          resets: true,
          ...(servers.length > 1 && { server: oneOf(servers) }),
        },
      },
      ...strikesAtEach([...managers, ...schedulers, ...nodes.map((node) => `node/${node}`)]),
    ];
  },
  watches: ({ servers, managers }) => [
    { endWatches: { expired: { $maybe: true } } },
    {
      lagWatchCache: {
        by: { $between: ['100ms', '20s'] },
        ...(servers.length > 1 && { server: oneOf(servers) }),
      },
    },
    ...(managers.length === 0
      ? []
      : [
          {
            lagController: {
              controller: oneOf(LAGGARDS.map((name) => `controller/${name}`)),
              by: { $between: ['100ms', '15s'] },
            },
          },
        ]),
  ],
  clocks: ({ nodes, managers }) => {
    const actor = [...nodes.map((node) => `node/${node}`), ...managers];
    if (actor.length === 0) return [];
    return [
      { jumpClock: { actor: oneOf(actor), by: { $between: ['1s', '2m'] }, back: { $maybe: true } } },
      { driftClock: { actor: oneOf(actor), ppm: { $between: [-50_000, 50_000] } } },
    ];
  },
  machines: ({ nodes }) => {
    if (nodes.length === 0) return [];
    const node = oneOf(nodes);
    return [
      { reboot: { node } },
      { stopRuntime: { node } },
      { loseRoutes: { node } },
      { press: { node, of: { $oneOf: ['memory', 'disk', 'pid'] } } },
    ];
  },
  storage: ({ members }) => {
    if (members.length === 0) return [];
    return [
      { lagStorageMember: { member: oneOf(members), by: { $between: ['100ms', '20s'] } } },
      { changeStorageLeader: { takes: { $between: ['500ms', '10s'] } } },
      { crash: { actor: oneOf(members) } },
    ];
  },
};

/** The first tries of every write come to grief, all alike: whatever does not try again, or not rightly, shows. */
function strikesAtEach(workers: readonly string[]): readonly JsonMap[] {
  if (workers.length === 0) return [];
  const some = {
    actor: oneOf(workers),
    verb: ['create', 'update', 'patch', 'delete', 'deletecollection'],
    each: { $oneOf: ['object', 'object', 'kind'] },
    after: { $oneOf: [0, 0, 1] },
  };
  return [
    { failRequests: { ...some, status: { $oneOf: [500, 409] }, count: { $between: [1, 3] } } },
    { loseAnswers: { ...some, resets: true, count: 1 } },
  ];
}

const LAGGARDS = [
  'deployment-controller',
  'replicaset-controller',
  'statefulset-controller',
  'daemonset-controller',
  'job-controller',
  'node-lifecycle-controller',
  'endpointslice-controller',
  'garbage-collector-controller',
  'disruption-controller',
  'namespace-controller',
];
