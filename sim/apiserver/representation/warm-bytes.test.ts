import { expect, test } from 'vitest';
import { lengthOf, WarmBytes } from './warm-bytes.ts';

test('what is asked for stays, and what is not goes once there is more than the budget', () => {
  const kept = new WarmBytes<object, Uint8Array>(lengthOf, 1_000);
  const [warm, cold] = [{}, {}];
  kept.keep(warm, new Uint8Array(100));
  kept.keep(cold, new Uint8Array(100));
  for (let count = 0; count < 40; count++) {
    kept.keep({}, new Uint8Array(100));
    expect(kept.get(warm)).toHaveLength(100);
  }
  expect(kept.get(cold)).toBeUndefined();
});
