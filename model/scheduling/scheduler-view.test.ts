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
    view.bound({ pod: 'default/a', uid: 'a', node: 'n' });
    view.take({ at: 1, by: 's', kind: 'bind-answered', uid: 'a', isBound: true });
    return view;
  };
  const thereOf = (view: SchedulerView): unknown =>
    view.binding({ pod: 'default/b', uid: 'b', node: 'n' }, 9)?.there.map(({ metadata }) => metadata.uid);

  test('is on its node', () => {
    expect(thereOf(placed())).toEqual(['a']);
  });

  test('is perhaps not there while nobody has answered and a fault may have cost the answer', () => {
    const view = new SchedulerView();
    view.take({ at: 0, by: 's', kind: 'heard', objects: [node, pod('a'), pod('b')] });
    view.bound({ pod: 'default/a', uid: 'a', node: 'n' }, true);
    expect(thereOf(view)).toEqual([]);
    view.take({ at: 1, by: 's', kind: 'bind-answered', uid: 'a', isBound: true });
    expect(thereOf(view)).toEqual(['a']);
  });

  test('is not there any more when a list comes without it', () => {
    const view = placed();
    view.take({ at: 2, by: 's', kind: 'heard-all', of: 'Pod', objects: [pod('a', 'another'), pod('b')] });
    expect(thereOf(view)).toEqual([]);
  });
});

describe('what has the name of one that was to be placed or removed', () => {
  const named = (): SchedulerView => {
    const view = new SchedulerView();
    view.take({ at: 0, by: 's', kind: 'heard', objects: [node, pod('a', 'former')] });
    view.take({ at: 1, by: 's', kind: 'heard-gone', object: pod('a', 'former') });
    view.take({ at: 2, by: 's', kind: 'heard', objects: [pod('a', 'later')] });
    return view;
  };

  test('is not judged by a binding that means the former one, which is refused', () => {
    expect(named().binding({ pod: 'default/a', uid: 'former', node: 'n' }, 3)).toBeUndefined();
    expect(named().binding({ pod: 'default/a', uid: 'later', node: 'n' }, 3)).toBeDefined();
  });

  test('may not be who is meant by a deletion of one that had a node', () => {
    const view = new SchedulerView();
    const running = { ...pod('a', 'former'), spec: { containers: [], nodeName: 'n' } };
    view.take({ at: 0, by: 's', kind: 'heard', objects: [node, running] });
    view.take({ at: 2, by: 's', kind: 'heard', objects: [pod('a', 'later')] });
    expect(view.deletion('default/a', 3)?.victims).toEqual([pod('a', 'later'), running]);
  });

  test('may not be who is meant by a deletion, for as long as the former one may be under way', () => {
    const victimsAt = (at: number): unknown =>
      named()
        .deletion('default/a', at)
        ?.victims.map(({ metadata }) => metadata.uid);
    expect(victimsAt(3)).toEqual(['later', 'former']);
    expect(victimsAt(3_000_000)).toEqual(['later']);
  });
});
