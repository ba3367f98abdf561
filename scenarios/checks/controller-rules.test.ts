/** Each rule about controllers, with a controller that breaks it and with one that does the same and keeps it. */
import { join } from 'node:path';
import { describe } from 'vitest';
import {
  type ApiObject,
  BUILTIN_HANDLES,
  type Cluster,
  type GuestFunction,
  type GuestVerbs,
  milliseconds,
  minutes,
  seconds,
} from '../../sim/index.ts';
import type { ControllerRuleName } from '../../model/controllers/controller-rules.ts';
import { WEBSITES } from '../examples/vitest/website-operator.ts';
import { applyFiles, expect, test } from '../testing/vitest.ts';

type World = Cluster & GuestVerbs;
type Environment = Parameters<GuestFunction>[0];

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const at = (name: string) => ({ namespace: 'default', name });

/** Works on config maps of the name that is given, whenever one of them changes. */
const onConfigMaps =
  (work: (name: string, environment: Environment) => Promise<void>): GuestFunction =>
  async (environment) => {
    const queue = environment.workQueue();
    const enqueue = ({ metadata }: { readonly metadata: { readonly name?: string } }): void =>
      queue.add(metadata.name ?? '');
    const maps = environment.informer(BUILTIN_HANDLES.configMaps, {
      namespace: 'default',
      added: enqueue,
      changed: enqueue,
      removed: enqueue,
    });
    await maps.whenSynced();
    for (let key = await queue.take(); key !== undefined; key = await queue.take()) {
      await work(key, environment).catch(() => queue.addAfter(key ?? '', milliseconds(500)));
      queue.done(key);
    }
  };

type Website = ApiObject & {
  readonly spec: { readonly image: string; readonly replicas: number };
  readonly status?: { readonly observedGeneration?: number };
};

/** A definition of websites is there before. */
const tellsGeneration =
  (isNeeded: (website: Website) => boolean): GuestFunction =>
  async ({ client }) => {
    const websites = client.resource<Website>(WEBSITES);
    for (;;) {
      for (const website of (await websites.list({ namespace: 'default' })).items)
        if (isNeeded(website))
          await websites.patch(
            at(website.metadata.name ?? ''),
            { type: 'merge', body: { status: { observedGeneration: website.metadata.generation } } },
            { subresource: 'status' },
          );
      await pause(5_000);
    }
  };

interface Case {
  readonly rule: ControllerRuleName;
  readonly breaking: GuestFunction;
  readonly keeping: GuestFunction;
  readonly story: (cluster: World) => Promise<void>;
  readonly says: RegExp;
  /** Data of the config map `web` that there is before. */
  readonly given?: Readonly<Record<string, string>>;
}

const create = (cluster: World, name: string, extra: object = {}) =>
  cluster.guests.client.configMaps.create({ metadata: at(name), ...extra });

/** Keeps a Secret that belongs to the config map `web` of that uid. */
async function keyFor(client: Environment['client'], uidOfOwner: () => Promise<string>): Promise<never> {
  for (;;) {
    await pause(1_000);
    try {
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'web', uid: await uidOfOwner() };
      await client.secrets.create({ metadata: { ...at('web-key'), ownerReferences: [owner] } });
    } catch {
      // There is one, or no owner yet.
    }
  }
}

const CASES: readonly Case[] = [
  {
    rule: 'controllers-converge',
    breaking: onConfigMaps(async (name, { client }) => {
      if (name === 'web')
        await client.configMaps.patch(at(name), {
          type: 'merge',
          body: { data: { seen: new Date().toISOString() } },
        });
    }),
    keeping: onConfigMaps(async (name, { client }) => {
      if (name === 'web')
        await client.configMaps.patch(at(name), { type: 'merge', body: { data: { seen: 'yes' } } });
    }),
    story: async (cluster) => {
      await create(cluster, 'web');
      await cluster.guests.advance(seconds(30));
    },
    says: /guest\/subject has changed ConfigMap default\/web 8 times since .*s, although nobody else .*; last data\.seen from "2025-.*" to "2025-/,
  },
  {
    rule: 'controllers-are-idempotent',
    breaking: async ({ client }) => {
      await client.configMaps.patch(at('web'), {
        type: 'merge',
        body: { data: { started: new Date().toISOString() } },
      });
      await pause(3_600_000);
    },
    keeping: async ({ client }) => {
      await client.configMaps.patch(at('web'), { type: 'merge', body: { data: { started: 'yes' } } });
      await pause(3_600_000);
    },
    story: async (cluster) => {
      await cluster.guests.advance(minutes(1));
      cluster.faults.crash('guest/subject');
      await cluster.guests.advance(seconds(5));
      cluster.faults.restart('guest/subject');
      await cluster.guests.advance(minutes(1));
    },
    given: {},
    says: /guest\/subject was started anew at 65.*s, when nothing had changed for 6.*s, and changed ConfigMap default\/web \(data\.started from/,
  },
  {
    rule: 'controllers-do-not-spin',
    breaking: async ({ client }) => {
      for (;;) {
        await client.configMaps.get(at('missing')).catch(() => undefined);
      }
    },
    keeping: async ({ client }) => {
      for (let wait = 10; ; wait = Math.min(2 * wait, 10_000)) {
        await client.configMaps.get(at('missing')).catch(() => undefined);
        await pause(wait);
      }
    },
    story: (cluster) => cluster.guests.advance(seconds(30)),
    says: /guest\/subject asked `GET configmaps default\/missing` 151 times in .*s, and nothing changed by it; the last answer was 404/,
  },
  {
    rule: 'controllers-do-not-fight',
    breaking: onConfigMaps(async (name, { client }) => {
      const { data } = await client.configMaps.get(at(name));
      if (name === 'web' && data?.['size'] !== '1')
        await client.configMaps.patch(at(name), { type: 'merge', body: { data: { size: '1' } } });
    }),
    keeping: onConfigMaps(async (name, { client }) => {
      const { data } = await client.configMaps.get(at(name));
      if (name === 'web' && data?.['size'] === undefined)
        await client.configMaps.patch(at(name), { type: 'merge', body: { data: { size: '1' } } });
    }),
    story: async (cluster) => {
      cluster.guest(
        'other',
        onConfigMaps(async (name, { client }) => {
          const { data } = await client.configMaps.get(at(name));
          if (name === 'web' && data?.['size'] === '1')
            await client.configMaps.patch(at(name), { type: 'merge', body: { data: { size: '2' } } });
        }),
      );
      await create(cluster, 'web');
      await cluster.guests.advance(seconds(30));
    },
    says: /guest\/(subject|other) and guest\/(subject|other) fight over data\.size of ConfigMap default\/web: .* sets it to "1", the other to "2", 3 times each/,
  },
  {
    rule: 'controllers-do-not-fight',
    breaking: ({ client }) => keyFor(client, () => Promise.resolve('11111111-1111-4111-8111-111111111111')),
    keeping: ({ client }) =>
      keyFor(client, async () => (await client.configMaps.get(at('web'))).metadata.uid ?? ''),
    story: async (cluster) => {
      await create(cluster, 'web');
      await cluster.guests.advance(seconds(30));
    },
    says: /guest\/subject and controller-manager\/0 fight over Secret default\/web-key: since .*s the one makes it, the other deletes it, 3 times each/,
  },
  {
    rule: 'controllers-overwrite-nothing-unseen',
    breaking: async ({ client }) => {
      const {
        metadata: { resourceVersion: _, ...metadata },
        ...known
      } = await client.configMaps.get(at('web'));
      await pause(10_000);
      await client.configMaps.update({ ...known, metadata, data: { ...known.data, mine: 'yes' } });
    },
    keeping: async ({ client }) => {
      const known = await client.configMaps.get(at('web'));
      await pause(10_000);
      await client.configMaps
        .update({ ...known, data: { ...known.data, mine: 'yes' } })
        .catch(() => undefined);
    },
    story: async (cluster) => {
      await cluster.guests.advance(seconds(5));
      await cluster.guests.client.configMaps.patch(at('web'), {
        type: 'merge',
        body: { data: { size: '2' } },
      });
      await cluster.guests.advance(seconds(30));
    },
    given: { size: '1' },
    says: /guest\/subject took data\.size of ConfigMap default\/web back to "1": user\/test had set it to "2" at 5.*s, and the PUT names no resourceVersion/,
  },
  {
    rule: 'controllers-delete-their-own',
    breaking: async ({ client }) => {
      for (const { metadata } of (await client.configMaps.list({ namespace: 'default' })).items)
        if (metadata.name !== 'kube-root-ca.crt') await client.configMaps.delete(at(metadata.name ?? ''));
    },
    keeping: async ({ client }) => {
      // It may not hear of what it has made.
      await client.configMaps
        .create({ metadata: { ...at('mine'), labels: { by: 'me' } } })
        .catch(() => undefined);
      await pause(20_000);
      for (const { metadata } of (await client.configMaps.list({ namespace: 'default' })).items)
        if (metadata.labels?.['by'] === 'me') await client.configMaps.delete(at(metadata.name ?? ''));
    },
    story: async (cluster) => {
      cluster.faults.loseAnswers({ actor: 'guest/subject', verb: 'create', count: 1, resets: true });
      await create(cluster, 'shared');
      await cluster.guests.advance(seconds(30));
    },
    says: /guest\/subject deleted ConfigMap default\/shared: it has neither made nor ever changed it, nobody owns it/,
  },
  {
    rule: 'controllers-delete-what-they-saw',
    breaking: async ({ client }) => {
      await client.configMaps.get(at('web'));
      await client.secrets.get(at('web-key'));
      await pause(20_000);
      await client.secrets.delete(at('web-key'));
    },
    keeping: async ({ client }) => {
      await client.configMaps.get(at('web'));
      const { metadata } = await client.secrets.get(at('web-key'));
      await pause(20_000);
      const uid = metadata.uid ?? '';
      await client.secrets.delete(at('web-key'), { preconditions: { uid } }).catch(() => undefined);
    },
    story: async (cluster) => {
      const { secrets } = cluster.guests.client;
      await secrets.create({ metadata: at('web-key') });
      await cluster.guests.advance(seconds(10));
      await secrets.delete(at('web-key'));
      await secrets.create({ metadata: at('web-key') });
      await cluster.guests.advance(seconds(30));
    },
    given: { size: '1' },
    says: /guest\/subject deleted Secret default\/web-key, made at 10.*s, of which nobody had told it: it had seen the one of 0.*s under that name, and names no uid/,
  },
  {
    rule: 'controllers-let-go',
    breaking: onConfigMaps(async (name, { client }) => {
      const { metadata } = await client.configMaps.get(at(name));
      if (name === 'web' && metadata.deletionTimestamp === undefined)
        await client.configMaps.patch(at(name), {
          type: 'merge',
          body: { metadata: { finalizers: ['example.com/hold'] } },
        });
    }),
    keeping: onConfigMaps(async (name, { client }) => {
      const { metadata } = await client.configMaps.get(at(name));
      const finalizers = metadata.deletionTimestamp === undefined ? ['example.com/hold'] : null;
      if (name === 'web')
        await client.configMaps.patch(at(name), { type: 'merge', body: { metadata: { finalizers } } });
    }),
    story: async (cluster) => {
      await create(cluster, 'web');
      await cluster.guests.advance(seconds(10));
      await cluster.guests.client.configMaps.delete(at('web'));
      await cluster.guests.advance(minutes(6));
    },
    says: /ConfigMap default\/web was to go at 10.*s, and guest\/subject has not taken its finalizer `example.com\/hold` away/,
  },
  {
    rule: 'controllers-keep-status-current',
    breaking: tellsGeneration((website) => website.status?.observedGeneration === undefined),
    keeping: tellsGeneration(({ metadata, status }) => status?.observedGeneration !== metadata.generation),
    story: async (cluster) => {
      const websites = cluster.guests.client.resource<Website>(WEBSITES);
      const metadata = at('web');
      const spec = { image: 'web:1', replicas: 1 };
      await websites.create({ apiVersion: 'example.com/v1', kind: 'Website', metadata, spec });
      await cluster.guests.advance(seconds(30));
      await websites.patch(metadata, { type: 'merge', body: { spec: { replicas: 2 } } });
      await cluster.guests.advance(minutes(3));
    },
    says: /Website default\/web has had generation 2 since 3\d.*s, and guest\/subject, who tells its status, still says observedGeneration 1/,
  },
  {
    rule: 'controllers-leave-no-garbage',
    breaking: onConfigMaps(async (name, { client }) => {
      if (name !== 'web') return;
      await client.configMaps.patch(at(name), { type: 'merge', body: { data: { seen: 'yes' } } });
      await client.secrets.create({ metadata: at('web-key') });
    }),
    keeping: onConfigMaps(async (name, { client }) => {
      if (name !== 'web') return;
      const { metadata } = await client.configMaps.patch(at(name), {
        type: 'merge',
        body: { data: { seen: 'yes' } },
      });
      const owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid: metadata.uid ?? '' };
      await client.secrets.create({ metadata: { ...at('web-key'), ownerReferences: [owner] } });
    }),
    story: async (cluster) => {
      await create(cluster, 'web');
      await cluster.guests.advance(seconds(10));
      await cluster.guests.client.configMaps.delete(at('web'));
      await cluster.guests.advance(minutes(3));
    },
    says: /Secret default\/web-key, which guest\/subject made for ConfigMap default\/web, has no owner and is still there, .*s after that was gone/,
  },
];

describe.each(CASES)('$rule', ({ rule, breaking, keeping, story, says, given }) => {
  test.beforeEach(async ({ cluster }) => {
    await applyFiles(cluster, join(import.meta.dirname, '../examples/vitest/website-definition.json'));
    if (given) await create(cluster, 'web', { data: given });
  });

  test('is broken', async ({ cluster }) => {
    cluster.guest('subject', breaking);
    await story(cluster);
    expect(() => expect(cluster).toKeepControllerRules({ only: [rule] })).toThrow(says);
    expect(cluster).toKeepControllerRules({ exempt: [rule] });
  });

  test('is kept', async ({ cluster }) => {
    cluster.guest('subject', keeping);
    await story(cluster);
    expect(cluster).toKeepControllerRules();
  });
});

describe('a controller that speaks HTTP through a socket of its own', () => {
  const url = 'https://kubernetes.default.svc/api/v1/namespaces/default/configmaps/web';
  const finalizers = { metadata: { finalizers: ['example.com/hold'] } };
  const hold = (): Promise<unknown> =>
    fetch(url, {
      method: 'PATCH',
      headers: { 'content-type': 'application/merge-patch+json' },
      body: JSON.stringify(finalizers),
    });

  test('is held to what it began', async ({ cluster }) => {
    await create(cluster, 'web');
    cluster.guest('subject', async () => void (await hold()));
    await cluster.guests.advance(seconds(1));
    await cluster.guests.client.configMaps.delete(at('web'));
    await cluster.guests.advance(minutes(6));
    expect(() => expect(cluster).toKeepControllerRules({ only: ['controllers-let-go'] })).toThrow(
      /guest\/subject has not taken its finalizer `example.com\/hold` away/,
    );
  });

  test('has made what it was not told that it made', async ({ cluster }) => {
    const all = url.replace(/\/web$/, '');
    cluster.guest('subject', async () => {
      const body = JSON.stringify({ metadata: { name: 'mine' } });
      const headers = { 'content-type': 'application/json' };
      await fetch(all, { method: 'POST', headers, body }).catch(() => undefined);
      await pause(20_000);
      await fetch(`${all}/mine`, { method: 'DELETE' });
    });
    cluster.faults.loseAnswers({ actor: 'guest/subject', verb: 'create', count: 1, resets: true });
    await cluster.guests.advance(seconds(30));
    expect((await cluster.guests.client.configMaps.list({ namespace: 'default' })).items).toHaveLength(1);
    expect(cluster).toKeepControllerRules();
  });

  test('is seen to ask in vain', async ({ cluster }) => {
    cluster.guest('subject', async () => {
      for (let asked = 0; asked < 400; asked++) {
        await fetch(url, { method: 'DELETE' });
        await pause(10);
      }
    });
    await cluster.guests.advance(seconds(30));
    expect(() => expect(cluster).toKeepControllerRules({ only: ['controllers-do-not-spin'] })).toThrow(
      /guest\/subject/,
    );
  });
});
