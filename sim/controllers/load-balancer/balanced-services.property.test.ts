/**
 * Services and their load balancers, in any order of what is done to both: whoever wants one has an address that nobody else
 * has, and keeps it; whoever does not, or goes, has given it up, and the next gets it. The cloud fails as often as it is told
 * for each service anew, and every failure is told. Whom others hold by a finalizer of theirs stays until they let go.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ApiObject } from '../../api/object.ts';
import type { Service } from '../../api/types/core-v1.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, TroubledManager, unseen } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';
import { addressesOf } from './cloud.ts';
import { CLEANUP_FINALIZER } from './load-balancer-plan.ts';

const NAMES = ['a', 'b', 'c', 'd'] as const;
const BEHAVIOUR = 'load-balancer.kubesim.dev/behaviour';
const FAILED = 'SyncLoadBalancerFailed';
/** Outside of what the cloud gives by itself. */
const CHOSEN = '198.51.100.7';

/** Of somebody else. */
const HOLD = 'example.com/hold';

type Type = 'LoadBalancer' | 'ClusterIP' | 'NodePort';

interface Wish {
  readonly type: Type;
  readonly takesSeconds: number;
  readonly fails: number;
  readonly address: string | undefined;
  readonly isOfOthers: boolean;
  readonly isHeld: boolean;
}

class World extends TroubledManager {
  /** The first address that each has had while it wanted one, by its uid. */
  readonly #had = new Map<string, string>();
  /** By somebody else, by their uids. */
  readonly #held = new Set<string>();
  /** Of another type than before, by their names. */
  readonly #away = new Set<string>();
  #isBack = false;

  constructor() {
    super(['service-lb-controller']);
    this.make(['a', 'b'], PLAIN);
    this.cluster.advance(seconds(5));
  }

  get services(): readonly Service[] {
    return this.of('Service').filter(({ metadata }) => NAMES.some((each) => each === metadata.name));
  }

  make(names: readonly string[], { type, takesSeconds, fails, address, isOfOthers, isHeld }: Wish): void {
    const annotations = { [BEHAVIOUR]: JSON.stringify({ takesSeconds, fails }) };
    const spec = {
      type,
      ports: [{ port: 80 }],
      ...(type === 'LoadBalancer' && address !== undefined && { loadBalancerIP: address }),
      ...(type === 'LoadBalancer' && isOfOthers && { loadBalancerClass: 'example.com/other' }),
    };
    const finalizers = isHeld ? [HOLD] : [];
    for (const name of names)
      tryTo(() => {
        const { services } = this.cluster.client;
        const { metadata } = services.create({ metadata: { name, annotations, finalizers }, spec });
        if (isHeld) this.#held.add(metadata.uid ?? '');
      });
  }

  hold(name: string): void {
    tryTo(() => {
      const { uid = '' } = this.#refine(name, { finalizers: [HOLD] });
      this.#held.add(uid);
    });
  }

  letGo(name: string): void {
    tryTo(() => {
      const { uid = '' } = this.#refine(name, { '$deleteFromPrimitiveList/finalizers': [HOLD] });
      this.#held.delete(uid);
    });
  }

  #refine(name: string, metadata: object): ApiObject['metadata'] {
    return this.cluster.client.services.patch(name, { type: 'strategic', body: { metadata } }).metadata;
  }

  remove(name: string): void {
    tryTo(() => this.cluster.client.services.delete(name));
  }

  retype(name: string, type: Type): void {
    if (type !== 'LoadBalancer') this.#away.add(name);
    else if (this.#away.has(name)) this.#isBack = true;
    this.change(name, { type });
  }

  /** Who was of another type for a while of which nobody heard is given its address by the next manager. */
  override calm(): void {
    this.endAllTroubles();
    if (this.#isBack) this.bounce();
    super.calm();
  }

  change(name: string, spec: object): void {
    tryTo(() => this.cluster.client.services.patch(name, { type: 'merge', body: { spec } }));
  }

  /** Whose address it is is nobody else's, and who is held is there. One that goes may say what it has had. */
  compare(): void {
    const keepers = this.services.filter(
      ({ metadata: { deletionTimestamp, finalizers } }) =>
        deletionTimestamp === undefined || finalizers?.includes(CLEANUP_FINALIZER),
    );
    const all = keepers.flatMap(addressesOf).filter((each) => each !== CHOSEN);
    expect(new Set(all).size, `of their own: ${all.join()}`).toBe(all.length);
    const held = this.services.filter(({ metadata }) => metadata.finalizers?.includes(HOLD));
    expect(new Set(held.map(({ metadata }) => metadata.uid)), 'who is held').toEqual(this.#held);
  }

  expectRight(): void {
    this.compare();
    for (const service of this.services) {
      const { metadata, spec } = service;
      const { uid = '', deletionTimestamp } = metadata;
      const isGoing = deletionTimestamp !== undefined;
      const isWanted = !isGoing && spec?.type === 'LoadBalancer' && spec.loadBalancerClass === undefined;
      const what = `${metadata.name ?? ''} (${spec?.type ?? ''})`;
      if (!this.#held.has(uid)) expect(deletionTimestamp, `the end of ${what}`).toBeUndefined();
      if (!isGoing) expect(addressesOf(service), `addresses of ${what}`).toHaveLength(isWanted ? 1 : 0);
      expect(metadata.finalizers?.includes(CLEANUP_FINALIZER) ?? false, `who keeps ${what}`).toBe(isWanted);
    }
  }

  /** In peace: the first address that nobody has, to each who comes; the cloud fails each anew as often as it is told. */
  expectFirstFree(): void {
    for (const fails of [0, 2, 2]) {
      const taken = new Set(this.services.flatMap(addressesOf));
      const free = Array.from({ length: 6 }, (_, at) => `203.0.113.${at + 1}`).find(
        (each) => !taken.has(each),
      );
      this.make(['last'], { ...PLAIN, fails });
      this.cluster.advance(seconds(60));
      const last = this.cluster.client.services.get('last');
      expect(addressesOf(last)).toEqual([free]);
      const told = this.cluster.client.events
        .list({ namespace: 'default' })
        .items.filter(
          ({ involvedObject, reason }) => involvedObject.uid === last.metadata.uid && reason === FAILED,
        );
      expect(told.reduce((sum, { count = 1 }) => sum + count, 0)).toBe(fails);
      this.remove('last');
      this.cluster.advance(seconds(60));
    }
    // Whoever is made anew under a name is failed anew.
    expect(this.cluster.client.services.list().items.map(({ metadata }) => metadata.name)).not.toContain(
      'last',
    );
  }

  /** Addresses of those that still want one do not change under them. */
  keep(): void {
    for (const service of this.services) {
      const { uid = '', deletionTimestamp } = service.metadata;
      const [address] = addressesOf(service);
      if (service.spec?.type !== 'LoadBalancer' || deletionTimestamp || !address) this.#had.delete(uid);
      else if (this.#had.has(uid)) expect(address, 'kept').toBe(this.#had.get(uid));
      else this.#had.set(uid, address);
    }
  }
}

const PLAIN: Wish = {
  type: 'LoadBalancer',
  takesSeconds: 0,
  fails: 0,
  address: undefined,
  isOfOthers: false,
  isHeld: false,
};

const name = fc.constantFrom(...NAMES);
const type = fc.constantFrom<Type>('LoadBalancer', 'LoadBalancer', 'ClusterIP', 'NodePort');
const wish = fc.record<Wish>({
  type,
  takesSeconds: fc.constantFrom(0, 0, 3),
  fails: fc.constantFrom(0, 0, 1, 3),
  address: fc.constantFrom(undefined, undefined, undefined, CHOSEN),
  isOfOthers: fc.constantFrom(false, false, false, true),
  isHeld: fc.constantFrom(false, false, true),
});
const act = actsOn<World>();
const make = act('make', fc.tuple(fc.subarray([...NAMES], { minLength: 1 }), wish), (world, drawn) =>
  world.make(...drawn),
);
const remove = act('remove', name, (world, of) => world.remove(of));
const retype = act('retype', fc.tuple(name, type), (world, [of, to]) => world.retype(of, to));
const remake = act('remake', fc.tuple(name, wish), (world, [of, as]) => {
  world.remove(of);
  world.cluster.advance(seconds(8));
  world.make([of], as);
});

const hold = act('hold', name, (world, of) => world.hold(of));
const letGo = act('let go', name, (world, of) => world.letGo(of));
/** While the cloud is at work for it, if it takes its time. */
const holdMeanwhile = act(
  'retype and hold or let go',
  fc.tuple(name, type, fc.boolean()),
  (world, [of, to, isToHold]) => {
    world.retype(of, to);
    world.cluster.advance(seconds(1));
    if (isToHold) world.hold(of);
    else world.letGo(of);
  },
);

it('have addresses of their own while they want them', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: amidTroubles<World>([
      ...[make, make, remove, retype, remake, hold, letGo, holdMeanwhile],
      act('open', fc.tuple(name, fc.constantFrom(80, 443)), (world, [of, port]) =>
        world.change(of, { ports: [{ port }] }),
      ),
      unseen<World>([make, remove, retype, remake, hold]),
    ]),
    compare: (world) => world.compare(),
    end: (world) => {
      world.calm();
      world.expectRight();
      world.keep();
      world.expectFirstFree();
      world.expectStill();
      world.keep();
    },
    most: 14,
    runs: 10,
  });
});
