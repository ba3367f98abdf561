import { describe, expect, it } from 'vitest';
import type { Container, Pod, PodCondition } from '../../api/types/core-v1.ts';
import type { ContainerRecord, ContainerState, Terminated } from './container-state.ts';
import type { PodRecord } from './pod-record.ts';
import { podStatusOf } from './pod-status.ts';

const NOW = '2024-05-01T10:00:00Z';
const EARLIER = '2024-05-01T09:00:00Z';

const ended = (exitCode: number): Terminated => ({
  kind: 'terminated',
  exitCode,
  reason: exitCode === 0 ? 'Completed' : 'Error',
  startedAt: EARLIER,
  finishedAt: EARLIER,
  containerId: 'c1',
});
const RUNNING: ContainerState = { kind: 'running', startedAt: EARLIER };
const WAITING: ContainerState = { kind: 'waiting', reason: 'ContainerCreating' };

function record(name: string, state: ContainerState, more: Partial<ContainerRecord> = {}): ContainerRecord {
  return {
    name,
    state,
    lastTermination: undefined,
    restartCount: 0,
    containerId: '',
    imageId: '',
    isStarted: state.kind === 'running',
    isReady: state.kind === 'running',
    ...more,
  };
}

function recordOf(
  main: readonly ContainerRecord[],
  { init = [], ...more }: Partial<Omit<PodRecord, 'init'>> & { init?: readonly ContainerRecord[] } = {},
): PodRecord {
  return {
    init: new Map(init.map((each) => [each.name, each])),
    main: new Map(main.map((each) => [each.name, each])),
    ephemeral: new Map(),
    hasSandbox: true,
    startTime: EARLIER,
    podIPs: ['10.128.1.3'],
    hostIP: '10.0.0.1',
    isOver: false,
    isRejected: false,
    ...more,
  };
}

function pod(names: readonly string[], spec: Partial<Pod['spec']> = {}): Pod {
  const containers: readonly Container[] = names.map((name) => ({ name }));
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { ...spec, containers } };
}
const conditionOf = (type: string, conditions: readonly PodCondition[] = []) =>
  conditions.find((condition) => condition.type === type);

describe('the phase of a pod', () => {
  const sidecar = { name: 's', restartPolicy: 'Always' };
  it.each([
    ['its containers wait', 'Always', [WAITING], [], false, 'Pending'],
    ['one runs, one waits', 'Always', [RUNNING, WAITING], [], false, 'Pending'],
    ['one runs, one has ended', 'Always', [RUNNING, ended(1)], [], false, 'Running'],
    ['all are between two runs', 'OnFailure', [ended(1), ended(0)], [], false, 'Running'],
    ['all have ended well', 'Never', [ended(0), ended(0)], [], true, 'Succeeded'],
    ['one has ended badly', 'Never', [ended(0), ended(1)], [], true, 'Failed'],
    ['it was never run', 'Always', [WAITING], [], true, 'Failed'],
    ['an init container runs', 'Always', [WAITING], [['i', RUNNING]], false, 'Pending'],
    ['an init container has failed', 'Never', [WAITING], [['i', ended(1)]], false, 'Pending'],
    ['only its sidecar runs', 'Never', [ended(0)], [['s', RUNNING]], false, 'Running'],
    ['its sidecar has ended, too', 'Never', [ended(0)], [['s', ended(143)]], true, 'Succeeded'],
  ] as const)('when %s (%s)', (_, restartPolicy, states, init, isOver, phase) => {
    const names = states.map((__, index) => `c${index}`);
    const initContainers = init.map(([name]) => (name === 's' ? sidecar : { name }));
    const status = podStatusOf(
      pod(names, { restartPolicy, initContainers }),
      recordOf(
        states.map((state, index) => record(`c${index}`, state)),
        { init: init.map(([name, state]) => record(name, state)), isOver },
      ),
      NOW,
      undefined,
    );
    expect(status.phase).toBe(phase);
  });
});

describe('the conditions of a pod', () => {
  it('name the containers of which nothing is known, and those that are not ready', () => {
    const { conditions } = podStatusOf(
      pod(['a', 'b', 'c']),
      recordOf([record('a', RUNNING), record('b', WAITING)]),
      NOW,
      undefined,
    );
    const expected = {
      status: 'False',
      reason: 'ContainersNotReady',
      message: 'containers with unknown status: [c], containers with unready status: [b]',
      lastTransitionTime: NOW,
    };
    expect(conditionOf('Ready', conditions)).toMatchObject(expected);
    expect(conditionOf('ContainersReady', conditions)).toMatchObject(expected);
  });

  it('keep the time of their last change, and the conditions of others, in front', () => {
    const other = { type: 'example.com/other', status: 'True', lastTransitionTime: EARLIER };
    const old = {
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: EARLIER }, other],
    };
    const { conditions = [] } = podStatusOf(pod(['a']), recordOf([record('a', RUNNING)]), NOW, old);
    expect(conditionOf('Ready', conditions)?.lastTransitionTime).toBe(EARLIER);
    expect(conditionOf('ContainersReady', conditions)?.lastTransitionTime).toBe(NOW);
    expect(conditions.map(({ type }) => type)).toEqual([
      'example.com/other',
      'PodReadyToStartContainers',
      'Initialized',
      'Ready',
      'ContainersReady',
      'PodScheduled',
    ]);
  });

  it.each([
    [[], 'corresponding condition of pod readiness gate "example.com/gate" does not exist.'],
    [
      [{ type: 'example.com/gate', status: 'False' }],
      'the status of pod readiness gate "example.com/gate" is not "True", but False',
    ],
    [[{ type: 'example.com/gate', status: 'True' }], undefined],
  ])('wait for readiness gates: %j', (gates, message) => {
    const { conditions } = podStatusOf(
      pod(['a'], { readinessGates: [{ conditionType: 'example.com/gate' }] }),
      recordOf([record('a', RUNNING)]),
      NOW,
      { conditions: gates },
    );
    expect(conditionOf('ContainersReady', conditions)?.status).toBe('True');
    expect(conditionOf('Ready', conditions)).toMatchObject(
      message === undefined
        ? { status: 'True' }
        : { status: 'False', reason: 'ReadinessGatesNotReady', message },
    );
  });

  it('tell of a failure only when the pod is over', () => {
    const failure = {
      reason: 'Evicted',
      message: 'why',
      disruption: { reason: 'TerminationByKubelet', message: 'why' },
    };
    const before = podStatusOf(pod(['a']), recordOf([record('a', RUNNING)], { failure }), NOW, undefined);
    expect(before).toMatchObject({ phase: 'Running' });
    expect(before).not.toHaveProperty('reason');
    expect(conditionOf('DisruptionTarget', before.conditions)).toBeUndefined();
    const end = recordOf([record('a', ended(137))], { failure, isOver: true });
    const after = podStatusOf(pod(['a']), end, NOW, before);
    expect(after).toMatchObject({ phase: 'Failed', reason: 'Evicted', message: 'why' });
    expect(conditionOf('DisruptionTarget', after.conditions)).toMatchObject({
      status: 'True',
      reason: 'TerminationByKubelet',
    });
    expect(conditionOf('Ready', after.conditions)).toMatchObject({ status: 'False', reason: 'PodFailed' });
    expect(podStatusOf(pod(['a']), end, NOW, after).conditions).toHaveLength(6);
  });
});

describe('the containers of a pod that is over', () => {
  it('do not wait any more', () => {
    const back = record(
      'b',
      { kind: 'waiting', reason: 'CrashLoopBackOff' },
      { lastTermination: ended(2), restartCount: 3 },
    );
    const { containerStatuses } = podStatusOf(
      pod(['a', 'b']),
      recordOf([record('a', WAITING), back], { isOver: true }),
      NOW,
      undefined,
    );
    expect(containerStatuses).toMatchObject([
      { state: { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } } },
      { state: { terminated: { exitCode: 2 } }, lastState: {}, restartCount: 3 },
    ]);
  });

  it('have not been looked for before the pod was initialized', () => {
    const { containerStatuses } = podStatusOf(
      pod(['a'], { initContainers: [{ name: 'i' }] }),
      recordOf([record('a', WAITING)], { init: [record('i', ended(1))], isOver: true }),
      NOW,
      undefined,
    );
    expect(containerStatuses).toMatchObject([{ state: { waiting: { reason: 'ContainerCreating' } } }]);
  });
});
