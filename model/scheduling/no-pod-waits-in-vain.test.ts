import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../sim/api/object.ts';
import { SECOND } from '../nodes/observation.ts';
import { NoPodWaitsInVain } from './no-pod-waits-in-vain.ts';

const node = (unschedulable: boolean): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', uid: 'n' },
  spec: { unschedulable, taints: [] },
  status: {
    allocatable: { cpu: '2', memory: '1Gi', pods: '9' },
    conditions: [{ type: 'Ready', status: 'True' }],
  },
});
const pod = (name: string, message: string, nodeName?: string): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'd', uid: name },
  spec: { nodeName, containers: [{ name: 'c', resources: { requests: { cpu: nodeName ? '2' : '1' } } }] },
  status: { conditions: [{ type: 'PodScheduled', status: 'False', message }] },
});

const CLOSED =
  '0/1 nodes are available: 1 node(s) were unschedulable. preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.';
const FULL = '0/1 nodes are available: 1 Insufficient cpu.';

/** Seconds after the last write at which it is found that a pod waits, of those at which one looks. */
function foundAt(...writes: readonly (readonly [ApiObject | undefined, ApiObject?])[]): number | undefined {
  let found: number | undefined;
  const last = writes.length * 10;
  const rule = new NoPodWaitsInVain({ slack: 0, report: (at) => (found ??= at / SECOND - last) });
  rule.observe({ kind: 'schedulers', at: 0, areFine: true, isFirst: true });
  for (const [index, [after, before]] of writes.entries()) {
    const at = (index + 1) * 10 * SECOND;
    rule.observe({ kind: 'stored', at, revision: index + 1, before, after });
    rule.look(at + SECOND);
  }
  for (let second = 2; second < 600; second++) rule.look((last + second) * SECOND);
  return found;
}

const taken = pod('taken', '', 'n');

describe('a pod that a node could take', () => {
  it('is tried soon when the end of another gives it the room that it lacked', () => {
    expect(foundAt([node(false)], [taken], [pod('p', FULL)], [undefined, taken])).toBe(47);
  });

  it('is tried with the next flush when it was kept by closed nodes alone, and another ends', () => {
    const opened = [node(false), node(true)] as const;
    expect(foundAt([node(true)], [taken], [pod('p', CLOSED)], opened, [undefined, taken])).toBe(377);
  });

  it('is tried with the next flush when another goes that was promised a place, however often', () => {
    const other = pod('other', FULL);
    const promised = { ...other, status: { nominatedNodeName: 'n' } };
    const once = [[other], [promised, other], [undefined, promised]] as const;
    expect(foundAt([node(false)], [pod('p', FULL)], ...once)).toBe(377);
    expect(foundAt([node(false)], [pod('p', FULL)], ...once, ...once)).toBe(377);
    // That one goes who was promised nothing, changes nothing.
    expect(foundAt([node(false)], [pod('p', FULL)], [other], [undefined, other])).toBeLessThan(50);
  });

  it('is tried soon when it was kept by closed nodes alone, and one opens', () => {
    expect(foundAt([node(true)], [pod('p', CLOSED)], [node(false), node(true)])).toBe(46);
  });
});
