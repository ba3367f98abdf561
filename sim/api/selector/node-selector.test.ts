import { describe, expect, it } from 'vitest';
import type { Node, NodeSelectorRequirement, NodeSelectorTerm, Taint, Toleration } from '../types/core-v1.ts';
import { wantsNode } from './node-selector.ts';
import { tolerates } from './toleration.ts';

const NODE: Node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'worker-1', labels: { disk: 'ssd', cores: '16' } },
};
const expression = (
  key: string,
  operator: NodeSelectorRequirement['operator'],
  ...values: readonly string[]
): NodeSelectorTerm => ({
  matchExpressions: [{ key, operator, values }],
});
const wants = (...nodeSelectorTerms: readonly NodeSelectorTerm[]): boolean =>
  wantsNode(
    { affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } } },
    NODE,
  );

describe('a pod wants a node', () => {
  it.each<[NodeSelectorTerm, boolean]>([
    [expression('disk', 'In', 'hdd', 'ssd'), true],
    [expression('disk', 'In', 'hdd'), false],
    [expression('other', 'In', 'x'), false],
    [expression('disk', 'NotIn', 'hdd'), true],
    [expression('disk', 'NotIn', 'ssd'), false],
    [expression('other', 'NotIn', 'x'), true],
    [expression('disk', 'Exists'), true],
    [expression('disk', 'DoesNotExist'), false],
    [expression('cores', 'Gt', '15'), true],
    [expression('cores', 'Gt', '16'), false],
    [expression('cores', 'Lt', '17'), true],
    [expression('disk', 'Lt', '17'), false],
    [{}, false],
    [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['worker-1'] }] }, true],
    [{ matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['worker-1'] }] }, false],
  ])('by a term: %j %s', (term, isWanted) => {
    expect(wants(term)).toBe(isWanted);
  });

  it('by one of several terms, and by all its labels', () => {
    expect(wants(expression('disk', 'In', 'hdd'), expression('cores', 'Exists'))).toBe(true);
    expect(wantsNode({ nodeSelector: { disk: 'ssd' } }, NODE)).toBe(true);
    expect(wantsNode({ nodeSelector: { disk: 'ssd', cores: '8' } }, NODE)).toBe(false);
    expect(wantsNode({}, NODE)).toBe(true);
  });
});

describe('a toleration', () => {
  const taint: Taint = { key: 'a', value: 'b', effect: 'NoExecute' };
  it.each<[Toleration, boolean]>([
    [{ key: 'a', value: 'b' }, true],
    [{ key: 'a', operator: 'Exists', effect: 'NoExecute' }, true],
    [{ operator: 'Exists' }, true],
    [{ key: 'a' }, false],
    [{ key: 'a', operator: 'Exists', effect: 'NoSchedule' }, false],
    [{ key: 'b', operator: 'Exists' }, false],
    [{ value: 'b' }, false],
  ])('%j covers a=b:NoExecute: %s', (toleration, isCovered) => {
    expect(tolerates(toleration, taint)).toBe(isCovered);
  });
});
