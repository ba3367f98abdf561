/**
 * A disk that does what real ones do at their worst: writes less than it was given, fails before or after the fact,
 * fills up, fails to sync and forgets, and keeps of what was not synced any sectors it likes when power is lost.
 */
import type { FileLayer, OpenFile } from './file-layer.ts';
import { type Draw, SimulatedFile } from './simulated-file.ts';

/** What goes wrong with the next operations of a kind. */
export type DiskFault =
  | 'shortWrite'
  | 'failedWrite'
  | 'failedAfterWrite'
  | 'failedSync'
  | 'failedName'
  /** Even for what is written again: some file systems never write in place. */
  | 'noRoom';

interface NameChange {
  readonly name: string;
  /** Undefined: it is removed. */
  readonly file: SimulatedFile | undefined;
}

export class SimulatedDisk implements FileLayer {
  readonly #draw: Draw;
  #names = new Map<string, SimulatedFile>();
  #namesOnDisk = new Map<string, SimulatedFile>();
  /** Each entry happens as a whole: a rename changes two names. */
  #nameChanges: (readonly NameChange[])[] = [];
  #syncs: (() => void)[] = [];
  #boots = 1;
  /** Operations of an earlier process do nothing any more. */
  #life = 0;
  /** Bytes that all files may have together. */
  capacity = Infinity;
  readonly #faults: DiskFault[] = [];
  faultsMet = 0;
  #operationsLeft = Infinity;

  constructor(draw: Draw) {
    this.#draw = draw;
  }

  get bootId(): string {
    return `boot-${this.#boots}`;
  }

  get usedBytes(): number {
    return [...this.#names.values()].reduce((sum, { content }) => sum + content.length, 0);
  }

  /** The next operation that can meet it does. */
  expect(fault: DiskFault): void {
    this.#faults.push(fault);
  }

  /** In the middle of the next operations but so many it is over: nothing works until the next start. */
  dieAfter(operations: number): void {
    this.#operationsLeft = operations;
  }

  get isDead(): boolean {
    return this.#operationsLeft < 0;
  }

  #live(): void {
    this.#operationsLeft -= 1;
    if (this.isDead) throw this.#met(systemError('EIO'));
  }

  heal(): void {
    this.#faults.length = 0;
    this.capacity = Infinity;
  }

  /** Syncs that are under way end. */
  finishSyncs(): void {
    for (const sync of this.#syncs.splice(0)) sync();
  }

  /** The process ends; what it wrote stays. */
  kill(): void {
    this.#life += 1;
    this.#syncs = [];
    this.#operationsLeft = Infinity;
  }

  losePower(): void {
    this.kill();
    this.#boots += 1;
    for (const changes of this.#nameChanges) if (this.#draw(2) === 0) apply(this.#namesOnDisk, changes);
    this.#nameChanges = [];
    this.#names = new Map(this.#namesOnDisk);
    for (const file of this.#names.values()) file.losePower(this.#draw);
  }

  names(): readonly string[] {
    return [...this.#names.keys()];
  }

  read(name: string): Uint8Array | undefined {
    return this.#names.get(name)?.content;
  }

  create(name: string): OpenFile {
    this.#live();
    this.#meet('failedName', 'EIO');
    const file = new SimulatedFile();
    this.#rename([{ name, file }]);
    return this.#opened(file);
  }

  open(name: string): OpenFile {
    const file = this.#names.get(name);
    if (!file) throw systemError('ENOENT');
    return this.#opened(file);
  }

  rename(from: string, to: string): void {
    this.#live();
    this.#meet('failedName', 'EIO');
    const file = this.#names.get(from);
    if (!file) throw systemError('ENOENT');
    this.#rename([
      { name: from, file: undefined },
      { name: to, file },
    ]);
  }

  remove(name: string): void {
    this.#live();
    this.#rename([{ name, file: undefined }]);
  }

  syncDirectory(): void {
    this.#live();
    this.#meet('failedSync', 'EIO');
    for (const changes of this.#nameChanges.splice(0)) apply(this.#namesOnDisk, changes);
  }

  #rename(changes: readonly NameChange[]): void {
    apply(this.#names, changes);
    this.#nameChanges.push(changes);
  }

  #opened(file: SimulatedFile): OpenFile {
    const life = this.#life;
    const ifAlive = (work: () => void): void => {
      if (life === this.#life) work();
    };
    return {
      write: (bytes, position) => this.#write(file, bytes, position),
      truncate: (length) => {
        this.#live();
        file.truncate(length);
      },
      sync: () => this.#sync(file, file.changeCount),
      syncLater: (done) => {
        const { changeCount } = file;
        this.#syncs.push(() => ifAlive(() => done(caught(() => this.#sync(file, changeCount)))));
      },
      close: () => undefined,
    };
  }

  #write(file: SimulatedFile, bytes: Uint8Array, position: number): number {
    this.#meet('failedWrite', 'EIO');
    this.#meet('noRoom', 'ENOSPC');
    // What is there already can be written again.
    const room = Math.max(0, this.capacity - this.usedBytes) + Math.max(0, file.content.length - position);
    if (room === 0) throw this.#met(systemError('ENOSPC'));
    const wanted = this.#takes('shortWrite') ? 1 + this.#draw(bytes.length) : bytes.length;
    if (this.#operationsLeft === 0) file.write(bytes.subarray(0, this.#draw(bytes.length + 1)), position);
    this.#live();
    const written = Math.min(wanted, room);
    file.write(bytes.subarray(0, written), position);
    this.#meet('failedAfterWrite', 'EIO');
    return written;
  }

  /** A sync covers what was there when it began, and no less if others were faster. */
  #sync(file: SimulatedFile, changeCount: number): void {
    this.#live();
    const count = Math.min(changeCount, file.changeCount);
    if (!this.#takes('failedSync')) return file.settle(count);
    file.forget(count, this.#draw);
    throw systemError('EIO');
  }

  #meet(fault: DiskFault, code: string): void {
    if (this.#takes(fault)) throw systemError(code);
  }

  #takes(fault: DiskFault): boolean {
    if (this.#faults[0] !== fault) return false;
    this.#faults.shift();
    this.faultsMet += 1;
    return true;
  }

  #met(error: Error): Error {
    this.faultsMet += 1;
    return error;
  }
}

function apply(names: Map<string, SimulatedFile>, changes: readonly NameChange[]): void {
  for (const { name, file } of changes) {
    if (file) names.set(name, file);
    else names.delete(name);
  }
}

const systemError = (code: string): Error => Object.assign(new Error(`${code}: simulated`), { code });

function caught(work: () => void): Error | undefined {
  try {
    work();
    return undefined;
  } catch (error) {
    return error as Error;
  }
}
