/**
 * Faults of links, lives and clocks in any order and over one another, beside what is said of each: whom a name means, whom
 * it spares, which direction it has, and that its end leaves nothing of it behind. What flaps goes on until it is steady, and
 * whoever keeps a process going leaves it to faults once they have ended or started it.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder, NOTHING } from '../engine/any-order.arbitrary.ts';
import { Simulation } from '../engine/simulation.ts';
import { Supervisor } from '../engine/supervisor.ts';
import { milliseconds } from '../engine/time.ts';
import { MemoryStorage } from '../storage/memory-storage.ts';
import { Faults, type LinkFault } from './faults.ts';
import { ManagerNames } from './manager-names.ts';
import { RequestFaults } from './request-faults.ts';

const MANAGER = 'controller-manager/0';
const ACTORS = ['apiserver/0', 'apiserver/1', MANAGER, 'node/w1', 'node/w2', 'node/w3', 'user/test'] as const;
/** What each name means. */
const MEANING: Readonly<Record<string, readonly string[]>> = {
  ...Object.fromEntries(ACTORS.map((actor) => [actor, [actor]])),
  w2: ['node/w2'],
  'node/*': ['node/w1', 'node/w2', 'node/w3'],
  'zone/a': ['node/w1', 'node/w3'],
  'apiserver/*': ['apiserver/0', 'apiserver/1'],
};
const meant = (name: string): readonly string[] => MEANING[name] ?? [];
const SLOW = { min: milliseconds(5), typical: milliseconds(6), max: milliseconds(7) };

type State = 'healthy' | 'partitioned' | 'held';

interface Flap {
  readonly actor: string;
  readonly fault: LinkFault;
  readonly down: number;
  readonly up: number;
  isDown: boolean;
  dueMs: number;
  /** Of two that are due at once the one that was planned before comes first. */
  planned: number;
}

class World {
  readonly simulation = new Simulation({ seed: 1 });
  readonly faults: Faults;
  readonly #supervisor: Supervisor;
  readonly #states = new Map<string, State>();
  readonly #slow = new Set<string>();
  readonly #lives = new Map<string, 'running' | 'crashed' | 'paused'>(
    ACTORS.map((actor) => [actor, 'running']),
  );
  readonly #jumpedMs = new Map<string, number>();
  readonly #flaps = new Map<string, Flap>();
  #plans = 0;
  #nowMs = 0;
  #exits = 0;
  /** When the manager is started again by itself. */
  #startsAtMs: number | undefined;

  constructor() {
    for (const actor of ACTORS) this.simulation.actor(actor);
    this.faults = new Faults(this.simulation, {
      agentsOfZone: (zone) => meant(`zone/${zone}`),
      zones: ['a'],
      requestFaults: new RequestFaults(() => true),
      managers: new ManagerNames({ controllerManagers: [], schedulers: [] }, new MemoryStorage()),
      serverCalled: () => undefined,
      agentCalled: () => undefined,
      members: undefined,
    });
    this.#supervisor = new Supervisor(this.simulation, this.#actor(MANAGER));
    this.faults.supervise(MANAGER, this.#supervisor);
  }

  partition(actor: string, fault: LinkFault): void {
    this.faults.partition(actor, fault);
    this.#partition(actor, fault);
  }

  heal(actor: string, fault: LinkFault): void {
    this.faults.heal(actor, fault);
    this.#heal(actor, fault);
  }

  hold(actor: string, fault: LinkFault): void {
    this.faults.hold(actor, fault);
    for (const link of touched(actor, fault, 'spares users')) this.#states.set(link, 'held');
  }

  release(actor: string, fault: LinkFault): void {
    this.faults.release(actor, fault);
    this.#end('held', actor, fault);
  }

  slow(actor: string, fault: LinkFault): void {
    this.faults.setLatency(actor, SLOW, fault);
    for (const link of touched(actor, fault, 'spares users')) this.#slow.add(link);
  }

  hurry(actor: string, fault: LinkFault): void {
    this.faults.resetLatency(actor, fault);
    for (const link of touched(actor, fault)) this.#slow.delete(link);
  }

  flap(actor: string, fault: LinkFault, down: number, up: number): void {
    this.faults.flap(actor, { down: milliseconds(down), up: milliseconds(up) }, fault);
    this.#partition(actor, fault);
    const dueMs = this.#nowMs + down;
    const flap = { actor, fault, down, up, isDown: true, dueMs, planned: this.#plans++ };
    this.#flaps.set(keyOf(actor, fault), flap);
  }

  /** Of one that flaps, if any does. */
  steadyOne(at: number): void {
    const flap = this.#flapAt(at);
    if (flap) this.steady(flap.actor, flap.fault);
  }

  flapOtherwise(at: number, down: number, up: number): void {
    const flap = this.#flapAt(at);
    if (flap) this.flap(flap.actor, flap.fault, down, up);
  }

  steady(actor: string, fault: LinkFault): void {
    this.faults.steady(actor, fault);
    this.#flaps.delete(keyOf(actor, fault));
    this.#heal(actor, fault);
  }

  crash(name: string): void {
    this.faults.crash(name);
    for (const actor of meant(name)) {
      this.#lives.set(actor, 'crashed');
      if (actor === MANAGER) this.#startsAtMs = undefined;
    }
  }

  restart(name: string): void {
    const ended = meant(name).filter((actor) => this.#lives.get(actor) === 'crashed');
    if (meant(name).length === 1 && ended.length === 0) return;
    this.faults.restart(name);
    for (const actor of ended) this.#lives.set(actor, 'running');
    if (ended.includes(MANAGER)) this.#startsAtMs = undefined;
  }

  pause(name: string): void {
    this.faults.pause(name);
    this.#change(name, 'running', 'paused');
  }

  resume(name: string): void {
    this.faults.resume(name);
    this.#change(name, 'paused', 'running');
  }

  jump(name: string, byMs: number): void {
    this.faults.jumpClock(name, milliseconds(byMs));
    for (const actor of meant(name)) this.#jumpedMs.set(actor, (this.#jumpedMs.get(actor) ?? 0) + byMs);
  }

  /** The manager ends by itself. */
  exit(): void {
    if (this.#lives.get(MANAGER) !== 'running') return;
    this.#supervisor.exit();
    this.#startsAtMs =
      this.#nowMs + (this.#exits === 0 ? 1_000 : Math.min(300_000, 5_000 * 2 ** this.#exits));
    this.#exits++;
    this.#lives.set(MANAGER, 'crashed');
  }

  pass(ms: number): void {
    this.simulation.runFor(milliseconds(ms));
    const until = this.#nowMs + ms;
    for (let next = this.#next(until); next; next = this.#next(until)) this.#turn(next);
    this.#nowMs = until;
    if (this.#startsAtMs === undefined || this.#startsAtMs > until) return;
    this.#startsAtMs = undefined;
    this.#lives.set(MANAGER, 'running');
  }

  compare(): void {
    const { network } = this.simulation;
    for (const from of ACTORS)
      for (const to of ACTORS) {
        if (from === to) continue;
        const { state, latency } = network.linkBetween(from, to);
        const link = `${from}>${to}`;
        const [should, shouldBeSlow] = [this.#states.get(link) ?? 'healthy', this.#slow.has(link)];
        if (state !== should) expect(state, link).toBe(should);
        if ((latency.min === SLOW.min) !== shouldBeSlow)
          expect(latency, `${link}, slow: ${shouldBeSlow}`).toBe(0);
      }
    for (const name of ACTORS) {
      const actor = this.#actor(name);
      if (actor.state !== this.#lives.get(name)) expect(actor.state, name).toBe(this.#lives.get(name));
      if (actor.state === 'crashed') continue;
      const jumped = actor.context.wallMs() - this.simulation.epochMs - this.#nowMs;
      const should = this.#jumpedMs.get(name) ?? 0;
      if (jumped !== should) expect(jumped, `the clock of ${name}`).toBe(should);
    }
  }

  #actor(name: string) {
    return this.faults.actor(name);
  }

  #partition(actor: string, fault: LinkFault): void {
    for (const link of touched(actor, fault, 'spares users')) this.#states.set(link, 'partitioned');
  }

  #heal(actor: string, fault: LinkFault): void {
    this.#end('partitioned', actor, fault);
  }

  #end(state: State, actor: string, fault: LinkFault): void {
    for (const link of touched(actor, fault)) if (this.#states.get(link) === state) this.#states.delete(link);
  }

  #flapAt(at: number): Flap | undefined {
    return [...this.#flaps.values()][at % this.#flaps.size];
  }

  #change(name: string, from: 'running' | 'paused', to: 'running' | 'paused'): void {
    for (const actor of meant(name)) if (this.#lives.get(actor) === from) this.#lives.set(actor, to);
  }

  #next(untilMs: number): Flap | undefined {
    const due = [...this.#flaps.values()].filter(({ dueMs }) => dueMs <= untilMs);
    return due.toSorted((a, b) => a.dueMs - b.dueMs || a.planned - b.planned)[0];
  }

  #turn(flap: Flap): void {
    flap.isDown = !flap.isDown;
    if (flap.isDown) this.#partition(flap.actor, flap.fault);
    else this.#heal(flap.actor, flap.fault);
    flap.dueMs += flap.isDown ? flap.down : flap.up;
    flap.planned = this.#plans++;
  }
}

const keyOf = (actor: string, { from, way = 'both' }: LinkFault): string => `${actor} ${from} ${way}`;

/** What a fault of links is about, each direction by itself. */
function touched(name: string, { from, way = 'both' }: LinkFault, users?: 'spares users'): readonly string[] {
  const ones = meant(name);
  const everybody = ACTORS.filter((actor) => !(users && actor.startsWith('user/')));
  // Who shares a fate with others still reaches them.
  const others = from === undefined ? everybody.filter((actor) => !ones.includes(actor)) : meant(from);
  return ones.flatMap((one) =>
    others
      .filter((other) => other !== one)
      .flatMap((other) => [
        ...(way === 'back' ? [] : [`${one}>${other}`]),
        ...(way === 'forth' ? [] : [`${other}>${one}`]),
      ]),
  );
}

const name = fc.constantFrom(...Object.keys(MEANING));
const fault = fc
  .record({
    from: fc.option(name, { nil: undefined }),
    way: fc.constantFrom(undefined, 'forth' as const, 'back' as const),
  })
  .map(({ from, way }): LinkFault => ({ ...(from !== undefined && { from }), ...(way && { way }) }));
const link = fc.tuple(name, fault);
const lasts = fc.constantFrom(300, 500, 700);
const act = actsOn<World>();
const pass = act('pass', fc.constantFrom(1, 200, 500, 1_000, 30_000), (world, ms) => world.pass(ms));

it('of links are between whom they say, one way or both, and leave nothing behind', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[pass, pass, pass],
      act('partition', link, (world, drawn) => world.partition(...drawn)),
      act('heal', link, (world, drawn) => world.heal(...drawn)),
      act('hold', link, (world, drawn) => world.hold(...drawn)),
      act('release', link, (world, drawn) => world.release(...drawn)),
      act('slow', link, (world, drawn) => world.slow(...drawn)),
      act('hurry', link, (world, drawn) => world.hurry(...drawn)),
      act('flap', fc.tuple(name, fault, lasts, lasts), (world, drawn) => world.flap(...drawn)),
      act('flap otherwise', fc.tuple(fc.nat(5), lasts, lasts), (world, drawn) =>
        world.flapOtherwise(...drawn),
      ),
      act('steady one', fc.nat(5), (world, at) => world.steadyOne(at)),
      act('steady', link, (world, drawn) => world.steady(...drawn)),
    ],
    compare: (world) => world.compare(),
    most: 25,
    runs: 300,
    hasSomeOnly: true,
  });
});

it('of lives and clocks are whose they say, and nobody undoes them', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      pass,
      act('crash', name, (world, of) => world.crash(of)),
      act('restart', name, (world, of) => world.restart(of)),
      act('pause', name, (world, of) => world.pause(of)),
      act('resume', name, (world, of) => world.resume(of)),
      act('jump', fc.tuple(name, fc.constantFrom(-5_000, 7_000)), (world, drawn) => world.jump(...drawn)),
      act('exit', NOTHING, (world) => world.exit()),
      act('crash after an exit', NOTHING, (world) => {
        world.exit();
        world.crash(MANAGER);
      }),
    ],
    compare: (world) => world.compare(),
    most: 25,
    runs: 200,
    hasSomeOnly: true,
  });
});
