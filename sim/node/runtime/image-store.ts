/**
 * The images on a machine, by their full names. It pulls one at a time; an image that is there already costs a
 * look at the registry only. Images survive everything but a new machine image.
 */
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { milliseconds } from '../../engine/time.ts';
import { fullImageName, imageSizeOf } from './image-name.ts';

export type PullResult =
  | {
      readonly kind: 'pulled';
      readonly tookMs: number;
      /** For the pulls before it. */
      readonly waitedMs: number;
      readonly sizeBytes: number;
    }
  | { readonly kind: 'failed'; readonly message: string };

/** Pulls take so long; drawn for each. */
const PULL_MS = { min: 200, nominal: 800, max: 5_000 };
/** Of an image that is there already, or will be by then. */
const CHECK_MS = { min: 50, nominal: 200, max: 1_000 };

export class ImageStore {
  readonly #sizes = new Map<string, number>();
  /** Being pulled, or waiting for it. */
  readonly #coming = new Set<string>();
  /** When the machine has done all pulls that were asked for. */
  #busyUntilMs = 0;

  has(image: string): boolean {
    return this.#sizes.has(fullImageName(image));
  }

  add(image: string, sizeBytes = imageSizeOf(image)): void {
    this.#sizes.set(fullImageName(image), sizeBytes);
  }

  get sizeBytes(): number {
    let sum = 0;
    for (const size of this.#sizes.values()) sum += size;
    return sum;
  }

  /** Removes what is not in use. @returns the bytes that this has freed */
  removeUnused(inUse: Iterable<string>): number {
    const used = new Set([...inUse].map(fullImageName));
    const before = this.sizeBytes;
    for (const name of [...this.#sizes.keys()]) if (!used.has(name)) this.#sizes.delete(name);
    return before - this.sizeBytes;
  }

  *pull(context: Context, image: string, isMissing: boolean): Process<PullResult> {
    const nowMs = context.now() / 1_000;
    const name = fullImageName(image);
    const isThere = this.#sizes.has(name) || this.#coming.has(name);
    const { min, nominal, max } = isThere ? CHECK_MS : PULL_MS;
    const tookMs = context.site('image pull').around(min, nominal, max);
    const waitedMs = Math.max(0, this.#busyUntilMs - nowMs);
    this.#busyUntilMs = nowMs + waitedMs + tookMs;
    if (!isMissing) this.#coming.add(name);
    yield* context.sleep(milliseconds(waitedMs + tookMs));
    if (isMissing) {
      const quoted = JSON.stringify(name);
      const message = `failed to pull and unpack image ${quoted}: failed to resolve reference ${quoted}: ${name}: not found`;
      return { kind: 'failed', message };
    }
    this.#coming.delete(name);
    this.add(image, this.#sizes.get(name));
    return { kind: 'pulled', tookMs, waitedMs, sizeBytes: this.#sizes.get(name) ?? 0 };
  }

  wipe(): void {
    this.#sizes.clear();
    this.#coming.clear();
    this.#busyUntilMs = 0;
  }
}
