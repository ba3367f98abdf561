import { createHash, randomBytes, randomInt, randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Writable } from 'node:stream';
import * as newest from '@kubernetes/client-node';
import * as before from 'client-node-before';
import { describe, expect, it } from 'vitest';
import { createCluster, type GuestFunction, seconds } from '../index.ts';

type Library = typeof newest;

/** A cluster in which the function has come to its end. */
async function lived(run: GuestFunction, { nodes = 0, seed = 1, span = 30 } = {}) {
  const cluster = createCluster({ nodes, seed });
  const guest = cluster.guest('operator', run);
  await cluster.guests.advance(seconds(span));
  expect(guest.state).toBe('done');
  return cluster;
}

function configOf({ KubeConfig }: Library, text?: string): newest.KubeConfig {
  const config = new KubeConfig();
  if (text === undefined) config.loadFromDefault();
  else config.loadFromString(text);
  return config;
}

/** Its second major release has its own engines: it cannot even be loaded by Node 20. */
const NODE_OF_SECOND = 22;
const isSecondLoadable = Number(process.versions.node.split('.', 1)[0]) >= NODE_OF_SECOND;
const second = isSecondLoadable ? ((await import('client-node-2')) as unknown as Library) : undefined;

const LIBRARIES: readonly [string, Library][] = [
  ['the newest for any Node', newest],
  ['the one before', before as unknown as Library],
  ...(second ? [['2, which needs Node 22', second] as [string, Library]] : []),
];

describe.each(LIBRARIES)('a guest with a release of the JavaScript client: %s', (_name, library) => {
  it('finds the cluster it runs in, writes, reads and is refused', async () => {
    const seen: unknown[] = [];
    const cluster = await lived(async () => {
      const core = configOf(library).makeApiClient(library.CoreV1Api);
      const body = { metadata: { name: 'a' }, data: { k: 'v' } };
      const made = await core.createNamespacedConfigMap({ namespace: 'default', body });
      seen.push(made.metadata?.creationTimestamp?.toISOString());
      seen.push((await core.readNamespacedConfigMap({ name: 'a', namespace: 'default' })).data);
      await core
        .createNamespacedConfigMap({ namespace: 'default', body })
        .catch((error: unknown) => seen.push(Reflect.get(error as object, 'code')));
    });
    expect(seen).toEqual(['2025-01-01T00:00:00.000Z', { k: 'v' }, 409]);
    expect((await cluster.guests.client.configMaps.get('a')).data).toEqual({ k: 'v' });
  });

  it('watches with bookmarks, and its informers know custom objects', async () => {
    const seen: string[] = [];
    await lived(async ({ kubeconfig }) => {
      const config = configOf(library, kubeconfig);
      const core = config.makeApiClient(library.CoreV1Api);
      const informer = library.makeInformer(config, '/api/v1/namespaces/default/configmaps', () =>
        core.listNamespacedConfigMap({ namespace: 'default' }),
      );
      for (const verb of ['add', 'update', 'delete'] as const)
        informer.on(verb, ({ metadata }) => seen.push(`informer ${verb} ${metadata?.name}`));
      await informer.start();
      const watch = new library.Watch(config);
      const stop = await watch.watch(
        '/api/v1/namespaces/default/configmaps',
        {},
        (type: string, object: newest.V1ConfigMap) => seen.push(`watch ${type} ${object.metadata?.name}`),
        () => seen.push('watch over'),
      );
      const body = { metadata: { name: 'a' } };
      await core.createNamespacedConfigMap({ namespace: 'default', body });
      await core.deleteNamespacedConfigMap({ namespace: 'default', name: 'a' });
      await pause(100);
      stop.abort();
      await informer.stop();
      await pause(100);
    });
    const own = seen.filter((line) => !line.includes('kube-root-ca'));
    expect(own.filter((line) => line.startsWith('informer'))).toEqual([
      'informer add a',
      'informer delete a',
    ]);
    expect(own.filter((line) => line.startsWith('watch'))).toEqual([
      'watch ADDED a',
      'watch DELETED a',
      'watch over',
    ]);
  });

  it('runs commands in pods and reads their logs', async () => {
    const seen: string[] = [];
    const into = (name: string): Writable =>
      new Writable({
        write(chunk: Buffer, _encoding, done) {
          seen.push(`${name} ${chunk.toString().trim()}`);
          done();
        },
      });
    await lived(
      async () => {
        const config = configOf(library);
        const core = config.makeApiClient(library.CoreV1Api);
        const container = { name: 'main', image: 'web:1' };
        await core.createNamespacedPod({
          namespace: 'default',
          body: { metadata: { name: 'p' }, spec: { containers: [container] } },
        });
        for (let phase; phase !== 'Running'; await pause(200))
          phase = (await core.readNamespacedPod({ name: 'p', namespace: 'default' })).status?.phase;
        await new library.Log(config).log('default', 'p', 'main', into('log'), { follow: false });
        await new Promise<void>((resolve) => {
          void new library.Exec(config).exec(
            'default',
            'p',
            'main',
            ['echo', 'hello'],
            into('out'),
            into('err'),
            null,
            false,
            ({ status }) => {
              seen.push(`status ${status}`);
              resolve();
            },
          );
        });
      },
      { nodes: 1 },
    );
    expect(seen).toContain('out hello');
    expect(seen).toContain('status Success');
  });
});

describe('a guest on plain HTTP', () => {
  it('fetches, streams, and aborts', async () => {
    const seen: unknown[] = [];
    await lived(async () => {
      const url = 'https://kubernetes.default.svc/api/v1/namespaces/default/configmaps';
      const made = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ metadata: { name: 'a' } }),
      });
      seen.push(made.status, made.headers.get('date'));
      const stop = new AbortController();
      const watch = await fetch(`${url}?watch=true&resourceVersion=0`, { signal: stop.signal });
      const reader = watch.body?.pipeThrough(new TextDecoderStream()).getReader();
      seen.push((JSON.parse((await reader?.read())?.value ?? '{}') as { type: string }).type);
      stop.abort();
      await fetch(`${url}?watch=true`, { signal: AbortSignal.timeout(2_000) })
        .then(async (answer) => answer.text())
        .catch((error: Error) => seen.push(error.name));
    });
    expect(seen).toEqual([201, 'Wed, 01 Jan 2025 00:00:00 GMT', 'ADDED', 'TimeoutError']);
  });

  it('calls a port of another guest', async () => {
    const cluster = createCluster();
    cluster.guest('hook', async ({ serve }) =>
      serve(8080, ({ method, path }) => ({
        status: 200,
        body: { kind: 'object', object: { method, path } },
      })),
    );
    const seen: unknown[] = [];
    cluster.guest('caller', async () => {
      seen.push(await (await fetch('http://hook:8080/a?b=1')).json());
      await fetch('http://hook:9090/').catch(({ cause }: Error) =>
        seen.push(Reflect.get(cause as Error, 'code')),
      );
    });
    await cluster.guests.advance(seconds(5));
    expect(seen).toEqual([{ method: 'GET', path: '/a?b=1' }, 'ECONNREFUSED']);
  });

  it('feels what becomes of its link and of the server', async () => {
    const cluster = createCluster();
    const seen: string[] = [];
    cluster.guest('operator', async () => {
      for (;;) {
        const answer = await fetch('https://kubernetes.default.svc/readyz', {
          signal: AbortSignal.timeout(1_000),
        }).then(
          ({ status }) => String(status),
          (error: Error) => String(Reflect.get((error.cause as object) ?? {}, 'code') ?? error.name),
        );
        if (seen.at(-1) !== answer) seen.push(answer);
        await pause(500);
      }
    });
    await cluster.guests.advance(seconds(2));
    cluster.faults.partition('guest/operator');
    await cluster.guests.advance(seconds(3));
    cluster.faults.heal('guest/operator');
    await cluster.guests.advance(seconds(3));
    cluster.faults.crash('apiserver/0');
    await cluster.guests.advance(seconds(3));
    cluster.faults.restart('apiserver/0');
    await cluster.guests.advance(seconds(5));
    expect(seen).toEqual(['200', 'TimeoutError', '200', 'ECONNREFUSED', '200']);
  });
});

describe('what a guest takes of Node', () => {
  it('is told the same time by all of its clocks, also as a timer goes off', async () => {
    const seen: unknown[] = [];
    await lived(
      () =>
        new Promise<void>((resolve) => {
          const began = Date.now();
          setTimeout(() => {
            seen.push(performance.now(), Date.now() - began, process.uptime());
            setTimeout(() => {
              seen.push(performance.now(), Date.now() - began, process.uptime());
              resolve();
            }, 500);
          }, 1_000);
        }),
      { seed: 1 },
    );
    expect(seen).toEqual([1_000, 1_000, 1, 1_500, 1_500, 1.5]);
  });

  const drawn = async (seed: number): Promise<string> => {
    const seen: unknown[] = [];
    await lived(
      async () => {
        seen.push(randomUUID(), randomBytes(8).toString('hex'), randomInt(1_000_000));
        seen.push(await promisify(randomBytes)(4), crypto.randomUUID(), Math.random());
        const { data } = { data: createHash('sha256').update('a').digest('hex') };
        await pause(1_500, 'late');
        await promisify(setTimeout)(500);
        await new Promise((resolve) => setImmediate(resolve));
        seen.push(data, Date.now(), performance.now(), performance.timeOrigin, process.uptime());
        seen.push(process.hrtime.bigint().toString(), hostname(), process.env['KUBERNETES_SERVICE_HOST']);
      },
      { seed },
    );
    return JSON.stringify(seen);
  };

  it('is an environment of its own, which others do not see and a new life finds as it was', async () => {
    const cluster = createCluster({ controllers: [] });
    const seen: unknown[] = [];
    const see = (): void =>
      void seen.push([process.env['GREETING'], 'GREETING' in process.env, process.env['HOME']]);
    for (const name of ['first', 'second'])
      cluster.guest(name, async () => {
        see();
        process.env['GREETING'] = name;
        delete process.env['HOME'];
        await new Promise((resolve) => setTimeout(resolve, 1_000));
        see();
        seen.push(Object.keys(process.env).filter((each) => ['GREETING', 'HOME'].includes(each)));
      });
    await cluster.guests.advance(seconds(2));
    const [before, kept] = [[undefined, false, '/nonexistent'], ['GREETING']];
    expect(seen).toEqual([
      before,
      before,
      ['first', true, undefined],
      kept,
      ['second', true, undefined],
      kept,
    ]);
    cluster.faults.crash('guest/first');
    cluster.faults.restart('guest/first');
    await cluster.guests.advance(seconds(1));
    expect(seen[6]).toEqual(before);
    expect('GREETING' in process.env).toBe(false);
  });

  it('is of its seed and its clock', async () => {
    expect(await drawn(1)).toBe(await drawn(1));
    expect(await drawn(2)).not.toBe(await drawn(1));
    expect(await drawn(1)).toContain('1735689602000');
  });
});
