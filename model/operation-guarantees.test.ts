import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ApiObject } from '../sim/api/object.ts';
import { MemoryStorage } from '../sim/storage/memory-storage.ts';
import type { Revision } from '../sim/storage/storage.ts';
import type { Change } from './history.ts';
import { durable, linearizable, monotonic, type ObservedOperation } from './operation-guarantees.ts';

const command = fc.record({
  kind: fc.constantFrom('write', 'write', 'delete', 'read', 'read'),
  key: fc.constantFrom('a', 'b'),
  /** How long the request and its answer are under way. */
  out: fc.integer({ min: 1, max: 9 }),
  back: fc.integer({ min: 1, max: 9 }),
  isAnswerLost: fc.boolean(),
});

/** A defect between the clients and the store. */
interface Defect {
  /** Answers a write without doing it. */
  readonly forgets?: boolean;
  /** Answers reads from the state so many writes ago. */
  readonly readsBehind?: number;
  /** Answers a write with the revision before its own. */
  readonly misnumbers?: boolean;
}

/** Clients that overlap: each operation happens at the store between its call and its answer. */
function observed(
  commands: readonly (typeof command extends fc.Arbitrary<infer C> ? C : never)[],
  defect: Defect = {},
) {
  const store = new MemoryStorage<ApiObject>();
  const history: Change[] = [];
  const operations: ObservedOperation[] = [];
  const inOrder = commands
    .map((each, index) => ({ ...each, calledAt: index * 3, happensAt: index * 3 + each.out }))
    .sort((a, b) => a.happensAt - b.happensAt);
  for (const { kind, key, calledAt, happensAt, back, isAnswerLost } of inOrder) {
    const answer = isAnswerLost ? {} : { answeredAt: happensAt + back };
    if (kind === 'read') {
      const revision = Math.max(1, store.revision - (defect.readsBehind ?? 0)) as Revision;
      const object = store.get(key, revision)?.value;
      operations.push({ kind, key, calledAt, ...answer, ...(object && !isAnswerLost && { object }) });
      continue;
    }
    const before = store.get(key)?.value;
    const value = (revision: Revision): ApiObject => objectAt(key, revision);
    const isForgotten = defect.forgets === true && happensAt % 5 === 0;
    const operation =
      kind === 'write' ? ({ kind: 'put', key, value } as const) : ({ kind: 'delete', key } as const);
    const { revision } = isForgotten ? store : store.transact({ compare: [], success: [operation] });
    const after = kind === 'write' ? objectAt(key, revision) : undefined;
    if (!isForgotten && (after ?? before)) history.push({ revision, key, before, after });
    const told = defect.misnumbers ? revision - 1 : revision;
    const says = isAnswerLost || !after ? {} : { object: after, revision: told };
    operations.push({ kind: 'write', key, calledAt, ...answer, ...says });
  }
  return { operations, history };
}

const objectAt = (key: string, revision: number): ApiObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: key, resourceVersion: String(revision) },
});

const judge = ({ operations, history }: ReturnType<typeof observed>) =>
  [...durable(operations, history), ...monotonic(operations), ...linearizable(operations, history)].map(
    ({ guarantee }) => guarantee,
  );

const runs = fc.array(command, { minLength: 10, maxLength: 40, size: 'max' });

test('operations on one store keep every guarantee, lost answers included', () => {
  fc.assert(
    fc.property(runs, (commands) => {
      expect(judge(observed(commands))).toEqual([]);
    }),
    { numRuns: 200, seed: 20240831 },
  );
});

describe('a checker finds', () => {
  const brokenBy = (defect: Defect) =>
    new Set(
      fc.sample(runs, { numRuns: 40, seed: 7 }).flatMap((commands) => judge(observed(commands, defect))),
    );

  test('an answered write that did not happen (durable)', () => {
    expect(brokenBy({ forgets: true })).toContain('durable');
  });

  test('a write that is answered with another revision than its own (durable)', () => {
    expect(brokenBy({ misnumbers: true })).toContain('durable');
  });

  test('a read that is older than what was known at its call (linearizable)', () => {
    expect(brokenBy({ readsBehind: 2 })).toEqual(new Set(['linearizable']));
  });

  test('a write that is older than what was known at its call (monotonic)', () => {
    const first: ObservedOperation = {
      kind: 'write',
      key: 'a',
      calledAt: 0,
      answeredAt: 1,
      revision: 5,
      object: objectAt('a', 5),
    };
    const second: ObservedOperation = {
      ...first,
      calledAt: 2,
      answeredAt: 3,
      revision: 4,
      object: objectAt('a', 4),
    };
    expect(monotonic([first, second]).map(({ guarantee }) => guarantee)).toEqual(['monotonic']);
    expect(monotonic([first, { ...second, calledAt: 1 }])).toEqual([]);
  });

  test('a read of something that was written only after its answer (linearizable)', () => {
    const write: ObservedOperation = {
      kind: 'write',
      key: 'a',
      calledAt: 5,
      answeredAt: 6,
      revision: 2,
      object: objectAt('a', 2),
    };
    const read: ObservedOperation = {
      kind: 'read',
      key: 'a',
      calledAt: 1,
      answeredAt: 4,
      object: objectAt('a', 2),
    };
    const history = [{ revision: 2, key: 'a', before: undefined, after: objectAt('a', 2) }];
    expect(linearizable([write, read], history).map(({ guarantee }) => guarantee)).toEqual(['linearizable']);
    expect(linearizable([write, { ...read, answeredAt: 6 }], history)).toEqual([]);
  });
});
