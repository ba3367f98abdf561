/**
 * About how many bytes of memory a value takes, to bound what is kept of old ones: nobody needs it exactly, and
 * nobody may wait for it.
 */
const NODE_BYTES = 16;
/** Larger values are looked into no further: that they are large is all there is to know. */
const MAX_NODES = 10_000;

export function roughSizeOf(value: unknown): number {
  if (typeof value === 'string') return NODE_BYTES + value.length;
  if (typeof value !== 'object' || value === null) return NODE_BYTES;
  let size = 0;
  let nodes = 0;
  const pending: object[] = [value];
  for (let next = pending.pop(); next; next = pending.pop()) {
    for (const name in next) {
      const member: unknown = (next as Readonly<Record<string, unknown>>)[name];
      size += NODE_BYTES;
      if (typeof member === 'string') size += member.length;
      else if (typeof member === 'object' && member !== null) pending.push(member);
      if (++nodes >= MAX_NODES) return size + size * Math.min(pending.length, MAX_NODES);
    }
  }
  return NODE_BYTES + size;
}

/** One in so many is measured, and stands for all of them: the middle one, so that queues of a few cost nothing. */
const ONE_IN = 16;
const MIDDLE = ONE_IN / 2;

/** The sum of the sizes of what passes through a queue, by samples. */
export class SampledSize {
  /** Of each sample: the serial of what was measured, and what it stands for. */
  readonly #samples: { readonly serial: number; readonly bytes: number }[] = [];
  #first = 0;
  #serial = 0;
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  /** `valueOf` it is asked for when it is measured. */
  added<T>(item: T, valueOf: (item: T) => unknown): void {
    if (this.#serial++ % ONE_IN !== MIDDLE) return;
    const bytes = roughSizeOf(valueOf(item)) * ONE_IN;
    this.#samples.push({ serial: this.#serial, bytes });
    this.#bytes += bytes;
  }

  /** All but the last `count` have gone. */
  keepLast(count: number): void {
    const oldest = this.#serial - count;
    for (let next = this.#samples[this.#first]; next && next.serial <= oldest;) {
      this.#bytes -= next.bytes;
      next = this.#samples[++this.#first];
    }
    if (this.#first * 2 <= this.#samples.length || this.#first < ONE_IN) return;
    this.#samples.splice(0, this.#first);
    this.#first = 0;
  }
}
