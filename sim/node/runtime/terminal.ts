/**
 * A terminal between who types and a command: it shows what is typed, takes corrections, and hands over whole lines.
 * Ctrl-C gives the line up; signals to the command are not modelled. Ctrl-D on an empty line ends the input for whoever
 * reads then. Of a line it takes as much as Linux does.
 */
const [END_OF_TEXT, END_OF_INPUT, BACKSPACE, LINE_FEED, RETURN, KILL, DELETE] = [3, 4, 8, 10, 13, 21, 127];
/** Characters, without the end of the line. */
const LONGEST_LINE = 4_095;
const RUB_OUT = '\b \b';
const FROM_TEXT = new TextDecoder();
const TO_BYTES = new TextEncoder();

export class Terminal {
  readonly #show: (text: string) => void;
  #line: string[] = [];
  #shown = '';

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
    if (this.#shown !== '') this.#show(this.#shown);
    this.#shown = '';
    return lines;
  }

  #press(key: string): Uint8Array | undefined | 'nothing' {
    switch (key.charCodeAt(0)) {
      case LINE_FEED:
      case RETURN:
        this.#shown += '\n';
        return this.#handOver('\n');
      case END_OF_INPUT:
        return this.#line.length === 0 ? undefined : this.#handOver('');
      case END_OF_TEXT:
        this.#shown += '^C\n';
        this.#line = [];
        return this.#handOver('\n');
      case BACKSPACE:
      case DELETE:
        this.#rubOut(1);
        return 'nothing';
      case KILL:
        this.#rubOut(Infinity);
        return 'nothing';
      default:
        this.#take(key);
        return 'nothing';
    }
  }

  #take(key: string): void {
    if (this.#line.length >= LONGEST_LINE) return;
    this.#line.push(key);
    this.#shown += key;
  }

  #handOver(end: string): Uint8Array {
    const bytes = TO_BYTES.encode(`${this.#line.join('')}${end}`);
    this.#line = [];
    return bytes;
  }

  #rubOut(count: number): void {
    const removed = this.#line.splice(Math.max(0, this.#line.length - count));
    this.#shown += RUB_OUT.repeat(removed.length);
  }
}
