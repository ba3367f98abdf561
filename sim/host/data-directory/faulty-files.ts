/** A real disk that is worse than it is, for servers that are attacked: it fails now and then, and ends the process. */
import type { FileLayer, OpenFile } from './file-layer.ts';

export interface Misfortunes {
  /** A number in [0, limit). */
  readonly draw: (limit: number) => number;
  /** How many operations there are for each fault, on average. */
  readonly oneIn: number;
  readonly nowMs: () => number;
  readonly onFault: (what: string) => void;
  /** Ends the process at once. */
  readonly kill: () => void;
}

/** How long a disk stays full at the most. */
const LONGEST_FULL_MS = 400;

export class FaultyFiles implements FileLayer {
  readonly #files: FileLayer;
  readonly #misfortunes: Misfortunes;
  #fullUntilMs = 0;

  constructor(files: FileLayer, misfortunes: Misfortunes) {
    this.#files = files;
    this.#misfortunes = misfortunes;
  }

  get bootId(): string {
    return this.#files.bootId;
  }

  names(): readonly string[] {
    return this.#files.names();
  }

  read(name: string): Uint8Array | undefined {
    return this.#files.read(name);
  }

  create(name: string): OpenFile {
    this.#mayFail('create');
    return this.#faulty(this.#files.create(name));
  }

  open(name: string): OpenFile {
    return this.#faulty(this.#files.open(name));
  }

  rename(from: string, to: string): void {
    this.#mayFail('rename');
    this.#files.rename(from, to);
    this.#mayDie('after a rename');
  }

  remove(name: string): void {
    this.#files.remove(name);
    this.#mayDie('after a removal');
  }

  syncDirectory(): void {
    this.#mayFail('sync of the directory');
    this.#files.syncDirectory();
  }

  #faulty(file: OpenFile): OpenFile {
    return {
      write: (bytes, position) => this.#write(file, bytes, position),
      truncate: (length) => {
        file.truncate(length);
        this.#mayDie('after a cut');
      },
      sync: () => {
        this.#mayFail('sync');
        file.sync();
      },
      syncLater: (done) => {
        const error = this.#strikes() ? this.#fault('sync', 'EIO') : undefined;
        if (error) setImmediate(() => done(error));
        else file.syncLater(done);
      },
      close: () => file.close(),
    };
  }

  #write(file: OpenFile, bytes: Uint8Array, position: number): number {
    const { draw, nowMs } = this.#misfortunes;
    if (nowMs() < this.#fullUntilMs) throw this.#fault('write', 'ENOSPC');
    if (!this.#strikes()) return file.write(bytes, position);
    const part = bytes.subarray(0, 1 + draw(bytes.length));
    switch (draw(5)) {
      case 0:
        this.#fullUntilMs = nowMs() + draw(LONGEST_FULL_MS);
        this.#fault('write', 'short, then ENOSPC');
        return file.write(part, position);
      case 1:
        throw this.#fault('write', 'EIO');
      case 2:
        file.write(bytes, position);
        throw this.#fault('write', 'EIO after it was done');
      case 3:
        file.write(part, position);
        this.#die('within a write');
        return part.length;
      default:
        this.#fault('write', 'short');
        return file.write(part, position);
    }
  }

  #strikes(): boolean {
    return this.#misfortunes.draw(this.#misfortunes.oneIn) === 0;
  }

  #mayFail(what: string): void {
    if (this.#strikes()) throw this.#fault(what, 'EIO');
  }

  #mayDie(when: string): void {
    if (this.#strikes()) this.#die(when);
  }

  #die(when: string): void {
    this.#misfortunes.onFault(`killed ${when}`);
    this.#misfortunes.kill();
  }

  #fault(what: string, how: string): Error {
    this.#misfortunes.onFault(`${what}: ${how}`);
    const code = how.includes('ENOSPC') ? 'ENOSPC' : 'EIO';
    return Object.assign(new Error(`${code}: injected, ${what}`), { code });
  }
}
