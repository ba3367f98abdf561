/**
 * Which sets hear of pods that are taken over, let go, relabelled, deleted and made anew in any order, beside what that
 * means for each set: whose own pods are others than before, or others in themselves, hears of it, and so does who might
 * take a pod that nobody has; who has nothing to do with the pod does not.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ApiObject } from '../../api/object.ts';
import { labelSelectorOf } from '../../api/selector/label-selector.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { ObjectStore } from '../../client/informer/object-store.ts';
import { standardIndexesOf } from '../../client/informer/standard-indexes.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { PodNews } from './pod-news.ts';

const SETS = ['x', 'y'] as const;
const PODS = ['p', 'q'] as const;
const APPS = ['x', 'y', 'z'] as const;
const KIND = 'ReplicaSet';
const NAMESPACE = 'default';

interface Facts {
  readonly app: (typeof APPS)[number] | undefined;
  /** Whose it is: a set as it is now, as it was before it was made anew, or one of another kind. */
  readonly owner:
    { readonly set: (typeof SETS)[number]; readonly is: 'now' | 'former' | 'other kind' } | undefined;
  readonly isGoing: boolean;
}

class World {
  readonly #sets = new ObjectStore(standardIndexesOf(BUILTIN_HANDLES.replicaSets));
  readonly #pods = new Map<string, Pod>();
  #count = 0;
  readonly #changed = new Set<string>();
  readonly #created: string[] = [];
  readonly #deleted: string[] = [];
  readonly #news = new PodNews<ApiObject>({
    kind: KIND,
    store: this.#sets,
    selectorOf: ({ metadata: { name = '' } }) => labelSelectorOf({ matchLabels: { app: name } }),
    created: (key) => this.#created.push(key),
    deleted: (key) => this.#deleted.push(key),
    changed: (key) => this.#changed.add(key),
  });

  remake(name: string, isThere: boolean): void {
    if (!isThere) this.#sets.remove(`${NAMESPACE}/${name}`);
    else
      this.#sets.put({
        kind: KIND,
        metadata: { name, namespace: NAMESPACE, uid: `${name}-${this.#count++}` },
      } as ApiObject);
  }

  write(name: string, { app, owner, isGoing }: Facts): void {
    const before = this.#pods.get(name);
    // Who goes goes on going.
    const goes = isGoing || before?.metadata.deletionTimestamp !== undefined;
    const reference = owner && this.#referenceTo(owner);
    const pod = {
      kind: 'Pod',
      apiVersion: 'v1',
      metadata: {
        name,
        namespace: NAMESPACE,
        resourceVersion: String(this.#count++),
        ...(app !== undefined && { labels: { app } }),
        ...(reference && { ownerReferences: [reference] }),
        ...(goes && { deletionTimestamp: '2025-01-01T00:00:00Z' }),
      },
    } as Pod;
    this.#tell(before, pod, () => (before ? this.#news.changed(pod, before) : this.#news.added(pod)));
    this.#pods.set(name, pod);
  }

  #referenceTo({ set, is }: NonNullable<Facts['owner']>): object {
    const uid = this.#sets.get(`${NAMESPACE}/${set}`)?.metadata.uid ?? 'nobody';
    return {
      apiVersion: 'apps/v1',
      kind: is === 'other kind' ? 'StatefulSet' : KIND,
      name: set,
      uid: is === 'now' ? uid : `${is} ${uid}`,
      controller: true,
    };
  }

  resync(): void {
    for (const pod of this.#pods.values()) this.#tell(pod, pod, () => this.#news.changed(pod, pod));
  }

  remove(name: string): void {
    const before = this.#pods.get(name);
    if (!before) return;
    this.#pods.delete(name);
    this.#tell(before, undefined, () => this.#news.removed(before));
  }

  #tell(before: Pod | undefined, after: Pod | undefined, tell: () => void): void {
    for (const heard of [this.#created, this.#deleted]) heard.length = 0;
    this.#changed.clear();
    tell();
    for (const set of this.#sets.list()) this.#expectHeard(set, before, after);
  }

  #expectHeard(set: ApiObject, before: Pod | undefined, after: Pod | undefined): void {
    const key = `${NAMESPACE}/${set.metadata.name ?? ''}`;
    const [had, has] = [isOf(set, before), isOf(set, after)];
    const goes = after?.metadata.deletionTimestamp !== undefined;
    const isSame = before === after;
    const mayTake = isFreeFor(set, after) && !isFreeFor(set, before);
    const heard = this.#changed.has(key);
    // Of a pod that goes, and is let go at the same time, nobody hears in 1.31 either.
    if (!isSame && (has || (had && !goes) || mayTake)) expect(heard, `${key} hears`).toBe(true);
    if (!had && !has && !isFreeFor(set, after)) expect(heard, `${key} hears what is none of its`).toBe(false);
    if (!before && has && !goes) expect(this.#created, 'seen to be made').toContain(key);
    else expect(this.#created).not.toContain(key);
    if ((has && goes && !isSame) || (had && !after)) expect(this.#deleted, 'seen to go').toContain(key);
    if (after && !goes) expect(this.#deleted).not.toContain(key);
  }
}

const ownerOf = (pod: Pod | undefined) => pod?.metadata.ownerReferences?.[0];
const isOf = ({ metadata }: ApiObject, pod: Pod | undefined): boolean =>
  ownerOf(pod)?.kind === KIND && ownerOf(pod)?.uid === metadata.uid;

const isFreeFor = ({ metadata }: ApiObject, pod: Pod | undefined): boolean =>
  pod !== undefined &&
  !ownerOf(pod) &&
  pod.metadata.deletionTimestamp === undefined &&
  pod.metadata.labels?.['app'] === metadata.name;

const set = fc.constantFrom(...SETS);
const pod = fc.constantFrom(...PODS);
const facts: fc.Arbitrary<Facts> = fc.record({
  app: fc.constantFrom(undefined, ...APPS),
  owner: fc.option(fc.record({ set, is: fc.constantFrom('now', 'now', 'now', 'former', 'other kind') }), {
    nil: undefined,
  }),
  isGoing: fc.constantFrom(false, false, false, true),
});
const act = actsOn<World>();

it('reaches whom it concerns', () => {
  const write = act('write', fc.tuple(pod, facts), (world, drawn) => world.write(...drawn));
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[write, write, write, write],
      act('remake', fc.tuple(set, fc.constantFrom(true, true, false)), (world, drawn) =>
        world.remake(...drawn),
      ),
      act('remove', pod, (world, name) => world.remove(name)),
      act('resync', fc.constant(undefined), (world) => world.resync()),
    ],
    compare: () => undefined,
    most: 30,
    runs: 300,
  });
});
