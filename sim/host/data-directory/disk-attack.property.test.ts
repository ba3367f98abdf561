/**
 * Storages kept in a data directory, through anything that disks and machines do to it.
 *
 * @holds sim/storage
 */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attackDisk } from './disk-attack.ts';

/** Stories that broke a promise once. */
const FOUND_ONCE: [{ seed: number; steps: number; badEndEvery?: number }][] = [
  [{ seed: 0, steps: 300 }],
  [{ seed: 954_169_648, steps: 150 }],
  [{ seed: 885_000_687, steps: 207 }],
  [{ seed: 404_959_914, steps: 197 }],
  [{ seed: 259, steps: 359 }],
  [{ seed: 296, steps: 396 }],
  [{ seed: 1536, steps: 400 }],
];

describe.each(['always', 'interval', 'never'] as const)('a data directory with --fsync=%s', (fsync) => {
  test('keeps its promises through faults, crashes and losses of power', () => {
    let faults = 0;
    let restarts = 0;
    const story = fc.record({
      seed: fc.integer({ min: 0 }),
      steps: fc.integer({ min: 1, max: 300 }),
      badEndEvery: fc.constantFrom(Infinity, Infinity, 9, 40),
    });
    fc.assert(
      fc.property(story, (options) => {
        const figures = attackDisk({ ...options, fsync });
        faults += figures.faults;
        restarts += figures.crashes + figures.powerLosses;
      }),
      { numRuns: fc.readConfigureGlobal()?.numRuns ?? 60, examples: FOUND_ONCE },
    );
    expect(faults).toBeGreaterThan(100);
    expect(restarts).toBeGreaterThan(200);
  }, 60_000);
});
