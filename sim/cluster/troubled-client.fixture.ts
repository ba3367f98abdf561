/**
 * For properties of what talks to API servers: a client in an actor of its own, and everything that may come between the
 * two, to be drawn in any order. Whoever writes from outside is not troubled.
 */
import fc from 'fast-check';
import { ApiClient } from '../client/api-client.ts';
import { isCallFailure } from '../client/api-failure.ts';
import { type Act, actsOn } from '../engine/any-order.arbitrary.ts';
import type { Actor } from '../engine/actor.ts';
import { type Micros, milliseconds, seconds } from '../engine/time.ts';
import type { Cluster } from './cluster.ts';

const SERVER = 'apiserver/0';

export interface Troubled {
  readonly cluster: Cluster;
  readonly actor: Actor;
}

/** A client that may do everything, in an actor that faults know by its name. */
export function clientOf({ cluster, actor }: Troubled): ApiClient {
  return new ApiClient({
    context: actor.context,
    servers: cluster.apiServers.map(({ name }) => name),
    user: { name: actor.name, groups: ['system:masters'] },
  });
}

/** Whether the troubled one can reach nobody, or is refused, for as long as this lasts. */
export type Trouble = 'cut' | 'refused' | 'unheard' | 'server down';

const inTrouble = fc.constantFrom<Trouble>('cut', 'refused', 'unheard', 'server down');
const status = fc.constantFrom(409 as const, 429 as const, 500 as const, 503 as const);

/** Begins one that lasts until `endTroubles`. */
function begin({ cluster: { faults }, actor: { name } }: Troubled, trouble: Trouble): void {
  switch (trouble) {
    case 'cut':
      return faults.partition(name);
    case 'refused':
      return faults.failRequests({ actor: name });
    case 'unheard':
      return faults.loseAnswers({ actor: name, resets: true });
    case 'server down':
      return isUp(faults) ? faults.crash(SERVER) : undefined;
  }
}

const isUp = (faults: Cluster['faults']): boolean => faults.actor(SERVER).state !== 'crashed';

export function endTroubles({ cluster: { faults }, actor: { name } }: Troubled): void {
  faults.heal(name);
  while (faults.allowRequests({ actor: name }));
  if (!isUp(faults)) faults.restart(SERVER);
}

/** Acts that any property of a troubled client may use. */
export const troublesOf = <Subject extends Troubled>(): readonly fc.Arbitrary<Act<Subject>>[] => {
  const act = actsOn<Subject>();
  return [
    act('begin', inTrouble, begin),
    act('begin', inTrouble, begin),
    act('end troubles', fc.constant(undefined), endTroubles),
    act('refuse some', fc.tuple(fc.integer({ min: 1, max: 3 }), status), ({ cluster, actor }, [count, of]) =>
      cluster.faults.failRequests({ actor: actor.name, count, status: of }),
    ),
    act('lose an answer', fc.boolean(), ({ cluster, actor }, resets) =>
      cluster.faults.loseAnswers({ actor: actor.name, count: 1, resets }),
    ),
    act('break connections', fc.constant(undefined), ({ cluster, actor }) =>
      cluster.faults.resetConnections(actor.name),
    ),
    act('bounce the server', fc.constant(undefined), ({ cluster: { faults } }) => {
      if (isUp(faults)) faults.crash(SERVER);
      faults.restart(SERVER);
    }),
    act('pass', fc.constantFrom(0.01, 0.5, 3, 12, 45), ({ cluster }, span) =>
      cluster.advance(milliseconds(span * 1_000)),
    ),
    act('pass', fc.constantFrom(0.01, 0.5, 3, 12, 45), ({ cluster }, span) =>
      cluster.advance(milliseconds(span * 1_000)),
    ),
  ];
};

/** Who writes from outside may find no server, or that somebody else was there before: then nothing was done. */
export function tryTo(write: () => unknown): void {
  try {
    write();
  } catch (error) {
    if (!isCallFailure(error)) throw error;
  }
}

/** The end of all troubles, and then so many seconds of peace. */
export function calm(troubled: Troubled, forSeconds: number): void {
  endTroubles(troubled);
  troubled.cluster.advance(seconds(forSeconds));
}

/** What has been written in vain since then, by whomever of that name: whoever has come to rest tries nothing again and again. */
export function refusedWrites(
  { trace }: Cluster,
  { since, by }: { since: Micros; by: RegExp },
): readonly string[] {
  return trace.records().flatMap(({ at, kind, subject, facts }) => {
    const { by: who, status } = (facts ?? {}) as { readonly by?: unknown; readonly status?: unknown };
    if (at < since || typeof who !== 'string' || !by.test(who) || kind === 'GET') return [];
    return typeof status === 'number' && status >= 400 ? [`${who}: ${kind} ${subject}: ${status}`] : [];
  });
}
