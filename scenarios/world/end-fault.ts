/**
 * How a fault that has a length ends: by its opposite, as far as there is still something to undo. Others may have undone
 * it, or done it again meanwhile: whoever ends it does not mind.
 */
import type { Cluster } from '../../sim/index.ts';
import type { Fault } from '../language/scenario-shape.ts';
import { ScenarioError } from '../language/variables.ts';
import { applyFault } from './faults.ts';

type Opposite = (fields: never) => Fault;
type Fields<V extends keyof Fault> = NonNullable<Fault[V]>;

const same =
  (verb: keyof Fault) =>
  (fields: object): Fault => ({ [verb]: fields });
/** Whoever is chosen by the same members. */
const selected =
  (verb: keyof Fault) =>
  (fields: object): Fault => ({
    [verb]: Object.fromEntries(Object.entries(fields).filter(([name]) => !OWN.has(name))),
  });
/** Members that say how, not whom. */
const OWN: ReadonlySet<string> = new Set([
  'status',
  'retryAfterSeconds',
  'resets',
  'crashes',
  'nth',
  'after',
  'count',
  'percent',
  'each',
]);
const link =
  (verb: keyof Fault) =>
  ({ from, to, way }: Pick<Fields<'partition'>, 'from' | 'to' | 'way'>): Fault => ({
    [verb]: { from, ...(to !== undefined && { to }), ...(way && { way }) },
  });

const OPPOSITES = {
  partition: link('heal'),
  flap: link('steady'),
  hold: link('release'),
  latency: link('normalLatency'),
  lagController: ({ controller }: Fields<'lagController'>) => ({ lagController: { controller, by: 0 } }),
  crash: ({ actor }: Fields<'crash'>) => ({ restart: { actor } }),
  pause: same('resume'),
  jumpClock: ({ actor, by, back = false }: Fields<'jumpClock'>) => ({
    jumpClock: { actor, by, back: !back },
  }),
  driftClock: ({ actor }: Fields<'driftClock'>) => ({ driftClock: { actor, ppm: 0 } }),
  failWrites: selected('allowWrites'),
  failRequests: selected('allowRequests'),
  loseAnswers: selected('allowRequests'),
  crashBefore: selected('allowRequests'),
  crashAfter: selected('allowRequests'),
  lagWatchCache: ({ server }: Fields<'lagWatchCache'>) => ({
    lagWatchCache: { by: 0, ...(server !== undefined && { server }) },
  }),
  lagStorageMember: ({ member }: Fields<'lagStorageMember'>) => ({ lagStorageMember: { member, by: 0 } }),
  reboot: ({ node }: Fields<'reboot'>) => ({ restart: { actor: node } }),
  reimage: ({ node }: Fields<'reimage'>) => ({ restart: { actor: node } }),
  addTwin: same('removeTwin'),
  fillDisk: same('freeDisk'),
  press: same('relieve'),
  loseRoutes: same('restoreRoutes'),
  stopRuntime: same('startRuntime'),
  failCheckpoints: ({ node }: Fields<'failCheckpoints'>) => ({ allowCheckpoints: { node } }),
} as const satisfies Partial<Readonly<Record<keyof Fault, Opposite>>>;

/** Undefined: it has none, or ends by itself. */
export function oppositeOf(fault: Fault): Fault | undefined {
  const [verb = '', fields] = Object.entries(fault)[0] ?? [];
  if (!Object.hasOwn(OPPOSITES, verb)) return undefined;
  return (OPPOSITES[verb as keyof typeof OPPOSITES] as (of: unknown) => Fault)(fields);
}

/** Does the opposite; those who crashed of it start again. */
export function endFault(fault: Fault, cluster: Cluster): void {
  const opposite = oppositeOf(fault);
  if (opposite) leniently(() => applyFault(opposite, cluster));
  const fatal = fault.crashBefore ?? fault.crashAfter;
  const victim = fatal?.crashes ?? fatal?.actor;
  if (victim !== undefined) leniently(() => applyFault({ restart: { actor: victim } }, cluster));
}

function leniently(act: () => void): void {
  try {
    act();
  } catch (error) {
    if (!(error instanceof ScenarioError)) throw error;
  }
}
