/**
 * What controllers write on nodes that come and go in any order: a range of addresses for each, which nobody else has, stays
 * with it and is free again when it goes; and how long its agent may keep what it has read, by how many nodes there are.
 *
 * @holds sim/controllers/node-ttl
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Node } from '../../api/types/core-v1.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, TroubledManager } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const NAMES = ['a', 'b', 'c', 'd', 'e'] as const;
const TTL = 'node.alpha.kubernetes.io/ttl';
/** At the first bounds of the documentation: up to 100 nodes 0 s, and down to 90 the 15 s of more. */
const CROWDS = [0, 100] as const;
const LEAVERS = 15;
const [FEWEST_OF_MORE, MOST_OF_FEW] = [90, 100];

class World extends TroubledManager {
  /** Ranges by the uid of the node. */
  readonly #given = new Map<string, string>();

  constructor(crowd: number) {
    super(['node-ipam-controller', 'ttl-controller']);
    for (let number = 0; number < crowd; number++)
      this.cluster.client.nodes.create({
        metadata: { name: `of-the-crowd-${number}` },
        spec: { podCIDR: `10.99.${number}.0/24` },
      });
    this.cluster.advance(seconds(2));
  }

  come(name: string, podCIDR: string | undefined): void {
    const spec = podCIDR === undefined ? {} : { podCIDR, podCIDRs: [podCIDR] };
    tryTo(() => this.cluster.client.nodes.create({ metadata: { name }, spec }));
  }

  go(name: string): void {
    tryTo(() => this.cluster.client.nodes.delete(name));
  }

  /** Many come at once, or go. */
  gather(): void {
    for (let number = 0; number < LEAVERS; number++)
      this.come(`of-the-crowd-${number}`, `10.99.${number}.0/24`);
  }

  disperse(): void {
    for (let number = 0; number < LEAVERS; number++) this.go(`of-the-crowd-${number}`);
  }

  /** Somebody else writes on it. */
  overwrite(name: string, seconds: string | null): void {
    const body = { metadata: { annotations: { [TTL]: seconds } } };
    tryTo(() => this.cluster.client.nodes.patch(name, { type: 'merge', body }));
  }

  get nodes(): readonly Node[] {
    return this.of('Node');
  }

  /** What a node has it keeps. */
  compare(): void {
    for (const { metadata, spec } of this.nodes) {
      const { uid = '', name } = metadata;
      const before = this.#given.get(uid);
      if (before !== undefined) expect(spec?.podCIDR, `the range of ${name ?? ''}`).toBe(before);
      if (spec?.podCIDR) this.#given.set(uid, spec.podCIDR);
    }
  }

  expectNumbered(): void {
    for (const { metadata, spec } of this.nodes)
      expect(spec?.podCIDR, `the range of ${metadata.name ?? ''}`).toBeDefined();
  }

  /** Where nobody has chosen one himself. */
  expectRight(): void {
    this.expectNumbered();
    const ranges = this.nodes.map(({ spec }) => spec?.podCIDR ?? '');
    expect(new Set(ranges).size, `of their own: ${ranges.join()}`).toBe(ranges.length);
    // Nothing is left out below what was ever needed at a time.
    for (const range of ranges.filter((each) => each.startsWith('10.244.')))
      expect(Number(range.split('.')[2]), 'the first that are free').toBeLessThan(2 * NAMES.length);
  }

  /** Whatever a node says is put right at its next change. */
  expectTtl(): void {
    const { length } = this.nodes;
    for (const { metadata } of this.nodes)
      tryTo(() => this.cluster.client.nodes.patch(metadata.name ?? '', touched));
    this.cluster.advance(seconds(60));
    const said = new Set(this.nodes.map(({ metadata }) => metadata.annotations?.[TTL]));
    const allowed = [...(length <= MOST_OF_FEW ? ['0'] : []), ...(length >= FEWEST_OF_MORE ? ['15'] : [])];
    expect(said.size, [...said].join()).toBeLessThanOrEqual(1);
    for (const each of said) expect(allowed, `for ${length} nodes`).toContain(each);
  }

  /** So many come and go again that every range was needed at some time. */
  expectFreeAgain(): void {
    const { faults } = this.cluster;
    expect(faults.actor('controller-manager/0').state).not.toBe('crashed');
    for (let round = 0; round < 3; round++) {
      for (const name of NAMES) this.go(name);
      this.cluster.advance(seconds(2));
      for (const name of NAMES) this.come(`${name}${round}`, undefined);
      this.cluster.advance(seconds(20));
      this.expectRight();
      for (const name of NAMES) this.go(`${name}${round}`);
      this.cluster.advance(seconds(2));
    }
  }
}

const touched = { type: 'merge', body: { metadata: { labels: { touched: 'yes' } } } } as const;
const name = fc.constantFrom(...NAMES);
const act = actsOn<World>();
const come = act(
  'come',
  fc.tuple(name, fc.constantFrom(undefined, undefined, '10.244.1.0/24', '10.0.0.0/24')),
  (world, drawn) => world.come(...drawn),
);
const go = act('go', name, (world, of) => world.go(of));
const gather = act('gather', NOTHING, (world) => world.gather());
const disperse = act('disperse', NOTHING, (world) => world.disperse());

it.each(CROWDS)('has a range of its own and the right time, beside %s others', (crowd) => {
  holdsInAnyOrderAsBefore<World>({
    begin: () => new World(crowd),
    acts: amidTroubles<World>([
      ...[come, come, go],
      ...(crowd > 0 ? [disperse, gather] : []),
      act('overwrite', fc.tuple(name, fc.constantFrom('7', null)), (world, drawn) =>
        world.overwrite(...drawn),
      ),
    ]),
    compare: (world) => world.compare(),
    end: (world) => {
      world.calm();
      world.compare();
      // Before anything about a node changes again.
      world.expectNumbered();
      world.expectTtl();
      // Who begins anew between the bounds may go by the other of them.
      if (crowd > 0) return;
      world.expectStill();
      world.expectFreeAgain();
    },
    most: crowd > 0 ? 8 : 16,
    runs: crowd > 0 ? 3 : 8,
  });
});
