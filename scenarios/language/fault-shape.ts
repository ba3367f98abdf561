/** The part of the scenario language that breaks things and makes them whole again. */
import { optional, required } from './shape.ts';
import { COUNTED_FOR, REFUSALS, REQUEST_VERBS } from '../../sim/index.ts';
import { duration, flag, integer, list, map, struct, text, word } from './shape-builders.ts';

const linkFields = {
  from: required(
    text('An actor, such as `node/worker-1`; all that begin alike, `node/*`; or `zone/zone-1`.'),
  ),
  to: optional(
    text(
      'Another actor, such as `apiserver/0`, or several. Default: everybody else, but not who looks on from outside (`user/test`): steps go on to reach it.',
    ),
  ),
};
const wayField = optional(
  word(
    'Which directions: only what `from` sends (`forth`), or only what it would receive (`back`). Default: both.',
    ['both', 'forth', 'back'],
  ),
);
const actorFields = {
  actor: required(
    text(
      'An actor, such as `node/worker-1`, `apiserver/0` or `controller-manager/0`; all that begin alike, `node/*`; `zone/zone-1`; `controller-manager/leader`; or the managers that run a controller, `controller/node-lifecycle`.',
    ),
  ),
};
const nodeFields = { node: required(text('Name of the node; or several, `node/gpu-*` or `zone/zone-1`.')) };
const pressureFields = {
  ...nodeFields,
  of: required(word('What is short.', ['memory', 'disk', 'pid'])),
};
const writeFields = {
  resource: optional(text('Plural of the kind, such as `leases`. Default: all.')),
  namespace: optional(text('Namespace. Default: all.')),
  name: optional(text('Name of the object. Default: all.')),
  subresource: optional(text('Subresource, such as `status`; `""` for the object itself. Default: both.')),
  user: optional(
    text(
      'Who asks, such as `system:node:worker-1`; or all that begin alike, `system:node:*`. Default: everybody.',
    ),
  ),
  actor: optional(
    text('The actor that asks, such as `controller-manager/0` or `node/*`. Default: everybody.'),
  ),
  server: optional(text('The API server that is asked, such as `apiserver/1`. Default: all.')),
};
const verbWord = word('Verb.', REQUEST_VERBS);
const requestFields = {
  verb: optional({
    kind: 'either',
    doc: 'What is asked, or a list of such verbs. Default: all, reads too.',
    options: [verbWord, list('Several verbs.', verbWord)],
  } as const),
  ...writeFields,
};
const countFields = {
  nth: optional(integer('Only this one of them, counted from 1.', 1)),
  after: optional(integer('So many of them pass before. Default: 0.', 0)),
  count: optional(integer('So many are struck; then it is over. Default: until it is undone.', 1)),
  each: optional(
    word(
      'Counted by itself for what each asker asks of each `kind`, or of each `object`: `each: object, count: 1` strikes the first request of all of them. Such a fault lasts until it is undone.',
      COUNTED_FOR,
    ),
  ),
  percent: optional(
    integer('Of a hundred that could be struck, so many are, by chance. Default: all.', 0, 100),
  ),
};
const statusField = optional(integer(`HTTP status: ${REFUSALS.join(', ')}. Default: 500.`, 400, 504));
const fatalFields = {
  ...requestFields,
  ...countFields,
  crashes: optional(text('Who crashes instead, such as `apiserver/0`. Default: who asks.')),
};

/** A fault that does not say more than whom it is about. */
const onLink = (name: string, doc: string) =>
  optional(struct({ name, doc, fields: { ...linkFields, way: wayField } }));
const onActor = (name: string, doc: string) => optional(struct({ name, doc, fields: actorFields }));
const onNode = (name: string, doc: string) => optional(struct({ name, doc, fields: nodeFields }));

const networkFaults = {
  partition: onLink('Partition', 'Messages between two actors are lost. Undone by `heal`.'),
  heal: onLink('Heal', 'Ends a partition.'),
  flap: optional(
    struct({
      name: 'Flap',
      doc: 'A partition that comes and goes, beginning now. Undone by `steady`.',
      fields: {
        ...linkFields,
        way: wayField,
        down: required(duration('How long nothing passes.')),
        up: required(duration('How long all is well, before it begins anew.')),
      },
    }),
  ),
  steady: onLink('Steady', 'Ends the flapping of the same actors, and heals.'),
  hold: onLink('Hold', 'Messages between two actors wait. Undone by `release`.'),
  release: onLink('Release', 'Delivers what was held.'),
  reset: optional(
    struct({ name: 'Reset', doc: 'Breaks the connections that exist now.', fields: linkFields }),
  ),
  latency: optional(
    struct({
      name: 'Latency',
      doc: 'How long messages between two actors take from now on. Undone by `normalLatency`.',
      fields: {
        ...linkFields,
        way: wayField,
        min: required(duration('At least.')),
        typical: required(duration('Most often.')),
        max: required(duration('At most.')),
      },
    }),
  ),
  normalLatency: onLink('NormalLatency', 'Messages take as long as between others.'),
};

const lifeFaults = {
  lagController: optional(
    struct({
      name: 'LagController',
      doc: 'A controller hears of changes later than its manager, which others share; or a scheduler does. 0 sets it right again.',
      fields: {
        controller: required(
          text('Such as `controller/node-lifecycle`; or several, `controller/node-*`; or `scheduler/0`.'),
        ),
        by: required(duration('How late.')),
      },
    }),
  ),
  crash: optional(
    struct({
      name: 'Crash',
      doc: 'Ends an actor at this instant; the containers of a node run on. Undone by `restart`.',
      fields: { ...actorFields, silent: optional(flag('As by loss of power: peers get no reset.')) },
    }),
  ),
  restart: optional(
    struct({
      name: 'Restart',
      doc: 'Starts a crashed actor anew; of several, those that are crashed. API servers may come back with other settings.',
      fields: {
        ...actorFields,
        release: optional(text('Release of an API server, or of the agent of a node, from now on.')),
        featureGates: optional(map('Feature gates of an API server from now on.', flag('On or off.'))),
        runtimeConfig: optional(
          map('API versions that an API server serves from now on.', flag('Served or not.')),
        ),
      },
    }),
  ),
  pause: onActor(
    'Pause',
    'An actor stands still; messages and timers queue up. A controller stands still while its manager and the others go on. Undone by `resume`.',
  ),
  resume: onActor('Resume', 'A paused actor goes on.'),
  jumpClock: optional(
    struct({
      name: 'JumpClock',
      doc: 'The wall clock of an actor jumps. Undone by a jump the other way.',
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
};

const apiFaults = {
  cordon: onNode('Cordon', 'No new pods on a node. Undone by `uncordon`.'),
  uncordon: onNode('Uncordon', 'Pods may come again.'),
  failWrites: optional(
    struct({
      name: 'FailWrites',
      doc: 'API servers refuse writes, as when their storage does not answer. Undone by `allowWrites`.',
      fields: { ...writeFields, ...countFields, status: statusField },
    }),
  ),
  allowWrites: optional(
    struct({
      name: 'AllowWrites',
      doc: 'Ends the refusal of the same writes.',
      fields: writeFields,
    }),
  ),
  failRequests: optional(
    struct({
      name: 'FailRequests',
      doc: 'API servers refuse requests and do nothing. Undone by `allowRequests`, or over when as many were refused as are to be.',
      fields: {
        ...requestFields,
        ...countFields,
        status: statusField,
        retryAfterSeconds: optional(integer('Header `Retry-After`. Default: 1 with 429.', 0)),
      },
    }),
  ),
  loseAnswers: optional(
    struct({
      name: 'LoseAnswers',
      doc: 'Requests are done, and nobody hears of it. Undone by `allowRequests`.',
      fields: {
        ...requestFields,
        ...countFields,
        resets: optional(
          flag('The connection breaks. Default: nothing comes back until who waits gives up.'),
        ),
      },
    }),
  ),
  crashBefore: optional(
    struct({
      name: 'CrashBefore',
      doc: 'Who makes such a request crashes just before it is done: it never is. Once, unless `count` says otherwise. Undone by `restart` (and, before it has struck, by `allowRequests`).',
      fields: fatalFields,
    }),
  ),
  crashAfter: optional(
    struct({
      name: 'CrashAfter',
      doc: 'Who makes such a request crashes once it is done, and before the answer is there. Otherwise as `crashBefore`.',
      fields: fatalFields,
    }),
  ),
  allowRequests: optional(
    struct({
      name: 'AllowRequests',
      doc: 'Ends what `failRequests`, `loseAnswers`, `crashBefore` and `crashAfter` do to the same requests.',
      fields: requestFields,
    }),
  ),
  endWatches: optional(
    struct({
      name: 'EndWatches',
      doc: 'API servers end watches now, as they do when watches get old; who watches opens them anew.',
      fields: {
        server: optional(text('API server, such as `apiserver/1`. Default: all.')),
        actor: optional(text('Who watches, such as `controller-manager/0`. Default: everybody.')),
        resource: optional(text('Plural of the kind, such as `pods`. Default: all.')),
        expired: optional(
          flag('The version to go on from counts as too old (410): who watches has to list anew.'),
        ),
      },
    }),
  ),
  lagWatchCache: optional(
    struct({
      name: 'LagWatchCache',
      doc: 'API servers see changes late, also after a restart. 0 sets them right again.',
      fields: {
        by: required(duration('How late.')),
        server: optional(text('Only this API server, such as `apiserver/1`. Default: all.')),
      },
    }),
  ),
  lagStorageMember: optional(
    struct({
      name: 'LagStorageMember',
      doc: 'A member of the storage tells the caches of its API servers late; one that restarts begins with what the member knows. 0 sets it right again.',
      fields: {
        member: required(text('Such as `etcd/1`; see `cluster.storageMembers`.')),
        by: required(duration('How late.')),
      },
    }),
  ),
  changeStorageLeader: optional(
    struct({
      name: 'ChangeStorageLeader',
      doc: 'The storage chooses another leader; meanwhile writes and reads of the latest fail. Over by itself.',
      fields: { takes: required(duration('How long it is without a leader.')) },
    }),
  ),
};

const machineFaults = {
  reboot: onNode(
    'Reboot',
    'The machine of a node goes down: its containers are gone, its disk is not. Undone by `restart`.',
  ),
  reimage: onNode(
    'Reimage',
    'The machine of a node gets a new image: containers and disk are gone. Undone by `restart`.',
  ),
  addTwin: onNode(
    'AddTwin',
    'A second machine takes itself for this node: the actor `node/<node>~twin`. Undone by `removeTwin`.',
  ),
  removeTwin: onNode('RemoveTwin', 'The second machine is switched off.'),
  fillDisk: onNode('FillDisk', 'The disk of a node is full. Undone by `freeDisk`.'),
  freeDisk: onNode('FreeDisk', 'There is space again.'),
  press: optional(
    struct({
      name: 'Press',
      doc: 'Something is short on the machine of a node. Undone by `relieve`.',
      fields: pressureFields,
    }),
  ),
  relieve: optional(struct({ name: 'Relieve', doc: 'There is enough of it again.', fields: pressureFields })),
  loseRoutes: onNode('LoseRoutes', 'The pod network has no routes to a node. Undone by `restoreRoutes`.'),
  restoreRoutes: onNode('RestoreRoutes', 'The routes are there again.'),
  stopRuntime: onNode('StopRuntime', 'The container runtime of a node hangs. Undone by `startRuntime`.'),
  startRuntime: onNode('StartRuntime', 'The container runtime goes on.'),
  failCheckpoints: optional(
    struct({
      name: 'FailCheckpoints',
      doc: 'The container runtime of a node fails to checkpoint. Undone by `allowCheckpoints`.',
      fields: { ...nodeFields, message: required(text('What it says.')) },
    }),
  ),
  allowCheckpoints: onNode('AllowCheckpoints', 'Checkpoints succeed again.'),
};

const FAULTS = { ...networkFaults, ...lifeFaults, ...apiFaults, ...machineFaults };

export const faultShape = struct({
  name: 'Fault',
  doc: 'Breaks something, or makes it whole again: every fault has its opposite.',
  verbs: Object.keys(FAULTS),
  verbWord: 'fault',
  fields: FAULTS,
});
