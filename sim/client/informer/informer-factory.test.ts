import { describe, expect, it } from 'vitest';
import type { ConfigMap } from '../../api/types/core-v1.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { hours, minutes, seconds, type Micros } from '../../engine/time.ts';
import { BUILTIN_HANDLES } from '../builtin-handles.ts';
import { DeliveryQueue } from './delivery.ts';
import type { Informer } from './informer.ts';
import { InformerFactory } from './informer-factory.ts';

const { configMaps, pods } = BUILTIN_HANDLES;

function factory(resyncEvery?: Micros) {
  const cluster = createCluster({ controllers: [], compactionInterval: minutes(1) });
  const actor = cluster.simulation.actor('manager');
  const client = cluster.userClient.as({ context: actor.context });
  const informers = new InformerFactory({ client, ...(resyncEvery && { resyncEvery: () => resyncEvery }) });
  const put = (name: string, mode: string): void =>
    void cluster.client.configMaps.apply(
      { metadata: { name, namespace: 'default' }, data: { mode } },
      { fieldManager: 'test' },
    );
  return { cluster, actor, informers, put };
}

/** Writes down what a handler hears; with a queue of its own it can be paused and can lag. */
function listen(informer: Informer<ConfigMap>, news?: DeliveryQueue): string[] {
  const heard: string[] = [];
  informer.addHandler(
    {
      added: ({ metadata, data }) => heard.push(`+${metadata.name}=${data?.['mode']}`),
      changed: ({ metadata, data }) => heard.push(`~${metadata.name}=${data?.['mode']}`),
      removed: ({ metadata }) => heard.push(`-${metadata.name}`),
    },
    news,
  );
  return heard;
}

describe('the informers of a process', () => {
  it('are one for each kind', () => {
    const { cluster, informers, put } = factory();
    expect(informers.informerOf(configMaps)).toBe(informers.informerOf(configMaps));
    expect(informers.informerOf<object & ConfigMap>(configMaps)).not.toBe(informers.informerOf(pods));
    put('a', 'x');
    cluster.advance(seconds(1));
    expect(informers.informerOf(configMaps).listCount).toBe(1);
    expect(informers.informerOf(configMaps).store.keys()).toContain('default/a');
  });

  it('have indexes by namespace, owner and controller, and pods by node', () => {
    const { cluster, informers } = factory();
    const owner = (uid: string, controller: boolean) => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'o',
      uid,
      controller,
    });
    const { store } = informers.informerOf(configMaps);
    const add = (name: string, ownerReferences: readonly ReturnType<typeof owner>[]): void =>
      void cluster.client.configMaps.create({ metadata: { name, ownerReferences } });
    const found = (index: string, value: string): readonly (string | undefined)[] =>
      store.byIndex(index, value).map(({ metadata }) => metadata.name);
    add('own', [owner('u1', true), owner('u2', false)]);
    add('orphan', []);
    cluster.advance(seconds(1));
    expect(found('owner', 'u2')).toEqual(['own']);
    expect([found('controller', 'u1'), found('controller', 'u2')]).toEqual([['own'], []]);
    // An index that is asked for once is kept.
    cluster.client.configMaps.patch('own', { type: 'merge', body: { metadata: { ownerReferences: null } } });
    cluster.client.configMaps.delete('orphan');
    cluster.advance(seconds(1));
    expect(found('owner', 'u2')).toEqual([]);
    expect(found('controller', '')).toContain('own');
    expect(found('controller', '')).not.toContain('orphan');
    expect(found('namespace', 'default')).toContain('own');
    expect(() => store.byIndex('node', 'worker-1')).toThrow('only an index that there is');
  });

  it('tell a handler that comes late of what is there, and everybody of everything at each resync', () => {
    const { cluster, informers, put } = factory(hours(1));
    const informer = informers.informerOf(configMaps);
    put('a', 'x');
    cluster.advance(minutes(1));
    const late = listen(informer);
    expect(late).toContain('+a=x');
    late.length = 0;
    cluster.advance(hours(1));
    expect(late).toContain('~a=x');
  });

  it('list again when their version is gone, and tell each handler the difference', () => {
    const { cluster, informers, put } = factory();
    const informer = informers.informerOf(configMaps);
    for (const name of ['stays', 'goes', 'changes']) put(name, 'x');
    cluster.advance(seconds(1));
    const [one, two] = [listen(informer), listen(informer)];
    for (const heard of [one, two]) heard.length = 0;
    cluster.faults.partition('manager');
    cluster.client.configMaps.delete('goes');
    put('changes', 'y');
    put('comes', 'y');
    cluster.advance(minutes(5));
    // The server's cache begins anew, when what the informer has missed was compacted.
    cluster.faults.crash('apiserver/0');
    cluster.faults.restart('apiserver/0');
    cluster.faults.heal('manager');
    cluster.advance(minutes(3));
    expect(informer.listCount).toBe(2);
    expect(one).toEqual(['-goes', '~changes=y', '+comes=y']);
    expect(two).toEqual(one);
  });
});

describe('news', () => {
  it('for one who is paused wait in order, and hold up nobody else', () => {
    const { cluster, actor, informers, put } = factory();
    const informer = informers.informerOf(configMaps);
    cluster.advance(seconds(1));
    const { part, context } = actor.context.part('slow');
    const news = new DeliveryQueue({ context, isPaused: () => part.isPaused });
    const [slow, prompt] = [listen(informer, news), listen(informer)];
    for (const heard of [slow, prompt]) heard.length = 0;
    part.pause();
    put('a', 'x');
    put('a', 'y');
    cluster.client.configMaps.delete('a');
    cluster.advance(seconds(5));
    expect([slow, news.size]).toEqual([[], 3]);
    expect(prompt).toEqual(['+a=x', '~a=y', '-a']);
    // The store is shared: it knows more than the one who is paused.
    expect(informer.store.get('default/a')).toBeUndefined();
    part.resume();
    cluster.advance(seconds(1));
    expect(slow).toEqual(prompt);
    put('b', 'x');
    cluster.advance(seconds(1));
    expect([slow.at(-1), news.isPrompt]).toEqual(['+b=x', true]);
  });

  it('for one who lags come each so much later, and at once when the lag ends', () => {
    const { cluster, actor, informers, put } = factory();
    const informer = informers.informerOf(configMaps);
    cluster.advance(seconds(1));
    const news = new DeliveryQueue({ context: actor.context, isPaused: () => false });
    const heard = listen(informer, news);
    heard.length = 0;
    news.setLag(seconds(10));
    put('a', 'x');
    cluster.advance(seconds(4));
    put('b', 'x');
    cluster.advance(seconds(5));
    expect(heard).toEqual([]);
    cluster.advance(seconds(2));
    expect(heard).toEqual(['+a=x']);
    news.setLag(0 as Micros);
    cluster.advance(seconds(1));
    expect(heard).toEqual(['+a=x', '+b=x']);
  });
});
