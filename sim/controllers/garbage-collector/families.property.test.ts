/**
 * Families under a collector that hears of everything: a tree of owners, each deleted in the background, in the foreground or
 * so that it leaves its dependents; some held by somebody else, so that one is deleted again otherwise while it goes; some
 * told beforehand to leave their dependents when they are collected. The collector dies, and begins anew before it is told of
 * all. After each act there is exactly what the documentation's words (Garbage Collection) leave, of whom it says, and whoever
 * was to wait for its dependents has never gone before them.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ApiObject, OwnerReference } from '../../api/object.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { TroubledManager } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';
import { FOREGROUND, ORPHAN } from './graph-node.ts';

const HOLD = 'example.com/hold';
const NAMES = ['a', 'b', 'c', 'd', 'e'] as const;
const POLICIES = ['Background', 'Foreground', 'Orphan'] as const;
const WAYS = ['leaves', 'waits'] as const;
const OF_WAY = { leaves: ORPHAN, waits: FOREGROUND } as const;

type Name = (typeof NAMES)[number];
type Policy = (typeof POLICIES)[number];

interface Wish {
  readonly isHeld: boolean;
  /** What becomes of its dependents when it is collected, unless it is told otherwise. */
  readonly way: (typeof WAYS)[number] | undefined;
  /** Whether an owner that waits waits for it. */
  readonly blocks: boolean;
}

interface Member {
  readonly name: Name;
  owner: Member | undefined;
  isHeld: boolean;
  way: Wish['way'];
  blocks: boolean;
  going?: Policy;
}

const PLAIN: Wish = { isHeld: false, way: undefined, blocks: true };

class World extends TroubledManager {
  readonly #members = new Map<string, Member>();
  readonly #goneTooEarly: string[] = [];

  constructor() {
    super(['garbage-collector-controller']);
    this.eachWrite<ApiObject>('/registry/', (now, before) => {
      if (now === undefined && before) this.#removed(before);
    });
    this.make('a', undefined, PLAIN);
    this.make('b', 'a', { ...PLAIN, isHeld: true });
    this.make('c', 'b', PLAIN);
    this.settle(1);
  }

  make(name: Name, owner: Name | undefined, { isHeld, way, blocks }: Wish): void {
    const above = owner === undefined ? undefined : this.#members.get(owner);
    if (this.#members.has(name) || (owner !== undefined && (!above || isLeaf(owner)))) return;
    // Of a new dependent whoever waits for them takes notice when another one has gone; who has left them leaves no more.
    if (above?.going === 'Foreground' || above?.going === 'Orphan') return;
    const uid = above ? (this.#find(above.name)?.metadata.uid ?? '') : '';
    const finalizers = [...(isHeld ? [HOLD] : []), ...(way ? [OF_WAY[way]] : [])];
    const ownerReferences = above ? [referenceTo(above.name, uid, blocks)] : [];
    this.#of(name).create({ metadata: { name, finalizers, ownerReferences } });
    this.#members.set(name, { name, owner: above, isHeld, way, blocks });
  }

  /** Whoever waits for it waits no more, or does from now on. */
  block(name: Name, blocks: boolean): void {
    const member = this.#members.get(name);
    const owner = member?.owner;
    // For whom it is too late to be waited for.
    if (!owner || this.#members.get(owner.name) !== owner || (blocks && owner.going)) return;
    const uid = this.#find(owner.name)?.metadata.uid ?? '';
    const body = { metadata: { ownerReferences: [referenceTo(owner.name, uid, blocks)] } };
    this.#of(name).patch(name, { type: 'merge', body });
    member.blocks = blocks;
  }

  remove(name: Name, propagationPolicy: Policy): void {
    tryTo(() => this.#of(name).delete(name, { propagationPolicy }));
    const member = this.#members.get(name);
    if (member) this.#go(member, propagationPolicy);
  }

  letGo(name: Name): void {
    const member = this.#members.get(name);
    if (!member?.isHeld) return;
    member.isHeld = false;
    const finalizers = (this.#find(name)?.metadata.finalizers ?? []).filter((each) => each !== HOLD);
    this.#of(name).patch(name, { type: 'merge', body: { metadata: { finalizers } } });
  }

  /** Somebody goes whose dependent is to go in a way of its own, with one of its own that is held. */
  removeAbove(way: Wish['way'], policy: Policy): void {
    for (const name of ['d', 'c'] as const) {
      this.letGo(name);
      this.compare();
      this.remove(name, 'Background');
    }
    this.compare();
    this.make('b', undefined, PLAIN);
    this.make('c', 'b', { ...PLAIN, way });
    this.make('d', 'c', { ...PLAIN, isHeld: true });
    this.compare();
    this.letGo('b');
    this.compare();
    this.remove('b', policy);
  }

  /**
   * One is deleted while there is no collector, and the next one hears late of one kind. Whoever it hears of after an owner
   * that waits, and is not waited for, goes only when the owner has gone: nobody can say who that is.
   */
  removeUnheard(resource: 'configmaps' | 'secrets', name: Name, policy: Policy): void {
    if (policy === 'Foreground' && [...this.#members.values()].some(({ blocks }) => !blocks)) return;
    const { faults } = this.cluster;
    const lists = { actor: this.actor.name, resource, verb: 'list' } as const;
    faults.crash(this.actor.name);
    this.remove(name, policy);
    faults.failRequests(lists);
    faults.restart(this.actor.name);
    this.cluster.advance(seconds(4));
    faults.allowRequests(lists);
    // Whoever lists in vain waits ever longer.
    this.cluster.advance(seconds(30));
  }

  /** It goes and is made anew while the collector is cut off, and of what happened then no server knows any more. */
  remadeUnseen(name: Name): void {
    const member = this.#members.get(name);
    if (!member || member.isHeld || member.going || member.way) return;
    const { faults } = this.cluster;
    faults.partition(this.actor.name);
    this.#bounceServers();
    this.#of(name).delete(name, { propagationPolicy: 'Background' });
    this.#of(name).create({ metadata: { name } });
    this.#members.delete(name);
    this.#members.set(name, { name, owner: undefined, isHeld: false, way: undefined, blocks: true });
    this.cluster.storage.compact(this.cluster.storage.revision);
    this.#bounceServers();
    faults.heal(this.actor.name);
    // Whoever could reach nobody waits ever longer.
    this.cluster.advance(seconds(60));
  }

  /** What they have sent and nobody has received is lost. */
  #bounceServers(): void {
    const { faults, apiServers } = this.cluster;
    for (const { name } of apiServers) faults.crash(name);
    for (const { name } of apiServers) faults.restart(name);
    this.cluster.advance(seconds(2));
  }

  compare(): void {
    this.cluster.advance(seconds(3));
    this.#settleMembers();
    const wanted = [...this.#members.values()].map(({ name, owner, going }) =>
      [name, owner?.name ?? '', going ? 'goes' : ''].join(' '),
    );
    const found = NAMES.flatMap((name) => {
      const { metadata } = this.#find(name) ?? {};
      const owners = (metadata?.ownerReferences ?? []).map((each) => each.name);
      return metadata ? [[name, owners.join(), metadata.deletionTimestamp ? 'goes' : ''].join(' ')] : [];
    });
    expect(found.toSorted()).toEqual(wanted.toSorted());
    expect(this.#goneTooEarly, 'gone before their dependents').toEqual([]);
  }

  /** What the deletion of one comes to, for itself: the last word counts. */
  #go(member: Member, policy: Policy): void {
    member.going = policy;
    member.way = undefined;
  }

  /** What a collector makes of it all. */
  #settleMembers(): void {
    for (;;) {
      const next = [...this.#members.values()].find((member) => this.#step(member));
      if (!next) return;
    }
  }

  /** True: something is different. */
  #step(member: Member): boolean {
    const { name, owner, isHeld, going } = member;
    const children = [...this.#members.values()].filter((each) => each.owner === member);
    const isOwnerGone = owner !== undefined && this.#members.get(owner.name) !== owner;
    if (owner && !going && (isOwnerGone || owner.going === 'Foreground')) {
      const isWaitedFor = !isOwnerGone && children.length > 0;
      const own = member.way === 'leaves' ? 'Orphan' : member.way === 'waits' ? 'Foreground' : 'Background';
      this.#go(member, isWaitedFor ? 'Foreground' : own);
      return true;
    }
    if (going === 'Orphan' && children.length > 0) {
      for (const child of children) child.owner = undefined;
      return true;
    }
    if (!going || isHeld || (going === 'Foreground' && children.some(({ blocks }) => blocks))) return false;
    this.#members.delete(name);
    return true;
  }

  #removed({ metadata: { name = '', uid, finalizers = [] } }: ApiObject): void {
    if (finalizers.length > 0 || this.#members.get(name)?.going !== 'Foreground') return;
    const left = this.objects.filter(({ metadata }) =>
      metadata.ownerReferences?.some((each) => each.uid === uid && each.blockOwnerDeletion),
    );
    if (left.length > 0) this.#goneTooEarly.push(name);
  }

  #find(name: Name): ApiObject | undefined {
    return this.objects.find(
      ({ kind, metadata }) => metadata.name === name && kind === (isLeaf(name) ? 'Secret' : 'ConfigMap'),
    );
  }

  #of(name: Name) {
    return isLeaf(name) ? this.cluster.client.secrets : this.cluster.client.configMaps;
  }
}

const referenceTo = (name: Name, uid: string, blockOwnerDeletion: boolean): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid,
  blockOwnerDeletion,
});

/** Those are of another kind, and own nobody. */
const isLeaf = (name: Name): boolean => name >= 'd';

const name = fc.constantFrom(...NAMES);
const removal = fc.tuple(name, fc.constantFrom(...POLICIES));
const act = actsOn<World>();
const make = act(
  'make',
  fc
    .tuple(
      name,
      fc.option(fc.constantFrom<Name[]>('a', 'b', 'c'), { nil: undefined, freq: 5 }),
      fc.record<Wish>({
        isHeld: fc.boolean(),
        way: fc.constantFrom(undefined, undefined, ...WAYS),
        blocks: fc.constantFrom(true, true, false),
      }),
    )
    .filter(([own, owner]) => owner === undefined || owner < own),
  (world, drawn) => world.make(...drawn),
);
const remove = act('remove', removal, (world, drawn) => world.remove(...drawn));

it('leave whom they are to leave, and nobody else', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      make,
      make,
      make,
      remove,
      remove,
      act('block', fc.tuple(name, fc.boolean()), (world, drawn) => world.block(...drawn)),
      act('let go', name, (world, of) => world.letGo(of)),
      act(
        'remove, unheard',
        fc.tuple(fc.constantFrom('configmaps', 'secrets'), removal),
        (world, [resource, drawn]) => world.removeUnheard(resource, ...drawn),
      ),
      act(
        'remove above',
        fc.tuple(fc.constantFrom(undefined, ...WAYS), fc.constantFrom(...POLICIES)),
        (world, drawn) => world.removeAbove(...drawn),
      ),
      act('remade, unseen', fc.constantFrom<Name[]>('a', 'b', 'c'), (world, of) => world.remadeUnseen(of)),
      act('end of the collector', NOTHING, (world) => world.bounce()),
    ],
    compare: (world) => world.compare(),
    most: 20,
    runs: 12,
  });
});
