/**
 * The images of a machine, beside a list of who pulls what: one pull after the other, each so long as an image takes that
 * is there, or is not; what was pulled is there, what could not be is not, and a new machine image remembers nothing.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { Simulation } from '../../engine/simulation.ts';
import { milliseconds } from '../../engine/time.ts';
import { ImageStore, type PullResult } from './image-store.ts';

const PULLED = [200, 5_000] as const;
const CHECKED = [50, 1_000] as const;

interface Pull {
  readonly image: string;
  readonly isMissing: boolean;
  readonly askedMs: number;
  readonly range: readonly [number, number];
  answer: { readonly result: PullResult; readonly atMs: number } | undefined;
}

class Machine {
  readonly images = new ImageStore();
  readonly #simulation = new Simulation({ seed: 11 });
  readonly #actor = this.#simulation.actor('node');
  readonly #there = new Set<string>();
  /** Since the machine was new. */
  #pulls: Pull[] = [];

  get #nowMs(): number {
    return this.#simulation.now / 1_000;
  }

  pull(image: string, isMissing: boolean): void {
    const isComing = this.#pulls.some((each) => each.image === image && !each.isMissing && !each.answer);
    const range = this.#there.has(image) || isComing ? CHECKED : PULLED;
    const pull: Pull = { image, isMissing, askedMs: this.#nowMs, range, answer: undefined };
    this.#pulls.push(pull);
    const { context } = this.#actor;
    const { images } = this;
    const answered = (result: PullResult): void => this.#answered(pull, result);
    context.spawn(
      'pull',
      (function* () {
        answered(yield* images.pull(context, image, isMissing));
      })(),
    );
    this.advance(0);
  }

  #answered(pull: Pull, result: PullResult): void {
    const before = this.#pulls[this.#pulls.indexOf(pull) - 1];
    expect(before === undefined || before.answer !== undefined, 'one after the other').toBe(true);
    const beganMs = Math.max(pull.askedMs, before?.answer?.atMs ?? 0);
    const tookMs = this.#nowMs - beganMs;
    expect(tookMs).toBeGreaterThanOrEqual(pull.range[0] - 1);
    expect(tookMs).toBeLessThanOrEqual(pull.range[1] + 1);
    expect(result.kind).toBe(pull.isMissing ? 'failed' : 'pulled');
    if (result.kind === 'pulled') {
      expect(result.waitedMs).toBeCloseTo(beganMs - pull.askedMs, 1);
      expect(result.tookMs).toBeCloseTo(tookMs, 1);
      this.#there.add(pull.image);
    }
    pull.answer = { result, atMs: this.#nowMs };
  }

  removeUnused(inUse: readonly string[]): void {
    const before = this.images.sizeBytes;
    const freed = this.images.removeUnused(inUse);
    expect(this.images.sizeBytes).toBe(before - freed);
    for (const image of [...this.#there]) if (!inUse.includes(image)) this.#there.delete(image);
  }

  /** Nobody pulls while a machine gets a new image. */
  wipe(): void {
    this.#actor.crash();
    this.images.wipe();
    this.#pulls = [];
    this.#there.clear();
    this.#actor.restart();
    this.advance(0);
  }

  advance(ms: number): void {
    this.#simulation.runFor(milliseconds(ms));
  }

  compare(): void {
    for (const image of IMAGES) expect(this.images.has(image), image).toBe(this.#there.has(image));
    expect(this.images.sizeBytes > 0).toBe(this.#there.size > 0);
  }
}

const IMAGES = ['app:1', 'db:2', 'web'] as const;
const onMachine = actsOn<Machine>();
const image = fc.constantFrom(...IMAGES);

it('are pulled one after the other, and are there once they were', () => {
  const pull = onMachine('pull', fc.tuple(image, fc.constantFrom(false, false, true)), (machine, drawn) =>
    machine.pull(...drawn),
  );
  const advance = onMachine('advance', fc.constantFrom(100, 700, 2_500), (machine, ms) =>
    machine.advance(ms),
  );
  holdsInAnyOrder<Machine>({
    begin: () => new Machine(),
    acts: [
      ...[pull, pull, pull, advance, advance, advance],
      onMachine('remove unused', fc.subarray([...IMAGES]), (machine, inUse) => machine.removeUnused(inUse)),
      onMachine('wipe', NOTHING, (machine) => machine.wipe()),
    ],
    compare: (machine) => machine.compare(),
    most: 20,
    runs: 200,
  });
});
