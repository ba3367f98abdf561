/** Streams of a command to which nobody types anything, and of which one wants to know what it wrote. */
import type { CommandStreams } from './command-place.ts';

export class CollectedOutput {
  readonly #decoder = new TextDecoder();
  stdout = '';
  stderr = '';
  /** Both, as they came. */
  all = '';

  readonly streams: CommandStreams = {
    write: (piece) => {
      const text = typeof piece === 'string' ? piece : this.#decoder.decode(piece);
      this.stdout += text;
      this.all += text;
    },
    writeError: (text) => {
      this.stderr += text;
      this.all += text;
    },
    *read() {
      return undefined;
    },
  };
}
