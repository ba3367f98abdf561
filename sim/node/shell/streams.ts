/** What commands of a script read and write. */
import { joined } from '../../api/codec/joined.ts';
import type { Process } from '../../engine/process.ts';
import { notModelled } from './syntax.ts';

export interface Streams {
  write(output: string | Uint8Array): void;
  writeError(text: string): void;
  /** What is there next; undefined: nothing comes any more. */
  read(): Process<Uint8Array | undefined>;
}

const FROM_TEXT = new TextDecoder();
const TO_BYTES = new TextEncoder();

/** Nobody types a longer line: what is longer is taken as several. */
const LONGEST_LINE = 2 ** 20;

const LINE_END = 0x0a;
const NOTHING: Uint8Array = new Uint8Array();

/** Input of which commands take lines, and leave the rest to the next one. */
export class Input {
  readonly #source: () => Process<Uint8Array | undefined>;
  #left = NOTHING;

  constructor(source: () => Process<Uint8Array | undefined>) {
    this.#source = source;
  }

  static of(bytes: Uint8Array): Input {
    const input = new Input(function* () {
      return undefined;
    });
    input.#left = bytes;
    return input;
  }

  /** Without its end; undefined: nothing comes any more. */
  *line(): Process<string | undefined> {
    for (;;) {
      const end = this.#left.indexOf(LINE_END);
      if (end >= 0) {
        const line = this.#left.subarray(0, end);
        this.#left = this.#left.subarray(end + 1);
        return FROM_TEXT.decode(line);
      }
      const bytes = this.#left.length < LONGEST_LINE ? yield* this.#source() : undefined;
      if (!bytes) break;
      this.#left = joined([this.#left, bytes]);
    }
    const last = this.#left;
    this.#left = NOTHING;
    return last.length === 0 ? undefined : FROM_TEXT.decode(last);
  }

  *read(): Process<Uint8Array | undefined> {
    if (this.#left.length === 0) return yield* this.#source();
    const bytes = this.#left;
    this.#left = NOTHING;
    return bytes;
  }
}

const MIB = 2 ** 20;
const MOST_MIB = 16;

/** Collects what is written. */
export class Output {
  readonly #pieces: Uint8Array[] = [];
  #length = 0;

  /** @throws ShellSyntaxError */
  write(output: string | Uint8Array): void {
    const bytes = typeof output === 'string' ? TO_BYTES.encode(output) : output;
    this.#length += bytes.length;
    if (this.#length > MOST_MIB * MIB) throw notModelled(`an output of more than ${MOST_MIB} MiB`);
    this.#pieces.push(bytes);
  }

  get bytes(): Uint8Array {
    return joined(this.#pieces);
  }

  get text(): string {
    return FROM_TEXT.decode(this.bytes);
  }
}
