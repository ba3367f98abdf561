/**
 * Random writes, disk faults, crashes, losses of power and restarts on a simulated disk, checked against a model after
 * every restart: nothing acknowledged is lost, nothing refused is kept, no revision is given out twice, what is lost
 * cannot be read, and a disk that is well again takes writes. One seed is one story.
 */
import type { StoredObject } from '../../apiserver/stores/stored-object.ts';
import { revision } from '../../storage/revision.ts';
import { RevisionError, StorageWriteError } from '../../storage/storage.ts';
import { DataDirectory, type Fsync } from './data-directory.ts';
import { drawing } from './drawing.ts';
import { type DiskFault, SimulatedDisk } from './simulated-disk.ts';
import type { Draw } from './simulated-file.ts';

export interface DiskAttackFigures {
  readonly crashes: number;
  readonly powerLosses: number;
  readonly faults: number;
  readonly acknowledged: number;
  readonly refused: number;
}

export interface DiskAttackOptions {
  readonly seed: number;
  readonly steps: number;
  readonly fsync: Fsync;
  /** After so many steps each time the process ends badly; default: it ends as its seed has it. */
  readonly badEndEvery?: number;
}

/** One write as the model has it. */
interface ModelWrite {
  readonly revision: number;
  readonly key: string;
  /** Undefined: deleted. */
  readonly value: number | undefined;
}

const FAULTS: readonly DiskFault[] = [
  'shortWrite',
  'failedWrite',
  'failedAfterWrite',
  'failedSync',
  'failedName',
  'noRoom',
];
const KEYS = 6;
const MAX_LOG_BYTES = 4_000;
/** Writes may be refused for so long after the disk has refused one. */
const LONGEST_REST_MS = 1_000;

/** @throws Error if a promise is broken; the message names the seed */
export function attackDisk(options: DiskAttackOptions): DiskAttackFigures {
  const attack = new DiskAttack(options);
  const { steps, badEndEvery = Infinity } = options;
  for (let step = 1; step <= steps; step += 1) {
    attack.step();
    if (step % badEndEvery === 0) attack.endBadly();
  }
  attack.end();
  return attack.figures;
}

class DiskAttack {
  readonly #options: DiskAttackOptions;
  readonly #draw: Draw;
  readonly #disk: SimulatedDisk;
  #directory: DataDirectory;
  #later: (() => void)[] = [];
  #nowMs = 0;
  /** Everything that is in memory, in order. */
  #writes: ModelWrite[] = [];
  /** How many of them clients know to be kept. */
  #acknowledged = 0;
  /** Newest revision that anybody was told. */
  #toldRevision = 1;
  #values = 0;
  #isLost = false;
  /** Since when nothing is wrong with the disk. */
  #wellSinceMs: number | undefined;
  #crashes = 0;
  #powerLosses = 0;
  #acknowledgements = 0;
  #refusals = 0;

  constructor(options: DiskAttackOptions) {
    this.#options = options;
    this.#draw = drawing(options.seed);
    this.#disk = new SimulatedDisk(this.#draw);
    this.#directory = this.#open();
  }

  get figures(): DiskAttackFigures {
    return {
      crashes: this.#crashes,
      powerLosses: this.#powerLosses,
      faults: this.#disk.faultsMet,
      acknowledged: this.#acknowledgements,
      refused: this.#refusals,
    };
  }

  step(): void {
    this.#nowMs += this.#draw(400);
    const kind = this.#draw(100);
    if (kind < 60) this.#write();
    else if (kind < 78) this.#endTurn();
    else if (kind < 91) this.#trouble(kind);
    else if (kind < 92) this.#disk.dieAfter(this.#draw(14));
    else if (kind < 93) this.#compact();
    else if (kind < 94 && this.#options.fsync === 'interval') this.#directory.syncSoon();
    else if (kind < 97) this.#restart('crash');
    else this.#restart('powerLoss');
    if (this.#isLost || this.#disk.isDead) this.#restart(this.#draw(2) === 0 ? 'crash' : 'powerLoss');
  }

  /** Right after a sync that failed, before anything is done about it; and the next process may have no room to do it. */
  endBadly(): void {
    this.#heal();
    this.#wellSinceMs = undefined;
    this.#write();
    this.#disk.expect('failedSync');
    this.#disk.dieAfter(1 + this.#draw(3));
    this.#sync();
    this.#disk.heal();
    if (this.#draw(3) > 0) this.#disk.expect('noRoom');
    this.#restart('crash');
    this.#heal();
    this.#nowMs += LONGEST_REST_MS;
    for (const _ of ['a write', 'another']) {
      this.#write();
      this.#sync();
    }
    if (this.#draw(2) === 0) this.#restart('powerLoss');
  }

  #sync(): void {
    if (this.#options.fsync === 'interval') this.#directory.syncSoon();
    for (const work of this.#later.splice(0)) work();
    this.#disk.finishSyncs();
  }

  #trouble(kind: number): void {
    this.#wellSinceMs = undefined;
    if (kind < 86) this.#disk.expect(FAULTS[this.#draw(FAULTS.length)] ?? 'shortWrite');
    else if (kind < 89) this.#disk.capacity = this.#disk.usedBytes + this.#draw(600);
    else this.#heal();
  }

  #heal(): void {
    this.#disk.heal();
    this.#wellSinceMs = this.#nowMs;
    this.#settle();
  }

  /** On a disk that is well everybody has his answer soon. */
  #settle(): void {
    const { gate } = this.#directory;
    if (this.#isLost || this.#disk.isDead || !gate) return;
    for (const _ of ['under way', 'held for the next', 'begun meanwhile']) {
      for (const work of this.#later.splice(0)) work();
      this.#disk.finishSyncs();
    }
    if (this.#isLost || this.#disk.isDead) return;
    this.#check(gate.settled === gate.written, `${gate.written} writes are on disk, not ${gate.settled}`);
  }

  end(): void {
    this.#restart('crash');
    this.#restart('powerLoss');
    this.#heal();
    this.#nowMs += 10_000;
    this.#write();
    this.#directory.close();
    this.#disk.losePower();
    this.#acknowledged = this.#writes.length;
    this.#reopen(true);
  }

  #open(): DataDirectory {
    this.#later = [];
    this.#isLost = false;
    return new DataDirectory(this.#disk, {
      fsync: this.#options.fsync,
      maxLogBytes: MAX_LOG_BYTES,
      onNotice: () => undefined,
      onLost: () => {
        this.#isLost = true;
      },
      nowMs: () => this.#nowMs,
      later: (work) => this.#later.push(work),
    });
  }

  #write(): void {
    const { storage, gate } = this.#directory;
    const key = `/key-${this.#draw(KEYS)}`;
    const value = this.#draw(4) === 0 ? undefined : (this.#values += 1);
    const before = storage.revision;
    try {
      storage.transact({ compare: [], success: [operation(key, value, this.#draw(900))] });
    } catch (error) {
      if (!(error instanceof StorageWriteError)) throw error;
      // Nobody is told of a refusal any more: the write may be there after the restart.
      if (this.#disk.isDead || this.#isLost)
        return void this.#writes.push({ revision: before + 1, key, value });
      this.#refusals += 1;
      const wellForMs = this.#wellSinceMs === undefined ? -1 : this.#nowMs - this.#wellSinceMs;
      // What makes room does not wait.
      const restMs = value === undefined ? 0 : LONGEST_REST_MS;
      this.#check(wellForMs < restMs, `a disk that is well for ${wellForMs} ms takes writes`);
      this.#check(storage.revision === before, 'a refused write moves no revision');
      this.#checkState(this.#writes.length);
      return;
    }
    if (storage.revision === before) return;
    this.#check(storage.revision > this.#toldRevision, `revision ${storage.revision} is given out once`);
    this.#writes.push({ revision: storage.revision, key, value });
    const count = this.#writes.length;
    const tell = (): void => this.#tell(count);
    if (gate) gate.whenSettled(tell);
    else tell();
  }

  #tell(count: number): void {
    this.#acknowledged = Math.max(this.#acknowledged, count);
    this.#acknowledgements += 1;
    this.#toldRevision = Math.max(this.#toldRevision, this.#writes[count - 1]?.revision ?? 0);
  }

  #endTurn(): void {
    for (const work of this.#later.splice(0)) work();
    if (this.#draw(2) === 0) this.#disk.finishSyncs();
  }

  #compact(): void {
    const { storage } = this.#directory;
    const next = storage.compactedRevision + 1 + this.#draw(20);
    if (next <= storage.revision) storage.compact(revision(next));
  }

  #restart(how: 'crash' | 'powerLoss'): void {
    const newest = Math.max(this.#directory.storage.revision, this.#writes.at(-1)?.revision ?? 0);
    if (how === 'crash') {
      this.#crashes += 1;
      this.#disk.kill();
    } else {
      this.#powerLosses += 1;
      this.#disk.losePower();
    }
    this.#reopen(how === 'crash' || this.#options.fsync === 'always');
    const { revision: now } = this.#directory.storage;
    if (how === 'crash')
      this.#check(now <= newest, `no revision after ${newest} is left out for a crash: ${now}`);
  }

  #reopen(keepsAcknowledged: boolean): void {
    this.#directory = this.#opened();
    const kept = this.#keptWrites();
    if (keepsAcknowledged) {
      this.#check(kept >= this.#acknowledged, `${this.#acknowledged} acknowledged writes, ${kept} kept`);
    }
    this.#writes = this.#writes.slice(0, kept);
    this.#acknowledged = Math.min(this.#acknowledged, kept);
    this.#checkState(kept);
    const { revision: now } = this.#directory.storage;
    this.#check(now >= this.#toldRevision, `revision ${this.#toldRevision} was told, it goes on at ${now}`);
    this.#checkLost(this.#writes.at(-1)?.revision ?? now, now);
  }

  /** Whoever saw what is lost reads everything anew: nothing between the last write that is kept and now can be read. */
  #checkLost(kept: number, now: number): void {
    for (const at of new Set([kept, kept + 1, now - 1]))
      if (at >= kept && at < now)
        this.#check(
          !this.#isReadable(at),
          `revision ${at} cannot be read: ${kept} is kept, it goes on at ${now}`,
        );
  }

  #isReadable(at: number): boolean {
    try {
      this.#directory.storage.range({ prefix: '', revision: revision(at) });
      return true;
    } catch (error) {
      if (error instanceof RevisionError) return false;
      throw error;
    }
  }

  /** A start may fail on a disk that fails, but not on one that works, nor because it is full. */
  #opened(): DataDirectory {
    for (;;) {
      const before = this.#disk.faultsMet;
      try {
        return this.#open();
      } catch (error) {
        if (this.#disk.faultsMet === before) throw error;
        this.#disk.kill();
        this.#disk.capacity = Infinity;
      }
    }
  }

  /** As many as the newest version in the store, or the newest deletion before it, says. */
  #keptWrites(): number {
    const { storage } = this.#directory;
    const candidates = [...this.#writes.keys(), this.#writes.length].reverse();
    const kept = candidates.find((count) => this.#isState(count));
    this.#check(kept !== undefined, `the state at ${storage.revision} is one that there was`);
    return kept ?? 0;
  }

  #checkState(count: number): void {
    this.#check(this.#isState(count), `the state is that after ${count} writes`);
  }

  #isState(count: number): boolean {
    const expected = new Map<string, string>();
    for (const { key, value, revision: at } of this.#writes.slice(0, count)) {
      if (value === undefined) expected.delete(key);
      else expected.set(key, `${key} ${value} ${at}`);
    }
    const { entries } = this.#directory.storage.range({ prefix: '' });
    const present = entries.map(
      ({ key, value, modRevision }) => `${key} ${String(value.metadata.name)} ${modRevision}`,
    );
    return (
      present.length === expected.size &&
      present.every((text) => expected.get(text.split(' ')[0] ?? '') === text)
    );
  }

  #check(condition: boolean, promise: string): void {
    if (!condition) {
      const { seed, fsync } = this.#options;
      throw new Error(`broken: ${promise} (seed ${seed}, fsync ${fsync})`);
    }
  }
}

function operation(key: string, value: number | undefined, padding: number) {
  if (value === undefined) return { kind: 'delete' as const, key };
  const object: StoredObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: String(value), annotations: { padding: 'x'.repeat(padding) } },
  };
  return { kind: 'put' as const, key, value: () => object };
}
