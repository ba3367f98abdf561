import { expect, test } from 'vitest';
import type { ApiObject } from '../../api/object.ts';
import type { Revision } from '../../storage/storage.ts';
import { CacheEvent } from './cache-event.ts';
import { DEFAULT_WINDOW_LIMITS, EventWindow, type WindowLimits } from './event-window.ts';

function creation(key: string, at: number, value: ApiObject): CacheEvent {
  const revision = at as Revision;
  const entry = { key, value, createRevision: revision, modRevision: revision, version: 1 };
  return new CacheEvent({ kind: 'put', entry, previous: undefined, revision });
}

function filled(count: number, bytes: number, limits: Partial<WindowLimits> = {}): EventWindow {
  const window = new EventWindow(1 as Revision, { ...DEFAULT_WINDOW_LIMITS, ...limits });
  for (let at = 0; at < count; at++) {
    const object = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: `a${at}` },
      data: { text: 'x'.repeat(bytes) },
    };
    window.push(creation(`/a${at}`, at + 2, object), 0);
  }
  return window;
}

test('large events are held as long as they have room, and the fewest always', () => {
  const roomy = filled(2_000, 1_000);
  expect(roomy.size).toBe(2_000);
  const bounded = filled(2_000, 1_000, { maxBytes: 500_000 });
  expect(bounded.size).toBeGreaterThan(300);
  expect(bounded.size).toBeLessThan(600);
  expect(bounded.start).toBe(2_001 - bounded.size);
  expect(filled(2_000, 100_000, { maxBytes: 500_000 }).size).toBe(100);
});

test('what the storage has forgotten is forgotten but for the fewest, and the rest can still be asked for', () => {
  const window = filled(2_000, 10);
  window.forgetUpTo(1_001 as Revision);
  expect(window.size).toBe(1_000);
  expect(window.after(1_001 as Revision)).toHaveLength(1_000);
  window.forgetUpTo(2_001 as Revision);
  expect(window.size).toBe(100);
  expect(window.start).toBe(1_901);
  const more = creation('/b', 2_002, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'b' } });
  window.push(more, 0);
  expect(window.after(2_001 as Revision)).toEqual([more]);
});
