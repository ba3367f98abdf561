import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../sim/api/object.ts';
import { SECOND } from '../nodes/observation.ts';
import { PassedOver } from './passed-over.ts';

const pod = (name: string, { on = '', promised = '' } = {}): ApiObject & Record<string, unknown> => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'd', uid: name },
  spec: { ...(on && { nodeName: on }) },
  status: { ...(promised && { nominatedNodeName: promised }) },
});
const promised = pod('first', { promised: 'n' });

/** Two pods wait, to one of which a place is promised until that changes after ten seconds. */
function waiting(after: ApiObject | undefined): PassedOver {
  const passedOver = new PassedOver();
  passedOver.store(0, undefined, pod('second'));
  passedOver.store(0, undefined, pod('first'));
  passedOver.store(5 * SECOND, pod('first'), promised);
  passedOver.store(10 * SECOND, promised, after);
  return passedOver;
}

describe('a pod that waits', () => {
  it('is passed over when what was promised to another is not taken', () => {
    for (const after of [pod('first'), undefined]) {
      expect(waiting(after).isPassedOver(pod('second'))).toBe(true);
      expect(waiting(after).isPassedOver(pod('first'))).toBe(false);
    }
  });

  it('is not when the promise is kept, or stays', () => {
    expect(waiting(pod('first', { on: 'n' })).isPassedOver(pod('second'))).toBe(false);
    expect(waiting(promised).isPassedOver(pod('second'))).toBe(false);
  });

  it('is tried with the next flush, and after that waits in vain', () => {
    const later = waiting(undefined);
    later.store(354 * SECOND, undefined, pod('third'));
    expect(later.isPassedOver(pod('second'))).toBe(true);
    expect(later.isPassedOver(pod('third'))).toBe(false);
    later.store(356 * SECOND, undefined, pod('third'));
    expect(later.isPassedOver(pod('second'))).toBe(false);
  });

  it('has forgotten it once it had a place', () => {
    const placed = waiting(undefined);
    placed.store(11 * SECOND, pod('second'), pod('second', { on: 'n' }));
    expect(placed.isPassedOver(pod('second'))).toBe(false);
  });
});
