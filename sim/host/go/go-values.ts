/**
 * Values of JavaScript that a Go program holds (`syscall/js`). It knows them as references of 64 bits: numbers as they are,
 * everything else as a NaN that bears an identity and a kind. Identities are given in order and used again, so that equal
 * runs see equal ones; an identity lives as long as Go counts references to it.
 */
import { append } from '../../api/append.ts';
import type { GoMemory } from './go-memory.ts';

const NAN_HEAD = 0x7ff80000;
const KINDS: Readonly<Record<string, number>> = { object: 1, string: 2, symbol: 3, function: 4 };
const FOR_EVER = Number.POSITIVE_INFINITY;

/** What a program holds, as something that can be held again by another one. */
export interface HeldValues<Held> {
  readonly values: readonly Held[];
  readonly references: readonly number[];
  readonly free: readonly number[];
}

export class GoValues {
  readonly #memory: GoMemory;
  readonly #values: unknown[];
  readonly #references: number[];
  readonly #ids = new Map<unknown, number>();
  readonly #free: number[] = [];

  /** Some values have identities that both sides know from the start. */
  constructor(memory: GoMemory, global: unknown, go: unknown) {
    this.#memory = memory;
    this.#values = [Number.NaN, 0, null, true, false, global, go];
    this.#references = this.#values.map(() => FOR_EVER);
    for (const [id, value] of this.#values.entries()) if (id > 0) this.#ids.set(value, id);
  }

  /** `describe` says how to come by a value again. */
  held<Held>(describe: (value: unknown) => Held): HeldValues<Held> {
    return {
      values: this.#values.slice(KNOWN_FROM_THE_START).map(describe),
      references: this.#references.slice(KNOWN_FROM_THE_START),
      free: [...this.#free],
    };
  }

  /** Holds what another one held; for values that hold nothing yet. */
  hold<Held>({ values, references, free }: HeldValues<Held>, make: (held: Held) => unknown): void {
    const unused = new Set(free);
    for (const [index, held] of values.entries()) {
      const id = index + KNOWN_FROM_THE_START;
      const value = make(held);
      this.#values[id] = value;
      this.#references[id] = references[index] ?? 0;
      if (!unused.has(id)) this.#ids.set(value, id);
    }
    append(this.#free, free);
  }

  load(at: number): unknown {
    const number = this.#memory.view.getFloat64(at, true);
    if (number === 0) return undefined;
    if (!Number.isNaN(number)) return number;
    return this.#values[this.#memory.view.getUint32(at, true)];
  }

  /** The result is the identity by which it is held. */
  store(at: number, value: unknown): number {
    const { view } = this.#memory;
    const id = this.retain(value);
    if (id === UNHELD) view.setFloat64(at, value === undefined ? 0 : (value as number), true);
    else {
      view.setUint32(at, id, true);
      view.setUint32(at + 4, NAN_HEAD | kindOf(value), true);
    }
    return id;
  }

  /** Counts one more reference to a value. */
  retain(value: unknown): number {
    const isUnheld =
      value === undefined || (typeof value === 'number' && value !== 0 && !Number.isNaN(value));
    return isUnheld ? UNHELD : this.#referTo(value);
  }

  /** The value with an identity. */
  heldAs(id: number): unknown {
    return this.#values[id];
  }

  /** Values of a slice whose header is at `at`. */
  loadAll(at: number): unknown[] {
    const first = this.#memory.int64(at);
    return Array.from({ length: this.#memory.int64(at + 8) }, (_, index) => this.load(first + index * 8));
  }

  /** Go has let go of one reference. */
  release(id: number): void {
    const left = (this.#references[id] ?? 0) - 1;
    this.#references[id] = left;
    if (left > 0) return;
    this.#ids.delete(this.#values[id]);
    this.#values[id] = null;
    this.#free.push(id);
  }

  #referTo(value: unknown): number {
    if (Number.isNaN(value)) return 0;
    const known = this.#ids.get(value);
    const id = known ?? this.#free.pop() ?? this.#values.length;
    if (known === undefined) {
      this.#values[id] = value;
      this.#references[id] = 0;
      this.#ids.set(value, id);
    }
    this.#references[id] = (this.#references[id] ?? 0) + 1;
    return id;
  }
}

/** Of values that are no references. */
const UNHELD = -1;
const KNOWN_FROM_THE_START = 7;
const kindOf = (value: unknown): number => (value === null ? 0 : (KINDS[typeof value] ?? 0));
