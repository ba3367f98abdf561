/** The part of the scenario language that breaks things and makes them whole again. */
import { optional, required } from './shape.ts';
import { duration, flag, integer, struct, text, word } from './shape-builders.ts';

const linkFields = {
  from: required(text('An actor, such as `node/worker-1`.')),
  to: optional(text('Another actor, such as `apiserver/0`. Default: everybody else.')),
};
const wayField = optional(word('Which directions. Default: both.', ['both', 'forth']));
const actorFields = { actor: required(text('An actor, such as `node/worker-1` or `apiserver/0`.')) };
const nodeFields = { node: required(text('Name of the node.')) };

export const faultShape = struct({
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
