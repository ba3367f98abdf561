/**
 * A node that runs short of memory, disk or processes, and has enough again, in any order with pods that come and go and
 * an agent that dies, beside rules that need no look at how the agent does it: who has to go goes, in order and one after
 * the other, nobody goes for nothing, and conditions say what is so, and for a while after what was.
 *
 * @holds sim/node/machine sim/node/pods
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Node, Pod } from '../../api/types/core-v1.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { create } from '../../cluster/pod-world.fixture.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';
import type { Pressure } from '../machine/pressure.ts';
import { Shortage } from './shortage.fixture.ts';

const NODE = 'worker-1';
const AGENT = `node/${NODE}`;
const PRESSURES = ['memory', 'disk', 'pid'] as const;
const CONDITIONS = { memory: 'MemoryPressure', disk: 'DiskPressure', pid: 'PIDPressure' } as const;
/** As an evicted pod names what it went for. */
const RESOURCES: Readonly<Record<string, Pressure>> = {
  memory: 'memory',
  'ephemeral-storage': 'disk',
  pids: 'pid',
};
/** MiB of memory, GiB of disk: images take less than one. */
const BOUNDS = {
  memory: { capacity: 1_024, threshold: 100, reclaim: 300 },
  disk: { capacity: 40, threshold: 10, reclaim: 10 },
  pid: { capacity: 32_768, threshold: 3_000, reclaim: 0 },
} as const;
/** Seconds that a condition stays; looks are ten apart, and what they find is told a little later. */
const STAYS = 120;
const TOLD = 16;
const STEP = 2;

interface Plan {
  readonly uses: Readonly<Record<Pressure, number>>;
  readonly requests: Readonly<Partial<Record<Pressure, number>>>;
  readonly priority: 'low' | 'high' | 'system-cluster-critical';
  /** Takes more of the disk than it may. */
  readonly isOverLimit: boolean;
  readonly ignoresTerm: boolean;
}

interface Known {
  readonly name: string;
  readonly plan: Plan;
  readonly cameAt: number;
  /** What the node was under when the pod came; undefined: nobody can say. */
  readonly cameUnder: ReadonlySet<Pressure> | undefined;
}

const isCritical = ({ priority }: Plan): boolean => priority === 'system-cluster-critical';
const isRejected = (message = ''): boolean => message.startsWith('Pod was rejected: The node had condition');
const excessOf = ({ uses, requests }: Plan, pressure: Pressure): number =>
  uses[pressure] - (requests[pressure] ?? 0);

/** Whether one has to go before the other. */
function goesBefore(one: Plan, other: Plan, pressure: Pressure): boolean {
  const [a, b] = [excessOf(one, pressure), excessOf(other, pressure)];
  if (pressure !== 'pid' && a > 0 !== b > 0) return a > 0;
  if (one.priority !== other.priority) return one.priority === 'low';
  return a > b;
}

class World {
  readonly cluster = createCluster({
    settled: true,
    nodes: {
      count: 1,
      template: {
        capacity: { memory: '1Gi', 'ephemeral-storage': '40Gi' },
        eviction: {
          hard: { 'memory.available': '100Mi', 'nodefs.available': '25%', 'pid.available': '3000' },
          minimumReclaim: { 'memory.available': '300Mi', 'nodefs.available': '10Gi' },
          pressureTransitionSeconds: STAYS,
        },
      },
    },
  });
  readonly #shortages = new Map(PRESSURES.map((pressure) => [pressure, new Shortage(BOUNDS[pressure])]));
  readonly #known = new Map<string, Known>();
  readonly #evicted = new Map<string, number>();
  readonly #pressed = new Set<Pressure>();
  #isFull = false;
  #running: ReadonlySet<string> = new Set();
  /** What has run since the machine is on. */
  readonly #letIn = new Set<string>();
  #now = 0;
  #startedAt = -10_000;
  /** Since when somebody could have gone, and somebody had to. */
  #dueSince: number | undefined;

  constructor() {
    const { client } = this.cluster;
    client.priorityClasses.create({ metadata: { name: 'low' }, value: 0 });
    client.priorityClasses.create({ metadata: { name: 'high' }, value: 100 });
  }

  make(plan: Plan): void {
    if (this.#alive().length >= 6) return;
    const name = `p${this.#known.size}`;
    const { uses, requests, priority, isOverLimit, ignoresTerm } = plan;
    create(this.cluster, name, {
      priorityClassName: priority,
      containers: [
        {
          resources: {
            requests: {
              ...(requests.memory !== undefined && { memory: `${requests.memory}Mi` }),
              ...(requests.disk !== undefined && { 'ephemeral-storage': `${requests.disk}Gi` }),
            },
            ...(isOverLimit && { limits: { 'ephemeral-storage': '1Gi' } }),
          },
        },
      ],
      behaviours: {
        main: {
          memoryBytes: uses.memory * 1_024 ** 2,
          diskBytes: uses.disk * 1_024 ** 3,
          processes: uses.pid,
          ignoresTerm,
        },
      },
    });
    const uid = this.cluster.client.pods.get(name).metadata.uid ?? '';
    this.#known.set(uid, { name, plan, cameAt: this.#now, cameUnder: this.#surelyUnder() });
  }

  remove(which: number): void {
    const alive = this.#alive();
    const pod = alive[which % Math.max(1, alive.length)];
    if (pod?.metadata.name !== undefined) this.cluster.client.pods.delete(pod.metadata.name);
  }

  press(pressure: Pressure, isPressed: boolean): void {
    const machine = this.cluster.machine(NODE);
    this.#observe();
    if (isPressed) machine.press(pressure);
    else machine.relieve(pressure);
    if (isPressed) this.#pressed.add(pressure);
    else this.#pressed.delete(pressure);
    this.#observe();
  }

  /** The disk is full, not just nearly: nothing more can be written. */
  fill(isFull: boolean): void {
    this.#observe();
    if (isFull) this.cluster.machine(NODE).fillDisk();
    else this.cluster.machine(NODE).freeDisk();
    this.#isFull = isFull;
    this.#observe();
  }

  /** The agent comes back to a node that is short, and pods that run there. */
  bounce(pressure: Pressure, plan: Plan): void {
    for (const each of [plan, plan]) this.make(each);
    this.pass(TOLD);
    this.press(pressure, true);
    this.pass(TOLD);
    this.end();
    this.pass(4);
    this.begin();
    this.pass(TOLD);
  }

  /** What was short is not any more, and something else is, and the agent was not there to see it. */
  turn(from: Pressure, to: Pressure): void {
    this.press(from, true);
    this.pass(2 * TOLD);
    this.end();
    this.press(from, false);
    this.press(to, true);
    this.begin();
    this.pass(2 * TOLD);
  }

  /** Somebody takes his time to end when the node runs short. */
  goAmid(one: Plan, other: Plan, pressure: Pressure): void {
    this.rest();
    const name = `p${this.#known.size}`;
    for (const plan of [{ ...one, ignoresTerm: true }, other]) this.make(plan);
    this.pass(TOLD);
    if (this.#alive().some(({ metadata }) => metadata.name === name)) this.cluster.client.pods.delete(name);
    this.press(pressure, true);
    this.pass(2 * TOLD);
  }

  comeAmid(pressures: readonly Pressure[], plan: Plan): void {
    for (const pressure of pressures) this.press(pressure, true);
    this.pass(2 * TOLD);
    this.make(plan);
    this.pass(TOLD);
  }

  relieve(): void {
    for (const pressure of PRESSURES) this.press(pressure, false);
    this.fill(false);
  }

  rest(): void {
    this.relieve();
    this.begin();
    this.pass(STAYS + 2 * TOLD);
  }

  get isDown(): boolean {
    return this.cluster.faults.actor(AGENT).state === 'crashed';
  }

  end(): void {
    if (!this.isDown) this.cluster.faults.crash(AGENT);
  }

  begin(): void {
    if (!this.isDown) return;
    this.cluster.faults.restart(AGENT);
    this.#startedAt = this.#now;
    this.#dueSince = undefined;
    for (const shortage of this.#shortages.values()) shortage.forget();
    this.#observe();
  }

  reboot(): void {
    this.end();
    this.cluster.machine(NODE).reboot();
    this.#letIn.clear();
    this.pass(4);
    this.begin();
  }

  /** In small steps: what is short only between two looks from outside must not be missed. */
  pass(span: number): void {
    for (let passed = 0; passed < span; passed += STEP) {
      this.#observe();
      this.cluster.advance(seconds(STEP));
      this.#now += STEP;
      this.#observe();
      this.#compare();
    }
  }

  get #upFor(): number {
    return this.isDown ? 0 : this.#now - this.#startedAt;
  }

  #pods(): readonly Pod[] {
    return this.#stored('/registry/pods/') as readonly Pod[];
  }

  #stored(prefix: string): readonly unknown[] {
    return this.cluster.storage.range({ prefix }).entries.map(({ value }) => value);
  }

  #alive(): readonly Pod[] {
    return this.#pods().filter(({ status }) => status?.phase !== 'Failed');
  }

  #runningUids(): ReadonlySet<string> {
    const nowMs = this.cluster.faults.actor(AGENT).context.now() / 1_000;
    return new Set(
      this.cluster
        .machine(NODE)
        .runtime.running(nowMs)
        .map(({ podUid }) => podUid),
    );
  }

  #observe(): void {
    const running = this.#runningUids();
    const alive = new Set([...running, ...this.#alive().map(({ metadata }) => metadata.uid ?? '')]);
    for (const [pressure, shortage] of this.#shortages)
      shortage.observe({
        now: this.#now,
        isPressed: this.#pressed.has(pressure) || (pressure === 'disk' && this.#isFull),
        used: this.#used(running, pressure),
        mostUsed: this.#used(alive, pressure),
        upFor: this.#upFor,
      });
  }

  #used(uids: ReadonlySet<string>, pressure: Pressure): number {
    let sum = 0;
    for (const uid of uids) sum += this.#known.get(uid)?.plan.uses[pressure] ?? 0;
    return sum;
  }

  #shortageOf(pressure: Pressure): Shortage {
    return this.#shortages.get(pressure) as Shortage;
  }

  /** What nobody can doubt: undefined when somebody can. */
  #surelyUnder(): ReadonlySet<Pressure> | undefined {
    const under = new Set<Pressure>();
    for (const pressure of PRESSURES) {
      const is = this.#shouldBeUnder(pressure);
      if (is === undefined) return undefined;
      if (is) under.add(pressure);
    }
    return under;
  }

  #shouldBeUnder(pressure: Pressure): boolean | undefined {
    const shortage = this.#shortageOf(pressure);
    const upFor = this.#upFor;
    if (upFor < TOLD) return undefined;
    if (Math.min(shortage.surelyFor(this.#now), upFor) >= TOLD) return true;
    const free = shortage.freeFor(this.#now);
    if (free >= STAYS + TOLD || free > upFor) return false;
    // What was felt at a look lasts for so long after.
    return shortage.sinceFelt(this.#now) < STAYS - TOLD ? true : undefined;
  }

  #compare(): void {
    const pods = this.#pods();
    const running = this.#runningUids();
    const [node] = this.#stored(`/registry/minions/${NODE}`) as readonly Node[];
    const { conditions = [] } = node?.status ?? {};
    for (const pressure of PRESSURES) {
      const is = conditions.some(({ type, status }) => type === CONDITIONS[pressure] && status === 'True');
      const should = this.#shouldBeUnder(pressure);
      if (should !== undefined) expect(is, `${CONDITIONS[pressure]} at ${this.#now}`).toBe(should);
    }
    const gone = pods.filter(
      ({ metadata: { uid = '' }, status }) =>
        status?.reason === 'Evicted' && !isRejected(status.message) && !this.#evicted.has(uid),
    );
    for (const pod of gone) this.#expectInOrder(pod, pods, running);
    this.#expectProgress(gone.length > 0, pods, running);
    for (const uid of running) this.#letIn.add(uid);
    for (const pod of pods) this.#expectAdmitted(pod, running);
    for (const { metadata } of gone) this.#evicted.set(metadata.uid ?? '', this.#now);
    this.#running = running;
  }

  #expectInOrder({ metadata, status }: Pod, pods: readonly Pod[], running: ReadonlySet<string>): void {
    const own = this.#known.get(metadata.uid ?? '');
    const [, resource] = /^The node was low on resource: ([a-z-]+)\. /.exec(status?.message ?? '') ?? [];
    const pressure = RESOURCES[resource ?? ''];
    if (!own || !pressure) return;
    expect(isCritical(own.plan), 'who is critical stays').toBe(false);
    if (this.#upFor < TOLD) return;
    expect(this.#shortageOf(pressure).freeFor(this.#now), `why ${own.name} goes`).toBeLessThan(TOLD);
    const last = Math.max(-TOLD, ...this.#evicted.values());
    if (!own.plan.isOverLimit) expect(this.#now - last, 'one after the other').toBeGreaterThan(4);
    for (const other of pods) {
      const uid = other.metadata.uid ?? '';
      const known = this.#known.get(uid);
      const stayed = this.#running.has(uid) && running.has(uid) && !other.metadata.deletionTimestamp;
      if (!known || !stayed || isCritical(known.plan)) continue;
      expect(goesBefore(known.plan, own.plan, pressure), `${known.name} goes before ${own.name}`).toBe(false);
    }
  }

  /** As long as something is short and somebody can go, somebody goes at each look. */
  #expectProgress(hasGone: boolean, pods: readonly Pod[], running: ReadonlySet<string>): void {
    const isShort = PRESSURES.some((pressure) => this.#shortageOf(pressure).surelyFor(this.#now) > 0);
    const canGo = pods.some(({ metadata: { uid = '', deletionTimestamp } }) => {
      const known = this.#known.get(uid);
      return (
        known && !isCritical(known.plan) && !deletionTimestamp && running.has(uid) && this.#running.has(uid)
      );
    });
    if (hasGone || !isShort || !canGo || this.isDown) this.#dueSince = undefined;
    else this.#dueSince ??= this.#now;
    if (this.#dueSince !== undefined) expect(this.#now - this.#dueSince, 'nobody goes').toBeLessThan(TOLD);
  }

  #expectAdmitted({ metadata: { uid = '' }, status }: Pod, running: ReadonlySet<string>): void {
    const known = this.#known.get(uid);
    if (this.#letIn.has(uid)) expect(isRejected(status?.message), 'who was let in').toBe(false);
    if (!known || this.#upFor <= this.#now - known.cameAt) return;
    const age = this.#now - known.cameAt;
    if (known.plan.isOverLimit && age > 2 * TOLD && !isCritical(known.plan))
      expect(running, `${known.name} takes too much`).not.toContain(uid);
    if (age !== 10 || !known.cameUnder) return;
    const { plan, cameUnder } = known;
    const isBestEffort = plan.requests.memory === undefined;
    const isMemoryOnly = cameUnder.size === 1 && cameUnder.has('memory');
    const isUnwanted = cameUnder.size > 0 && !isCritical(plan) && !(isMemoryOnly && !isBestEffort);
    const what = `${known.name}, which came under [${[...cameUnder].join(' ')}]`;
    expect(isRejected(status?.message), what).toBe(isUnwanted);
  }
}

const drawnPlan: fc.Arbitrary<Plan> = fc.record({
  uses: fc.record({
    memory: fc.constantFrom(40, 250, 250, 420),
    disk: fc.constantFrom(0, 0, 8, 13),
    pid: fc.constantFrom(1, 1, 1, 13_000),
  }),
  requests: fc.constantFrom({}, { memory: 100 }, { memory: 300 }, { disk: 10 }, { memory: 50, disk: 5 }),
  priority: fc.constantFrom('low', 'low', 'high', 'system-cluster-critical'),
  isOverLimit: fc.constantFrom(false, false, false, false, true),
  ignoresTerm: fc.boolean(),
});
const plan = drawnPlan.map((drawn): Plan =>
  drawn.isOverLimit ? { ...drawn, uses: { ...drawn.uses, disk: 8 }, requests: { disk: 1 } } : drawn,
);
const act = actsOn<World>();
const pressure = fc.constantFrom(...PRESSURES);
const make = act('make', plan, (world, drawn) => world.make(drawn));
const pass = act('pass', fc.constantFrom(2, 4, 14, 30, 60), (world, span) => world.pass(span));

it('a node that is short gives up who has to go, nobody else, and says so for as long as it is', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      make,
      make,
      make,
      make,
      make,
      pass,
      pass,
      pass,
      act('press', pressure, (world, what) => world.press(what, true)),
      act('relieve', pressure, (world, what) => world.press(what, false)),
      act('relieve all', NOTHING, (world) => world.relieve()),
      act('fill the disk', fc.constantFrom(true, true, false), (world, isFull) => world.fill(isFull)),
      act('turn', fc.tuple(pressure, pressure), (world, drawn) => world.turn(...drawn)),
      act('bounce', fc.tuple(pressure, plan), (world, drawn) => world.bounce(...drawn)),
      act('remove', fc.nat(5), (world, which) => world.remove(which)),
      act('go amid', fc.tuple(plan, plan, pressure), (world, drawn) => world.goAmid(...drawn)),
      act('come amid', fc.tuple(fc.subarray([...PRESSURES]), plan), (world, drawn) =>
        world.comeAmid(...drawn),
      ),
      act('end the agent', NOTHING, (world) => world.end()),
      act('begin the agent', NOTHING, (world) => world.begin()),
      act('reboot', NOTHING, (world) => world.reboot()),
      act('rest', NOTHING, (world) => world.rest()),
      act('rest', NOTHING, (world) => world.rest()),
    ],
    compare: () => undefined,
    end: (world) => {
      world.begin();
      world.pass(60);
    },
    most: 20,
    runs: 12,
    isDear: true,
  });
});
