/**
 * How fast nodes get their taints in each zone, against plain counts: nodes come, go, move, fall silent and come back in
 * any order, and after each look every zone has the rate of its state of now, whatever it had before.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';
import { TaintPace } from './taint-pace.ts';
import { Disruption, NORMAL_PER_SECOND, ZoneCensus } from './zone-disruption.ts';

const NODES = ['a', 'b', 'c', 'd', 'e'] as const;
const ZONES = ['x', 'y'] as const;

interface Known {
  readonly zone: string;
  readonly isReady: boolean;
}

class World {
  readonly #nodes = new Map<string, Known>();
  readonly #census = new ZoneCensus();
  readonly #disruption = new Disruption();
  readonly #pace = new TaintPace();
  /** As they were told. */
  readonly #rates = new Map<string, number>(ZONES.map((zone) => [zone, NORMAL_PER_SECOND]));
  /** Who waits for a taint, and where. */
  readonly #waiting = new Map<string, string>();
  readonly #lastAt = new Map<string, number>();
  #now = 1_000;

  constructor() {
    // A zone whose last node goes is forgotten, with what it was: here each keeps one, called as itself.
    for (const zone of ZONES) this.set(zone, { zone, isReady: true });
    this.look();
  }

  set(node: string, known: Known): void {
    this.#nodes.set(node, known);
    this.#census.set(node, known.zone, known.isReady);
    if (known.isReady) this.drop(node);
    else if (!this.#waiting.has(node)) {
      this.#waiting.set(node, known.zone);
      this.#pace.add(node, known.zone);
    }
  }

  remove(node: string): void {
    this.#nodes.delete(node);
    this.#census.remove(node);
    this.drop(node);
  }

  drop(node: string): void {
    this.#waiting.delete(node);
    this.#pace.drop(node);
  }

  look(): void {
    const before = this.#wanted;
    const turn = this.#disruption.judge(this.#census.zones);
    if (turn.kind !== 'same') {
      for (const [zone, rate] of turn.rates) this.#rates.set(zone, rate);
      this.#pace.setRates(turn.rates, seconds(this.#now));
    }
    for (const [zone, rate] of before) expect(this.#rates.get(zone), zone).toBe(rate);
  }

  pass(span: number): void {
    for (let second = 0; second < span; second++) {
      this.#now++;
      for (const node of this.#pace.takeDue(seconds(this.#now))) {
        const zone = this.#waiting.get(node) ?? 'nowhere';
        const rate = this.#rates.get(zone) ?? 0;
        expect(rate, `${node} in ${zone}`).toBeGreaterThan(0);
        expect(this.#now - (this.#lastAt.get(zone) ?? -Infinity)).toBeGreaterThanOrEqual(10);
        this.#lastAt.set(zone, this.#now);
        this.#waiting.delete(node);
      }
    }
  }

  compare(): void {
    const counts = new Map(
      this.#zones.map((zone) => [
        zone,
        { ready: this.#count(zone, true), unready: this.#count(zone, false) },
      ]),
    );
    expect(new Map(this.#census.zones)).toEqual(counts);
  }

  /** Whoever waits in a zone that is not stopped has a turn. */
  end(): void {
    this.look();
    this.pass(60);
    for (const [node, zone] of this.#waiting) expect(this.#rates.get(zone), `${node} waits`).toBe(0);
  }

  get #zones(): readonly string[] {
    return ZONES.filter((zone) => [...this.#nodes.values()].some((node) => node.zone === zone));
  }

  #count(zone: string, isReady: boolean): number {
    return [...this.#nodes.values()].filter((node) => node.zone === zone && node.isReady === isReady).length;
  }

  /** By the documentation: nothing while no node at all is ready; small zones stop when most of them are not. */
  get #wanted(): readonly (readonly [string, number])[] {
    const isTotal = this.#zones.every((zone) => this.#count(zone, true) === 0);
    return this.#zones.map((zone) => {
      const [ready, unready] = [this.#count(zone, true), this.#count(zone, false)];
      const isPartial = ready > 0 && unready > 2 && unready / (ready + unready) >= 0.55;
      return [zone, isTotal || isPartial ? 0 : NORMAL_PER_SECOND];
    });
  }
}

const node = fc.constantFrom(...NODES);
const known = fc.record({ zone: fc.constantFrom('x', 'x', 'y'), isReady: fc.boolean() });
const act = actsOn<World>();

it('has the rate of its state of now in every zone, and nobody waits in vain', () => {
  holdsInAnyOrder({
    begin: () => new World(),
    acts: [
      act('set', fc.tuple(node, known), (world, [of, as]) => world.set(of, as)),
      act('set', fc.tuple(node, known), (world, [of, as]) => world.set(of, as)),
      act('turn', fc.tuple(fc.constantFrom(...ZONES), fc.boolean()), (world, [zone, isReady]) =>
        world.set(zone, { zone, isReady }),
      ),
      act('all', fc.tuple(fc.constantFrom(...ZONES), fc.boolean()), (world, [zone, isReady]) =>
        [zone, ...NODES.slice(0, 4)].forEach((of) => world.set(of, { zone, isReady })),
      ),
      act('remove', node, (world, of) => world.remove(of)),
      act('look', NOTHING, (world) => world.look()),
      act('look', NOTHING, (world) => world.look()),
      act('pass', fc.integer({ min: 1, max: 15 }), (world, span) => world.pass(span)),
    ],
    compare: (world) => world.compare(),
    end: (world) => world.end(),
    most: 30,
    runs: 300,
  });
});
