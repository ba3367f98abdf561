import { describe, expect, test } from 'vitest';
import type { FailureRecord } from '../../reports/run-record.ts';
import type { JsonMap } from '../language/shape.ts';
import type { DeedOnOldView, WorldRecord } from '../world/world.ts';
import { explain } from './explain.ts';

const failure = {
  at: 6_000_000,
  details: ['PersistentVolumeClaim default/one-0 is gone'],
} as unknown as FailureRecord;
const lag = { fault: { lagWatchCache: { by: '1s' } }, for: '5s' };

const written = (at: number, kind: string, name: string, facts: object): WorldRecord => ({
  at,
  actor: 'apiserver/0',
  kind,
  subject: `/api/v1/namespaces/default/persistentvolumeclaims/${name}`,
  text: `#1 PUT ${JSON.stringify(facts)}`,
  event: 1,
  cause: 0,
  touches: [],
});

const explained = (
  steps: readonly JsonMap[],
  tail: readonly WorldRecord[],
  deedsOnOldViews: readonly DeedOnOldView[] = [],
): Promise<readonly string[]> =>
  explain({
    scenario: { spec: { steps: [...steps] } },
    failure,
    isAlike: (found) => found !== undefined,
    run: () => Promise.resolve({ failure, tail, records: tail.length, deedsOnOldViews }),
  });

describe('an explanation', () => {
  test('tells deeds that changed something, and those that were done again and again once', async () => {
    const by = 'guest:operator';
    const tail = [
      written(1_000_000, 'DELETE', 'one-0', { by, status: 404 }),
      written(2_000_000, 'PATCH', 'one-0', { by, status: 200 }),
      written(3_000_000, 'PATCH', 'one-0', { by, status: 200 }),
      written(3_500_000, 'DELETE', 'other', { by, status: 200 }),
      written(4_000_000, 'DELETE', 'one-0', { by, status: 200 }),
      written(5_000_000, 'DELETE', 'one-0', { by, refused: 503 }),
    ];
    const path = '/api/v1/namespaces/default/persistentvolumeclaims/one-0';
    expect((await explained([], tail)).at(-1)).toBe(
      `before that, at 2s apiserver/0 did PATCH ${path} for guest:operator (200), 2 times; at 4s apiserver/0 did DELETE ${path} for guest:operator (200)`,
    );
  });

  test('tells refusals where there is nothing else', async () => {
    const tail = [written(1_000_000, 'DELETE', 'one-0', { by: 'alice', status: 409 })];
    expect((await explained([], tail)).at(-1)).toMatch(/^before that, at 1s .* for alice \(409\)$/);
  });

  test('tells faults that are alike apart', async () => {
    const lines = await explained([{ ...lag }, { ...lag }], []);
    expect(lines[0]).toMatch(/^the fault `lagWatchCache 1s` for 5s \(1 of 2\) is not needed/);
    expect(lines[1]).toMatch(/\(2 of 2\)/);
  });

  describe('of who knew things as they had been', () => {
    const view = {
      title: 'Pod default/web-0',
      revision: 41,
      server: 'apiserver/1',
      lag: 3_200_000,
      stood: 'at 57',
    };
    const deed = {
      at: 5_000_000,
      client: 'guest/operator',
      did: 'deleted PersistentVolumeClaim default/one-0',
      name: 'one-0',
      created: 57,
      views: [view],
    };

    test('tells what it had read, from whom, and what it did', async () => {
      expect((await explained([], [], [deed])).at(-1)).toBe(
        'guest/operator had read Pod default/web-0 at revision 41 from apiserver/1, which lagged by 3.2s (it was at 57), and at 5s deleted PersistentVolumeClaim default/one-0, created at 57',
      );
    });

    test('tells the last that did it before something was broken', async () => {
      const others = [
        { ...deed, at: 4_000_000, did: 'patched it' },
        deed,
        { ...deed, at: 5_500_000, name: 'other' },
        { ...deed, at: 5_600_000, views: [{ ...view, lag: 900 }] },
        { ...deed, at: 7_000_000 },
      ];
      expect((await explained([], [], others)).at(-1)).toMatch(/, and at 5s deleted/);
    });
  });
});
