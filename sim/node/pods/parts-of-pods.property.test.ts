/**
 * Pods of many parts on a node whose agent dies and comes back: init containers and sidecars in order, images that come late,
 * hooks that fail or hang, deadlines that are set while they run, containers that somebody adds. By what the machine
 * runs, second by second: nothing starts before its time, nor much after it, nothing runs again that has ended for good, and
 * what ends has the time that it was given.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Container, Pod } from '../../api/types/core-v1.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { create } from '../../cluster/pod-world.fixture.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';
import type { WorkloadBehaviour } from '../runtime/workload-behaviour.ts';

const NODE = 'worker-1';
const AGENT = `node/${NODE}`;
const NAMES = ['p', 'q', 'r'] as const;
const POLICIES = ['Always', 'OnFailure', 'Never'] as const;
/** An image, a sandbox, a hook, other containers that start first, and a second look. */
const SLACK_MS = 12_000;
const ROUNDED_MS = 1;
/** At a pod that lacks something, but its image. */
const LOOKS_AGAIN_MS = 15_000;
const GRACE_SECONDS = 6;
const KILLED = 137;
const NEVER_STARTED = 'ContainerStatusUnknown';
const NOTE = 'behaviour.kubesim.dev/';

interface Part {
  readonly role: 'init' | 'sidecar' | 'main';
  readonly runs: number | null;
  readonly exitCode: number;
  /** What comes later, if at all: its image, or a ConfigMap that it takes its environment from. */
  readonly late: 'image' | 'config' | undefined;
  /** Its startup probe succeeds after so many seconds. */
  readonly isStartSlow: boolean;
  readonly isHookBad: boolean;
  /** Its `preStop` takes longer than there is time. */
  readonly isHookSlow: boolean;
}

interface Plan {
  readonly policy: (typeof POLICIES)[number];
  readonly init: readonly Part[];
  readonly main: readonly Part[];
}

interface Run {
  readonly id: string;
  readonly startMs: number;
  endMs: number;
  exitCode: number;
}

interface Kept {
  readonly part: Part;
  readonly name: string;
  readonly runs: Run[];
  lackedAtMs: number;
}

interface Planned {
  readonly uid: string;
  readonly name: string;
  readonly plan: Plan;
  readonly bornMs: number;
  /** In the order in which they are to start. */
  readonly parts: readonly Kept[];
  readonly added: Map<string, Run[]>;
  limit?: { readonly seconds: number; readonly setMs: number };
  /** Since when it is to end, or has ended. */
  overMs?: number;
}

class World {
  readonly cluster = createCluster({
    nodes: 1,
    controllers: [],
    scheduler: false,
    settled: true,
    disabledAdmissionPlugins: ['ServiceAccount'],
  });
  readonly actor = this.cluster.faults.actor(AGENT);
  readonly #pods: Planned[] = [];
  /** When the agent that there is began. */
  #lifeMs = 0;
  #added = 0;
  readonly #wrong: string[] = [];

  constructor() {
    this.cluster.storage.watch({
      prefix: '/registry/pods/',
      onEvents: (events) => {
        for (const event of events) if (event.kind === 'put') this.#hear(event.entry.value);
      },
    });
    this.make('p', FIRST);
    this.make('q', SERVED);
    this.pass(3);
  }

  /** Who ends by itself when it is asked to is not killed before, and who is run once does not wait afterwards. */
  #hear({ metadata, status }: Pod): void {
    const pod = this.#pods.find(({ uid }) => uid === metadata.uid);
    for (const { name, state, lastState } of status?.containerStatuses ?? [])
      if (pod?.plan.policy === 'Never' && state?.waiting && lastState?.terminated)
        this.#wrong.push(`${pod.name}/${name} waits, and is not started again`);
    for (const { name, state } of [
      ...(status?.initContainerStatuses ?? []),
      ...(status?.containerStatuses ?? []),
    ])
      if (state?.terminated?.exitCode === KILLED && state.terminated.reason !== NEVER_STARTED)
        this.#wrong.push(`${pod?.name ?? ''}/${name} was killed`);
  }

  make(name: string, plan: Plan): void {
    if (this.#present(name)) return;
    const parts = [...plan.init, ...plan.main].map((part, index): Kept => {
      const lackedAtMs = part.late ? Infinity : 0;
      return { part, name: `c${index}`, runs: [], lackedAtMs };
    });
    tryTo(() => this.cluster.client.configMaps.delete(configOf(name)));
    const behaviours = Object.fromEntries(parts.map((kept) => [kept.name, behaviourOf(kept)]));
    const initContainers = parts
      .filter(({ part }) => part.role !== 'main')
      .map((kept) => containerOf(name, kept));
    create(this.cluster, name, {
      restartPolicy: plan.policy,
      terminationGracePeriodSeconds: GRACE_SECONDS,
      ...(initContainers.length > 0 && { initContainers }),
      containers: parts.filter(({ part }) => part.role === 'main').map((kept) => containerOf(name, kept)),
      behaviours,
    });
    const { uid = '' } = this.cluster.client.pods.get(name).metadata;
    this.#pods.push({ uid, name, plan, bornMs: this.nowMs, parts, added: new Map() });
  }

  remove(name: string): void {
    const pod = this.#present(name);
    if (!pod) return;
    tryTo(() => this.cluster.client.pods.delete(name));
    pod.overMs ??= this.nowMs;
  }

  /** The images of a pod are there from now on. */
  publish(name: string): void {
    const pod = this.#present(name);
    if (!pod) return;
    const late = pod.parts.filter(({ lackedAtMs }) => lackedAtMs === Infinity);
    for (const kept of late) kept.lackedAtMs = this.nowMs;
    const metadata = { name: configOf(name) };
    tryTo(() => this.cluster.client.configMaps.create({ metadata, data: {} }));
    const annotations = Object.fromEntries(
      late.map((kept) => [`${NOTE}${kept.name}`, JSON.stringify(behaviourOf(kept))]),
    );
    tryTo(() => this.cluster.client.pods.patch(name, { type: 'merge', body: { metadata: { annotations } } }));
  }

  /** Deadlines can be set, and brought forward. */
  limit(name: string, activeDeadlineSeconds: number, isAwaited: boolean): void {
    const pod = this.#present(name);
    if (!pod || pod.overMs !== undefined || (pod.limit?.seconds ?? Infinity) < activeDeadlineSeconds) return;
    tryTo(() => {
      this.cluster.client.pods.patch(name, { type: 'merge', body: { spec: { activeDeadlineSeconds } } });
      pod.limit = { seconds: activeDeadlineSeconds, setMs: this.nowMs };
    });
    if (isAwaited) this.pass(activeDeadlineSeconds + GRACE_SECONDS + 2 + SLACK_MS / 1_000 + 1);
  }

  add(name: string, runsForSeconds: number | null): void {
    const pod = this.#present(name);
    if (!pod || pod.overMs !== undefined) return;
    const container = `e${this.#added++}`;
    const behaviour = JSON.stringify(runsForSeconds === null ? {} : { runsForSeconds });
    const annotations = { [`${NOTE}${container}`]: behaviour };
    tryTo(() => {
      this.cluster.client.pods.patch(name, { type: 'merge', body: { metadata: { annotations } } });
      const body = { spec: { ephemeralContainers: [{ name: container, image: 'app:1' }] } };
      const subresource = 'ephemeralcontainers';
      this.cluster.client.pods.patch(name, { type: 'strategic', body }, { subresource });
      pod.added.set(container, []);
    });
  }

  end(): void {
    if (this.isDown) return;
    this.cluster.faults.crash(AGENT);
    this.#lifeMs = Infinity;
  }

  restart(): void {
    if (!this.isDown) this.cluster.faults.crash(AGENT);
    this.cluster.faults.restart(AGENT);
    this.#lifeMs = this.nowMs;
  }

  get isDown(): boolean {
    return this.actor.state === 'crashed';
  }

  get nowMs(): number {
    return this.cluster.now / 1_000;
  }

  pass(span: number): void {
    for (let left = span; left > 0; left--) {
      this.cluster.advance(seconds(1));
      this.look();
    }
  }

  #present(name: string): Planned | undefined {
    const { uid } = this.#stored(name)?.metadata ?? {};
    return this.#pods.find((each) => each.uid === uid);
  }

  #stored(name: string): Pod | undefined {
    return this.cluster.storage.get(`/registry/pods/default/${name}`)?.value;
  }

  look(): void {
    expect(this.#wrong).toEqual([]);
    const { runtime } = this.cluster.machine(NODE);
    for (const pod of this.#pods) {
      const ended: [Kept, Run][] = [];
      for (const container of runtime.containersOf(pod.uid)) {
        const kept = pod.parts.find(({ name }) => name === container.name);
        const runs = kept?.runs ?? pod.added.get(container.name) ?? [];
        let run = runs.find(({ id }) => id === container.id);
        if (!run) {
          run = { id: container.id, startMs: container.startedAtMs, endMs: Infinity, exitCode: 0 };
          if (kept) this.#expectDue(pod, kept, run.startMs);
          else expect(runs, `${container.name} was added once`).toEqual([]);
          runs.push(run);
        }
        const fate = runtime.fateOf(run.id, this.nowMs);
        if (fate.kind === 'running' || run.endMs < Infinity) continue;
        Object.assign(run, { endMs: fate.atMs, exitCode: fate.exitCode });
        if (kept) ended.push([kept, run]);
      }
      for (const [kept, run] of ended) this.#expectGoodEnd(pod, kept, run);
      // Of who is gone the machine keeps nothing.
      for (const run of runsOf(pod)) if (!runtime.get(run.id)) run.endMs = Math.min(run.endMs, this.nowMs);
      this.#expectInTime(pod);
    }
  }

  /** It may start, and the one before it has ended. */
  #expectDue(pod: Planned, kept: Kept, startMs: number): void {
    const dueMs = this.#dueMs(pod, kept, 'earliest');
    const what = `${pod.name}/${kept.name} (${kept.part.role}, run ${kept.runs.length}) may start`;
    expect(startMs + ROUNDED_MS, what).toBeGreaterThanOrEqual(dueMs);
    expect(startMs + ROUNDED_MS, `${what}, by its image`).toBeGreaterThanOrEqual(kept.lackedAtMs);
  }

  /** Infinity: not, as far as is known. */
  #dueMs(pod: Planned, kept: Kept, which: 'earliest' | 'latest'): number {
    let dueMs = pod.bornMs;
    for (const before of pod.parts) {
      if (before === kept || before.part.role === 'main') break;
      const doneMs =
        before.part.role === 'sidecar'
          ? (before.runs[0]?.startMs ?? Infinity)
          : (before.runs.find(({ endMs, exitCode }) => endMs < Infinity && exitCode === 0)?.endMs ??
            Infinity);
      dueMs = Math.max(dueMs, doneMs);
    }
    const last = kept.runs.at(-1);
    if (!last) return dueMs;
    if (last.endMs === Infinity || !isTriedAgain(pod.plan, kept.part, last)) return Infinity;
    const inThisLife = kept.runs.filter(({ endMs }) => endMs > this.#lifeMs).length;
    const wasBefore = which === 'latest' && kept.runs.some(({ endMs }) => endMs <= this.#lifeMs) ? 1 : 0;
    return Math.max(dueMs, last.endMs + pauseMs(inThisLife - 1 + wasBefore));
  }

  /** Sidecars outlast those that they serve. */
  #expectGoodEnd(pod: Planned, { name, part }: Kept, run: Run): void {
    if (part.role !== 'sidecar' || part.runs !== null) return;
    const served = pod.parts.filter((each) => each.part.role === 'main' && !each.part.isHookSlow);
    for (const other of served)
      for (const { startMs, endMs } of other.runs)
        if (startMs < run.endMs)
          expect(endMs, `${other.name} ends before ${name}`).toBeLessThanOrEqual(run.endMs);
  }

  #expectInTime(pod: Planned): void {
    const stored = this.#stored(pod.name);
    const isThere = stored?.metadata.uid === pod.uid;
    if (!isThere || ['Failed', 'Succeeded'].includes(stored.status?.phase ?? '')) pod.overMs ??= this.nowMs;
    this.#expectDeadline(pod, isThere ? stored : undefined);
    if (pod.overMs === undefined) this.#expectStarted(pod, stored);
    if (this.isDown) return;
    const overMs = Math.max(pod.overMs ?? Infinity, this.#lifeMs);
    const running = runsOf(pod).filter(({ endMs }) => endMs === Infinity);
    if (this.nowMs > overMs + (GRACE_SECONDS + 2) * 1_000 + SLACK_MS)
      expect(running, `what runs of ${pod.name}, which is over`).toEqual([]);
    if (pod.overMs !== undefined) return;
    const latestMs = Math.max(endedForGoodMs(pod), this.#lifeMs) + (GRACE_SECONDS + 2) * 1_000 + SLACK_MS;
    expect(this.nowMs, `${pod.name} is to have ended`).toBeLessThanOrEqual(latestMs);
    for (const kept of pod.parts) {
      const dueMs = Math.max(this.#dueMs(pod, kept, 'latest'), this.#lifeMs);
      const triedMs = dueMs >= kept.lackedAtMs ? dueMs : nextTryMs(kept, dueMs);
      expect(this.nowMs, `${pod.name}/${kept.name} is to have been started`).toBeLessThanOrEqual(
        triedMs + SLACK_MS,
      );
    }
  }

  /** Whoever starts slowly has not started before its probe succeeds, nor much later. */
  #expectStarted(pod: Planned, stored: Pod | undefined): void {
    for (const { name, started, state } of stored?.status?.containerStatuses ?? []) {
      const kept = pod.parts.find((each) => each.name === name);
      const run = kept?.runs.at(-1);
      if (!kept || !run || !isStartSlow(kept.part) || !state?.running || run.endMs < Infinity) continue;
      const dueMs = run.startMs + START_SECONDS * 1_000;
      if (this.nowMs < dueMs) expect(started, `${pod.name}/${name} has started`).toBe(false);
      if (this.nowMs > Math.max(dueMs, this.#lifeMs) + SLACK_MS)
        expect(started, `${pod.name}/${name} has started`).toBe(true);
    }
  }

  #expectDeadline(pod: Planned, stored: Pod | undefined): void {
    if (!stored?.status?.startTime) return;
    const { reason, startTime } = stored.status;
    const startMs = this.nowMs - (this.cluster.userClient.context.wallMs() - Date.parse(startTime));
    const dueMs = pod.limit ? startMs + pod.limit.seconds * 1_000 : Infinity;
    if (reason === 'DeadlineExceeded') expect(this.nowMs, 'its deadline').toBeGreaterThanOrEqual(dueMs);
    const latestMs =
      Math.max(dueMs, this.#lifeMs, pod.limit?.setMs ?? 0) + (GRACE_SECONDS + 2) * 1_000 + SLACK_MS;
    const isOver = pod.overMs !== undefined && pod.overMs < this.nowMs;
    if (!isOver) expect(this.nowMs, `${pod.name} within its deadline`).toBeLessThanOrEqual(latestMs);
  }
}

/** When the last of its main containers has ended, of which none is tried again. Infinity: not yet. */
const endedForGoodMs = ({ plan, parts }: Planned): number =>
  parts.reduce((latest, { part, runs }) => {
    if (part.role !== 'main') return latest;
    const last = runs.at(-1);
    return last && !isTriedAgain(plan, part, last) ? Math.max(latest, last.endMs) : Infinity;
  }, 0);

const runsOf = ({ parts, added }: Planned): readonly Run[] => [
  ...parts.flatMap(({ runs }) => runs),
  ...[...added.values()].flat(),
];

const behaviourOf = ({ part, lackedAtMs }: Pick<Kept, 'part' | 'lackedAtMs'>): WorkloadBehaviour => ({
  ...(part.runs !== null && { runsForSeconds: part.runs, exitCode: part.exitCode }),
  ...(part.late === 'image' && lackedAtMs === Infinity && { imageMissing: true }),
  ...(isStartSlow(part) && { readyAfterSeconds: START_SECONDS }),
  ...(part.isHookBad && { postStart: { fails: true, takesSeconds: 1 } }),
  ...(part.isHookSlow && { preStop: { takesSeconds: 60 } }),
  stopsAfterSeconds: part.role === 'sidecar' ? 0 : 2,
});

/** Of the pod of that name, whichever it is. */
const configOf = (pod: string): string => `config-of-${pod}`;
const START_SECONDS = 20;
const STARTUP = { tcpSocket: { port: 80 }, periodSeconds: 2, failureThreshold: 60 };
const isStartSlow = (part: Part): boolean => part.isStartSlow && part.role === 'main' && part.runs === null;
const hook = { exec: { command: ['x'] } };

const containerOf = (pod: string, { part, name }: Kept): Container => ({
  name,
  ...(part.late === 'config' && { envFrom: [{ configMapRef: { name: configOf(pod) } }] }),
  ...(isStartSlow(part) && { startupProbe: STARTUP }),
  image: `${name}:${part.late === 'image' ? 'late' : '1'}`,
  ...(part.role === 'sidecar' && { restartPolicy: 'Always' }),
  ...(part.role !== 'init' && {
    lifecycle: {
      ...(part.isHookBad && part.role === 'main' && { postStart: hook }),
      ...(part.isHookSlow && { preStop: hook }),
    },
  }),
});

function isTriedAgain({ policy }: Plan, { role }: Part, { exitCode }: Run): boolean {
  if (role === 'sidecar') return true;
  if (policy === 'Never') return false;
  return exitCode !== 0 || (role === 'main' && policy === 'Always');
}

/** Before it starts again, after so many pauses before. */
const pauseMs = (before: number): number => (before <= 0 ? 0 : Math.min(300, 10 * 2 ** (before - 1)) * 1_000);

/** The first try after what was lacking is there, of somebody who tried first at that time. */
function nextTryMs({ part: { late }, lackedAtMs }: Kept, firstMs: number): number {
  if (lackedAtMs === Infinity || firstMs === Infinity) return Infinity;
  if (late === 'config') return lackedAtMs + LOOKS_AGAIN_MS;
  let atMs = firstMs;
  // Each try takes a moment, and they add up.
  for (let pause = 10; atMs < lackedAtMs; pause = Math.min(300, 2 * pause)) atMs += (pause + 4) * 1_000;
  return atMs;
}

const PART = {
  runs: null,
  exitCode: 0,
  late: undefined,
  isStartSlow: false,
  isHookBad: false,
  isHookSlow: false,
} as const;
const FIRST: Plan = {
  policy: 'OnFailure',
  init: [
    { ...PART, role: 'init', runs: 8 },
    { ...PART, role: 'sidecar', runs: 15 },
    { ...PART, role: 'init', runs: 1 },
  ],
  main: [
    { ...PART, role: 'main', late: 'image', isStartSlow: true },
    { ...PART, role: 'main', late: 'image' },
  ],
};

const SERVED: Plan = {
  policy: 'Always',
  init: [{ ...PART, role: 'sidecar' }],
  main: [{ ...PART, role: 'main' }],
};

const part = (role: Part['role'], runs: readonly (number | null)[]): fc.Arbitrary<Part> =>
  fc.record({
    role: fc.constant(role),
    runs: fc.constantFrom(...runs),
    exitCode: fc.constantFrom(0, 0, 1),
    late: fc.constantFrom(...Array<undefined>(4).fill(undefined), 'image', 'config'),
    isStartSlow: fc.boolean(),
    isHookBad: fc.constantFrom(...Array<boolean>(6).fill(false), true),
    isHookSlow: fc.constantFrom(false, false, true),
  });
const plan: fc.Arbitrary<Plan> = fc.record({
  policy: fc.constantFrom(...POLICIES),
  init: fc.array(fc.oneof(part('init', [1, 8, 25]), part('sidecar', [null, null, 15])), { maxLength: 3 }),
  main: fc.array(part('main', [null, null, 3, 20]), { minLength: 1, maxLength: 2 }),
});
const name = fc.constantFrom(...NAMES);
const act = actsOn<World>();
const make = act('make', fc.tuple(name, plan), (world, drawn) => world.make(...drawn));
const pass = act('pass', fc.constantFrom(1, 3, 9, 9, 25, 70), (world, span) => world.pass(span));
const restart = act('restart', NOTHING, (world) => world.restart());

it('start and end when they should, and once where they should', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      make,
      make,
      ...[pass, pass, pass],
      restart,
      restart,
      act('end the agent', NOTHING, (world) => world.end()),
      act('publish', name, (world, of) => world.publish(of)),
      act('limit', fc.tuple(name, fc.constantFrom(15, 15, 60), fc.boolean()), (world, drawn) =>
        world.limit(...drawn),
      ),
      act('add', fc.tuple(name, fc.constantFrom(null, 4)), (world, drawn) => world.add(...drawn)),
      act('remove', name, (world, of) => world.remove(of)),
    ],
    compare: (world) => world.look(),
    end: (world) => {
      world.restart();
      world.pass(30);
      for (const of of NAMES) world.publish(of);
      world.pass(60);
      world.restart();
      world.pass(20);
      for (const of of NAMES) world.remove(of);
      world.pass(GRACE_SECONDS + 2 + SLACK_MS / 1_000 + 1);
    },
    most: 18,
    runs: 20,
  });
});
