import { describe, expect, it } from 'vitest';
import type { NodeStatus } from '../../api/types/core-v1.ts';
import { nodeStatusPatch } from './node-status-patch.ts';

const ready = {
  type: 'Ready',
  status: 'True',
  reason: 'KubeletReady',
  lastHeartbeatTime: 't1',
  lastTransitionTime: 't0',
};
const disk = { type: 'DiskPressure', status: 'False', lastHeartbeatTime: 't1', lastTransitionTime: 't0' };
const ORDER = [{ type: 'DiskPressure' }, { type: 'Ready' }];
const PRESENT: NodeStatus = {
  capacity: { cpu: '4', memory: '8Gi' },
  addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
  nodeInfo: { bootID: 'b1', kernelVersion: 'k' } as NodeStatus['nodeInfo'] & object,
  volumesInUse: ['v1'],
  conditions: [disk, ready],
};

describe('the patch of a node status', () => {
  it.each<[string, NodeStatus, object]>([
    ['nothing when all is as wanted, whatever others say', { capacity: { memory: '8Gi', cpu: '4' } }, {}],
    [
      'the times of a heartbeat alone',
      { conditions: [disk, ready].map((condition) => ({ ...condition, lastHeartbeatTime: 't2' })) },
      {
        '$setElementOrder/conditions': ORDER,
        conditions: ORDER.map((condition) => ({ lastHeartbeatTime: 't2', ...condition })),
      },
    ],
    [
      'a condition that has changed, and what it says no more',
      {
        conditions: [
          disk,
          { type: 'Ready', status: 'False', lastHeartbeatTime: 't2', lastTransitionTime: 't2' },
        ],
      },
      {
        '$setElementOrder/conditions': ORDER,
        conditions: [
          { type: 'Ready', status: 'False', lastHeartbeatTime: 't2', lastTransitionTime: 't2', reason: null },
        ],
      },
    ],
    [
      'a condition that is new, whole',
      { conditions: [disk, ready, { type: 'PIDPressure', status: 'False' }] },
      {
        '$setElementOrder/conditions': [...ORDER, { type: 'PIDPressure' }],
        conditions: [{ type: 'PIDPressure', status: 'False' }],
      },
    ],
    [
      'of maps what differs and what is gone',
      { capacity: { cpu: '8' }, nodeInfo: { bootID: 'b2', kernelVersion: 'k' } as never },
      { capacity: { cpu: '8', memory: null }, nodeInfo: { bootID: 'b2' } },
    ],
    [
      'addresses whole, not merged into the old ones',
      { addresses: [{ type: 'InternalIP', address: '10.0.0.2' }] },
      { addresses: [{ type: 'InternalIP', address: '10.0.0.2' }, { $patch: 'replace' }] },
    ],
  ])('is %s', (_, wanted, expected) => {
    expect(nodeStatusPatch(PRESENT, wanted)).toEqual(expected);
  });

  it('is all of it for a node that has said nothing', () => {
    const { volumesInUse: _, ...wanted } = PRESENT;
    expect(nodeStatusPatch({}, wanted)).toEqual({ ...wanted, '$setElementOrder/conditions': ORDER });
  });
});
