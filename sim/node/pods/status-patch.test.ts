import { describe, expect, it } from 'vitest';
import type { PodStatus } from '../../api/types/core-v1.ts';
import { statusPatch } from './status-patch.ts';

const ready = { type: 'Ready', status: 'True', lastTransitionTime: '2024-01-01T00:00:00Z' };

describe('the patch of a status', () => {
  it('is none when nothing has changed, null and absent being the same', () => {
    const present: PodStatus = { phase: 'Running', conditions: [{ ...ready, lastProbeTime: null as never }] };
    expect(statusPatch(present, { phase: 'Running', conditions: [ready] })).toBeUndefined();
  });

  it('holds what has changed, and empties what is gone', () => {
    const present: PodStatus = {
      phase: 'Running',
      message: 'old',
      podIP: '10.0.0.1',
      podIPs: [{ ip: '10.0.0.1' }],
    };
    const wanted: PodStatus = { phase: 'Failed', podIP: '10.0.0.2', podIPs: [{ ip: '10.0.0.2' }] };
    expect(statusPatch(present, wanted)).toEqual({
      phase: 'Failed',
      message: null,
      podIP: '10.0.0.2',
      podIPs: [{ ip: '10.0.0.2' }, { $patch: 'replace' }],
    });
  });

  it('names the conditions that have changed, and the order of all', () => {
    const gate = { type: 'example.com/gate', status: 'True' };
    const lost = { ...ready, status: 'False', reason: 'ContainersNotReady', message: 'why' };
    const present = { conditions: [{ type: 'PodScheduled', status: 'True' }, gate, lost] };
    expect(statusPatch(present, { conditions: [gate, ready] })).toEqual({
      '$setElementOrder/conditions': [{ type: 'example.com/gate' }, { type: 'Ready' }],
      conditions: [
        { ...ready, reason: null, message: null },
        { type: 'PodScheduled', $patch: 'delete' },
      ],
    });
  });
});
