/** Guests that serve groups of their own behind an APIService: what goes on and on is passed on as it comes. */
import { describe, expect, it } from 'vitest';
import { createCluster, seconds } from '../index.ts';
import type { GuestEnvironment, GuestPieces, GuestProgram } from './guest/guest-program.ts';

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const ROOT = '/apis/tides.example.com/v1';
const tide = (name: string, resourceVersion: string) => ({
  apiVersion: 'tides.example.com/v1',
  kind: 'Tide',
  metadata: { name, namespace: 'default', resourceVersion },
});
const RESOURCES = {
  kind: 'APIResourceList',
  apiVersion: 'v1',
  groupVersion: 'tides.example.com/v1',
  resources: [
    { name: 'tides', singularName: 'tide', namespaced: true, kind: 'Tide', verbs: ['get', 'list', 'watch'] },
  ],
};
const SWAGGER = {
  swagger: '2.0',
  paths: { [`${ROOT}/tides`]: { get: { responses: {} } }, '/apis/apps/v1/tides': { get: { responses: {} } } },
  definitions: {},
};

/** Each second a tide comes, `count` of them. */
const backend =
  (count: number, left: () => void = () => undefined): GuestProgram =>
  async ({ serve }) => {
    async function* events(): AsyncGenerator<object> {
      try {
        for (let number = 1; number <= count; number += 1) {
          await pause(1_000);
          yield { type: 'ADDED', object: tide(`t${number}`, String(number)) };
        }
      } finally {
        left();
      }
    }
    const json = (object: object) => ({ status: 200, body: { kind: 'object', object } }) as const;
    serve(443, ({ path }) => {
      if (path === ROOT) return json(RESOURCES);
      if (path === '/openapi/v2') return json(SWAGGER);
      if (path === '/openapi/v3')
        return json({
          paths: { 'apis/tides.example.com/v1': { serverRelativeURL: '/openapi/v3/tides?hash=1' } },
        });
      if (path.includes('watch=')) return { status: 200, pieces: events() } satisfies GuestPieces;
      return json({ kind: 'TideList', apiVersion: 'tides.example.com/v1', metadata: {}, items: [] });
    });
    await pause(3_600_000);
  };

const SERVICE = {
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'backend', namespace: 'default' },
  spec: { ports: [{ port: 443 }] },
};
const API_SERVICE = {
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: 'v1.tides.example.com' },
  spec: {
    ...{ group: 'tides.example.com', version: 'v1', groupPriorityMinimum: 100, versionPriority: 100 },
    insecureSkipTLSVerify: true,
    service: { namespace: 'default', name: 'backend' },
  },
};
const TIDES = {
  ...{ group: 'tides.example.com', version: 'v1', resource: 'tides', kind: 'Tide' },
  isNamespaced: true,
} as const;

/** With a backend, and with somebody who does as `user` says once it is there. */
async function clusterWith(program: GuestProgram, user: (guest: GuestEnvironment) => Promise<void>) {
  const cluster = createCluster({ controllers: [], seed: 5 });
  cluster.guest('backend', program);
  cluster.guest('user', async (guest) => {
    await guest.request('POST', '/api/v1/namespaces/default/services', { body: SERVICE });
    await guest.request('POST', '/apis/apiregistration.k8s.io/v1/apiservices', { body: API_SERVICE });
    await pause(1_000);
    await user(guest);
  });
  await cluster.guests.advance(seconds(20));
  return cluster;
}

describe('a watch of an aggregated server', () => {
  const heard = async (guest: GuestEnvironment, most = 100): Promise<readonly string[]> => {
    const names: string[] = [];
    const start = Date.now();
    for await (const { object } of await guest.client.resource(TIDES).watch()) {
      const { name } = (object as { readonly metadata: { readonly name?: string } }).metadata;
      names.push(`${name} after ${Math.floor((Date.now() - start) / 1_000)} s`);
      if (names.length === most) break;
    }
    return names;
  };

  it('is told as it comes, and ends when that server ends it', async () => {
    let names: readonly string[] = [];
    let left = 0;
    const program = backend(3, () => (left += 1));
    await clusterWith(program, async (guest) => {
      names = await heard(guest);
    });
    expect(names).toEqual(['t1 after 1 s', 't2 after 2 s', 't3 after 3 s']);
    expect(left).toBe(1);
  });

  it('is left behind when its reader goes away', async () => {
    let left = 0;
    const program = backend(1_000, () => (left += 1));
    await clusterWith(program, async (guest) => {
      await heard(guest, 2);
    });
    expect(left).toBe(1);
  });

  it('comes as bytes to whoever speaks HTTP', async () => {
    let text = '';
    await clusterWith(backend(2), async ({ kubeconfig }) => {
      expect(kubeconfig).toContain('https://kubernetes.default.svc');
      const answer = await fetch(`https://kubernetes.default.svc${ROOT}/tides?watch=true`);
      text = await answer.text();
    });
    const events = text
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(events).toEqual([
      { type: 'ADDED', object: tide('t1', '1') },
      { type: 'ADDED', object: tide('t2', '2') },
    ]);
  });

  it('breaks when the server behind it crashes', async () => {
    let outcome = '';
    const cluster = await clusterWith(backend(1_000), async (guest) => {
      outcome = await heard(guest).then(
        (names) => `ended after ${names.length}`,
        () => 'broke',
      );
    });
    expect(outcome).toBe('');
    cluster.faults.crash('guest/backend');
    await cluster.guests.advance(seconds(5));
    expect(outcome).toMatch(/^(ended after \d+|broke)$/);
  });
});

it('the documents of an aggregated server are merged into those of the API server', async () => {
  let [index, swagger]: readonly unknown[] = [];
  await clusterWith(backend(1), async (guest) => {
    index = JSON.parse((await guest.request('GET', '/openapi/v3')).body as string);
    swagger = JSON.parse((await guest.request('GET', '/openapi/v2')).body as string);
  });
  expect(index).toMatchObject({
    paths: {
      'apis/apps/v1': {},
      'apis/tides.example.com/v1': { serverRelativeURL: '/openapi/v3/tides?hash=1' },
    },
  });
  const { paths } = swagger as { readonly paths: Readonly<Record<string, unknown>> };
  expect(paths).toMatchObject({ [`${ROOT}/tides`]: {}, '/apis/apps/v1/deployments': {} });
  // Of the rest of what it says of itself nothing is believed.
  expect(paths).not.toHaveProperty(['/apis/apps/v1/tides']);
});

it('what an aggregated server said goes with its APIService: whoever is registered anew is another', async () => {
  const shown: unknown[] = [];
  await clusterWith(backend(1), async (guest) => {
    const versions = async (): Promise<unknown> => {
      const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
      const answer = await fetch('https://kubernetes.default.svc/apis', { headers: { accept } });
      const { items } = (await answer.json()) as {
        readonly items: readonly {
          readonly metadata: { readonly name: string };
          readonly versions: unknown;
        }[];
      };
      return items.find(({ metadata }) => metadata.name === 'tides.example.com')?.versions;
    };
    shown.push(await versions());
    await guest.request('DELETE', '/apis/apiregistration.k8s.io/v1/apiservices/v1.tides.example.com');
    await guest.request('DELETE', '/api/v1/namespaces/default/services/backend');
    await pause(1_000);
    shown.push(await versions());
    await guest.request('POST', '/apis/apiregistration.k8s.io/v1/apiservices', { body: API_SERVICE });
    await pause(1_000);
    shown.push(await versions());
  });
  expect(shown).toEqual([
    [{ version: 'v1', freshness: 'Current', resources: [expect.objectContaining({ resource: 'tides' })] }],
    undefined,
    [{ version: 'v1', freshness: 'Stale' }],
  ]);
});

describe('whether an aggregated server is there', () => {
  /** Of what it is asked only that is answered well whose number `isWell` takes. */
  async function conditionOf(
    isWell: (check: number) => boolean,
  ): Promise<{ asked: number; condition: unknown }> {
    let asked = 0;
    let condition: unknown;
    const program: GuestProgram = async ({ serve }) => {
      serve(443, ({ path, headers }) => {
        if (path !== ROOT || headers?.['x-remote-user'] !== 'system:kube-aggregator')
          return { status: 404, body: { kind: 'object', object: {} } };
        asked += 1;
        return { status: isWell(asked) ? 200 : 503, body: { kind: 'object', object: RESOURCES } };
      });
      await pause(3_600_000);
    };
    await clusterWith(program, async ({ client }) => {
      await pause(5_000);
      const service = await client.apiServices.get('v1.tides.example.com');
      condition = service.status?.conditions?.[0];
    });
    return { asked, condition };
  }

  it('is asked five times at once, and one good answer is enough', async () => {
    const { asked, condition } = await conditionOf((check) => check % 5 === 0);
    expect(condition).toMatchObject({ status: 'True', reason: 'Passed' });
    expect(asked).toBeGreaterThanOrEqual(5);
  });

  it('is doubted when all five answers are bad', async () => {
    const { condition } = await conditionOf(() => false);
    expect(condition).toMatchObject({ status: 'False', reason: 'FailedDiscoveryCheck' });
    expect((condition as { message: string }).message).toMatch(/bad status from \S+: 503$/);
  });
});
