import { describe, expect, it } from 'vitest';
import { createCluster } from '../cluster/create-cluster.ts';
import { ApiError } from '../api/status.ts';
import { minutes, seconds } from '../engine/time.ts';
import { ApiClient } from './api-client.ts';
import { BUILTIN_HANDLES } from './builtin-handles.ts';
import { NoAnswer } from './no-answer.ts';

const { configMaps, pods } = BUILTIN_HANDLES;
const thrownBy = (work: () => unknown): unknown => {
  try {
    work();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
};
const quiet = { controllers: [] } as const;

describe('a client', () => {
  it('writes and reads typed objects', () => {
    const { client } = createCluster(quiet);
    const made = client.configMaps.create({ metadata: { name: 'settings' }, data: { mode: 'a' } });
    expect(made.metadata.namespace).toBe('default');
    client.configMaps.update({ ...made, data: { mode: 'b' } });
    client.configMaps.patch('settings', { type: 'merge', body: { data: { extra: 'c' } } });
    client.configMaps.apply(
      { metadata: { name: 'settings' }, data: { applied: 'd' } },
      { fieldManager: 'me' },
    );
    expect(client.configMaps.get({ namespace: 'default', name: 'settings' }).data).toEqual({
      mode: 'b',
      extra: 'c',
      applied: 'd',
    });
    client.configMaps.delete('settings');
    expect(thrownBy(() => client.configMaps.get('settings'))).toMatchObject({
      reason: 'NotFound',
      code: 404,
    });
  });

  it('answers a stale update with a conflict', () => {
    const { client } = createCluster(quiet);
    const first = client.configMaps.create({ metadata: { name: 'x' } });
    client.configMaps.update({ ...first, data: { a: '1' } });
    const error = thrownBy(() => client.configMaps.update({ ...first, data: { a: '2' } }));
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ reason: 'Conflict' });
  });

  it('leaves the objects that it was given alone', () => {
    const { client } = createCluster(quiet);
    const data = { a: '1' };
    const object = { metadata: { name: 'mine' }, data };
    client.configMaps.create(object);
    data.a = '2';
    expect(object).toEqual({ metadata: { name: 'mine' }, data: { a: '2' } });
    expect(client.configMaps.get('mine').data).toEqual({ a: '1' });
  });

  it('reads a collection in pages of one version', () => {
    const cluster = createCluster(quiet);
    for (let index = 0; index < 7; index++)
      cluster.client.configMaps.create({ metadata: { name: `page-${index}` } });
    const page = cluster.client.configMaps.list({ namespace: 'default', limit: 3 });
    expect(page.items).toHaveLength(3);
    const all = cluster.client.configMaps.listAll({ namespace: 'default', limit: 3 });
    expect(all.items.map(({ metadata }) => metadata.name)).toEqual(
      [0, 1, 2, 3, 4, 5, 6].map((index) => `page-${index}`),
    );
    expect(all.metadata.continue).toBeUndefined();
  });

  it('finds any kind by its handle', () => {
    const { client } = createCluster(quiet);
    const handle = {
      group: 'apps',
      version: 'v1',
      resource: 'controllerrevisions',
      kind: 'ControllerRevision',
      isNamespaced: true,
    };
    client.resource(handle).create({ metadata: { name: 'r' }, data: {}, revision: 3 });
    expect(client.resource(handle).get('r')['revision']).toBe(3);
  });

  it('says what is known of a call that nobody answered', () => {
    const cluster = createCluster(quiet);
    const call = () => cluster.finish(cluster.userClient.get(pods, 'x', { timeout: seconds(2) }));
    cluster.advance(seconds(1));
    cluster.faults.partition('apiserver/0', { from: 'user/test' });
    const late = thrownBy(call);
    expect(late).toBeInstanceOf(NoAnswer);
    expect(late).toMatchObject({ kind: 'timeout', wasSurelyNotDone: false });
    cluster.advance(seconds(1));
    cluster.faults.heal('apiserver/0');
    cluster.faults.crash('apiserver/0');
    expect(thrownBy(call)).toMatchObject({ kind: 'refused', wasSurelyNotDone: true });
    cluster.faults.restart('apiserver/0');
    expect(thrownBy(call)).toMatchObject({ reason: 'NotFound' });
  });

  it('commits a write whose answer is lost', () => {
    const cluster = createCluster(quiet);
    cluster.client.configMaps.list();
    cluster.faults.partition('user/test', { way: 'back' });
    const write = cluster.userClient.create(
      configMaps,
      { metadata: { name: 'lost' } },
      { timeout: seconds(1) },
    );
    expect(thrownBy(() => cluster.finish(write))).toMatchObject({ kind: 'timeout' });
    cluster.faults.heal('user/test');
    expect(cluster.client.configMaps.get('lost').metadata.name).toBe('lost');
  });

  it('goes to the next API server when its own is gone', () => {
    const cluster = createCluster({ ...quiet, apiServers: 2 });
    cluster.client.configMaps.create({ metadata: { name: 'shared' } });
    cluster.faults.crash('apiserver/0');
    expect(cluster.client.configMaps.get('shared').metadata.name).toBe('shared');
  });

  it.each([44, 46])(
    'knows of a server that fell silent and began anew after %d s: only from 45 on',
    (span) => {
      const cluster = createCluster(quiet);
      cluster.client.configMaps.create({ metadata: { name: 'before' } });
      cluster.faults.crash('apiserver/0', { isSilent: true });
      cluster.faults.restart('apiserver/0');
      cluster.advance(seconds(span));
      const create = (name: string) => () => cluster.client.configMaps.create({ metadata: { name } });
      if (span < 45) expect(thrownBy(create('lost'))).toMatchObject({ kind: 'reset' });
      expect(create('afterwards')).not.toThrow();
    },
  );

  it('finds out within a minute that the other end of a watch has fallen silent', () => {
    const cluster = createCluster(quiet);
    const log = cluster.client.configMaps.watch();
    cluster.faults.crash('apiserver/0', { isSilent: true });
    cluster.advance(seconds(40));
    expect(log.isEnded).toBe(false);
    cluster.advance(minutes(1));
    expect(log.failure).toMatchObject({ kind: 'timeout' });
  });

  it('hears warnings', () => {
    const cluster = createCluster(quiet);
    const warnings: string[] = [];
    const client = new ApiClient({
      context: cluster.user.context,
      servers: ['apiserver/0'],
      user: cluster.userClient.user,
      onWarning: (text) => warnings.push(text),
    });
    cluster.finish(client.create(configMaps, { metadata: { name: 'w' }, ...{ typo: 1 } }));
    expect(warnings).toEqual(['unknown field "typo"']);
  });
});
