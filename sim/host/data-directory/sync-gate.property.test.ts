/**
 * Who waits for writes to be on disk, beside the list of all writes, in any order of writes, ends of turns and ends of
 * syncs: nobody goes on before a sync that began after his writes has ended, and nobody waits once nothing is under way.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { SyncGate } from './sync-gate.ts';

class Disk {
  readonly #turns: (() => void)[] = [];
  readonly #syncs: { readonly covers: number; readonly done: () => void }[] = [];
  #written = 0;
  #onDisk = 0;
  readonly #waiting: { readonly needs: number; isReleased: boolean }[] = [];
  readonly #gate = new SyncGate({
    sync: (done) => this.#syncs.push({ covers: this.#written, done }),
    later: (work) => this.#turns.push(work),
  });

  write(): void {
    this.#written++;
    this.#gate.noteWrite();
  }

  wait(writesOnRelease: boolean): void {
    const waiter = { needs: this.#written, isReleased: false };
    this.#waiting.push(waiter);
    this.#gate.whenSettled(() => {
      expect(this.#onDisk, 'writes on disk before one goes on').toBeGreaterThanOrEqual(waiter.needs);
      expect(waiter.isReleased, 'told twice').toBe(false);
      waiter.isReleased = true;
      if (writesOnRelease) this.write();
    });
  }

  endTurn(): void {
    for (const work of this.#turns.splice(0)) work();
  }

  /** @returns whether there was one */
  endSync(): boolean {
    const sync = this.#syncs.shift();
    if (!sync) return false;
    this.#onDisk = Math.max(this.#onDisk, sync.covers);
    sync.done();
    return true;
  }

  compare(): void {
    expect(this.#syncs.length, 'syncs at a time').toBeLessThanOrEqual(1);
    expect(this.#gate.settled).toBeLessThanOrEqual(this.#onDisk);
    for (const { needs, isReleased } of this.#waiting)
      if (needs <= this.#gate.settled) expect(isReleased, 'who waits for what is on disk').toBe(true);
  }

  /** Nobody writes or asks any more. */
  expectDone(): void {
    do this.endTurn();
    while (this.endSync());
    this.compare();
    expect(this.#gate.settled, 'writes on disk').toBe(this.#written);
  }
}

const act = actsOn<Disk>();

it('holds back who tells of a write until it is on disk, and no longer', () => {
  const write = act('write', NOTHING, (disk) => disk.write());
  holdsInAnyOrder<Disk>({
    begin: () => new Disk(),
    acts: [
      ...[write, write],
      act('wait', fc.boolean(), (disk, writes) => disk.wait(writes)),
      act('end the turn', NOTHING, (disk) => disk.endTurn()),
      act('end a sync', NOTHING, (disk) => void disk.endSync()),
    ],
    compare: (disk) => disk.compare(),
    end: (disk) => disk.expectDone(),
    most: 20,
    runs: 300,
  });
});
