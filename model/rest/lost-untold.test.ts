import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../sim/api/object.ts';
import { LostUntold, type MadeByItself } from './lost-untold.ts';

const object = (kind: string, name: string, uid: string, namespace?: string): ApiObject => ({
  apiVersion: 'v1',
  kind,
  metadata: { name, uid, ...(namespace !== undefined && { namespace }) },
});
const MANAGER = 'controller-manager/0';

/** Somebody was told of the first, which went; then of the second only if `isTold`, which goes too. */
function bothGone(isTold: boolean, kind: MadeByItself, name: string): LostUntold {
  const lost = new LostUntold();
  const [first, second] = [object(kind, name, '1', 'd'), object(kind, name, '2', 'd')];
  lost.store(undefined, first);
  lost.hear(MANAGER, first);
  lost.store(first, undefined);
  lost.store(undefined, second);
  if (isTold) lost.hear(MANAGER, second);
  lost.store(second, undefined);
  return lost;
}

describe.each<readonly [MadeByItself, string, ApiObject, ApiObject]>([
  ['Endpoints', 's', object('Service', 's', 's', 'd'), object('Service', 't', 't', 'd')],
  ['ServiceAccount', 'default', object('Namespace', 'd', 'n'), object('Namespace', 'e', 'n')],
  ['ConfigMap', 'kube-root-ca.crt', object('Namespace', 'd', 'n'), object('Namespace', 'e', 'n')],
])('%s named %s are lost', (kind, name, own, other) => {
  const key = `d/${name}`;

  it('that went before their maker was told of them', () => {
    expect(bothGone(false, kind, name).isLost(kind, key)).toBe(true);
    expect(bothGone(false, kind, name).isLost(kind, `e/${name}`)).toBe(false);
    expect(bothGone(true, kind, name).isLost(kind, key)).toBe(false);
  });

  it('until what they are for is written, there are others, or their maker begins anew', () => {
    const written = bothGone(false, kind, name);
    written.store(own, own);
    const made = bothGone(false, kind, name);
    made.store(undefined, object(kind, name, '3', 'd'));
    const anew = bothGone(false, kind, name);
    anew.forget(MANAGER);
    for (const each of [written, made, anew]) expect(each.isLost(kind, key)).toBe(false);
    const still = bothGone(false, kind, name);
    still.store(undefined, other);
    still.forget('scheduler/0');
    expect(still.isLost(kind, key)).toBe(true);
  });

  it('of nobody, where nobody makes any', () => {
    const lost = new LostUntold();
    lost.hear('scheduler/0', object(kind, name, '1', 'd'));
    lost.store(undefined, object(kind, name, '2', 'd'));
    lost.store(object(kind, name, '2', 'd'), undefined);
    expect(lost.isLost(kind, key)).toBe(false);
  });
});

it('what has another name is made by somebody, and by nobody anew', () => {
  expect(bothGone(false, 'ConfigMap', 'settings').isLost('ConfigMap', 'd/settings')).toBe(false);
  expect(bothGone(false, 'ServiceAccount', 'bot').isLost('ServiceAccount', 'd/bot')).toBe(false);
});
