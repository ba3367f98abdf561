/**
 * What the platform knows a guest's life by. It notes whose code made a promise, a module or a reader of HTTP, and keeps some
 * of them for good; a shadow leads to its life, and to the whole cluster around that, only as long as somebody else knows
 * it. Code that goes on all the same after that is nobody's turn.
 */
import type { Agent } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Ambience } from './ambience.ts';
import { GuestClock } from './guest-clock.ts';
import { OutsideTurn } from './verdicts.ts';

export class Shadow {
  readonly #life: WeakRef<Ambience>;
  readonly #ended: Ambience;

  constructor(life: Ambience) {
    this.#life = new WeakRef(life);
    this.#ended = new EndedLife(life.name, life.key);
  }

  get life(): Ambience {
    return this.#life.deref() ?? this.#ended;
  }
}

/** Stands for a life that nobody knows any more: nothing can be done in it. */
class EndedLife implements Ambience {
  readonly name: string;
  readonly key: string;
  readonly token = '';
  readonly timeOrigin = 0;
  readonly elapsedMs = 0;

  constructor(name: string, key: string) {
    this.name = name;
    this.key = key;
  }

  get timers() {
    return new GuestClock({ wallMs: 0, elapsedMs: 0 }).timers;
  }

  connect(): Duplex {
    throw this.escapes('opened a socket');
  }

  ask(): () => void {
    throw this.escapes('asked for something');
  }

  checkTurn(what: string): void {
    throw this.escapes(`used ${what}`);
  }

  escapes(what: string): Error {
    return new OutsideTurn(`${this.name} went on after its end: it ${what}`);
  }

  exits(how: string): Error {
    return this.escapes(`called ${how}`);
  }

  random(): number {
    throw this.escapes('drew a number');
  }

  uuid(): string {
    throw this.escapes('drew a uuid');
  }

  fillRandomly(): void {
    throw this.escapes('drew bytes');
  }

  holdsTimers(_count: number): void {}
  usesAgent(_agent: Agent): void {}
  kept(): void {}
  continuedBy(): void {}
}
