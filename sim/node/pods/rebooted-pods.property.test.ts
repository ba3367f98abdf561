/**
 * Pods on a machine that is switched off and on at any moment: nothing that ran before runs on, and whoever is to run has its
 * init containers run again, one after the other, before anything else of it starts.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createCluster } from '../../cluster/create-cluster.ts';
import { create } from '../../cluster/pod-world.fixture.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const NODE = 'worker-1';
const AGENT = `node/${NODE}`;
const NAMES = ['p', 'q'] as const;
/** A sandbox, an image, and containers that have waited out their pauses. */
const SOON = 90;
const ROUNDED_MS = 1;

interface Plan {
  readonly policy: 'Always' | 'OnFailure' | 'Never';
  /** Seconds that each of its init containers takes. */
  readonly init: readonly number[];
  readonly runs: number | null;
}

interface Run {
  readonly name: string;
  readonly startMs: number;
  endMs: number;
  exitCode: number;
}

class World {
  readonly cluster = createCluster({
    nodes: 1,
    controllers: [],
    scheduler: false,
    settled: true,
    disabledAdmissionPlugins: ['ServiceAccount'],
  });
  readonly #plans = new Map<string, Plan>();
  /** By pod and container. */
  readonly #runs = new Map<string, Map<string, Run>>();
  #bootMs = 0;

  make(name: string, { policy, init, runs }: Plan): void {
    tryTo(() => {
      const initContainers = init.map((_, index) => ({ name: `init-${index}`, image: 'setup:1' }));
      const inits = init.map((runsForSeconds, index) => [`init-${index}`, { runsForSeconds }] as const);
      create(this.cluster, name, {
        restartPolicy: policy,
        terminationGracePeriodSeconds: 0,
        ...(init.length > 0 && { initContainers }),
        containers: [{}],
        behaviours: {
          ...Object.fromEntries(inits),
          main: { stopsAfterSeconds: 0, ...(runs !== null && { runsForSeconds: runs }) },
        },
      });
      const { uid = '' } = this.cluster.client.pods.get(name).metadata;
      this.#plans.set(uid, { policy, init, runs });
    });
  }

  remove(name: string): void {
    tryTo(() => this.cluster.client.pods.delete(name));
  }

  bounce(down: number): void {
    const { faults } = this.cluster;
    if (faults.actor(AGENT).state !== 'crashed') faults.crash(AGENT);
    this.pass(down);
    faults.restart(AGENT);
  }

  reboot(down: number): void {
    this.look();
    this.#bootMs = this.cluster.now / 1_000;
    this.cluster.machine(NODE).reboot();
    this.bounce(down);
  }

  /** Within so many seconds of its beginning. */
  rebootAmid(name: string, plan: Plan, after: number): void {
    this.remove(name);
    this.pass(2);
    this.make(name, plan);
    this.pass(after);
    this.reboot(1);
  }

  pass(span: number): void {
    for (let left = span; left > 0; left--) {
      this.cluster.advance(seconds(1));
      this.look();
    }
  }

  look(): void {
    const { runtime } = this.cluster.machine(NODE);
    const nowMs = this.cluster.now / 1_000;
    for (const [uid, { init }] of this.#plans) {
      const runs = this.#runs.get(uid) ?? new Map<string, Run>();
      this.#runs.set(uid, runs);
      for (const { id, name, startedAtMs } of runtime.containersOf(uid)) {
        const run = runs.get(id) ?? { name, startMs: startedAtMs, endMs: Infinity, exitCode: 0 };
        runs.set(id, run);
        const fate = runtime.fateOf(id, nowMs);
        if (fate.kind !== 'running') Object.assign(run, { endMs: fate.atMs, exitCode: fate.exitCode });
      }
      for (const run of runs.values()) this.#expectDue(run, init, [...runs.values()]);
    }
    for (const { startedAtMs, name } of runtime.running(nowMs))
      expect(startedAtMs, `${name} was begun since the machine is on`).toBeGreaterThanOrEqual(this.#bootMs);
  }

  #expectDue({ name, startMs }: Run, init: readonly number[], runs: readonly Run[]): void {
    if (startMs < this.#bootMs) return;
    const [, index] = /^init-(\d+)$/.exec(name) ?? [];
    for (let before = 0; before < Number(index ?? init.length); before++) {
      const isDone = runs.some(
        (run) =>
          run.name === `init-${before}` &&
          run.startMs >= this.#bootMs &&
          run.endMs <= startMs + ROUNDED_MS &&
          run.exitCode === 0,
      );
      expect(isDone, `init-${before} has run before ${name}`).toBe(true);
    }
  }

  expectRunning(): void {
    this.bounce(1);
    this.pass(SOON);
    for (const { metadata, status } of this.cluster.client.pods.list().items) {
      const { policy, runs } = this.#plans.get(metadata.uid ?? '') ?? {};
      if (policy === 'Never' || runs !== null) continue;
      expect(status?.phase, metadata.name).toBe('Running');
      expect(status?.containerStatuses?.[0]?.ready, metadata.name).toBe(true);
    }
  }
}

const name = fc.constantFrom(...NAMES);
const plan: fc.Arbitrary<Plan> = fc.record({
  policy: fc.constantFrom('Always', 'Always', 'OnFailure', 'Never'),
  init: fc.array(fc.constantFrom(1, 4), { maxLength: 2 }),
  runs: fc.constantFrom(null, null, 6),
});
const down = fc.constantFrom(0, 1, 20);
const act = actsOn<World>();

it('run anew, from the first of their containers on', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      act('make', fc.tuple(name, plan), (world, drawn) => world.make(...drawn)),
      act('pass', fc.constantFrom(1, 3, 12), (world, span) => world.pass(span)),
      act('reboot', down, (world, span) => world.reboot(span)),
      act('bounce', down, (world, span) => world.bounce(span)),
      act('reboot amid', fc.tuple(name, plan, fc.integer({ min: 1, max: 12 })), (world, drawn) =>
        world.rebootAmid(...drawn),
      ),
      act('remove', name, (world, of) => world.remove(of)),
      act('look', NOTHING, (world) => world.look()),
    ],
    compare: (world) => world.look(),
    end: (world) => world.expectRunning(),
    most: 12,
    runs: 15,
  });
});
