/**
 * A node agent that dies, is cut off or refused, and comes back in any order, beside what its machine knows: in the end
 * it has told of each pod what became of its containers, once, and has lost nothing that it said before.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ContainerStatus, Pod } from '../../api/types/core-v1.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { create } from '../../cluster/pod-world.fixture.ts';
import { endTroubles, troublesOf, tryTo } from '../../cluster/troubled-client.fixture.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { minutes, seconds } from '../../engine/time.ts';

const NODE = 'worker-1';
const AGENT = `node/${NODE}`;
const NAMES = ['p', 'q'] as const;

interface Plan {
  readonly restartPolicy: 'Always' | 'OnFailure' | 'Never';
  readonly runsForSeconds: number | null;
  readonly exitCode: number;
  readonly probe: boolean;
  /** It is its command that says so, and asks others on the way: how it ends is known once it has run. */
  readonly asks?: boolean;
}

const commandOf = ({ runsForSeconds, exitCode }: Plan): readonly string[] => [
  ...['sh', '-c'],
  `echo begun; wget -q -T 1 nobody; sleep ${runsForSeconds ?? 'infinity'}; exit ${exitCode}`,
];

/** That it runs, once its agent has been there for long: what its command does it may do again. */
const longestMs = ({ runsForSeconds }: Plan): number =>
  runsForSeconds === null ? Infinity : (runsForSeconds + 10) * 1_000;

class World {
  readonly cluster = createCluster({ nodes: 1, settled: true, apiServers: 2 });
  readonly actor = this.cluster.faults.actor(AGENT);
  readonly #plans = new Map<string, Plan>();
  /** By uid: who was called over by somebody. */
  readonly #givenUp = new Set<string>();
  /** Restarts and last ends that were told, by pod. */
  readonly #told = new Map<string, ContainerStatus>();

  make(name: string, plan: Plan): void {
    const { restartPolicy, runsForSeconds, exitCode, probe, asks = false } = plan;
    const isSaid = runsForSeconds !== null && !asks;
    tryTo(() => {
      create(this.cluster, name, {
        restartPolicy,
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            ...(probe && { readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 2 } }),
            ...(asks && { image: 'busybox', command: commandOf(plan) }),
          },
        ],
        behaviours: {
          main: { ...(isSaid && { runsForSeconds, exitCode }), stopsAfterSeconds: 0 },
        },
      });
      this.#plans.set(this.cluster.client.pods.get(name).metadata.uid ?? '', plan);
    });
  }

  remove(name: string, isForced: boolean): void {
    tryTo(() => this.cluster.client.pods.delete(name, isForced ? { gracePeriodSeconds: 0 } : {}));
  }

  /** Under the same name, while the agent may not look. */
  remake(name: string, plan: Plan): void {
    this.remove(name, true);
    this.make(name, plan);
  }

  /** The agent hears of the next of that name, and not of the end of the former. */
  remakeUnheard(name: string, plan: Plan): void {
    this.cluster.lagWatchCaches(minutes(1));
    this.remake(name, plan);
    this.cluster.advance(seconds(1));
    this.cluster.faults.endWatches({ expired: true, resource: 'pods' });
    this.cluster.lagWatchCaches(seconds(0));
  }

  /** Somebody calls over what runs, while its agent may not look. */
  giveUp(name: string, isAway: boolean): void {
    const pod = this.pods.find(({ metadata }) => metadata.name === name);
    const plan = this.#plans.get(pod?.metadata.uid ?? '');
    if (plan?.runsForSeconds !== null || pod?.status?.phase !== 'Running') return;
    if (isAway && !this.isDown) this.cluster.faults.crash(AGENT);
    tryTo(() => {
      this.cluster.client.pods.patch(
        name,
        { type: 'merge', body: { status: { phase: 'Failed', reason: 'Mine' } } },
        { subresource: 'status' },
      );
      this.#givenUp.add(pod.metadata.uid ?? '');
    });
    if (isAway) this.bounce(2);
  }

  bounce(down: number): void {
    const { faults } = this.cluster;
    if (!this.isDown) faults.crash(AGENT);
    this.cluster.advance(seconds(down));
    faults.restart(AGENT);
  }

  reboot(): void {
    this.cluster.machine(NODE).reboot();
    this.bounce(3);
  }

  get isDown(): boolean {
    return this.actor.state === 'crashed';
  }

  get pods(): readonly Pod[] {
    return this.cluster.storage
      .range({ prefix: '/registry/pods/' })
      .entries.map(({ value }) => value)
      .filter(({ kind }) => kind === 'Pod');
  }

  compare(): void {
    for (const { metadata, status } of this.pods) {
      const [container] = status?.containerStatuses ?? [];
      const before = this.#told.get(metadata.uid ?? '');
      if (!container) {
        expect(before, 'what was told of a container').toBeUndefined();
        continue;
      }
      this.#told.set(metadata.uid ?? '', container);
      expect(container.restartCount).toBeGreaterThanOrEqual(before?.restartCount ?? 0);
      // The next end takes the place of the last one when its container waits to be started again.
      const [was, is] = [before?.lastState?.terminated, container.lastState?.terminated];
      if (was) expect((is?.finishedAt ?? '') >= (was.finishedAt ?? ''), 'the last end is told on').toBe(true);
      if (container.ready) expect(container.state).toHaveProperty('running');
    }
  }

  calm(): void {
    endTroubles(this);
    if (this.isDown) this.cluster.faults.restart(AGENT);
    this.cluster.advance(minutes(12));
  }

  expectRight(): void {
    const { runtime } = this.cluster.machine(NODE);
    const nowMs = this.actor.context.now() / 1_000;
    const running = runtime.running(nowMs);
    const uids = new Set(this.pods.map(({ metadata }) => metadata.uid));
    for (const { podUid, name } of running) expect(uids, `the pod of ${name}`).toContain(podUid);
    for (const { metadata, status, spec } of this.pods) {
      const plan = this.#plans.get(metadata.uid ?? '');
      if (this.#givenUp.has(metadata.uid ?? ''))
        expect(['Succeeded', 'Failed'], 'who was called over').toContain(status?.phase);
      expect(metadata.deletionTimestamp, 'what goes is gone').toBeUndefined();
      const [container] = status?.containerStatuses ?? [];
      const own = running.filter(({ podUid }) => podUid === metadata.uid);
      // Of one that somebody else called over nobody tells what becomes of its containers.
      const isOver = status?.phase === 'Failed' || status?.phase === 'Succeeded';
      expect(own.length, 'its containers').toBe(container?.state?.running && !isOver ? 1 : 0);
      if (container?.state?.running && !isOver) expect(container.containerID).toContain(own[0]?.id ?? '-');
      if (!plan) continue;
      const isEnding = plan.runsForSeconds !== null;
      const isTriedAgain =
        plan.restartPolicy === 'Always' || (plan.restartPolicy === 'OnFailure' && plan.exitCode !== 0);
      if (!isEnding && status?.phase !== 'Failed') {
        expect(status?.phase, `phase of ${spec?.restartPolicy}`).toBe('Running');
        expect(container?.ready).toBe(true);
        continue;
      }
      if (own[0]) expect(nowMs - own[0].startedAtMs, 'how long it runs').toBeLessThan(longestMs(plan));
      if (isEnding && !isTriedAgain) expect(['Succeeded', 'Failed'], 'who ended').toContain(status?.phase);
      if (isEnding && isTriedAgain && status?.phase === 'Running')
        expect(container?.restartCount, 'who is tried again').toBeGreaterThan(0);
    }
  }
}

const name = fc.constantFrom(...NAMES);
const plan: fc.Arbitrary<Plan> = fc.record({
  restartPolicy: fc.constantFrom('Always', 'OnFailure', 'Never'),
  runsForSeconds: fc.constantFrom(null, null, 2, 15),
  exitCode: fc.constantFrom(0, 1),
  probe: fc.boolean(),
});
const RUNS_ON: Plan = { restartPolicy: 'Always', runsForSeconds: null, exitCode: 0, probe: false };
const act = actsOn<World>();
const make = act('make', fc.tuple(name, plan), (world, drawn) => world.make(...drawn));
const pass = act('pass', fc.constantFrom(1, 4, 20, 60), (world, span) =>
  world.cluster.advance(seconds(span)),
);
const LOOKS = {
  compare: (world: World): void => world.compare(),
  end: (world: World): void => {
    world.calm();
    world.compare();
    world.expectRight();
  },
};
const bounce = act('bounce', fc.constantFrom(0, 3, 30), (world, down) => world.bounce(down));

it('tells what became of its pods, though it was away, and takes nothing back', () => {
  holdsInAnyOrderAsBefore({
    begin: () => new World(),
    acts: [
      fc.oneof(...troublesOf<World>()),
      make,
      make,
      pass,
      pass,
      bounce,
      act('remove', fc.tuple(name, fc.boolean()), (world, drawn) => world.remove(...drawn)),
      act('remake', fc.tuple(name, plan), (world, drawn) => world.remake(...drawn)),
      act('remake unheard', fc.tuple(name, plan), (world, drawn) => world.remakeUnheard(...drawn)),
      act('give up', fc.tuple(name, fc.boolean()), (world, [of, isAway]) => {
        world.make(of, RUNS_ON);
        world.cluster.advance(seconds(5));
        world.giveUp(of, isAway);
      }),
      act('end the agent', NOTHING, ({ cluster }) => cluster.faults.crash(AGENT)),
      act('reboot', NOTHING, (world) => world.reboot()),
    ],
    ...LOOKS,
    most: 20,
    runs: 14,
  });
});

it('tells what became of those who ask others, though it was away', () => {
  const asking = plan.map((drawn): Plan => ({ ...drawn, asks: true, probe: false }));
  holdsInAnyOrder({
    begin: () => new World(),
    acts: [
      fc.oneof(...troublesOf<World>()),
      act('make', fc.tuple(name, asking), (world, drawn) => world.make(...drawn)),
      ...[pass, bounce],
      act(
        'make and bounce',
        fc.tuple(name, asking, fc.constantFrom(0, 3, 30)),
        (world, [of, drawn, down]) => {
          world.make(of, drawn);
          world.cluster.advance(seconds(6));
          world.bounce(down);
        },
      ),
      act('remove', fc.tuple(name, fc.boolean()), (world, drawn) => world.remove(...drawn)),
      act('reboot', NOTHING, (world) => world.reboot()),
    ],
    ...LOOKS,
    most: 12,
    runs: 8,
  });
});
