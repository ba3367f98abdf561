/**
 * Pods that are told to end at any moment of their start and after it, with hooks that take their time and containers that
 * do not listen: each has the grace that it was given and no more, hook and all, and of who stays in the API it is told in
 * the end how every container has ended that the machine has seen.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Container, Pod } from '../../api/types/core-v1.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { create } from '../../cluster/pod-world.fixture.ts';
import { milliseconds } from '../../engine/time.ts';

const NODE = 'worker-1';
const KILLED = 137;
/** What a hook leaves, at least. */
const LEAST_SECONDS = 2;
/** To hear of it and to begin. */
const SLACK_MS = 1_500;
const LATER_MS = 60_000;
const LOOK_MS = 500;

interface End {
  readonly endMs: number;
  readonly exitCode: number;
}

interface Seen {
  readonly id: string;
  readonly name: string;
  /** Undefined: it ran when it was last looked at. */
  readonly end: End | undefined;
}

interface Ended {
  readonly uid: string;
  readonly toldMs: number | undefined;
}

interface Plan {
  readonly how: 'removed' | 'called over' | 'too long';
  readonly atMs: number;
  readonly graceSeconds: number;
  readonly startHookSeconds: number;
  readonly endHookSeconds: number;
  readonly stopsAfterSeconds: number;
  readonly containers: number;
}

const plan: fc.Arbitrary<Plan> = fc.record({
  how: fc.constantFrom('removed', 'called over', 'too long'),
  atMs: fc.integer({ min: 1, max: 9_000 }),
  graceSeconds: fc.constantFrom(3, 8),
  startHookSeconds: fc.constantFrom(0, 0, 4),
  endHookSeconds: fc.constantFrom(0, 2, 5, 30),
  stopsAfterSeconds: fc.constantFrom(0, 2, 100),
  containers: fc.constantFrom(1, 2),
});
const hook = { exec: { command: ['x'] } };

class World {
  readonly cluster = createCluster({
    nodes: 1,
    settled: true,
    controllers: [],
    disabledAdmissionPlugins: ['ServiceAccount'],
  });
  /** By uid of the pod, then by id. */
  readonly #seen = new Map<string, Map<string, Seen>>();
  /** By uid of the pod: when something of it was last seen to run. */
  readonly #goneMs = new Map<string, number>();

  /** When it was told to end, by the clock of its node; undefined: that is for the agent to see. */
  end(name: string, drawn: Plan): Ended {
    const { how, atMs, startHookSeconds, endHookSeconds } = drawn;
    const lifecycle = {
      ...(startHookSeconds > 0 && { postStart: hook }),
      ...(endHookSeconds > 0 && { preStop: hook }),
    };
    const names = Array.from({ length: drawn.containers }, (_, index) => `c${index}`);
    const behaviour = {
      stopsAfterSeconds: drawn.stopsAfterSeconds,
      postStart: { takesSeconds: startHookSeconds },
      preStop: { takesSeconds: endHookSeconds },
    };
    create(this.cluster, name, {
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: drawn.graceSeconds,
      ...(how === 'too long' && { activeDeadlineSeconds: Math.ceil(atMs / 1_000) }),
      containers: names.map((container): Container => ({ name: container, image: 'app:1', lifecycle })),
      behaviours: Object.fromEntries(names.map((container) => [container, behaviour])),
    });
    const { pods } = this.cluster.client;
    const { uid = '' } = pods.get(name).metadata;
    this.#seen.set(uid, new Map());
    this.pass(atMs);
    if (how === 'too long') return { uid, toldMs: undefined };
    if (how === 'removed') pods.delete(name);
    else
      pods.patch(name, { type: 'merge', body: { status: { phase: 'Failed' } } }, { subresource: 'status' });
    return { uid, toldMs: this.#nowMs };
  }

  get #nowMs(): number {
    return this.cluster.now / 1_000;
  }

  /** Of who is gone the machine keeps nothing: it is looked at often. */
  pass(ms: number): void {
    for (let left = ms; left > 0; left -= LOOK_MS) {
      this.cluster.advance(milliseconds(Math.min(left, LOOK_MS)));
      for (const uid of this.#seen.keys()) this.#look(uid);
    }
  }

  #look(uid: string): void {
    const { runtime } = this.cluster.machine(NODE);
    for (const { id, name } of runtime.containersOf(uid)) {
      if (runtime.fateOf(id, this.#nowMs).kind === 'running') this.#goneMs.set(uid, this.#nowMs);
      const fate = runtime.fateOf(id, this.#nowMs);
      const end = fate.kind === 'ended' ? { endMs: fate.atMs, exitCode: fate.exitCode } : undefined;
      this.#seen.get(uid)?.set(id, { id, name, end });
    }
  }

  expectRight(name: string, { uid, toldMs }: Ended, { how, graceSeconds }: Plan): void {
    const stored: Pod | undefined = this.cluster.storage.get(`/registry/pods/default/${name}`)?.value;
    if (how === 'removed') expect(stored, 'who was removed').toBeUndefined();
    else expect(stored?.status?.phase, `who was ${how}`).toBe('Failed');
    for (const { id, name: container, end } of this.#seen.get(uid)?.values() ?? []) {
      // Who has gone with its pod has ended between two looks.
      if (stored) expect(end, `the end of ${container}`).toBeDefined();
      if (end && toldMs !== undefined) expectInTime(end, toldMs, graceSeconds);
      const told = stored?.status?.containerStatuses?.find((each) => each.name === container);
      if (stored) expect(told?.state?.terminated?.containerID, `what is told of ${container}`).toContain(id);
    }
    if (toldMs === undefined) return;
    expect(this.#goneMs.get(uid) ?? 0, 'nothing runs any more').toBeLessThanOrEqual(
      toldMs + (graceSeconds + LEAST_SECONDS) * 1_000 + SLACK_MS,
    );
  }
}

function expectInTime({ endMs, exitCode }: End, toldMs: number, graceSeconds: number): void {
  const latestMs = toldMs + (graceSeconds + LEAST_SECONDS) * 1_000 + SLACK_MS;
  expect(endMs, 'the end comes in time').toBeLessThanOrEqual(latestMs);
  // Whole seconds of a hook count.
  const earliestMs = toldMs + (graceSeconds - 1) * 1_000;
  if (exitCode === KILLED) expect(endMs, 'nobody is killed early').toBeGreaterThanOrEqual(earliestMs);
}

it('are told how they have ended, and end in time', () => {
  fc.assert(
    fc.property(fc.array(plan, { minLength: 3, maxLength: 3 }), (plans) => {
      const world = new World();
      const ended = plans.map((drawn, index) => world.end(`p${index}`, drawn));
      world.pass(LATER_MS);
      plans.forEach((drawn, index) => {
        const one = ended[index];
        if (one) world.expectRight(`p${index}`, one, drawn);
      });
    }),
    { seed: 1, numRuns: fc.readConfigureGlobal()?.numRuns ?? 20 },
  );
});
