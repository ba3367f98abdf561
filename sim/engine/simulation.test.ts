import { describe, expect, test } from 'vitest';
import { driveUntil } from './drive.ts';
import { invariant, InvariantViolation } from './invariant.ts';
import { Simulation } from './simulation.ts';
import { milliseconds, seconds, type Micros } from './time.ts';
import type { TraceRecord } from './trace.ts';
import { world } from './small-world.fixture.ts';

describe('determinism', () => {
  test('a digest of long ago still holds', () => {
    const { trace } = world({ seed: 2025 });
    expect([trace.length, trace.digest]).toMatchInlineSnapshot(`
      [
        620,
        "ac1a4b2f40c44408",
      ]
    `);
  });

  test('simultaneous events may come in any order when chance orders them', () => {
    const orderOf = (seed: number): string => {
      const simulation = new Simulation({ seed, schedule: 'random' });
      let order = '';
      for (const name of ['a', 'b', 'c']) {
        simulation.actor(name, {
          *start(context) {
            yield* context.sleep(seconds(1));
            order += name;
          },
        });
      }
      simulation.runFor(seconds(2));
      return order;
    };
    const orders = new Set(Array.from({ length: 60 }, (_, seed) => orderOf(seed)));
    expect(orders.size).toBe(6);
  });
});

describe('the trace', () => {
  test('names causes: from an answer back to the first sleep of the client', () => {
    const simulation = world({ seed: 1, trace: { keeps: 'all' } });
    const byEvent = new Map(simulation.trace.records().map((record) => [record.event, record]));
    const outcome = simulation.trace
      .records()
      .find(({ kind, subject }) => kind === 'outcome' && subject === 'reply');
    const chain: (string | undefined)[] = [];
    for (let record: TraceRecord | undefined = outcome; record?.event; record = byEvent.get(record.cause)) {
      chain.unshift(`${record.actor} ${record.kind}`);
    }
    const who = outcome?.actor;
    expect(chain.slice(0, 3)).toEqual([`${who} timer`, `server connect`, `${who} accept`]);
    expect(chain.slice(-2)).toEqual(['server served', `${who} outcome`]);
  });

  test('keeps the last records, and digests all', () => {
    const brief = world({ seed: 1, trace: { keeps: 10 } }).trace;
    const full = world({ seed: 1, trace: { keeps: 'all' } }).trace;
    expect(brief.records()).toEqual(full.records(10));
    expect(brief.length).toBe(full.records().length);
    expect(brief.digest).toBe(full.digest);
    expect(full.last).toEqual(full.records().at(-1));
  });
});

describe('driving', () => {
  test('steps, spans and instants lead through the same events', () => {
    const make = (): Simulation => {
      const simulation = new Simulation({ seed: 5 });
      simulation.actor('a', {
        *start(context) {
          for (let round = 0; round < 9; round++)
            yield* context.sleep(context.site('s').int(1, 1e6) as Micros);
        },
      });
      return simulation;
    };
    const stepped = make();
    while (stepped.step());
    const spanned = make();
    for (let span = 0; span < 100; span++) spanned.runFor(milliseconds(100));
    expect(spanned.trace.digest).toBe(stepped.trace.digest);
    expect([spanned.now, spanned.nextDueAt, stepped.step()]).toEqual([seconds(10), undefined, false]);
  });

  test('the clock stops at the given instant, before later events', () => {
    const simulation = new Simulation({ seed: 1 });
    let calls = 0;
    simulation.at(seconds(2), 'later', () => calls++);
    simulation.at(seconds(3), 'never', () => calls++).cancel();
    simulation.runUntil(milliseconds(1999));
    expect([simulation.now, calls, simulation.nextDueAt]).toEqual([milliseconds(1999), 0, seconds(2)]);
    simulation.runUntil(seconds(9));
    expect(calls).toBe(1);
  });

  test('injected processes run with the next step, without moving time', () => {
    const simulation = new Simulation({ seed: 1 });
    const actor = simulation.actor('server');
    simulation.runUntil(seconds(1));
    const task = actor.spawn('request', function* (context) {
      return context.now();
    });
    expect(task.state).toBe('active');
    simulation.runUntil(simulation.now);
    expect(task.result()).toBe(seconds(1));
  });

  test('foreign code gets its turn between events, and gives the same digest', async () => {
    const make = (): Simulation => {
      const simulation = new Simulation({ seed: 5 });
      simulation.actor('a', {
        *start(context) {
          for (;;) yield* context.sleep(seconds(1));
        },
      });
      return simulation;
    };
    const driven = make();
    const turns: number[] = [];
    await driveUntil(driven, milliseconds(3500), async () => {
      await new Promise((resolve) => setTimeout(resolve, 1));
      turns.push(driven.now);
    });
    const plain = make();
    plain.runUntil(milliseconds(3500));
    expect(driven.trace.digest).toBe(plain.trace.digest);
    expect([driven.now, turns[0], turns.at(-1)]).toEqual([milliseconds(3500), 0, seconds(3)]);
  });

  test('a simulation is not driven from inside', () => {
    const simulation = new Simulation({ seed: 1 });
    simulation.at(seconds(1), 'recursion', () => simulation.runFor(seconds(1)));
    expect(() => simulation.runFor(seconds(2))).toThrow('not driven from inside');
  });
});

describe('violations', () => {
  test('end the run with seed, time and the last records, even when they are caught', () => {
    const simulation = new Simulation({ seed: 77 });
    simulation.actor('a', {
      *start(context) {
        yield* context.sleep(seconds(3));
        try {
          invariant(1 + 1 === 3, 'arithmetic holds', { one: 1, name: 'x' });
        } catch {
          context.trace('swallowed', 'it');
        }
      },
    });
    let thrown: unknown;
    try {
      simulation.runFor(seconds(9));
    } catch (error) {
      thrown = error;
    }
    invariant(thrown instanceof InvariantViolation, 'a violation was thrown');
    expect(thrown.claim).toBe('arithmetic holds');
    expect(thrown.message.split('\n')).toEqual([
      'arithmetic holds (one=1, name="x")',
      'seed 77, virtual time 3000000 µs, last records:',
      '  #0 0.000000s a actor (event 0 by 0)',
      '  #1 3.000000s a timer main (event 1 by 0)',
      '  #2 3.000000s a swallowed it (event 1 by 0)',
    ]);
    expect(thrown.scene?.at).toBe(seconds(3));
  });

  test('of an earlier time do not end a run', () => {
    expect(() => invariant(false, 'outside')).toThrow(InvariantViolation);
    const simulation = new Simulation({ seed: 1 });
    simulation.at(seconds(1), 'fine', () => undefined);
    expect(() => simulation.runFor(seconds(2))).not.toThrow();
  });
});

describe('the trap', () => {
  const uses: readonly (readonly [string, () => unknown])[] = [
    ['Date.now', () => Date.now()],
    ['new Date()', () => new Date()],
    ['Date()', () => Date()],
    ['Math.random', () => Math.random()],
    ['setTimeout', () => setTimeout(() => undefined, 0)],
    ['setInterval', () => setInterval(() => undefined, 1000)],
    ['setImmediate', () => setImmediate(() => undefined)],
    ['queueMicrotask', () => queueMicrotask(() => undefined)],
    ['performance.now', () => performance.now()],
    ['crypto.randomUUID', () => crypto.randomUUID()],
    ['crypto.getRandomValues', () => crypto.getRandomValues(new Uint8Array(1))],
  ];

  test.each(uses)('%s throws during a run, even when caught', (_, use) => {
    const simulation = new Simulation({ seed: 1 });
    simulation.at(seconds(1), 'use', () => {
      try {
        use();
      } catch {
        return;
      }
    });
    expect(() => simulation.runFor(seconds(2))).toThrow('inside the simulation');
  });

  test('is open again afterwards, also after a violation', () => {
    const before = [Date, Math.random, setTimeout, queueMicrotask, performance.now, crypto.randomUUID];
    const simulation = new Simulation({ seed: 1 });
    simulation.at(seconds(1), 'use', () => Math.random());
    expect(() => simulation.runFor(seconds(2))).toThrow(InvariantViolation);
    expect([Date, Math.random, setTimeout, queueMicrotask, performance.now, crypto.randomUUID]).toEqual(
      before,
    );
    expect(new Date().getTime()).toBeLessThanOrEqual(Date.now());
    expect(Object.hasOwn(performance, 'now')).toBe(false);
  });

  test('dates of a given time work during a run', () => {
    const simulation = new Simulation({ seed: 1 });
    const outside = new Date(5);
    const seen: unknown[] = [];
    simulation.at(seconds(1), 'dates', () => {
      const inside = new Date(1_000);
      seen.push(inside.toISOString(), inside instanceof Date, outside instanceof Date);
      const june = new Date('2025-06-01T00:00:00Z').getUTCFullYear();
      seen.push(Date.UTC(1970, 0, 2), june, Date.parse('1970-01-01T00:00:01Z'));
    });
    simulation.runFor(seconds(2));
    expect(seen).toEqual(['1970-01-01T00:00:01.000Z', true, true, 86_400_000, 2025, 1000]);
  });

  test('can be left out', () => {
    const simulation = new Simulation({ seed: 1, isGuarded: false });
    let now = 0;
    simulation.at(seconds(1), 'use', () => (now = Date.now()));
    simulation.runFor(seconds(2));
    expect(now).toBeGreaterThan(0);
  });
});
