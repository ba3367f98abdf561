/**
 * The scenario language, in one place: every field, what it may hold and what it is for. The reader, the JSON
 * Schema, the reference and the TypeScript types of scenarios all come from here.
 */
import { optional, required, type Shape, type StructShape, type ValueOf } from './shape.ts';

const text = <const D extends string>(doc: D): { kind: 'text'; doc: D } => ({ kind: 'text', doc });
const flag = (doc: string): { kind: 'flag'; doc: string } => ({ kind: 'flag', doc });
const duration = (doc: string): { kind: 'duration'; doc: string } => ({ kind: 'duration', doc });
const integer = (
  doc: string,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): { kind: 'integer'; doc: string; min: number; max: number } => ({ kind: 'integer', doc, min, max });
const word = <const W extends readonly string[]>(
  doc: string,
  words: W,
): { kind: 'word'; doc: string; words: W } => ({ kind: 'word', doc, words });
const json = (doc: string): { kind: 'json'; doc: string } => ({ kind: 'json', doc });
const mapping = (doc: string): { kind: 'json'; doc: string; only: 'object' } => ({
  kind: 'json',
  doc,
  only: 'object',
});
const list = <S extends Shape>(doc: string, item: S): { kind: 'list'; doc: string; item: S } => ({
  kind: 'list',
  doc,
  item,
});
const map = <S extends Shape>(doc: string, value: S): { kind: 'map'; doc: string; value: S } => ({
  kind: 'map',
  doc,
  value,
});
const struct = <const S extends Omit<StructShape, 'kind'>>(shape: S): S & { kind: 'struct' } => ({
  kind: 'struct',
  ...shape,
});

const VARIABLE_NAME = {
  source: '^[A-Za-z_][A-Za-z0-9_]*$',
  expected: 'a variable name: letters, digits and _',
};

const kindFields = {
  apiVersion: optional(text('Group and version of the kind, such as `apps/v1`. Default: `v1`.')),
  kind: required(text('Kind of the object, such as `ConfigMap`.')),
  namespace: optional(text('Namespace. Default: `default` for kinds that live in one.')),
};

const objectFields = { ...kindFields, name: required(text('Name of the object.')) };

const selectionFields = {
  ...kindFields,
  labelSelector: optional(text('Only objects with such labels: `app=web,tier!=db`.')),
  fieldSelector: optional(text('Only objects with such fields: `metadata.name=a`.')),
  resourceVersion: optional(text('Read or watch from this version on.')),
};

const getShape = struct({ name: 'Get', doc: 'Reads one object.', fields: objectFields });

const listShape = struct({
  name: 'List',
  doc: 'Reads objects of a kind, or one page of them.',
  fields: {
    ...selectionFields,
    allNamespaces: optional(flag('Objects of every namespace.')),
    limit: optional(integer('Objects on a page.', 1)),
    continue: optional(text('Token of the page before.')),
    resourceVersionMatch: optional(word('How `resourceVersion` counts.', ['Exact', 'NotOlderThan'])),
  },
});

const requestShape = struct({
  name: 'Request',
  doc: 'Any HTTP request to the API.',
  fields: {
    method: optional(
      word('HTTP method. Default: GET.', ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS']),
    ),
    path: required(text('Path, such as `/api/v1/namespaces/default/configmaps`.')),
    node: optional(text('Ask the agent of this node, not the API: `/checkpoint/default/web/main`.')),
    query: optional(map('Query parameters.', text('Value.'))),
    headers: optional(map('Request headers.', text('Value.'))),
    body: optional(json('Body, sent as JSON.')),
  },
});

const eventsShape = struct({
  name: 'Events',
  doc: 'What a watch has received since the last `events` step on it that held.',
  fields: { stream: required(text('Name of the watch.')) },
});

const expectShape = struct({
  name: 'Expect',
  doc: 'What the answer must look like. A mapping matches when all its members do; a list when it is as long and each item matches. See "Matching".',
  fields: {
    status: optional(json('HTTP status, or a matcher. Default: any 2xx.')),
    headers: optional(map('Response headers by name, in any case.', json('Value or matcher.'))),
    body: optional(json('The object or Status in the answer.')),
    warnings: optional(json('Texts of the `Warning` headers, as a list.')),
    events: optional(json('Events of a watch: a list of `{type, object}`.')),
    ended: optional(flag('Whether the server has ended the watch.')),
  },
});

const probeFields = {
  get: optional(getShape),
  list: optional(listShape),
  request: optional(requestShape),
  events: optional(eventsShape),
};
const PROBES = ['get', 'list', 'request', 'events'] as const;

const probeRest = {
  as: optional(text('Who asks. Default: an administrator.')),
  expect: optional(expectShape),
};

const eventuallyShape = struct({
  name: 'Eventually',
  doc: 'Asks again and again until the expectation holds; fails when it has not by then.',
  verbs: PROBES,
  verbWord: 'verb',
  fields: {
    within: required(duration('Virtual time that it may take.')),
    every: optional(duration('Time between two looks. Default: 1s.')),
    ...probeFields,
    ...probeRest,
  },
});

const alwaysShape = struct({
  name: 'Always',
  doc: 'Asks again and again; fails at the first look at which the expectation does not hold.',
  verbs: PROBES,
  verbWord: 'verb',
  fields: {
    for: required(duration('Virtual time over which it must hold.')),
    every: optional(duration('Time between two looks. Default: 1s.')),
    ...probeFields,
    ...probeRest,
  },
});

const propertyShape = struct({
  name: 'Property',
  doc: 'Must hold after every step, and every second while time is advanced.',
  verbs: PROBES,
  verbWord: 'verb',
  fields: { name: required(text('What holds, in words.')), ...probeFields, ...probeRest },
});

const linkFields = {
  from: required(text('An actor, such as `node/worker-1`.')),
  to: optional(text('Another actor, such as `apiserver/0`. Default: everybody else.')),
};
const wayField = optional(word('Which directions. Default: both.', ['both', 'forth']));
const actorFields = { actor: required(text('An actor, such as `node/worker-1` or `apiserver/0`.')) };
const nodeFields = { node: required(text('Name of the node.')) };

const faultShape = struct({
  name: 'Fault',
  doc: 'Breaks something, or makes it whole again: every fault has its opposite.',
  verbs: [
    'partition',
    'heal',
    'hold',
    'release',
    'reset',
    'latency',
    'crash',
    'restart',
    'pause',
    'resume',
    'jumpClock',
    'driftClock',
    'cordon',
    'uncordon',
    'lagWatchCache',
    'reboot',
    'reimage',
    'fillDisk',
    'freeDisk',
    'stopRuntime',
    'startRuntime',
  ],
  verbWord: 'fault',
  fields: {
    partition: optional(
      struct({
        name: 'Partition',
        doc: 'Messages between two actors are lost. Undone by `heal`.',
        fields: { ...linkFields, way: wayField },
      }),
    ),
    heal: optional(
      struct({ name: 'Heal', doc: 'Ends a partition.', fields: { ...linkFields, way: wayField } }),
    ),
    hold: optional(
      struct({
        name: 'Hold',
        doc: 'Messages between two actors wait. Undone by `release`.',
        fields: { ...linkFields, way: wayField },
      }),
    ),
    release: optional(
      struct({ name: 'Release', doc: 'Delivers what was held.', fields: { ...linkFields, way: wayField } }),
    ),
    reset: optional(
      struct({ name: 'Reset', doc: 'Breaks the connections that exist now.', fields: linkFields }),
    ),
    latency: optional(
      struct({
        name: 'Latency',
        doc: 'How long messages between two actors take from now on.',
        fields: {
          ...linkFields,
          way: wayField,
          min: required(duration('At least.')),
          typical: required(duration('Most often.')),
          max: required(duration('At most.')),
        },
      }),
    ),
    crash: optional(
      struct({
        name: 'Crash',
        doc: 'Ends an actor at this instant. Undone by `restart`.',
        fields: { ...actorFields, silent: optional(flag('As by loss of power: peers get no reset.')) },
      }),
    ),
    restart: optional(struct({ name: 'Restart', doc: 'Starts a crashed actor anew.', fields: actorFields })),
    pause: optional(
      struct({
        name: 'Pause',
        doc: 'An actor stands still; messages and timers queue up. Undone by `resume`.',
        fields: actorFields,
      }),
    ),
    resume: optional(struct({ name: 'Resume', doc: 'A paused actor goes on.', fields: actorFields })),
    jumpClock: optional(
      struct({
        name: 'JumpClock',
        doc: 'The wall clock of an actor jumps.',
        fields: {
          ...actorFields,
          by: required(duration('How far.')),
          back: optional(flag('Into the past.')),
        },
      }),
    ),
    driftClock: optional(
      struct({
        name: 'DriftClock',
        doc: 'The clock of an actor runs fast. 0 sets it right again.',
        fields: {
          ...actorFields,
          ppm: required(integer('Microseconds gained in a second; negative: lost.', -900_000, 900_000)),
        },
      }),
    ),
    cordon: optional(
      struct({ name: 'Cordon', doc: 'No new pods on a node. Undone by `uncordon`.', fields: nodeFields }),
    ),
    uncordon: optional(struct({ name: 'Uncordon', doc: 'Pods may come again.', fields: nodeFields })),
    lagWatchCache: optional(
      struct({
        name: 'LagWatchCache',
        doc: 'The API server sees changes late. 0 sets it right again.',
        fields: { by: required(duration('How late.')) },
      }),
    ),
    reboot: optional(
      struct({
        name: 'Reboot',
        doc: 'The machine of a node goes down: its containers are gone, its disk is not. Undone by `restart`.',
        fields: nodeFields,
      }),
    ),
    reimage: optional(
      struct({
        name: 'Reimage',
        doc: 'The machine of a node gets a new image: containers and disk are gone. Undone by `restart`.',
        fields: nodeFields,
      }),
    ),
    fillDisk: optional(
      struct({
        name: 'FillDisk',
        doc: 'The disk of a node is full. Undone by `freeDisk`.',
        fields: nodeFields,
      }),
    ),
    freeDisk: optional(struct({ name: 'FreeDisk', doc: 'There is space again.', fields: nodeFields })),
    stopRuntime: optional(
      struct({
        name: 'StopRuntime',
        doc: 'The container runtime of a node hangs. Undone by `startRuntime`.',
        fields: nodeFields,
      }),
    ),
    startRuntime: optional(
      struct({ name: 'StartRuntime', doc: 'The container runtime goes on.', fields: nodeFields }),
    ),
  },
});

const repeatShape = struct({
  name: 'Repeat',
  doc: 'Does steps several times.',
  fields: {
    times: required(integer('How often.', 1, 100_000)),
    index: optional({ ...text('Variable that counts the rounds, from 0.'), pattern: VARIABLE_NAME }),
    steps: required(
      list('What to do.', { kind: 'later', doc: 'A step.', shape: (): StructShape => stepShape } as const),
    ),
  },
});

export const STEP_VERBS = [
  'request',
  'create',
  'apply',
  'update',
  'patch',
  'delete',
  'get',
  'list',
  'watch',
  'events',
  'stop',
  'advance',
  'fault',
  'eventually',
  'always',
  'repeat',
  'set',
] as const;

const stepShape = struct({
  name: 'Step',
  doc: 'One thing that happens. It has exactly one verb; the answer can be checked and captured beside it.',
  verbs: STEP_VERBS,
  verbWord: 'verb',
  fields: {
    name: optional(text('What the step is for, in words.')),
    request: optional(requestShape),
    create: optional(mapping('Manifest of an object to create.')),
    apply: optional(mapping("Manifest to apply on the server's side.")),
    update: optional(mapping('Manifest that replaces an object.')),
    patch: optional(
      struct({
        name: 'Patch',
        doc: 'Changes parts of an object.',
        fields: {
          ...objectFields,
          type: optional(word('How `patch` is meant. Default: merge.', ['merge', 'strategic', 'json'])),
          patch: required(json('The patch.')),
        },
      }),
    ),
    delete: optional(
      struct({
        name: 'Delete',
        doc: 'Deletes an object.',
        fields: {
          ...objectFields,
          options: optional(
            mapping('`DeleteOptions`: gracePeriodSeconds, propagationPolicy, preconditions.'),
          ),
        },
      }),
    ),
    get: optional(getShape),
    list: optional(listShape),
    watch: optional(
      struct({
        name: 'Watch',
        doc: 'Opens a watch that goes on in the background; `events` reads it, `stop` closes it.',
        fields: {
          stream: required({ ...text('Name of the watch.'), pattern: VARIABLE_NAME }),
          ...selectionFields,
          allNamespaces: optional(flag('Objects of every namespace.')),
          bookmarks: optional(flag('Ask for bookmarks.')),
        },
      }),
    ),
    events: optional(eventsShape),
    stop: optional(text('Name of a watch to close.')),
    advance: optional(duration('Lets so much virtual time go by.')),
    fault: optional(faultShape),
    eventually: optional(eventuallyShape),
    always: optional(alwaysShape),
    repeat: optional(repeatShape),
    set: optional(map('Gives variables new values.', json('Value.'))),
    as: optional(text('Who asks. Default: an administrator.')),
    subresource: optional(text('Subresource that the verb is about, such as `status`.')),
    query: optional(map('Further query parameters, such as `fieldManager` or `dryRun`.', text('Value.'))),
    headers: optional(map('Further request headers, such as `accept`.', text('Value.'))),
    expect: optional(expectShape),
    capture: optional(
      map(
        'Variables to fill from the answer: paths such as `body.metadata.resourceVersion`, `headers.etag`, `events[0].object`.',
        text('Path into the answer.'),
      ),
    ),
  },
});

export const CHECKERS = ['watch-ordered', 'watch-unique', 'list-sorted', 'list-counted'] as const;
export type CheckerName = (typeof CHECKERS)[number];

const clusterShape = struct({
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

export const scenarioShape = struct({
  name: 'Scenario',
  doc: 'A world, what happens in it, and what must hold.',
  fields: {
    apiVersion: required(word('Version of the scenario language.', ['kubesim.dev/v1'])),
    kind: required(word('Kind of the document.', ['Scenario'])),
    metadata: required(
      struct({
        name: 'Metadata',
        doc: 'What the scenario is called.',
        fields: {
          name: required({
            ...text('Name in reports; unique among the scenarios of a run.'),
            pattern: {
              source: '^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$',
              expected: 'a name of lower-case letters, digits, - and .',
            },
          }),
          labels: optional(map('Labels for your own use.', text('Value.'))),
          annotations: optional(map('Notes for your own use.', text('Value.'))),
        },
      }),
    ),
    spec: required(
      struct({
        name: 'Spec',
        doc: 'What happens and what must hold.',
        fields: {
          description: optional(text('What the scenario shows.')),
          cluster: optional(clusterShape),
          seed: optional(integer('First seed. Default: 1.', 0)),
          runs: optional(integer('Runs with consecutive seeds. Default: 1.', 1, 1_000_000)),
          variables: optional(map('Variables that the steps may use as `${name}`.', json('Value.'))),
          checkers: optional(
            list('Checks of everything that the scenario has seen.', word('A ready-made checker.', CHECKERS)),
          ),
          always: optional(list('Properties that hold throughout the run.', propertyShape)),
          steps: required(list('What happens, in order.', stepShape)),
        },
      }),
    ),
  },
});

export type Scenario = ValueOf<typeof scenarioShape>;
export type Step = ValueOf<typeof stepShape>;
export type Expectation = ValueOf<typeof expectShape>;
export type Fault = ValueOf<typeof faultShape>;
export type ClusterSpec = ValueOf<typeof clusterShape>;
export type Probe = Pick<Step, 'get' | 'list' | 'request' | 'events' | 'as' | 'expect'>;
export type Property = ValueOf<typeof propertyShape>;
