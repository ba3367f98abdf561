/**
 * Faults of requests in any order of beginnings, ends and requests, beside the list of all requests that each of them was
 * there for: each counts its own for itself, strikes those that it says, and is over when it has struck as often as it may.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder } from '../engine/any-order.arbitrary.ts';
import type { RequestInfo } from '../apiserver/request/request-info.ts';
import {
  type RequestCount,
  type RequestEffect,
  RequestFaults,
  type RequestSelection,
} from './request-faults.ts';

const RESOURCES = ['pods', 'leases'] as const;
const VERBS = ['create', 'patch', 'get'] as const;
const NAMES = ['a', 'b'] as const;
const ACTORS = ['node/n', 'node/m', 'controller-manager/0'] as const;

interface Request {
  readonly verb: (typeof VERBS)[number];
  readonly resource: (typeof RESOURCES)[number];
  readonly name: (typeof NAMES)[number];
  readonly actor: (typeof ACTORS)[number];
}

interface Begun {
  readonly selection: RequestSelection;
  readonly count: RequestCount;
  readonly effect: RequestEffect;
  readonly seen: Request[];
}

class Faults {
  readonly #faults = new RequestFaults(() => true);
  #standing: Begun[] = [];

  begin(selection: RequestSelection, count: RequestCount, resets: boolean): void {
    const effect: RequestEffect = { kind: 'lose', resets };
    this.#faults.begin('lose', effect, { ...selection, ...count });
    this.#standing.push({ selection, count, effect, seen: [] });
  }

  /** The same again, beside the one that is there. */
  beginAgain(at: number, count: RequestCount, resets: boolean): void {
    const known = this.#standing[at % this.#standing.length];
    if (known) this.begin(known.selection, count, resets);
  }

  endOne(at: number): void {
    const known = this.#standing[at % this.#standing.length];
    if (known) this.end(known.selection);
  }

  end(selection: RequestSelection): void {
    const left = this.#standing.filter((each) => !isSame(each.selection, selection));
    expect(this.#faults.end(['lose'], selection), 'whether there were any').toBe(
      left.length < this.#standing.length,
    );
    this.#standing = left;
  }

  ask(request: Request): void {
    const { verb, resource, name, actor } = request;
    const info = { verb, resource, name, subresource: '', namespace: 'default' } as RequestInfo;
    const struck = this.#faults.strikeOne(info, { user: actor, userAgent: 'x', actor, server: 's' });
    const striking = this.#standing.filter((each) => strikes(each, request));
    expect(struck, `what becomes of ${verb} ${resource} ${name} of ${actor}`).toBe(striking[0]?.effect);
  }

  compare(): void {
    expect(this.#faults.hinderAnybody).toBe(this.#standing.some((each) => !isOver(each)));
  }
}

const isSame = (one: RequestSelection, other: RequestSelection): boolean =>
  (['verb', 'resource', 'name', 'actor'] as const).every((member) => one[member] === other[member]);

function isChosen({ selection }: Begun, request: Request): boolean {
  const { verb, resource, name, actor } = selection;
  const isActor =
    actor === undefined || actor === request.actor || (actor === 'node/*' && request.actor !== ACTORS[2]);
  return (
    isActor &&
    (verb === undefined || verb === request.verb) &&
    (resource === undefined || resource === request.resource) &&
    (name === undefined || name === request.name)
  );
}

/** Whether it is one of those that the fault is to strike, by how many like it came before. */
function strikes(begun: Begun, request: Request): boolean {
  if (!isChosen(begun, request)) return false;
  const {
    each,
    nth,
    after = nth === undefined ? 0 : nth - 1,
    count = nth === undefined ? Infinity : 1,
  } = begun.count;
  const isAlike = (one: Request): boolean =>
    each === undefined ||
    (one.verb === request.verb &&
      one.resource === request.resource &&
      one.actor === request.actor &&
      (each === 'kind' || one.name === request.name));
  const before = begun.seen.filter(isAlike).length;
  begun.seen.push(request);
  return before >= after && before < after + count;
}

/** What is counted for each is never over. */
function isOver({
  count: { each, nth, after = nth === undefined ? 0 : nth - 1, count },
  seen,
}: Begun): boolean {
  const most = nth === undefined ? count : 1;
  return each === undefined && most !== undefined && seen.length >= after + most;
}

const orNot = <Value>(values: readonly Value[]): fc.Arbitrary<Value | undefined> =>
  fc.constantFrom(undefined, undefined, ...values);
const selection = fc
  .tuple(orNot(VERBS), orNot(RESOURCES), orNot(NAMES), orNot([...ACTORS, 'node/*']))
  .map(([verb, resource, name, actor]) => ({
    ...(verb !== undefined && { verb }),
    ...(resource !== undefined && { resource }),
    ...(name !== undefined && { name }),
    ...(actor !== undefined && { actor }),
  }));
const each = orNot(['kind', 'object'] as const).map((of) => (of === undefined ? {} : { each: of }));
const times = fc.oneof(
  fc.constant({}),
  fc.integer({ min: 1, max: 3 }).map((nth) => ({ nth })),
  fc.record({ after: fc.nat(2), count: fc.integer({ min: 1, max: 2 }) }),
  fc.integer({ min: 1, max: 3 }).map((count) => ({ count })),
);
const count = fc.tuple(times, each).map(([some, of]): RequestCount => ({ ...some, ...of }));
const request = fc.record({
  verb: fc.constantFrom(...VERBS),
  resource: fc.constantFrom(...RESOURCES),
  name: fc.constantFrom(...NAMES),
  actor: fc.constantFrom(...ACTORS),
});
const act = actsOn<Faults>();
const ask = act('ask', request, (faults, of) => faults.ask(of));

it('strike what they say, each for itself', () => {
  holdsInAnyOrder<Faults>({
    begin: () => new Faults(),
    acts: [
      ...[ask, ask, ask, ask],
      act('begin', fc.tuple(selection, count, fc.boolean()), (faults, drawn) => faults.begin(...drawn)),
      act('begin again', fc.tuple(fc.nat(5), count, fc.boolean()), (faults, drawn) =>
        faults.beginAgain(...drawn),
      ),
      act('end one', fc.nat(5), (faults, at) => faults.endOne(at)),
      act('end', selection, (faults, of) => faults.end(of)),
    ],
    compare: (faults) => faults.compare(),
    most: 40,
    runs: 300,
  });
});
