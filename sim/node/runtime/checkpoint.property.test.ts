/**
 * Checkpoints amid whatever may happen to them: a runtime that hangs or refuses, a disk without room, containers that
 * end, agents that crash. Each that is asked for is answered in time; what is there is whole, is told of, and nothing
 * else is left behind; what failed hinders nobody later.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { Simulation } from '../../engine/simulation.ts';
import { milliseconds } from '../../engine/time.ts';
import { Disk, OF_ROOT } from '../machine/disk.ts';
import { checkpoint, type CheckpointResult, removeUnfinished } from './checkpoint.ts';
import { unpackCheckpoint } from './checkpoint-archive.ts';
import { ContainerRuntime, type RuntimeContainer } from './container-runtime.ts';

const ROOT = '/var/lib/kubelet';
const PLACE = `${ROOT}/checkpoints`;
const GIB = 1024 ** 3;
const DEFAULT_SECONDS = 120;
/** Freezing and writing of the larger container, at the most. */
const LONGEST_MS = 9_000;
const NAMES = ['small', 'large'] as const;

interface Asked {
  readonly container: RuntimeContainer;
  readonly timeoutMs: number;
  readonly atMs: number;
  /** Others of the same container were under way. */
  readonly isSecond: boolean;
  isHindered: boolean;
  /** When the runtime has heard of it; undefined: it hangs ever since. */
  heardMs: number | undefined;
  result: CheckpointResult | undefined;
}

class Agent {
  readonly #runtime = new ContainerRuntime();
  readonly #disk = new Disk({ capacityBytes: 20 * GIB });
  readonly #simulation = new Simulation({ seed: 3 });
  #inProgress = new Set<string>();
  /** Of this life of the agent. */
  #asked: Asked[] = [];
  readonly #written: string[] = [];
  readonly #containers = new Map<string, RuntimeContainer>();
  #isFull = false;
  readonly #actor = this.#simulation.actor('node', {
    start: () => {
      this.#inProgress = new Set();
      removeUnfinished(this.#disk, ROOT);
    },
  });

  constructor() {
    this.advance(0);
    for (const name of NAMES) this.start(name);
  }

  get #nowMs(): number {
    return this.#simulation.now / 1_000;
  }

  get #isUp(): boolean {
    return this.#actor.state === 'running';
  }

  start(name: string): void {
    const known = this.#containers.get(name);
    if (!this.#isUp || (known && this.#isRunning(known))) return;
    const spec = {
      podUid: 'u',
      podName: 'web',
      podNamespace: 'default',
      name,
      image: 'app:1',
      restartCount: 0,
    };
    const behaviour = { memoryBytes: name === 'large' ? 2 * GIB : GIB, memory: { name } };
    const started = { ...spec, command: [], environment: [], behaviour };
    this.#containers.set(name, this.#runtime.start(this.#actor.context, started, this.#nowMs));
  }

  stop(name: string): void {
    const known = this.#containers.get(name);
    if (!known || !this.#isRunning(known)) return;
    this.#runtime.stop(known.id, this.#nowMs, 0);
    this.#hinder(({ container }) => container === known);
  }

  #isRunning({ id }: RuntimeContainer): boolean {
    return this.#runtime.fateOf(id, this.#nowMs).kind === 'running';
  }

  ask(name: string, timeoutSeconds: number): void {
    const container = this.#containers.get(name);
    if (!this.#isUp || !container) return;
    const asked: Asked = {
      container,
      timeoutMs: (timeoutSeconds || DEFAULT_SECONDS) * 1_000,
      atMs: this.#nowMs,
      isSecond: this.#asked.some((each) => each.container === container && !each.result),
      isHindered: this.#isHindered(container),
      heardMs: this.#runtime.isHung ? undefined : this.#nowMs,
      result: undefined,
    };
    this.#asked.push(asked);
    const { context } = this.#actor;
    const options = {
      context,
      runtime: this.#runtime,
      disk: this.#disk,
      availableBytes: () => this.#disk.availableBytes,
      rootDirectory: ROOT,
      container,
      timeoutSeconds,
      inProgress: this.#inProgress,
    };
    const answered = (result: CheckpointResult): void => this.#answered(asked, result);
    context.spawn(
      'checkpoint',
      (function* () {
        answered(yield* checkpoint(options));
      })(),
    );
    this.advance(0);
  }

  #isHindered(container: RuntimeContainer): boolean {
    const { implementsCheckpoint, checkpointFailure } = this.#runtime;
    return !implementsCheckpoint || checkpointFailure !== '' || this.#isFull || !this.#isRunning(container);
  }

  #hinder(concerns: (asked: Asked) => boolean): void {
    for (const asked of this.#asked) if (concerns(asked)) asked.isHindered = true;
  }

  #answered(asked: Asked, result: CheckpointResult): void {
    asked.result = result;
    const tookMs = this.#nowMs - asked.atMs;
    expect(tookMs, 'answered in time').toBeLessThanOrEqual(asked.timeoutMs);
    if (result.kind === 'written') this.#isWhole(asked, result.path);
    else {
      const said = result.message;
      expect(said.includes('already in progress'), said).toBe(
        asked.isSecond && !said.includes('Unimplemented'),
      );
      const leftMs = asked.timeoutMs + asked.atMs - (asked.heardMs ?? Infinity);
      const isLate = leftMs < LONGEST_MS && tookMs === asked.timeoutMs;
      expect(asked.isHindered || asked.isSecond || isLate, `${said}, and nothing was in its way`).toBe(true);
    }
  }

  #isWhole({ container, heardMs }: Asked, path: string): void {
    expect(heardMs, 'a checkpoint that no runtime has made').toBeDefined();
    expect(this.#isRunning(container), 'a checkpoint of what has ended').toBe(true);
    const file = this.#disk.read(path);
    expect(file).toMatchObject({ mode: 0o600, owner: OF_ROOT });
    expect(file?.sizeBytes).toBe(container.behaviour.memoryBytes);
    const archive = unpackCheckpoint(file?.bytes ?? new Uint8Array());
    expect(archive).toMatchObject({ process: { containerId: container.id } });
    this.#written.push(path);
  }

  advance(ms: number): void {
    this.#simulation.runFor(milliseconds(ms));
  }

  setFault(fault: 'hang' | 'unknown' | 'failure' | 'full', isOn: boolean): void {
    if (fault === 'hang') {
      this.#runtime.isHung = isOn;
      if (!isOn) for (const asked of this.#asked) asked.heardMs ??= this.#nowMs;
    }
    if (fault === 'unknown') this.#runtime.implementsCheckpoint = !isOn;
    else if (fault === 'failure') this.#runtime.checkpointFailure = isOn ? 'no' : '';
    else if (fault === 'full') {
      this.#isFull = isOn;
      this.#disk.setFull(isOn);
    }
    if (isOn && fault !== 'hang') this.#hinder(() => true);
    this.advance(0);
  }

  restart(afterMs: number): void {
    this.#actor.crash();
    this.#asked = [];
    this.advance(afterMs);
    this.#actor.restart();
    this.advance(0);
  }

  compare(): void {
    const paths = this.#disk.list(PLACE);
    const finished = paths.filter((path) => !path.endsWith('.unfinished'));
    expect(finished, 'what is there').toEqual([...new Set(this.#written)].sort());
    const open = this.#asked.filter(({ result, isSecond }) => !result && !isSecond);
    expect(paths.length - finished.length, 'begun and not ended').toBeLessThanOrEqual(open.length);
  }

  /** Nothing hinders any more: whoever asks now is served. */
  end(): void {
    for (const fault of ['hang', 'unknown', 'failure', 'full'] as const) this.setFault(fault, false);
    this.advance(DEFAULT_SECONDS * 1_000);
    for (const path of this.#disk.list(PLACE)) this.#disk.remove(path);
    this.#written.splice(0);
    for (const { result } of this.#asked) expect(result, 'an answer').toBeDefined();
    for (const name of NAMES) {
      this.start(name);
      this.ask(name, 0);
    }
    this.advance(LONGEST_MS);
    for (const { result } of this.#asked.slice(-NAMES.length)) expect(result?.kind).toBe('written');
    this.compare();
  }
}

const onAgent = actsOn<Agent>();
const name = fc.constantFrom(...NAMES);
const fault = fc.constantFrom('hang', 'unknown', 'failure', 'full' as const);

it('are whole or not there, and what became of one is forgotten with it', () => {
  const ask = onAgent('ask', fc.tuple(name, fc.constantFrom(0, 0, 1, 6)), (agent, drawn) =>
    agent.ask(...drawn),
  );
  const advance = onAgent('advance', fc.constantFrom(50, 500, 2_000, 9_000), (agent, ms) =>
    agent.advance(ms),
  );
  const setFault = onAgent('set fault', fc.tuple(fault, fc.boolean()), (agent, drawn) =>
    agent.setFault(...drawn),
  );
  holdsInAnyOrder<Agent>({
    begin: () => new Agent(),
    acts: [
      ...[ask, ask, ask, advance, advance, advance, setFault, setFault],
      onAgent('ask for all', NOTHING, (agent) => NAMES.forEach((each) => agent.ask(each, 0))),
      onAgent('stop', name, (agent, of) => agent.stop(of)),
      onAgent('start', name, (agent, of) => agent.start(of)),
      onAgent('restart', fc.constantFrom(0, 3_000), (agent, ms) => agent.restart(ms)),
    ],
    compare: (agent) => agent.compare(),
    end: (agent) => agent.end(),
    most: 20,
    runs: 120,
    hasSomeOnly: true,
  });
});
