import { describe, expect, it } from 'vitest';
import { templatesOf } from './fleet.ts';

const shown = (nodes: Parameters<typeof templatesOf>[0]): readonly string[] =>
  templatesOf(nodes).map(({ name, zone = '-', internalIP }) => `${name} ${zone} ${internalIP ?? ''}`);

describe('the nodes of a cluster', () => {
  it('are so many', () => {
    expect(shown(2)).toEqual(['worker-1 - 10.0.0.1', 'worker-2 - 10.0.0.2']);
  });

  it('are a fleet over zones in turn', () => {
    expect(shown({ count: 3, zones: 2 })).toEqual([
      'worker-1 zone-1 10.0.0.1',
      'worker-2 zone-2 10.0.0.2',
      'worker-3 zone-1 10.0.0.3',
    ]);
  });

  it('are several fleets and single nodes, each with an address of its own', () => {
    expect(
      shown([
        { count: 2, namePrefix: 'gpu-', zones: ['a'] },
        'lonely',
        { name: 'own', internalIP: '1.2.3.4' },
      ]),
    ).toEqual(['gpu-1 a 10.0.0.1', 'gpu-2 a 10.0.0.2', 'lonely - 10.0.0.3', 'own - 1.2.3.4']);
  });

  it('share their template', () => {
    const [first] = templatesOf({ count: 1, template: { labels: { disk: 'ssd' }, capacity: { cpu: '8' } } });
    expect(first).toMatchObject({ name: 'worker-1', labels: { disk: 'ssd' }, capacity: { cpu: '8' } });
  });

  it('have different names', () => {
    expect(() => templatesOf([{ count: 1 }, { count: 1 }])).toThrow('there are two nodes "worker-1"');
  });
});
