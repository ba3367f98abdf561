import { describe, expect, test } from 'vitest';
import type { ApiObject } from '../../sim/api/object.ts';
import { SchedulerView } from './scheduler-view.ts';

const pod = (name: string, uid = name): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid },
  spec: { containers: [] },
});
const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'n' } } as ApiObject;

describe('what a scheduler has placed and not yet seen', () => {
  const placed = (): SchedulerView => {
    const view = new SchedulerView();
    view.take({ at: 0, by: 's', kind: 'heard', objects: [node, pod('a'), pod('b')] });
    view.bound('default/a', 'a', 'n');
    view.take({ at: 1, by: 's', kind: 'bind-answered', uid: 'a', isBound: true });
    return view;
  };
  const thereOf = (view: SchedulerView): unknown =>
    view.binding('default/b', 'n', 9)?.there.map(({ metadata }) => metadata.uid);

  test('is on its node', () => {
    expect(thereOf(placed())).toEqual(['a']);
  });

  test('is not there any more when a list comes without it', () => {
    const view = placed();
    view.take({ at: 2, by: 's', kind: 'heard-all', of: 'Pod', objects: [pod('a', 'another'), pod('b')] });
    expect(thereOf(view)).toEqual([]);
  });
});
