/**
 * A line to a server in any order of calls, answers, watches and silences, beside the list of all that was asked and heard:
 * a server counts as silent once something has waited 45 seconds for it, whatever was asked since; its watches are given up
 * no later than that after it was heard last, and never while it answers.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder, NOTHING } from '../engine/any-order.arbitrary.ts';
import { Simulation } from '../engine/simulation.ts';
import { milliseconds, seconds } from '../engine/time.ts';
import { Line, type LineStream } from './line.ts';

const PATIENCE_S = 45;
const ROUND_TRIP = milliseconds(20);
/** Of alarms and answers that come at one instant. */
const SLACK_S = 0.1;

class Stream implements LineStream {
  readonly hasUnheard = false;
  readonly #world: World;
  isGivenUp = false;
  joinedAt = 0;

  constructor(world: World) {
    this.#world = world;
  }

  ping(): boolean {
    this.#world.send();
    return true;
  }

  giveUp(): void {
    this.isGivenUp = true;
    this.#world.givenUp(this);
  }
}

class World {
  readonly #simulation = new Simulation({ seed: 1 });
  readonly #actor = this.#simulation.actor('client');
  readonly #line = new Line(this.#actor.context, () => this.#dead++);
  readonly #streams = new Set<Stream>();
  #isServerUp = true;
  #heardAt = 0;
  /** Of what was asked and not answered, since it was heard last. */
  #waitingSince: number | undefined;
  #dead = 0;

  get #now(): number {
    return this.#simulation.now / seconds(1);
  }

  send(): void {
    if (!this.#isServerUp) return;
    this.#actor.context.alarm(ROUND_TRIP, () => this.#hear());
  }

  #hear(): void {
    this.#line.heard();
    this.#heardAt = this.#now;
    this.#waitingSince = undefined;
  }

  call(): void {
    this.#line.asked();
    this.#waitingSince ??= this.#now;
    this.send();
  }

  open(): void {
    const stream = new Stream(this);
    stream.joinedAt = this.#now;
    this.#line.join(stream);
    // That it is opened is an answer.
    this.#heardAt = this.#now;
    this.#waitingSince = undefined;
    this.#streams.add(stream);
  }

  close(): void {
    const [stream] = this.#streams;
    if (!stream) return;
    this.#streams.delete(stream);
    this.#line.leave(stream);
  }

  givenUp(stream: Stream): void {
    this.#streams.delete(stream);
    expect(this.#now - this.#heardAt, 'silence before a watch is given up').toBeGreaterThan(
      PATIENCE_S - SLACK_S,
    );
  }

  turn(isUp: boolean): void {
    this.#isServerUp = isUp;
  }

  pass(span: number): void {
    this.#simulation.runFor(milliseconds(span * 1_000));
  }

  compare(): void {
    const waited = this.#now - (this.#waitingSince ?? Infinity);
    if (Math.abs(waited - PATIENCE_S) > SLACK_S)
      expect(this.#line.isSilent, `silent after ${waited} s`).toBe(waited > PATIENCE_S);
    const silence = this.#now - this.#heardAt;
    if (silence > PATIENCE_S + SLACK_S) expect(this.#streams.size, `watches after ${silence} s`).toBe(0);
  }
}

const act = actsOn<World>();

it('finds out a silent server in time, and no other', () => {
  const call = act('call', NOTHING, (world) => world.call());
  const pass = act('pass', fc.constantFrom(0.01, 1, 10, 14, 29, 31, 46), (world, span) => world.pass(span));
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[call, call, pass, pass, pass],
      act('open', NOTHING, (world) => world.open()),
      act('close', NOTHING, (world) => world.close()),
      act('turn', fc.boolean(), (world, isUp) => world.turn(isUp)),
    ],
    compare: (world) => world.compare(),
    most: 30,
    runs: 200,
  });
});
