import { describe, expect, it } from 'vitest';
import { conditionsOf, sayTheSame } from './conditions.ts';
import { Machine } from '../machine/machine.ts';

const NOON = Date.UTC(2025, 0, 1, 12);
const LATER = NOON + 60_000;

describe('the conditions of a node', () => {
  it('are fine on a machine that is', () => {
    const told = conditionsOf(new Machine(), [], NOON).map(({ type, status, reason, message }) => [
      type,
      status,
      reason,
      message,
    ]);
    expect(told).toEqual([
      ['NetworkUnavailable', 'False', 'RouteCreated', 'RouteController created a route'],
      ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
      ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
      ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
      ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
    ]);
  });

  it.each([
    ['memory', 'MemoryPressure', 'KubeletHasInsufficientMemory'],
    ['disk', 'DiskPressure', 'KubeletHasDiskPressure'],
    ['pid', 'PIDPressure', 'KubeletHasInsufficientPID'],
  ] as const)('tell of too little %s', (pressure, type, reason) => {
    const machine = new Machine();
    const before = conditionsOf(machine, [], NOON);
    machine.feel(new Set([pressure]));
    const under = conditionsOf(machine, before, LATER);
    expect(under.find((condition) => condition.type === type)).toMatchObject({
      status: 'True',
      reason,
      lastHeartbeatTime: '2025-01-01T12:01:00Z',
      lastTransitionTime: '2025-01-01T12:01:00Z',
    });
    expect(under.find((condition) => condition.type === 'Ready')).toMatchObject({
      lastHeartbeatTime: '2025-01-01T12:01:00Z',
      lastTransitionTime: '2025-01-01T12:00:00Z',
    });
    machine.feel(new Set());
    expect(sayTheSame(conditionsOf(machine, under, LATER), before)).toBe(true);
  });

  it('are not ready while the runtime is down, and name every problem', () => {
    const machine = new Machine();
    machine.stopRuntime();
    const ready = () => conditionsOf(machine, [], NOON).find(({ type }) => type === 'Ready');
    expect(ready()).toMatchObject({
      status: 'False',
      reason: 'KubeletNotReady',
      message: 'container runtime is down',
    });
    machine.breakDown('network', 'cni plugin not initialized');
    expect(ready()?.message).toBe('[container runtime is down, cni plugin not initialized]');
  });
});
