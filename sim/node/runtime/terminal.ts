/**
 * A terminal between who types and a command: it shows what is typed, takes corrections, and hands over whole lines.
 * Ctrl-C gives the line up; signals to the command are not modelled. Ctrl-D on an empty line ends the input.
 */
const [END_OF_TEXT, END_OF_INPUT, BACKSPACE, LINE_FEED, RETURN, KILL, DELETE] = [3, 4, 8, 10, 13, 21, 127];
const RUB_OUT = '\b \b';
const FROM_TEXT = new TextDecoder();
const TO_BYTES = new TextEncoder();

export class Terminal {
  readonly #show: (text: string) => void;
  #line = '';

  constructor(show: (text: string) => void) {
    this.#show = show;
  }

  /** What a command may read from now on, line by line; undefined: its input has ended. */
  type(bytes: Uint8Array): readonly (Uint8Array | undefined)[] {
    const lines: (Uint8Array | undefined)[] = [];
    for (const key of FROM_TEXT.decode(bytes)) {
      const line = this.#press(key);
      if (line !== 'nothing') lines.push(line);
    }
    return lines;
  }

  #press(key: string): Uint8Array | undefined | 'nothing' {
    switch (key.charCodeAt(0)) {
      case LINE_FEED:
      case RETURN:
        this.#show('\n');
        return this.#handOver('\n');
      case END_OF_INPUT:
        return this.#line === '' ? undefined : this.#handOver('');
      case END_OF_TEXT:
        this.#show('^C\n');
        this.#line = '';
        return this.#handOver('\n');
      case BACKSPACE:
      case DELETE:
        this.#rubOut(1);
        return 'nothing';
      case KILL:
        this.#rubOut(Infinity);
        return 'nothing';
      default:
        this.#line += key;
        this.#show(key);
        return 'nothing';
    }
  }

  #handOver(end: string): Uint8Array {
    const bytes = TO_BYTES.encode(`${this.#line}${end}`);
    this.#line = '';
    return bytes;
  }

  #rubOut(count: number): void {
    const keys = Array.from(this.#line);
    const kept = Math.max(0, keys.length - count);
    this.#show(RUB_OUT.repeat(keys.length - kept));
    this.#line = keys.slice(0, kept).join('');
  }
}
