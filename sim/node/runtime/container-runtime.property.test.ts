/**
 * A runtime, beside what its containers are said to do: when each ends and of what, what it has in memory and in its
 * files through any number of checkpoints, which ones are kept, and what whoever follows them hears of what they write.
 * @holds sim/node/endpoint
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import type { Context } from '../../engine/context.ts';
import { Simulation } from '../../engine/simulation.ts';
import { milliseconds } from '../../engine/time.ts';
import type { AgentView } from '../endpoint/agent-view.ts';
import { newOutput } from '../endpoint/container-following.ts';
import { outputOf } from './container-output.ts';
import { ContainerRuntime, type ContainerSpec, type RuntimeContainer } from './container-runtime.ts';
import type { ProcessState } from './process-memory.ts';
import type { LogEntry, WorkloadBehaviour } from './workload-behaviour.ts';

const LIMIT = 1_000;
const NEVER = 1e12;
const TEXT = new TextEncoder();

interface Ending {
  readonly atMs: number;
  readonly exitCode: number;
  readonly reason: string;
}

/** What goes through checkpoints, in milliseconds where the checkpoint knows whole seconds only. */
interface Life {
  readonly origin: string;
  readonly ranMs: number;
  readonly files: Readonly<Record<string, string>>;
}

interface Known {
  readonly container: RuntimeContainer;
  readonly startMs: number;
  readonly before: Life;
  readonly files: Map<string, string | undefined>;
  readonly heard: string[];
  /** Somebody waits for what it writes. */
  isFollowed: boolean;
  /** In the order in which they were asked for. */
  readonly endings: Ending[];
  /** How often the machine had gone down. */
  readonly startedIn: number;
  /** When it was removed. */
  goneMs: number | undefined;
}

interface Start {
  readonly pod: string;
  readonly name: string;
  readonly behaviour: WorkloadBehaviour;
  readonly isLimited: boolean;
  readonly isRestored: boolean;
}

class Room {
  readonly runtime = new ContainerRuntime();
  readonly #simulation = new Simulation({ seed: 1 });
  readonly #context: Context = this.#simulation.actor('node').context;
  readonly #known: Known[] = [];
  readonly #sandboxes = new Set<string>();
  #boots = 0;
  #checkpoint: { readonly state: ProcessState; readonly life: Life } | undefined;

  get nowMs(): number {
    return this.#context.now() / 1_000;
  }

  start({ pod, name, behaviour, isLimited, isRestored }: Start): void {
    const from = isRestored ? this.#checkpoint : undefined;
    this.#dropFormer(pod, name);
    this.runtime.addSandbox(pod, '10.0.0.1');
    this.#sandboxes.add(pod);
    const spec: ContainerSpec = {
      podUid: pod,
      podName: pod,
      podNamespace: 'default',
      name,
      image: 'app:1',
      command: [],
      environment: [],
      behaviour,
      restartCount: 0,
      ...(isLimited && { memoryLimitBytes: LIMIT }),
      ...(from && { restored: from.state }),
    };
    const container = this.runtime.start(this.#context, spec, this.nowMs);
    const before = from?.life ?? { origin: container.id, ranMs: 0, files: {} };
    const known: Known = {
      container,
      startMs: this.nowMs,
      before,
      files: new Map(),
      heard: [],
      isFollowed: true,
      endings: [],
      startedIn: this.#boots,
      goneMs: undefined,
    };
    this.#known.push(known);
    this.#planOwnEnd(known);
    this.#follow(known);
  }

  #planOwnEnd({ endings, startMs, before, container }: Known): void {
    const { behaviour, memoryLimitBytes } = container;
    const { runsForSeconds, exitCode = 0, memoryBytes = 0, memoryGrowthBytes = 0 } = behaviour;
    if (runsForSeconds !== undefined)
      endings.push({
        atMs: startMs + Math.max(0, runsForSeconds * 1_000 - before.ranMs),
        exitCode,
        reason: exitCode === 0 ? 'Completed' : 'Error',
      });
    if (memoryLimitBytes === undefined) return;
    const usedBytes = Math.floor(memoryBytes + (memoryGrowthBytes * before.ranMs) / 1_000);
    const killed = { exitCode: 137, reason: 'OOMKilled' };
    if (usedBytes > LIMIT) endings.push({ ...killed, atMs: startMs + 500 });
    else if (memoryGrowthBytes > 0)
      endings.push({
        ...killed,
        atMs: startMs + Math.ceil(((LIMIT - usedBytes) / memoryGrowthBytes) * 1_000),
      });
  }

  #follow(known: Known): void {
    const { container, heard } = known;
    const { runtime } = this;
    const context = this.#context;
    const view = {
      context,
      runtime,
      get runtimeMs() {
        return context.now() / 1_000;
      },
    } as Partial<AgentView> as AgentView;
    const tell = (lines: ReturnType<typeof outputOf>): boolean => {
      heard.push(...lines.map(textOf));
      return true;
    };
    context.spawn(
      'follower',
      (function* () {
        yield* newOutput(view, container, tell);
        known.isFollowed = false;
      })(),
    );
  }

  stop(which: number, graceMs: number): void {
    const known = this.#pick(which);
    if (!known) return;
    const { behaviour, id } = known.container;
    this.runtime.stop(id, this.nowMs, graceMs);
    if (!this.#isRunning(known)) return;
    const ownMs = behaviour.ignoresTerm ? NEVER : (behaviour.stopsAfterSeconds ?? 0) * 1_000;
    known.endings.push(
      ownMs > graceMs
        ? { atMs: this.nowMs + graceMs, exitCode: 137, reason: 'Error' }
        : { atMs: this.nowMs + ownMs, exitCode: 143, reason: 'Error' },
    );
  }

  write(which: number, path: string, text: string | undefined): void {
    const known = this.#pick(which);
    if (!known || !this.#isRunning(known)) return;
    if (text === undefined) this.runtime.written.remove(known.container.id, path);
    else this.runtime.written.write(known.container.id, path, TEXT.encode(text));
    known.files.set(path, text);
  }

  takeCheckpoint(which: number): void {
    const known = this.#pick(which);
    if (!known || !this.#isRunning(known)) return;
    const state = this.runtime.processOf(known.container, this.nowMs);
    this.#checkpoint = { state, life: this.#lifeOf(known) };
  }

  advance(byMs: number): void {
    this.#simulation.runFor(milliseconds(byMs));
  }

  /** Asked again, who is ending already may be given more time, or less. */
  stopAgain(which: number, graceMs: number, afterMs: number): void {
    this.stop(which, 30_000);
    this.compare();
    this.advance(afterMs);
    this.stop(which, graceMs);
  }

  /** What was written before a checkpoint is changed, or taken away, by who goes on from it; and that goes on from there. */
  goOn(which: number, start: Start, text: string | undefined): void {
    this.write(which, '/a', 'x');
    this.takeCheckpoint(which);
    for (const each of [text, undefined, text]) {
      this.start({ ...start, isRestored: true });
      const latest = this.#there().length - 1;
      this.write(latest, '/a', each);
      this.compare();
      this.takeCheckpoint(latest);
    }
  }

  removePod(pod: string): void {
    this.runtime.removePod(pod, this.nowMs);
    this.#sandboxes.delete(pod);
    for (const known of this.#there()) if (known.container.podUid === pod) known.goneMs = this.nowMs;
  }

  reboot(): void {
    this.runtime.reboot();
    this.#boots += 1;
    this.#sandboxes.clear();
    for (const known of this.#there()) known.goneMs = this.nowMs;
  }

  compare(): void {
    this.#simulation.runFor(milliseconds(0));
    expect(this.runtime.all().map(({ id }) => id)).toEqual(
      this.#there().map(({ container }) => container.id),
    );
    const isRunning = (known: Known): boolean => this.#isRunning(known);
    expect(this.runtime.running(this.nowMs).map(({ id }) => id)).toEqual(
      this.#there()
        .filter(isRunning)
        .map(({ container }) => container.id),
    );
    for (const known of this.#known) {
      this.#compareOne(known);
      expect(known.isFollowed, 'somebody waits for more').toBe(this.#isRunning(known));
    }
    expect([...this.runtime.sandboxes.keys()].sort()).toEqual([...this.#sandboxes].sort());
    expect(this.runtime.coreNanoSeconds(this.nowMs), 'what all have used').toBe(this.#coreNanoSeconds);
  }

  /** A thousandth of a core each, for as long as it has run, whether it is there still or not. */
  get #coreNanoSeconds(): number {
    const since = this.#known.filter(({ startedIn }) => startedIn === this.#boots);
    return since.reduce((sum, known) => {
      const { goneMs = this.nowMs, startMs } = known;
      const untilMs = Math.min(this.nowMs, goneMs, endOf(known)?.atMs ?? Infinity);
      return sum + Math.round((untilMs - startMs) * 1_000);
    }, 0);
  }

  #compareOne(known: Known): void {
    const { id } = known.container;
    const { nowMs, runtime } = this;
    if (known.goneMs !== undefined) {
      expect(runtime.fateOf(id, nowMs)).toMatchObject({ kind: 'ended', reason: 'ContainerStatusUnknown' });
      expect(runtime.written.of(id).size, 'files of what is gone').toBe(0);
      return;
    }
    const end = endOf(known);
    expect(runtime.endsAtMs(id), 'end').toBe(end?.atMs ?? Infinity);
    expect(runtime.fateOf(id, nowMs)).toEqual(
      end && end.atMs <= nowMs ? { kind: 'ended', ...end } : { kind: 'running' },
    );
    expect(runtime.containersOf(known.container.podUid)).toContain(known.container);
    if (this.#isRunning(known)) this.#compareMemory(known);
    const untilMs = Math.min(nowMs, end?.atMs ?? Infinity);
    const said = saidBy(known, untilMs);
    const isNew = ({ atMs }: Said): boolean => atMs > known.startMs;
    expect(known.heard, 'what a follower hears').toEqual(said.filter(isNew).map(textOf));
    const { restored } = known.container;
    expect(outputOf(known.container, { untilMs }).map(textOf), 'its log').toEqual(
      (restored ? said.filter(isNew) : said).map(textOf),
    );
  }

  #compareMemory(known: Known): void {
    const { container } = known;
    const life = this.#lifeOf(known);
    const { containerId, ranSeconds, files = {} } = this.runtime.processOf(container, this.nowMs);
    expect({ containerId, ranSeconds }).toEqual({
      containerId: life.origin,
      ranSeconds: Math.floor(life.ranMs / 1_000),
    });
    const texts = Object.entries(files).map(([path, bytes]) => [path, new TextDecoder().decode(bytes)]);
    expect(Object.fromEntries(texts)).toEqual(life.files);
    const { memoryBytes = 0, memoryGrowthBytes = 0 } = container.behaviour;
    const ageMs = known.before.ranMs + this.nowMs - known.startMs;
    expect(this.runtime.memoryOf(container, this.nowMs)).toBe(
      Math.floor(memoryBytes + memoryGrowthBytes * (ageMs / 1_000)),
    );
  }

  #lifeOf({ startMs, before, files }: Known): Life {
    const ranMs = before.ranMs + Math.floor((this.nowMs - startMs) / 1_000) * 1_000;
    const all = new Map<string, string | undefined>([...Object.entries(before.files), ...files]);
    const there = [...all].flatMap(([path, text]) => (text === undefined ? [] : [[path, text] as const]));
    return { origin: before.origin, ranMs, files: Object.fromEntries(there) };
  }

  /** Of the containers of a name that have ended the last one is kept when another begins. */
  #dropFormer(pod: string, name: string): void {
    const ended = this.#there().filter(
      (known) => known.container.podUid === pod && known.container.name === name && !this.#isRunning(known),
    );
    for (const known of ended.slice(0, -1)) known.goneMs = this.nowMs;
  }

  #isRunning(known: Known): boolean {
    return known.goneMs === undefined && (endOf(known)?.atMs ?? Infinity) > this.nowMs;
  }

  #there(): readonly Known[] {
    return this.#known.filter(({ goneMs }) => goneMs === undefined);
  }

  #pick(which: number): Known | undefined {
    const there = this.#there();
    return there[which % Math.max(1, there.length)];
  }
}

/** The first to come; of two at the same instant the one that was known first. */
const endOf = ({ endings }: Known): Ending | undefined =>
  endings.reduce<Ending | undefined>(
    (first, each) => (first && first.atMs <= each.atMs ? first : each),
    undefined,
  );

interface Said {
  readonly atMs: number;
  readonly text: string;
}

const textOf = ({ atMs, text }: Said): string => `${text} at ${atMs}`;

/** Each line at each of its times, counted from when the process has first begun; what was said before a checkpoint is not there. */
function saidBy({ container, before, startMs }: Known, untilMs: number): readonly Said[] {
  const beganMs = startMs - before.ranMs;
  const said = (container.behaviour.logs ?? []).flatMap((entry): Said[] => {
    const {
      text,
      afterSeconds = 0,
      everySeconds,
    }: LogEntry = typeof entry === 'string' ? { text: entry } : entry;
    const times: number[] = [];
    for (let atMs = beganMs + afterSeconds * 1_000; atMs <= untilMs; atMs += (everySeconds ?? NEVER) * 1_000)
      if (atMs >= startMs) times.push(atMs);
    return times.map((atMs) => ({ atMs, text }));
  });
  return said.sort((a, b) => a.atMs - b.atMs);
}

const behaviour: fc.Arbitrary<WorkloadBehaviour> = fc
  .record(
    {
      runsForSeconds: fc.constantFrom(0, 2, 5, 9),
      exitCode: fc.constantFrom(0, 3),
      memoryGrowthBytes: fc.constantFrom(0, 100, 400),
      stopsAfterSeconds: fc.constantFrom(1, 4, 30),
      ignoresTerm: fc.boolean(),
      logs: fc.subarray<string | LogEntry>([
        'first',
        { text: 'later', afterSeconds: 3 },
        { text: 'tick', afterSeconds: 1, everySeconds: 2 },
      ]),
    },
    { requiredKeys: [] },
  )
  .chain((some) => fc.constantFrom(100, 900, 1_100).map((memoryBytes) => ({ ...some, memoryBytes })));
const onRoom = actsOn<Room>();
const pod = fc.constantFrom('p', 'q');
const which = fc.nat(7);

it('ends its containers in time, keeps what they were, and says all that they write once', () => {
  const starting: fc.Arbitrary<Start> = fc.record({
    pod,
    name: fc.constantFrom('main', 'side'),
    behaviour,
    isLimited: fc.boolean(),
    isRestored: fc.constantFrom(true, true, false),
  });
  const start = onRoom('start', starting, (room, drawn) => room.start(drawn));
  const advance = onRoom('advance', fc.constantFrom(1, 400, 1_000, 1_500, 4_000), (room, ms) =>
    room.advance(ms),
  );
  const stop = onRoom('stop', fc.tuple(which, fc.constantFrom(0, 500, 2_000, 30_000)), (room, drawn) =>
    room.stop(...drawn),
  );
  const text = fc.option(fc.constantFrom('x', 'y'), { nil: undefined });
  const file = fc.tuple(which, fc.constantFrom('/a', '/b'), text);
  const checkpoint = onRoom('checkpoint', which, (room, at) => room.takeCheckpoint(at));
  holdsInAnyOrder<Room>({
    begin: () => new Room(),
    acts: [
      ...[start, start, start, advance, advance, advance, stop, stop],
      onRoom('write', file, (room, drawn) => room.write(...drawn)),
      ...[checkpoint, checkpoint],
      onRoom(
        'stop again',
        fc.tuple(which, fc.constantFrom(500, 2_000, 30_000), fc.constantFrom(400, 1_500)),
        (room, drawn) => room.stopAgain(...drawn),
      ),
      onRoom('go on', fc.tuple(which, starting, text), (room, drawn) => room.goOn(...drawn)),
      onRoom('remove pod', pod, (room, uid) => room.removePod(uid)),
      onRoom('reboot', NOTHING, (room) => room.reboot()),
    ],
    compare: (room) => room.compare(),
    most: 25,
    runs: 200,
    hasSomeOnly: true,
  });
});
