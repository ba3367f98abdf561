/** A file on a simulated disk: what its readers see, and what of it a loss of power would leave. */

type Change =
  | { readonly kind: 'write'; readonly position: number; readonly bytes: Uint8Array }
  | { readonly kind: 'truncate'; readonly length: number };

const SECTOR_BYTES = 512;

/** A number in [0, limit). */
export type Draw = (limit: number) => number;

export class SimulatedFile {
  #content = Buffer.alloc(0);
  #onDisk = Buffer.alloc(0);
  #changes: Change[] = [];

  get content(): Uint8Array {
    return this.#content;
  }

  /** How many changes a sync that begins now covers. */
  get changeCount(): number {
    return this.#changes.length;
  }

  write(bytes: Uint8Array, position: number): void {
    this.#change({ kind: 'write', position, bytes: Uint8Array.from(bytes) });
  }

  truncate(length: number): void {
    this.#change({ kind: 'truncate', length });
  }

  /** The first so many changes are on disk. */
  settle(count: number): void {
    for (const change of this.#changes.splice(0, count)) this.#onDisk = changed(this.#onDisk, change);
  }

  /** A sync failed: of the changes some reached the disk, and the system forgets the others. */
  forget(count: number, draw: Draw): void {
    this.#onDisk = remains(this.#onDisk, this.#changes.splice(0, count), draw);
  }

  /** Sectors of what was not synced are there or not, in any combination. */
  losePower(draw: Draw): void {
    this.#onDisk = remains(this.#onDisk, this.#changes, draw);
    this.#content = Buffer.from(this.#onDisk);
    this.#changes = [];
  }

  #change(change: Change): void {
    this.#content = changed(this.#content, change);
    this.#changes.push(change);
  }
}

function changed(content: Buffer<ArrayBuffer>, change: Change): Buffer<ArrayBuffer> {
  if (change.kind === 'truncate') return resized(content, change.length);
  const next = resized(content, Math.max(content.length, change.position + change.bytes.length));
  next.set(change.bytes, change.position);
  return next;
}

function resized(content: Buffer, length: number): Buffer<ArrayBuffer> {
  const next = Buffer.alloc(length);
  content.copy(next, 0, 0, Math.min(length, content.length));
  return next;
}

/** Lengths change in the order in which they were changed; contents in none. */
function remains(before: Buffer<ArrayBuffer>, changes: readonly Change[], draw: Draw): Buffer<ArrayBuffer> {
  const lengths = [before.length];
  for (const change of changes) lengths.push(lengthAfter(lengths.at(-1) ?? 0, change));
  let content = before;
  for (const change of changes) {
    if (change.kind === 'truncate') continue;
    for (let at = change.position; at < change.position + change.bytes.length;) {
      const end = Math.min(at - (at % SECTOR_BYTES) + SECTOR_BYTES, change.position + change.bytes.length);
      const bytes = change.bytes.subarray(at - change.position, end - change.position);
      if (draw(3) > 0) content = changed(content, { kind: 'write', position: at, bytes });
      at = end;
    }
  }
  return resized(content, lengths[draw(lengths.length)] ?? 0);
}

const lengthAfter = (length: number, change: Change): number =>
  change.kind === 'truncate' ? change.length : Math.max(length, change.position + change.bytes.length);
