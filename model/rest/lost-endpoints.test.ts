import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../sim/api/object.ts';
import { LostEndpoints } from './lost-endpoints.ts';

const named = (kind: string, uid: string, name = 's'): ApiObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, namespace: 'd', uid },
});
const MANAGER = 'controller-manager/0';
const [first, second] = [named('Endpoints', '1'), named('Endpoints', '2')];

/** Somebody was told of the first, which went; then of the second only if `isTold`, which goes too. */
function bothGone(isTold: boolean): LostEndpoints {
  const endpoints = new LostEndpoints();
  endpoints.store(undefined, first);
  endpoints.hear(MANAGER, first);
  endpoints.store(first, undefined);
  endpoints.store(undefined, second);
  if (isTold) endpoints.hear(MANAGER, second);
  endpoints.store(second, undefined);
  return endpoints;
}

describe('Endpoints are lost', () => {
  it('that went before their maker was told of them', () => {
    expect(bothGone(false).areLost('d/s')).toBe(true);
    expect(bothGone(false).areLost('d/t')).toBe(false);
    expect(bothGone(true).areLost('d/s')).toBe(false);
  });

  it('until the Service is written, there are others, or their maker begins anew', () => {
    const written = bothGone(false);
    written.store(named('Service', 's'), named('Service', 's'));
    const made = bothGone(false);
    made.store(undefined, named('Endpoints', '3'));
    const anew = bothGone(false);
    anew.forget(MANAGER);
    for (const each of [written, made, anew]) expect(each.areLost('d/s')).toBe(false);
    const other = bothGone(false);
    other.store(undefined, named('Service', 't', 't'));
    other.forget('scheduler/0');
    expect(other.areLost('d/s')).toBe(true);
  });

  it('of nobody, where nobody makes any', () => {
    const endpoints = new LostEndpoints();
    endpoints.hear('scheduler/0', first);
    endpoints.store(undefined, second);
    endpoints.store(second, undefined);
    expect(endpoints.areLost('d/s')).toBe(false);
  });
});
