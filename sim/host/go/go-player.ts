/**
 * Does to JavaScript what a Go program has done, by its tape, in place of the program: whoever calls it finds the same, and its
 * values come to be the same, with the same identities. Each value and each time of a call is held against the tape.
 */
import { type GoTape, OP, TapeDiffers } from './go-tape.ts';
import type { GoTimeouts } from './go-timeouts.ts';
import type { GoValues } from './go-values.ts';

export interface PlayerHost {
  readonly values: GoValues;
  readonly timeouts: GoTimeouts;
  elapsedMs(): number;
  /** So much chance is gone. */
  draw(bytes: number): void;
  started(): void;
  /** So many of its timers wait. */
  holdsTimers(count: number): void;
  exited(code: number): void;
  print(descriptor: number, bytes: Uint8Array): void;
}

type Play = () => void;
const encoder = new TextEncoder();

export class GoPlayer {
  readonly #tape: GoTape;
  readonly #host: PlayerHost;
  readonly #plays: readonly (Play | undefined)[];

  constructor(tape: GoTape, host: PlayerHost) {
    this.#tape = tape;
    this.#host = host;
    const plays: (Play | undefined)[] = [];
    for (const [op, play] of [...this.#ofValues(), ...this.#ofHost()]) plays[op] = play;
    this.#plays = plays;
  }

  /** From one entry into the program to where it comes back. @throws TapeDiffers */
  play(): void {
    const tape = this.#tape;
    tape.expect('what a turn begins with', OP.enter);
    tape.expect('the time of a turn', this.#host.elapsedMs());
    for (let op = tape.read(); op !== OP.leave; op = tape.read()) this.#plays[op]?.();
  }

  #reference(): unknown {
    return this.#tape.readReference((id) => this.#host.values.heldAs(id));
  }

  #references(): unknown[] {
    return Array.from({ length: this.#tape.read() }, () => this.#reference());
  }

  #gave(value: unknown): void {
    this.#tape.expect('the identity of a value', this.#host.values.retain(value));
  }

  #outcome(act: () => unknown): void {
    this.#gave(outcomeOf(act).value);
  }

  #ofValues(): readonly (readonly [number, Play])[] {
    const tape = this.#tape;
    const target = (): object => this.#reference() as object;
    return [
      [OP.text, () => this.#gave(tape.readText())],
      [OP.get, () => this.#gave(Reflect.get(target(), tape.readText()))],
      [OP.set, () => void Reflect.set(target(), tape.readText(), this.#reference())],
      [OP.delete, () => void Reflect.deleteProperty(target(), tape.readText())],
      [OP.index, () => this.#gave(Reflect.get(target(), tape.read()))],
      [OP.setIndex, () => void Reflect.set(target(), tape.read(), this.#reference())],
      [OP.call, () => this.#call(target(), tape.readText(), this.#references())],
      [OP.invoke, () => this.#invoke(this.#reference(), this.#references())],
      [OP.construct, () => this.#construct(this.#reference(), this.#references())],
      [OP.prepare, () => this.#gave(encoder.encode(String(this.#reference())))],
      [OP.release, () => this.#host.values.release(tape.read())],
      [OP.copy, () => (this.#reference() as Uint8Array).set(tape.readBytes())],
    ];
  }

  #call(of: object, name: string, args: unknown[]): void {
    this.#outcome(() => Reflect.apply(Reflect.get(of, name) as () => unknown, of, args));
  }

  #invoke(of: unknown, args: unknown[]): void {
    this.#outcome(() => Reflect.apply(of as () => unknown, undefined, args));
  }

  #construct(of: unknown, args: unknown[]): void {
    this.#outcome(() => Reflect.construct(of as new () => object, args) as unknown);
  }

  #ofHost(): readonly (readonly [number, Play])[] {
    const [tape, host] = [this.#tape, this.#host];
    return [
      [OP.timeout, () => void host.timeouts.schedule(tape.read())],
      [OP.clearTimeout, () => host.timeouts.clear(tape.read())],
      [OP.chance, () => host.draw(tape.read())],
      [OP.print, () => host.print(tape.read(), tape.readBytes())],
      [OP.started, () => host.started()],
      [OP.exit, () => host.exited(tape.read())],
      [OP.timers, () => host.holdsTimers(tape.read())],
    ];
  }
}

/** What was thrown is a result of its own kind. */
export function outcomeOf(act: () => unknown): { readonly value: unknown; readonly isDone: boolean } {
  try {
    return { value: act(), isDone: true };
  } catch (error) {
    if (error instanceof TapeDiffers) throw error;
    return { value: error, isDone: false };
  }
}
