/**
 * Who waits for writes to be on disk, beside the list of all writes, in any order of writes, ends of turns and ends of
 * syncs; and a watch that tells of each write: nobody goes on before a sync that began after his writes has ended, and nobody waits once nothing is under way.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { type ApiResponse, QueryParameters, type ResponseStream } from '../../apiserver/request/request.ts';
import { Defects } from '../defects.ts';
import { heldBack } from './held-back.ts';
import { SyncGate } from './sync-gate.ts';

const defects = new Defects((error) => {
  throw error;
});

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

  /** Of each write the watch tells with a piece of its own, which is the number of the write. */
  readonly #pieces: number[] = [];
  readonly #told: number[] = [];
  #tellsWatch: () => void = () => undefined;

  constructor() {
    this.#openWatch();
  }

  #openWatch(): void {
    const stream: ResponseStream = {
      subscribe: (onReady) => {
        this.#tellsWatch = onReady;
      },
      read: () => {
        const piece = this.#pieces.shift();
        return piece === undefined ? undefined : Uint8Array.of(piece);
      },
      ended: false,
      close: () => undefined,
    };
    const opened: ApiResponse[] = [];
    const answer: ApiResponse = { status: 200, headers: [], body: { kind: 'stream', stream } };
    const handle = heldBack(this.#gate, (_request, respond) => respond(answer), defects);
    const request = {
      method: 'GET',
      path: '/',
      query: QueryParameters.parse(''),
      headers: {},
      wire: true,
    } as const;
    handle(
      request,
      (response) => opened.push(response),
      () => undefined,
    );
    const [body] = opened.map((response) => response.body);
    if (body?.kind !== 'stream') throw new Error('a watch is answered with a stream');
    body.stream.subscribe(() => this.#read(body.stream));
  }

  /** As whoever listens does: until there is nothing. */
  #read(stream: ResponseStream): void {
    for (let piece = stream.read(); piece !== undefined; piece = stream.read()) {
      const [number = 0] = piece as Uint8Array;
      expect(this.#onDisk, 'writes on disk before a watch tells of one').toBeGreaterThanOrEqual(number);
      this.#told.push(number);
    }
  }

  write(): void {
    this.#written++;
    this.#gate.noteWrite();
    this.#pieces.push(this.#written);
    this.#tellsWatch();
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
    expect(this.#told, 'what the watch has told').toEqual(
      Array.from({ length: this.#written }, (_, index) => index + 1),
    );
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
