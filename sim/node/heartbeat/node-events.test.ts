import { describe, expect, it } from 'vitest';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { eventsOf } from '../../cluster/pod-world.fixture.ts';
import { minutes, seconds } from '../../engine/time.ts';

function settled(): Cluster {
  const world = createCluster({ nodes: 1 });
  world.settle();
  world.advance(minutes(1));
  return world;
}
const cordon = (world: Cluster, unschedulable: boolean) =>
  world.client.nodes.patch('worker-1', { type: 'merge', body: { spec: { unschedulable } } });
const is = (reason: string): string => `${reason}: Node worker-1 status is now: ${reason}`;

describe('the Events of a node', () => {
  it('tell that its agent starts, each time', () => {
    const world = settled();
    const texts = [
      'Starting: Starting kubelet.',
      'NodeAllocatableEnforced: Updated Node Allocatable limit across pods',
    ];
    expect(eventsOf(world, 'worker-1')).toEqual(expect.arrayContaining(texts));
    const count = () => eventsOf(world, 'worker-1').filter((text) => texts.includes(text)).length;
    const before = count();
    world.faults.crash('worker-1');
    world.faults.restart('worker-1');
    world.advance(minutes(1));
    expect(count()).toBe(2 * before);
  });

  it('tell of pressure and its end', () => {
    const world = settled();
    world.machine('worker-1').press('disk');
    world.advance(minutes(1));
    expect(eventsOf(world, 'worker-1')).toContain(is('NodeHasDiskPressure'));
    world.machine('worker-1').relieve('disk');
    world.advance(minutes(6));
    expect(eventsOf(world, 'worker-1')).toContain(is('NodeHasNoDiskPressure'));
  });

  it('tell that it is not ready, and ready again', () => {
    const world = settled();
    world.machine('worker-1').stopRuntime();
    world.advance(minutes(1));
    expect(eventsOf(world, 'worker-1')).toContain(is('NodeNotReady'));
    world.machine('worker-1').startRuntime();
    world.advance(minutes(1));
    expect(eventsOf(world, 'worker-1')).toContain(is('NodeReady'));
  });

  it('tell of cordons', () => {
    const world = settled();
    cordon(world, true);
    world.advance(seconds(5));
    expect(eventsOf(world, 'worker-1')).toContain(is('NodeNotSchedulable'));
    cordon(world, false);
    world.advance(seconds(5));
    expect(eventsOf(world, 'worker-1')).toContain(is('NodeSchedulable'));
  });

  it('tell of a reboot of the machine, and not of a restart of its agent', () => {
    const world = settled();
    const bootID = () => world.client.nodes.get('worker-1').status?.nodeInfo?.bootID ?? '';
    const before = bootID();
    const bounce = () => {
      world.faults.restart('worker-1');
      world.advance(minutes(1));
    };
    world.faults.crash('worker-1');
    bounce();
    expect(bootID()).toBe(before);
    expect(eventsOf(world, 'worker-1').join()).not.toContain('rebooted');
    world.faults.crash('worker-1');
    world.machine('worker-1').reboot();
    bounce();
    expect(bootID()).not.toBe(before);
    expect(eventsOf(world, 'worker-1')).toContain(
      `Rebooted: Node worker-1 has been rebooted, boot id: ${bootID()}`,
    );
  });
});
