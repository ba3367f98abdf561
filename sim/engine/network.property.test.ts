/**
 * Two actors with connections between them and timers, while links are partitioned and held, become slower and quicker,
 * and the actors are paused, crash (with and without power) and start again: every message arrives once and in order, when
 * its link lets it pass and then its actor is awake; a timer rings when it is due, or when its actor wakes up; who loses
 * power tells nobody before somebody asks. Both beside a list of what is on its way.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder, NOTHING } from './any-order.arbitrary.ts';
import type { Actor } from './actor.ts';
import { ConnectionError, type Connection } from './connection.ts';
import { definePort } from './port.ts';
import type { Process } from './process.ts';
import { Simulation } from './simulation.ts';
import { milliseconds } from './time.ts';

const PORT = definePort<number, number>('numbers');
const NAMES = ['a', 'b'] as const;
type Name = (typeof NAMES)[number];

const otherThan = (name: Name): Name => (name === 'a' ? 'b' : 'a');

/** What comes to an actor: over a connection, or of its own clock. */
interface Coming {
  readonly to: Name;
  readonly dueMs: number;
  /** Over which connection; undefined: a timer. */
  readonly line?: Line;
  /** `reset`: the other end is gone. */
  readonly what: number | 'reset' | 'end';
}

/** A connection as the model sees it. */
interface Line {
  readonly ends: Record<Name, Connection<number, number>>;
  readonly isOpen: Record<Name, boolean>;
  /** Of the last message to that end. */
  readonly lastDueMs: Record<Name, number>;
}

interface Side {
  readonly actor: Actor;
  /** What its side heard, and should have heard. */
  readonly heard: string[];
  readonly wanted: string[];
  state: 'running' | 'paused' | 'crashed' | 'powerless';
  /** Has come while it was paused. */
  waiting: Coming[];
  /** Of the link to it. */
  link: 'healthy' | 'partitioned' | 'held';
  latencyMs: number;
  parked: Coming[];
}

class World {
  readonly #simulation = new Simulation({
    seed: 1,
    latency: { min: milliseconds(2), typical: milliseconds(2), max: milliseconds(2) },
  });
  #accepted: Connection<number, number> | undefined;
  readonly #sides: Record<Name, Side>;
  readonly #lines: Line[] = [];
  #coming: Coming[] = [];
  #nowMs = 0;
  #count = 0;

  constructor() {
    const sideOf = (name: Name): Side => ({
      actor: this.#simulation.actor(name, {
        start: (context) => {
          const accept = (connection: Connection<number, number>): Process<void> => {
            this.#accepted = connection;
            return this.#hear(name, connection);
          };
          context.listen(PORT, accept);
        },
      }),
      ...{ heard: [], wanted: [], state: 'running', waiting: [], link: 'healthy', latencyMs: 2, parked: [] },
    });
    this.#sides = { a: sideOf('a'), b: sideOf('b') };
    this.open('a');
    this.open('b');
  }

  *#hear(name: Name, connection: Connection<number, number>): Process<void> {
    const { heard } = this.#sides[name];
    try {
      yield* connection.consume((message) => void heard.push(String(message)));
      if (connection.state === 'ended') heard.push('end');
    } catch (error) {
      if (!(error instanceof ConnectionError)) throw error;
      heard.push(error.kind);
    }
  }

  /** All goes well while somebody connects. */
  open(from: Name): void {
    for (const name of NAMES) {
      this.wake(name);
      this.start(name);
      this.repair(name, 'partitioned');
      this.repair(name, 'held');
    }
    this.pass(12);
    const { actor } = this.#sides[from];
    const to = otherThan(from);
    const task = actor.spawn('dial', (context) => context.dial({ actor: to, port: PORT }));
    const spent = this.#sides.a.latencyMs + this.#sides.b.latencyMs;
    this.pass(spent);
    const dialled = task.result();
    actor.spawn('hear', () => this.#hear(from, dialled));
    const accepted = this.#accepted as Connection<number, number>;
    const ends = from === 'a' ? { a: dialled, b: accepted } : { a: accepted, b: dialled };
    this.pass(1);
    this.#lines.push({ ends, isOpen: { a: true, b: true }, lastDueMs: { a: 0, b: 0 } });
  }

  send(from: Name, pick: number): void {
    const line = this.#lines[pick % this.#lines.length];
    if (!line) return;
    const number = (this.#count += 1);
    expect(line.ends[from].send(number)).toBe(line.isOpen[from]);
    if (line.isOpen[from]) this.#carry(line, otherThan(from), number);
  }

  close(from: Name, pick: number): void {
    const line = this.#lines[pick % this.#lines.length];
    if (!line) return;
    line.ends[from].close();
    if (line.isOpen[from]) this.#carry(line, otherThan(from), 'end');
    line.isOpen[from] = false;
  }

  #carry(line: Line, to: Name, what: Coming['what']): void {
    const dueMs = Math.max(this.#nowMs + this.#sides[to].latencyMs, line.lastDueMs[to]);
    line.lastDueMs[to] = dueMs;
    this.#coming.push({ to, dueMs, line, what });
  }

  alarm(name: Name, afterMs: number): void {
    const { actor, heard, state } = this.#sides[name];
    const number = (this.#count += 1);
    actor.context.alarm(milliseconds(afterMs), () => void heard.push(`rings ${number}`));
    if (state !== 'crashed' && state !== 'powerless')
      this.#coming.push({ to: name, dueMs: this.#nowMs + afterMs, what: number });
  }

  pause(name: Name): void {
    const side = this.#sides[name];
    side.actor.pause();
    if (side.state === 'running') side.state = 'paused';
  }

  wake(name: Name): void {
    const side = this.#sides[name];
    side.actor.resume();
    if (side.state === 'paused') side.state = 'running';
  }

  crash(name: Name, isSilent: boolean): void {
    const side = this.#sides[name];
    side.actor.crash({ isSilent });
    if (side.state === 'crashed' || side.state === 'powerless') return;
    side.state = isSilent ? 'powerless' : 'crashed';
    const isOwnTimer = ({ to, line }: Coming): boolean => to === name && line === undefined;
    this.#coming = this.#coming.filter((each) => !isOwnTimer(each));
    side.waiting = side.waiting.filter((each) => !isOwnTimer(each));
    for (const line of this.#lines) {
      if (line.isOpen[name] && !isSilent) this.#carry(line, otherThan(name), 'reset');
      line.isOpen[name] = false;
    }
  }

  start(name: Name): void {
    const side = this.#sides[name];
    if (side.state !== 'crashed' && side.state !== 'powerless') return;
    side.actor.restart();
    side.state = 'running';
  }

  breakLink(name: Name, how: 'partitioned' | 'held'): void {
    const { network } = this.#simulation;
    network[how === 'held' ? 'hold' : 'partition'](otherThan(name), name, 'forth');
    this.#sides[name].link = how;
  }

  repair(name: Name, how: 'partitioned' | 'held'): void {
    const { network } = this.#simulation;
    network[how === 'held' ? 'release' : 'heal'](otherThan(name), name, 'forth');
    const side = this.#sides[name];
    if (side.link === how) side.link = 'healthy';
    if (side.link !== 'healthy') return;
    // What has passed does not come back, whatever befalls the link now.
    side.waiting.push(...side.parked.splice(0));
  }

  slow(name: Name, latencyMs: number): void {
    const [min, typical, max] = [latencyMs, latencyMs, latencyMs].map(milliseconds);
    if (min === undefined || typical === undefined || max === undefined) return;
    this.#simulation.network.setLatency(otherThan(name), name, { min, typical, max }, 'forth');
    this.#sides[name].latencyMs = latencyMs;
  }

  pass(ms: number): void {
    for (let left = ms; left >= 0; left--) {
      for (const name of NAMES) this.#handOver(name);
      const due = this.#coming.filter(({ dueMs }) => dueMs <= this.#nowMs);
      this.#coming = this.#coming.filter(({ dueMs }) => dueMs > this.#nowMs);
      for (const each of due) this.#arrive(each);
      if (left > 0) this.#nowMs++;
    }
    this.#simulation.runFor(milliseconds(ms));
  }

  #handOver(name: Name): void {
    const side = this.#sides[name];
    if (side.state === 'paused') return;
    for (const each of side.waiting.splice(0)) this.#happen(each);
  }

  #arrive(each: Coming): void {
    const side = this.#sides[each.to];
    if (each.line && side.link !== 'healthy') side.parked.push(each);
    else if (side.state === 'paused') side.waiting.push(each);
    else this.#happen(each);
  }

  #happen({ to, line, what }: Coming): void {
    const side = this.#sides[to];
    if (!line) side.wanted.push(`rings ${what}`);
    else if (line.isOpen[to]) {
      side.wanted.push(String(what));
      if (typeof what === 'string') line.isOpen[to] = false;
    } else if (typeof what === 'number' && side.state !== 'powerless')
      this.#carry(line, otherThan(to), 'reset');
  }

  compare(): void {
    for (const name of NAMES) expect(this.#sides[name].heard, name).toEqual(this.#sides[name].wanted);
  }

  end(): void {
    for (const name of NAMES) {
      this.wake(name);
      this.repair(name, 'partitioned');
      this.repair(name, 'held');
    }
    this.pass(60);
    this.compare();
  }
}

const act = actsOn<World>();
const name = fc.constantFrom(...NAMES);
const fault = fc.constantFrom('partitioned' as const, 'held' as const);
const send = act('send', fc.tuple(name, fc.nat(3)), (world, drawn) => world.send(...drawn));
const pass = act('pass', fc.nat(6), (world, ms) => world.pass(ms));
const sleepAndWake = [
  act('pause', name, (world, drawn) => world.pause(drawn)),
  act('wake', name, (world, drawn) => world.wake(drawn)),
];
const links = [
  act('break', fc.tuple(name, fault), (world, drawn) => world.breakLink(...drawn)),
  act('repair', fc.tuple(name, fault), (world, drawn) => world.repair(...drawn)),
];

const alarm = act('alarm', fc.tuple(name, fc.nat(8)), (world, drawn) => world.alarm(...drawn));
const slow = act('slow', fc.tuple(name, fc.constantFrom(1, 3, 10)), (world, drawn) => world.slow(...drawn));
/** Awake for no time at all. */
const blink = act('blink', name, (world, drawn) => {
  world.wake(drawn);
  world.pause(drawn);
});

it('brings every message once, in order, when it can', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [send, send, send, pass, pass, ...sleepAndWake, ...links, alarm, slow, blink],
    compare: (world) => world.compare(),
    end: (world) => world.end(),
    most: 40,
    runs: 60,
  });
});

it('tells who is left alone, and nobody of former lives', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[send, send, send, pass, pass, pass],
      ...[...sleepAndWake, ...links, alarm, slow],
      act('crash', fc.tuple(name, fc.boolean()), (world, drawn) => world.crash(...drawn)),
      act('start', name, (world, drawn) => world.start(drawn)),
      act('open', name, (world, drawn) => world.open(drawn)),
      act('close', fc.tuple(name, fc.nat(3)), (world, drawn) => world.close(...drawn)),
      act('quiet', NOTHING, (world) => world.pass(30)),
    ],
    compare: (world) => world.compare(),
    end: (world) => world.end(),
    most: 40,
    runs: 60,
    hasSomeOnly: true,
  });
});
