import { describe, expect, it } from 'vitest';
import type { Taint, Toleration } from '../../api/types/core-v1.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { seconds } from '../../engine/time.ts';
import { toleratedSeconds } from './toleration.ts';

const TAINT: Taint = { key: 'k', value: 'v', effect: 'NoExecute' };

describe('a pod stays on a tainted node', () => {
  it.each<[string, readonly Toleration[], readonly Taint[], number | undefined]>([
    ['for ever without NoExecute taints', [], [{ key: 'k', effect: 'NoSchedule' }], Infinity],
    ['not at all without a toleration', [], [TAINT], undefined],
    ['for ever with one', [{ key: 'k', operator: 'Exists' }], [TAINT], Infinity],
    ['for ever when it tolerates everything', [{ operator: 'Exists' }], [TAINT], Infinity],
    ['not at all when the value differs', [{ key: 'k', value: 'other' }], [TAINT], undefined],
    [
      'not at all when the effect differs',
      [{ key: 'k', operator: 'Exists', effect: 'NoSchedule' }],
      [TAINT],
      undefined,
    ],
    ['for the time it says', [{ key: 'k', operator: 'Exists', tolerationSeconds: 7 }], [TAINT], 7],
    [
      'no time at all when that is negative',
      [{ key: 'k', operator: 'Exists', tolerationSeconds: -7 }],
      [TAINT],
      0,
    ],
    [
      'for the shortest time of several',
      [
        { key: 'k', operator: 'Exists', tolerationSeconds: 7 },
        { key: 'l', operator: 'Exists', tolerationSeconds: 3 },
      ],
      [TAINT, { key: 'l', effect: 'NoExecute' }],
      3,
    ],
  ])('%s', (_, tolerations, taints, wanted) => {
    expect(toleratedSeconds(tolerations, taints)).toBe(wanted);
  });

  const tainted = (tolerations: readonly Toleration[]) => {
    const cluster = createCluster({ nodes: 1 });
    cluster.settle();
    cluster.client.pods.create({
      metadata: { name: 'p' },
      spec: {
        nodeName: 'worker-1',
        terminationGracePeriodSeconds: 0,
        containers: [{ name: 'c', image: 'i' }],
        tolerations,
      },
    });
    const taint = (taints: readonly Taint[] | null) =>
      cluster.client.nodes.patch('worker-1', { type: 'merge', body: { spec: { taints } } });
    taint([{ key: 'gone', effect: 'NoExecute' }]);
    const isMarked = () => {
      const pod = cluster.client.pods.list().items[0];
      return (
        pod === undefined || pod.status?.conditions?.some(({ type }) => type === 'DisruptionTarget') === true
      );
    };
    const told = () =>
      cluster.client.events
        .list()
        .items.filter(({ reason }) => reason === 'TaintManagerEviction')
        .map(({ message }) => message)
        // Their names, by which they are listed, are chance.
        .toSorted((a = '', b = '') => (a < b ? -1 : 1));
    return { cluster, taint, isMarked, told };
  };

  it('and is deleted when its time is over', () => {
    const { cluster, isMarked, told } = tainted([
      { key: 'gone', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 10 },
    ]);
    cluster.advance(seconds(9));
    expect(isMarked()).toBe(false);
    cluster.advance(seconds(2));
    expect(isMarked()).toBe(true);
    expect(told()).toEqual(['Marking for deletion Pod default/p']);
  });

  it('and goes on when the taint is taken away in time', () => {
    const { cluster, taint, isMarked, told } = tainted([
      { key: 'gone', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 10 },
    ]);
    cluster.advance(seconds(5));
    taint(null);
    cluster.advance(seconds(20));
    expect(isMarked()).toBe(false);
    expect(told()).toEqual(['Cancelling deletion of Pod default/p']);
  });

  const EXISTS = { key: 'gone', operator: 'Exists', effect: 'NoExecute' } as const;

  it('as long as was planned first, whatever taints of shorter toleration come', () => {
    const { cluster, taint, isMarked } = tainted([
      { ...EXISTS, tolerationSeconds: 30 },
      { ...EXISTS, key: 'later', tolerationSeconds: 2 },
    ]);
    cluster.advance(seconds(5));
    taint(['gone', 'later'].map((key) => ({ key, effect: 'NoExecute' })));
    cluster.advance(seconds(20));
    expect(isMarked()).toBe(false);
    cluster.advance(seconds(10));
    expect(isMarked()).toBe(true);
  });

  it('until a taint comes that it does not tolerate', () => {
    const { cluster, taint, isMarked, told } = tainted([{ ...EXISTS, tolerationSeconds: 30 }]);
    cluster.advance(seconds(5));
    taint(['gone', 'worse'].map((key) => ({ key, effect: 'NoExecute' })));
    cluster.advance(seconds(1));
    expect(isMarked()).toBe(true);
    expect(told()).toEqual(['Cancelling deletion of Pod default/p', 'Marking for deletion Pod default/p']);
  });

  it('which Events tell by its name alone', () => {
    const { cluster } = tainted([]);
    cluster.advance(seconds(1));
    const event = cluster.client.events.list().items.find(({ reason }) => reason === 'TaintManagerEviction');
    expect(event?.involvedObject).toEqual({ kind: 'Pod', namespace: 'default', name: 'p', apiVersion: 'v1' });
    expect(event?.source?.component).toBe('taint-eviction-controller');
  });
});
