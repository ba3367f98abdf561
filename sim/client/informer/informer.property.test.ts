/**
 * An informer, whatever comes between it and its server: what it holds and what its handlers were told is always the
 * same, and when the trouble is over it is what there is.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ConfigMap } from '../../api/types/core-v1.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { calm, clientOf, type Troubled, troublesOf, tryTo } from '../../cluster/troubled-client.fixture.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { actsOn, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { minutes, seconds } from '../../engine/time.ts';
import { BUILTIN_HANDLES } from '../builtin-handles.ts';
import { Informer } from './informer.ts';
import { storeKeyOf } from './object-store.ts';

const NAMES = ['a', 'b', 'c'] as const;
/** Pauses of an informer that fails for long: 30 s, and up to as long again; and a call that nobody answers. */
const LONGEST_WAIT = 130;

class Followed implements Troubled {
  readonly cluster = createCluster({ controllers: [], apiServers: 2, compactionInterval: minutes(1) });
  readonly actor = this.cluster.simulation.actor('controller/test');
  readonly informer = new Informer<ConfigMap>({
    client: clientOf(this),
    handle: BUILTIN_HANDLES.configMaps,
    namespace: 'default',
  });
  readonly #told = new Map<string, ConfigMap>();
  #count = 0;

  constructor() {
    const told = this.#told;
    this.informer.addHandler({
      added: (object) => {
        expect(told.has(storeKeyOf(object))).toBe(false);
        told.set(storeKeyOf(object), object);
      },
      changed: (object, old) => {
        expect(old).toBe(told.get(storeKeyOf(object)));
        // A server may be late, and what it tells may be old: but nobody goes back who has seen more.
        expect(Number(object.metadata.resourceVersion)).toBeGreaterThan(Number(old.metadata.resourceVersion));
        told.set(storeKeyOf(object), object);
      },
      removed: (object) => expect(told.delete(storeKeyOf(object))).toBe(true),
    });
    this.informer.start();
  }

  write(name: string): void {
    const { configMaps } = this.cluster.client;
    const data = { n: String(this.#count++) };
    tryTo(() => configMaps.create({ metadata: { name }, data }));
    tryTo(() => configMaps.patch(name, { type: 'merge', body: { data } }));
  }

  remove(name: string): void {
    tryTo(() => this.cluster.client.configMaps.delete(name));
  }

  /** Nobody has to look at a name twice to see that another object has it. */
  remake(name: string): void {
    this.remove(name);
    tryTo(() => this.cluster.client.configMaps.create({ metadata: { name } }));
  }

  compact(): void {
    const { storage } = this.cluster;
    if (storage.compactedRevision < storage.revision) storage.compact(storage.revision);
  }

  /** The server that the informer turns to when the first one is away. */
  lag(span: number): void {
    this.cluster.lagWatchCaches(seconds(span), 'apiserver/1');
  }

  compare(): void {
    const held = this.informer.store.list().map((object) => [storeKeyOf(object), object] as const);
    expect(new Map(held)).toEqual(this.#told);
  }

  /** All that there is by now was told. */
  expectNewest(): void {
    const { items } = this.cluster.client.configMaps.list({ namespace: 'default' });
    const versions = (objects: readonly ConfigMap[]): readonly string[] =>
      objects
        .map(({ metadata: { name, uid, resourceVersion } }) => `${name} ${uid} ${resourceVersion}`)
        .toSorted();
    expect(versions(this.informer.store.list())).toEqual(versions(items));
    this.compare();
  }

  /** Long after the last trouble a little one is waited out shortly, and nothing is listed for it. */
  expectSoonNews(): void {
    const { listCount } = this.informer;
    this.cluster.faults.failRequests({ actor: this.actor.name, count: 1, status: 429 });
    this.cluster.faults.resetConnections(this.actor.name);
    this.write('a');
    this.cluster.advance(seconds(4));
    this.expectNewest();
    expect(this.informer.listCount).toBe(listCount);
  }
}

const name = fc.constantFrom(...NAMES);
const act = actsOn<Followed>();

it('holds what it has told of, and in the end what there is', () => {
  holdsInAnyOrderAsBefore({
    begin: () => new Followed(),
    acts: [
      ...troublesOf<Followed>(),
      act('write', name, (followed, of) => followed.write(of)),
      act('write', name, (followed, of) => followed.write(of)),
      act('remove', name, (followed, of) => followed.remove(of)),
      act('remake', name, (followed, of) => followed.remake(of)),
      act('compact', NOTHING, (followed) => followed.compact()),
      act('lag', fc.constantFrom(0, 5, 100), (followed, span) => followed.lag(span)),
    ],
    compare: (followed) => followed.compare(),
    end: (followed) => {
      followed.lag(0);
      calm(followed, LONGEST_WAIT);
      followed.expectNewest();
      followed.cluster.advance(minutes(3));
      followed.expectSoonNews();
    },
    most: 18,
    runs: 60,
  });
});

it('lists once, however much happens that it does not follow', () => {
  const followed = new Followed();
  const { client } = followed.cluster;
  followed.write('a');
  for (let minute = 0; minute < 22; minute++) {
    // More than a server remembers, over the time that a watch lasts.
    for (let count = 0; count < 12; count++)
      client.configMaps.create({ metadata: { generateName: 'x-', namespace: 'kube-public' } });
    followed.cluster.advance(minutes(1));
  }
  followed.write('a');
  followed.cluster.advance(seconds(1));
  followed.expectNewest();
  expect(followed.informer.listCount).toBe(1);
});

it('leaves a server alone for longer and longer that refuses it', () => {
  const followed = new Followed();
  followed.cluster.advance(seconds(1));
  followed.cluster.faults.failRequests({ actor: followed.actor.name, status: 500 });
  followed.cluster.faults.resetConnections(followed.actor.name);
  followed.cluster.advance(minutes(20));
  // 0.8 s, doubled to 30 s and up to as long again: five pauses to get there, and then one every 30 s at the most.
  expect(followed.informer.listCount).toBeLessThan(1 + 6 + 40);
  followed.write('a');
  calm(followed, LONGEST_WAIT);
  followed.expectNewest();
});
