/**
 * The graph of owners and dependents, against the objects that were told, in any order of their news: it knows who
 * belongs to whom, and names everybody who has to be looked at because something about his owners or dependents is
 * different.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ApiObject } from '../../api/object.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { AbsentOwners } from './absent-owners.ts';
import { DependencyGraph } from './dependency-graph.ts';
import { FOREGROUND, type Identity, ORPHAN } from './graph-node.ts';

const UIDS = ['a', 'b', 'c', 'd'] as const;
type Uid = (typeof UIDS)[number];

interface Shape {
  readonly owners: readonly Uid[];
  readonly blocks: boolean;
  readonly going?: typeof FOREGROUND | typeof ORPHAN;
}

const identityOf = (uid: string): Identity => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  namespace: 'default',
  name: uid,
  uid,
});

const objectOf = (uid: Uid, { owners, blocks, going }: Shape): ApiObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: uid,
    uid,
    namespace: 'default',
    ownerReferences: owners
      .filter((owner) => owner !== uid)
      .map((owner) => ({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        name: owner,
        uid: owner,
        ...(blocks && { blockOwnerDeletion: true }),
      })),
    ...(going && { deletionTimestamp: '2024-01-01T00:00:00Z', finalizers: [going] }),
  },
});

const ownersOf = ({ metadata }: ApiObject): readonly string[] =>
  (metadata.ownerReferences ?? []).map(({ uid }) => uid);
const blockedBy = ({ metadata }: ApiObject): readonly string[] =>
  (metadata.ownerReferences ?? []).filter((each) => each.blockOwnerDeletion).map(({ uid }) => uid);
const isGoing = ({ metadata }: ApiObject, how: string): boolean =>
  metadata.finalizers?.includes(how) === true;

class Pair {
  readonly #present = new Map<Uid, ApiObject>();
  /** Those that are gone do not come back: a uid is given once. */
  readonly #gone = new Set<Uid>();
  readonly #named = new Set<string>();
  readonly #orphaned = new Set<string>();
  readonly #graph = new DependencyGraph({
    absent: new AbsentOwners(),
    ownerMeant: ({ uid }) => identityOf(uid),
    events: {
      toDelete: ({ identity }) => this.#named.add(identity.uid),
      toOrphan: ({ identity }) => this.#orphaned.add(identity.uid),
      misplaced: () => undefined,
    },
  });

  tell(uid: Uid, shape: Shape): void {
    const old = this.#present.get(uid);
    if (this.#gone.has(uid)) return;
    // A deletion that has begun is not taken back.
    const going = old?.metadata.finalizers?.[0] ?? shape.going;
    const object = objectOf(uid, { ...shape, ...(going !== undefined && { going: going as typeof ORPHAN }) });
    this.#named.clear();
    this.#orphaned.clear();
    const unknown = ownersOf(object).filter(
      (owner) => !this.#graph.find(owner) && !(old && ownersOf(old).includes(owner)),
    );
    this.#graph.changed(() => identityOf(uid), object, old);
    this.#present.set(uid, object);
    const begins = (how: string): boolean => isGoing(object, how) && (!old || !isGoing(old, how));
    // Owners that nobody has seen have to be looked for.
    for (const owner of unknown) this.#expectNamed(owner);
    if (begins(FOREGROUND)) {
      this.#expectNamed(uid);
      for (const dependent of this.#dependentsOf(uid)) this.#expectNamed(dependent);
    }
    if (begins(ORPHAN)) expect([...this.#orphaned]).toEqual([uid]);
    // Whom it does not block any more may go.
    for (const owner of old ? blockedBy(old) : [])
      if (!blockedBy(object).includes(owner) && this.#present.has(owner as Uid)) this.#expectNamed(owner);
  }

  remove(uid: Uid): void {
    const object = this.#present.get(uid);
    if (!object) return;
    this.#named.clear();
    const dependents = this.#dependentsOf(uid);
    this.#graph.removed(identityOf(uid));
    this.#present.delete(uid);
    this.#gone.add(uid);
    for (const dependent of dependents) this.#expectNamed(dependent);
    for (const owner of ownersOf(object)) {
      const there = this.#present.get(owner as Uid);
      if (there && isGoing(there, FOREGROUND)) this.#expectNamed(owner);
    }
  }

  compare(): void {
    for (const [uid, object] of this.#present) {
      const node = this.#graph.find(uid);
      expect(node?.isVirtual).toBe(false);
      expect(node?.owners.map((owner) => owner.uid)).toEqual(ownersOf(object));
      const dependents = this.#dependentsOf(uid);
      expect([...(node?.dependents ?? [])].map(({ identity }) => identity.uid).toSorted()).toEqual(
        dependents.toSorted(),
      );
      expect(
        node
          ?.blockingDependents()
          .map(({ identity }) => identity.uid)
          .toSorted(),
      ).toEqual(
        dependents.filter((each) => blockedBy(this.#present.get(each) ?? object).includes(uid)).toSorted(),
      );
      expect(node?.isDeletingDependents).toBe(isGoing(object, FOREGROUND));
    }
    for (const uid of this.#gone)
      if (this.#graph.find(uid)) expect(this.#graph.find(uid)?.isVirtual).toBe(true);
  }

  #dependentsOf(uid: string): readonly Uid[] {
    return [...this.#present].filter(([, object]) => ownersOf(object).includes(uid)).map(([each]) => each);
  }

  #expectNamed(uid: string): void {
    expect([...this.#named]).toContain(uid);
  }
}

const uid = fc.constantFrom(...UIDS);
const shape = fc.record({
  owners: fc.subarray([...UIDS], { maxLength: 2 }),
  blocks: fc.boolean(),
  going: fc.constantFrom(undefined, undefined, FOREGROUND, ORPHAN),
});
const act = actsOn<Pair>();

it('knows who belongs to whom, and names whom somebody has to look at', () => {
  holdsInAnyOrder({
    begin: () => new Pair(),
    acts: [
      act('tell', fc.tuple(uid, shape), (pair, [of, { going, ...rest }]) =>
        pair.tell(of, { ...rest, ...(going !== undefined && { going }) }),
      ),
      act('tell', fc.tuple(uid, shape), (pair, [of, { going, ...rest }]) =>
        pair.tell(of, { ...rest, ...(going !== undefined && { going }) }),
      ),
      act('remove', uid, (pair, of) => pair.remove(of)),
    ],
    compare: (pair) => pair.compare(),
    most: 20,
    runs: 400,
  });
});
