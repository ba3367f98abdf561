import { describe, expect, it } from 'vitest';
import { durationText } from './duration-text.ts';
import { RestartBackoff } from './restart-backoff.ts';

describe('the pause before a restart', () => {
  it('is none, 10 s, and doubles to 5 min', () => {
    const backoff = new RestartBackoff();
    const pauses = Array.from({ length: 8 }, () => backoff.pauseAfterEnd(1_000) / 1_000);
    expect(pauses).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
  });

  it('begins anew when the container has run for more than 10 min, not before', () => {
    const backoff = new RestartBackoff();
    for (let end = 0; end < 3; end += 1) backoff.pauseAfterEnd(0);
    backoff.started(0);
    expect(backoff.pauseAfterEnd(600_000)).toBe(40_000);
    backoff.started(700_000);
    expect(backoff.pauseAfterEnd(1_300_001)).toBe(0);
  });

  it.each([
    [0, '0s'],
    [812, '812ms'],
    [3_544, '3.544s'],
    [1_050, '1.05s'],
    [10_000, '10s'],
    [3_723_500, '1h2m3.5s'],
    [80_000, '1m20s'],
    [300_000, '5m0s'],
  ])('of %i ms reads %s', (ms, text) => {
    expect(durationText(ms)).toBe(text);
  });
});
