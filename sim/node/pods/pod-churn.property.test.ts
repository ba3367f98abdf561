import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import type { Container } from '../../api/types/core-v1.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { create, names } from '../../cluster/pod-world.fixture.ts';
import { minutes, seconds } from '../../engine/time.ts';
import type { WorkloadBehaviour } from '../runtime/workload-behaviour.ts';

const HOOK = { exec: { command: ['hook'] } };
const PROBE = { tcpSocket: { port: 80 }, periodSeconds: 2, failureThreshold: 2 };

const behaviour: fc.Arbitrary<WorkloadBehaviour> = fc.record(
  {
    runsForSeconds: fc.integer({ min: 0, max: 40 }),
    exitCode: fc.integer({ min: 0, max: 2 }),
    readyAfterSeconds: fc.integer({ min: 0, max: 20 }),
    stopsAfterSeconds: fc.integer({ min: 0, max: 40 }),
    ignoresTerm: fc.boolean(),
    memoryBytes: fc.constant(200_000_000),
    postStart: fc.record({ takesSeconds: fc.integer({ min: 0, max: 9 }), fails: fc.boolean() }),
    preStop: fc.record({ takesSeconds: fc.integer({ min: 0, max: 40 }), fails: fc.boolean() }),
    imageMissing: fc.boolean(),
  },
  { requiredKeys: [] },
);
const container: fc.Arbitrary<Partial<Container>> = fc.record(
  {
    lifecycle: fc.constantFrom({ postStart: HOOK }, { preStop: HOOK }, { postStart: HOOK, preStop: HOOK }),
    startupProbe: fc.constant(PROBE),
    livenessProbe: fc.constant(PROBE),
    readinessProbe: fc.constant(PROBE),
    resources: fc.constant({ limits: { memory: '100Mi' } }),
  },
  { requiredKeys: [] },
);
const plan = fc.record({
  restartPolicy: fc.constantFrom('Always', 'OnFailure', 'Never'),
  terminationGracePeriodSeconds: fc.integer({ min: 0, max: 30 }),
  init: fc.option(behaviour),
  sidecar: fc.option(fc.tuple(container, behaviour)),
  main: fc.tuple(container, behaviour),
});
const step = fc.oneof(
  { arbitrary: fc.record({ kind: fc.constant('create' as const), plan }), weight: 3 },
  fc.record({ kind: fc.constant('delete' as const), grace: fc.option(fc.constantFrom(0, 1, 20)) }),
  fc.record({
    kind: fc.constantFrom('debug' as const, 'bounce' as const, 'cut' as const, 'reboot' as const),
  }),
  fc.record({ kind: fc.constantFrom('hang' as const, 'press' as const) }),
);

type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;
type Plan = typeof plan extends fc.Arbitrary<infer P> ? P : never;

function createPlanned(world: Cluster, name: string, planned: Plan): void {
  const { init, sidecar, main, restartPolicy, terminationGracePeriodSeconds } = planned;
  const initContainers: Container[] = [
    ...(sidecar ? [{ ...sidecar[0], name: 'side', image: 's:1', restartPolicy: 'Always' }] : []),
    ...(init ? [{ name: 'init', image: 'i:1' }] : []),
  ];
  const behaviours = {
    main: main[1],
    ...(init && { init: { ...init, runsForSeconds: init.runsForSeconds ?? 3 } }),
    ...(sidecar && { side: sidecar[1] }),
  };
  create(world, name, {
    restartPolicy,
    terminationGracePeriodSeconds,
    initContainers,
    containers: [main[0]],
    behaviours,
  });
}

function take(world: Cluster, at: number, taken: Step): void {
  const machine = world.machine('worker-1');
  const [first] = names(world);
  if (taken.kind === 'create') createPlanned(world, `pod-${at}`, taken.plan);
  else if (taken.kind === 'delete' && first !== undefined)
    world.client.pods.delete(first, taken.grace === null ? {} : { gracePeriodSeconds: taken.grace });
  else if (taken.kind === 'debug' && first !== undefined)
    world.client.pods.patch(
      first,
      { type: 'strategic', body: { spec: { ephemeralContainers: [{ name: `d${at}`, image: 'd:1' }] } } },
      { subresource: 'ephemeralcontainers' },
    );
  else if (taken.kind === 'bounce' || taken.kind === 'reboot') {
    world.faults.crash('worker-1');
    if (taken.kind === 'reboot') machine.reboot();
    world.advance(seconds(3));
    world.faults.restart('worker-1');
  } else if (taken.kind === 'cut') {
    world.faults.partition('worker-1');
    world.advance(seconds(20));
    world.faults.heal('worker-1');
  } else if (taken.kind === 'hang') {
    machine.stopRuntime();
    world.advance(seconds(15));
    machine.startRuntime();
  } else if (taken.kind === 'press') {
    machine.press('memory');
    world.advance(seconds(25));
    machine.relieve('memory');
  }
  world.advance(seconds(4));
}

describe('whatever happens to the pods of a node', () => {
  it('when all are deleted, none is left in the API or on the machine', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000 }),
        fc.array(step, { maxLength: 12, size: 'max' }),
        (seed, steps) => {
          const world = createCluster({ nodes: 1, seed });
          world.settle();
          steps.forEach((taken, at) => take(world, at, taken));
          const told = world.client.pods.list().items;
          for (const { status } of told) {
            const isOver = status?.phase === 'Succeeded' || status?.phase === 'Failed';
            const runs = (status?.containerStatuses ?? []).some(({ state }) => state?.running);
            expect(isOver && runs).toBe(false);
            for (const { ready, state } of status?.containerStatuses ?? [])
              if (ready) expect(state).toHaveProperty('running');
          }
          for (const name of names(world)) if (name !== undefined) world.client.pods.delete(name);
          world.advance(minutes(2));
          expect(names(world)).toEqual([]);
          const { runtime } = world.machine('worker-1');
          expect(runtime.all()).toEqual([]);
          expect([...runtime.sandboxes.keys()]).toEqual([]);
        },
      ),
      asOftenAs(12, 4),
    );
  });
});
