/** The oracle is brute force: every answer of every decision of a small simulation, and the states in which they end. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Choice } from '../../reports/run-record.ts';
import { defineCallPort, Caller, serveCalls } from '../../sim/engine/request-reply.ts';
import type { Decision } from '../../sim/engine/schedule-policy.ts';
import { Simulation } from '../../sim/engine/simulation.ts';
import { microseconds, seconds } from '../../sim/engine/time.ts';
import { recordOf } from '../world/cluster-records.ts';
import type { OrderedRun } from './order-of-run.ts';
import { OrderSearch } from './order-search.ts';

interface Operation {
  readonly method: 'GET' | 'PUT';
  readonly path: string;
}

const PORT = defineCallPort<Operation & { readonly by: string }, string>('api', ({ path }) => path);
const PATHS = ['/api/v1/as/x', '/api/v1/as/y', '/api/v1/bs/x', '/api/v1/as', '/api/v1/namespaces/x'];
const operations = fc
  .record({ method: fc.constantFrom('GET' as const, 'PUT' as const), path: fc.constantFrom(...PATHS) })
  .filter(({ method, path }) => method === 'GET' || !path.endsWith('as'));
const program = fc.array(operations, { minLength: 1, maxLength: 2 });
/** With four operations there would be ten thousand orders. */
const clients = fc.tuple(program, program).filter(([one, other]) => one.length + other.length < 4);

const WARM_UP = { method: 'GET', path: '/api/v1/cs/x', by: '' } as const;

interface Ended extends OrderedRun {
  readonly state: string;
}

/** Clients that do all at once, at a server that keeps what was put, and in which order within a collection. They see in which order answers come. */
function run(programs: readonly (readonly Operation[])[], replay: readonly Choice[]): Ended {
  const decisions: Decision[] = [];
  const simulation = new Simulation({
    seed: 1,
    startsAt: microseconds(0 - seconds(1)),
    schedule: 'random',
    replay,
    onDecision: (decision) =>
      void (simulation.now >= -100 && decision.kind === 'event' && decisions.push(decision)),
    trace: { keeps: 'all' },
  });
  const stored = new Map<string, string[]>();
  const seen: Record<string, string[]> = {};
  simulation.actor('apiserver/0', {
    start(context) {
      serveCalls(context, PORT, ({ method, path, by }) => {
        context.trace(method, path);
        const collection = path.split('/').slice(0, 4).join('/');
        const of = (place: string): string[] => stored.get(place) ?? [];
        if (method === 'GET') return of(path).join();
        for (const place of new Set([path, collection])) stored.set(place, [...of(place), `${by}${path}`]);
        return '';
      });
    },
  });
  for (const [index, program] of programs.entries()) {
    const name = `client/${index}`;
    const answers: string[] = (seen[name] = []);
    simulation.actor(name, {
      *start(context) {
        const lines = program.map(() => new Caller(context, { actor: 'apiserver/0', port: PORT }));
        for (const line of lines) yield* line.call(WARM_UP, seconds(1));
        yield* context.sleep(microseconds(0 - simulation.now - 100));
        yield* context.all(
          program.map(function* (operation, number) {
            const outcome = yield* (lines[number] as (typeof lines)[0]).call(
              { ...operation, by: name },
              seconds(1),
            );
            answers.push(`${number} ${outcome.kind === 'reply' ? outcome.reply : outcome.kind}`);
          }),
        );
      },
    });
  }
  simulation.runUntil(seconds(3));
  const records = simulation.trace.records().map(recordOf);
  return { records, decisions, state: JSON.stringify([PATHS.map((path) => stored.get(path)), seen]) };
}

/** Every answer of every decision, the last ones first. */
function* everyOrder(programs: readonly (readonly Operation[])[]): Generator<Ended> {
  for (let replay: readonly Choice[] | undefined = []; replay;) {
    const ended = run(programs, replay);
    yield ended;
    const last = ended.decisions.findLastIndex(({ answer, candidates }) => answer + 1 < candidates.length);
    const turned = ended.decisions[last];
    replay = turned && [...ended.decisions.slice(0, last), { ...turned, answer: turned.answer + 1 }];
  }
}

function* reducedOrders(programs: readonly (readonly Operation[])[]): Generator<Ended> {
  const search = new OrderSearch();
  for (let replay = search.next(); replay; replay = search.next()) {
    const ended = run(programs, replay);
    search.learn(ended);
    yield ended;
  }
}

const statesOf = (runs: readonly Ended[]): readonly string[] =>
  [...new Set(runs.map(({ state }) => state))].sort();

describe('a search among orders', () => {
  test('comes to every end that any order comes to, and makes no more runs than there are orders', () => {
    let [all, few] = [0, 0];
    fc.assert(
      fc.property(clients, (programs) => {
        const [every, reduced] = [[...everyOrder(programs)], [...reducedOrders(programs)]];
        expect(statesOf(reduced)).toEqual(statesOf(every));
        expect(reduced.length).toBeLessThanOrEqual(every.length);
        all += every.length;
        few += reduced.length;
      }),
      { numRuns: 40, seed: 1 },
    );
    expect(all / few).toBeGreaterThan(5);
  });

  test('makes one run where nobody has to do with anybody', () => {
    const programs = ['as', 'bs', 'cs'].map((kind) => [
      { method: 'PUT' as const, path: `/api/v1/${kind}/x` },
    ]);
    expect([...everyOrder(programs)].length).toBeGreaterThan(30);
    expect([...reducedOrders(programs)]).toHaveLength(1);
  });

  test('makes six runs of three who write the same', () => {
    const programs = [1, 2, 3].map(() => [{ method: 'PUT' as const, path: '/api/v1/as/x' }]);
    const reduced = [...reducedOrders(programs)];
    expect(statesOf(reduced)).toHaveLength(6);
    expect(reduced).toHaveLength(6);
  });

  test('tries what differs in one race before what differs in two', () => {
    const programs = ['as', 'bs'].flatMap((kind) =>
      [1, 2].map(() => [{ method: 'PUT' as const, path: `/api/v1/${kind}/x` }]),
    );
    const turned = [...reducedOrders(programs)].map(
      ({ decisions }) => decisions.filter(({ answer }) => answer > 0).length,
    );
    expect(turned).toEqual([...turned].sort((a, b) => a - b));
    expect(turned).toHaveLength(4);
  });
});
