import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/types/core-v1.ts';
import { evictionMessage } from './eviction-message.ts';
import { ranked } from './eviction-ranking.ts';
import type { PodUsage } from './pod-usage.ts';
import { pressureRejectionOf } from './pressure-admission.ts';
import { PressureMemory } from './pressure-memory.ts';
import { metSignals, type Observations, type Signal } from './thresholds.ts';

interface Facts {
  readonly priority?: number;
  readonly request?: string;
  readonly memoryBytes?: number;
  readonly diskBytes?: number;
  readonly processes?: number;
}

function usage(name: string, { priority = 0, request, ...used }: Facts): PodUsage {
  const resources = request === undefined ? {} : { requests: { memory: request } };
  return {
    pod: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name },
      spec: { priority, containers: [{ name: 'main', resources }] },
    },
    containers: [{ name: 'main', memoryBytes: 0, diskBytes: 0, processes: 1, ...used }],
  };
}
const namesOf = (pods: readonly PodUsage[]) => pods.map(({ pod }) => pod.metadata.name);

describe('the order of eviction', () => {
  it('for memory: above its request first, then lower priority, then the larger excess', () => {
    const pods = [
      usage('within', { request: '1Gi', memoryBytes: 900_000_000 }),
      usage('important', { priority: 100, memoryBytes: 900 }),
      usage('little', { request: '100', memoryBytes: 200 }),
      usage('much', { request: '1000', memoryBytes: 2_000 }),
    ];
    expect(namesOf(ranked(pods, 'memory'))).toEqual(['much', 'little', 'important', 'within']);
  });

  it('for process identifiers: lower priority first, then more processes', () => {
    const pods = [
      usage('important', { priority: 5, processes: 900 }),
      usage('few', { processes: 2 }),
      usage('many', { processes: 20 }),
    ];
    expect(namesOf(ranked(pods, 'pid'))).toEqual(['many', 'few', 'important']);
  });
});

const observations = (memory: number): Observations => ({
  'memory.available': { available: memory, capacity: 1_000 },
  'nodefs.available': { available: 500, capacity: 1_000 },
  'imagefs.available': { available: 500, capacity: 1_000 },
  'pid.available': { available: 500, capacity: 1_000 },
});

describe('a threshold', () => {
  it.each([
    [99, [], ['memory.available']],
    [100, [], []],
    [120, ['memory.available'], ['memory.available']],
    [150, ['memory.available'], []],
  ] as const)('with %i left, %j met before: %j', (left, before, expected) => {
    const settings = {
      hard: { 'memory.available': '100' },
      minimumReclaim: { 'memory.available': '5%' },
    };
    expect(metSignals(settings, observations(left), new Set<Signal>(before))).toEqual(expected);
  });
});

describe('a message', () => {
  it('names the containers that use more than they request', () => {
    const pod: Pod = {
      ...usage('web', {}).pod,
      spec: {
        containers: [
          { name: 'a', resources: { requests: { memory: '10Mi' } } },
          { name: 'b', resources: { requests: { memory: '64Mi' } } },
        ],
      },
    };
    const containers = ['a', 'b'].map((name) => ({
      name,
      memoryBytes: 20 * 1024 ** 2,
      diskBytes: 0,
      processes: 1,
    }));
    const message = evictionMessage({ pod, containers }, 'memory.available', '10%', {
      available: 1024,
      capacity: 1024 ** 3,
    });
    expect(message).toBe(
      'The node was low on resource: memory. Threshold quantity: 107374182, available: 1Ki. Container a was using 20Mi, request is 10Mi, has larger consumption of memory. ',
    );
  });
});

describe('pressure', () => {
  it('is felt a while longer', () => {
    const memory = new PressureMemory(300_000);
    expect(memory.nextEndMs(0)).toBeUndefined();
    memory.feel(['disk'], 1_000);
    memory.feel(['disk', 'memory'], 2_000);
    expect([...memory.present(301_999)]).toEqual(['disk', 'memory']);
    expect(memory.nextEndMs(200_000)).toBe(302_000);
    expect([...memory.present(302_000)]).toEqual([]);
  });

  it('is over at the very instant of its end, whatever fractions come to', () => {
    const stuck = Array.from({ length: 2_000 }, (_, index) => (450_007_000 + 7 * index) / 1_000).filter(
      (at) => {
        const memory = new PressureMemory(300_000);
        memory.feel(['disk'], at);
        const now = (at * 1_000 + 300_000_000) / 1_000;
        return memory.present(now).size > 0 && memory.nextEndMs(now) === undefined;
      },
    );
    expect(stuck).toEqual([]);
  });

  it.each([
    [['memory'], 'BestEffort', 'The node had condition: [MemoryPressure]. '],
    [['memory'], 'Burstable', undefined],
    [['memory', 'pid'], 'Guaranteed', 'The node had condition: [MemoryPressure PIDPressure]. '],
    [['disk'], 'Guaranteed', 'The node had condition: [DiskPressure]. '],
    [[], 'BestEffort', undefined],
  ] as const)('%j refuses a pod of class %s: %s', (pressures, qosClass, message) => {
    const pod = { ...usage('web', {}).pod, status: { qosClass } };
    expect(pressureRejectionOf(pod, new Set(pressures))?.message).toBe(message);
  });
});
