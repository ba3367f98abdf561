/** Each rule about reads, in whole runs: of a cluster that keeps it, and of one whose messages were tampered with. */
import { describe, expect, test } from 'vitest';
import type { RunRecord } from '../../reports/run-record.ts';
import type { ApiObject } from '../../sim/index.ts';
import { Connection } from '../../sim/engine/connection.ts';
import { loadScenario } from '../language/load-scenario.ts';
import { executeRun } from '../runner/execute-run.ts';
import { createClusterWorld } from '../world/cluster-world.ts';

async function run(steps: string, cluster = '{ nodes: 2 }'): Promise<RunRecord> {
  const head = 'apiVersion: kubesim.dev/v1\nkind: Scenario\nmetadata: { name: sample }\n';
  const result = loadScenario('sample.yaml', `${head}spec:\n  cluster: ${cluster}\n  steps:\n${steps}`);
  if (result.kind === 'invalid')
    throw new Error(result.problems.map(({ line, message }) => `${line}: ${message}`).join('\n'));
  return executeRun(result.loaded, { seed: 1, makeWorld: createClusterWorld });
}

interface Listed {
  readonly kind?: string;
  readonly metadata: { readonly resourceVersion: string; readonly remainingItemCount?: number };
  readonly items: readonly ApiObject[];
}

interface Message {
  readonly kind?: string;
  readonly event?: { readonly type: string; readonly object: ApiObject };
  readonly of?: string;
  readonly call?: { readonly path: string; readonly query: Readonly<Record<string, string | undefined>> };
  readonly to?: { readonly method: string; readonly path: string };
  readonly body?: { readonly status?: number; readonly body?: Listed | string };
}

/** What is sent instead of a message; itself where nothing is wrong. */
type Tamper = (message: Message, remote: string) => readonly Message[];

/** A run in which messages are tampered with on their way out. */
async function tampered(tamper: Tamper, steps: string, cluster?: string): Promise<RunRecord> {
  const send = Object.getOwnPropertyDescriptor(Connection.prototype, 'send')!.value as (
    m: unknown,
  ) => boolean;
  Connection.prototype.send = function (this: Connection<unknown, unknown>, message: unknown): boolean {
    return tamper(message as Message, this.remote).every((sent) => send.call(this, sent));
  };
  try {
    return await run(steps, cluster);
  } finally {
    Connection.prototype.send = send;
  }
}

const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const eventsOf = (
  reader: string,
  path: string,
  tamper: (event: Message, nth: number) => readonly Message[],
): Tamper => {
  let nth = 0;
  return (message, remote) =>
    message.kind === 'event' &&
    message.of === path &&
    remote.startsWith(reader) &&
    message.event?.type !== 'BOOKMARK'
      ? tamper(message, nth++)
      : [message];
};

const listsOf =
  (path: string, tamper: (list: Listed) => Listed): Tamper =>
  (message) => {
    const { to, body } = message;
    if (to?.path !== path || to.method !== 'GET' || body?.status !== 200 || body.body === undefined)
      return [message];
    const isText = typeof body.body === 'string';
    const list = tamper(typeof body.body === 'string' ? (JSON.parse(body.body) as Listed) : body.body);
    return [{ ...message, body: { ...body, body: isText ? JSON.stringify(list) : list } }];
  };

const create = (name: string, labels = '{}'): string =>
  `    - create: { apiVersion: v1, kind: ConfigMap, metadata: { name: ${name}, namespace: default, labels: ${labels} } }\n`;
const change = (name: string, value: string): string =>
  `    - patch: { kind: ConfigMap, name: ${name}, patch: { data: { n: '${value}' } } }\n`;
const watch = (more = ''): string =>
  `    - watch: { stream: w, kind: ConfigMap, namespace: default${more} }\n`;
const WAIT = '    - advance: 45s\n';
const WRITES = watch() + create('a') + change('a', '1') + create('b') + change('a', '2') + change('b', '1');

describe('a watch that is what it should be', () => {
  test('begins with the state in any order of versions', async () => {
    const record = await run(create('zz') + create('aa') + watch() + change('zz', '1') + WAIT);
    expect(record.failure).toBeUndefined();
  });

  test('may begin with nothing, with some of it, and late', async () => {
    const steps =
      watch(', labelSelector: app=web') +
      create('a', '{ app: web }') +
      create('b') +
      change('b', '1') +
      `    - patch: { kind: ConfigMap, name: a, patch: { metadata: { labels: { app: db } } } }\n` +
      `    - patch: { kind: ConfigMap, name: b, patch: { metadata: { labels: { app: web } } } }\n` +
      `    - delete: { kind: ConfigMap, name: b }\n` +
      WAIT;
    expect((await run(steps)).failure).toBeUndefined();
    expect(
      (await run(create('a') + WAIT + watch(", resourceVersion: '0'") + change('a', '1') + WAIT)).failure,
    ).toBeUndefined();
  });

  test('survives partitions, crashes and lag of two servers', async () => {
    const steps =
      WRITES +
      '    - fault: { partition: { from: node/worker-1 } }\n' +
      WAIT +
      change('a', '3') +
      '    - fault: { heal: { from: node/worker-1 } }\n' +
      WAIT +
      '    - fault: { crash: { actor: apiserver/0 } }\n    - advance: 5s\n    - fault: { restart: { actor: apiserver/0 } }\n' +
      WAIT +
      '    - fault: { lagWatchCache: { by: 3s } }\n' +
      WAIT +
      '    - fault: { lagWatchCache: { by: 0s } }\n' +
      WAIT;
    expect((await run(steps, '{ nodes: 2, apiServers: 2 }')).failure).toBeUndefined();
  });
});

test('a watch opens and tells with the last that its server said before it crashed', async () => {
  const slow = '{ from: controller-manager/0, to: apiserver/0, way: back, min: 1s, typical: 1s, max: 1s }';
  const steps =
    `    - fault: { latency: ${slow} }\n` +
    '    - fault: { reset: { from: controller-manager/0, to: apiserver/0 } }\n' +
    '    - advance: 1500ms\n' +
    create('a') +
    '    - fault: { crash: { actor: apiserver/0, silent: true } }\n    - advance: 5s\n' +
    '    - fault: { restart: { actor: apiserver/0 } }\n' +
    WAIT;
  expect((await run(steps)).failure).toBeUndefined();
});

describe('watch-ordered', () => {
  test('finds two events that changed places', async () => {
    let held: Message | undefined;
    const swap = eventsOf('user/', CONFIG_MAPS, (event, nth) => {
      if (nth === 2) {
        held = event;
        return [];
      }
      return nth === 3 && held ? [event, held] : [event];
    });
    const record = await tampered(swap, WRITES + WAIT);
    expect(record.failure?.property).toMatch(/^watch-(ordered|complete)$/);
    const details = record.failure?.details.join('\n');
    expect(details).toContain('user/test watching /api/v1/namespaces/default/configmaps');
  });

  test('finds an event whose version is older than what came before', async () => {
    const first: Message[] = [];
    const older = eventsOf('user/', CONFIG_MAPS, (event, nth) => {
      if (nth === 0) first.push({ ...event, event: { ...event.event!, type: 'MODIFIED' } });
      const { object } = event.event!;
      const aged = { ...object, metadata: { ...object.metadata, resourceVersion: '1' } };
      return nth === 3 ? [{ ...event, event: { type: 'MODIFIED', object: aged } }, event] : [event];
    });
    expect((await tampered(older, WRITES + WAIT)).failure?.property).toBe('watch-ordered');
  });
});

describe('watch-unique', () => {
  test.each([
    ['a user', 'user/', CONFIG_MAPS],
    ['an informer', 'controller-manager/', '/api/v1/nodes'],
    ['an agent', 'node/', '/api/v1/pods'],
  ])('finds an event that comes twice to %s', async (_who, reader, path) => {
    const twice = eventsOf(reader, path, (event, nth) => (nth === 1 ? [event, event] : [event]));
    const record = await tampered(twice, WRITES + POD + WAIT);
    expect(record.failure?.property).toBe('watch-unique');
    expect(record.failure?.details.join()).toContain(reader);
  });
});

const POD = `    - advance: 15s
    - create:
        { apiVersion: v1, kind: Pod, metadata: { name: web, namespace: default }, spec: { nodeName: worker-1, containers: [{ name: main, image: 'app:1' }] } }
`;

describe('watch-complete', () => {
  test.each([
    ['a user', 'user/', CONFIG_MAPS],
    ['an informer', 'controller-manager/', '/api/v1/nodes'],
    ['an agent', 'node/', '/api/v1/pods'],
  ])('finds an event that never comes to %s, though later ones do', async (_who, reader, path) => {
    const lost = eventsOf(reader, path, (event, nth) => (nth === 1 ? [] : [event]));
    expect((await tampered(lost, WRITES + POD + WAIT)).failure?.property).toBe('watch-complete');
  });

  test('finds a stream that falls silent', async () => {
    const silent = eventsOf('user/', CONFIG_MAPS, (event, nth) => (nth < 3 ? [event] : []));
    const record = await tampered(silent, WRITES + WAIT);
    expect(record.failure).toMatchObject({ property: 'watch-complete' });
    expect(record.failure?.details.join()).toContain('never came');
  });

  test('finds an initial state that lacks an object', async () => {
    const lacking = eventsOf('user/', CONFIG_MAPS, (event, nth) => (nth === 0 ? [] : [event]));
    const record = await tampered(lacking, create('a') + create('b') + watch() + change('b', '1') + WAIT);
    // It is also that of an earlier version, and then lacks an event.
    expect(record.failure?.property).toMatch(/^watch-(complete|fresh)$/);
  });

  test('does not accuse a stream whose reader is cut off', async () => {
    const steps = `${WRITES}    - fault: { partition: { from: node/worker-1 } }\n${WAIT}${POD}${WAIT}`;
    expect((await run(steps)).failure).toBeUndefined();
  });
});

describe('watch-filtered', () => {
  const shown = (of: (event: NonNullable<Message['event']>) => NonNullable<Message['event']>): Tamper =>
    eventsOf('user/', CONFIG_MAPS, (event, nth) => [
      nth === 2 ? { ...event, event: of(event.event!) } : event,
    ]);

  test.each<[string, Tamper]>([
    [
      'an event as what it is not',
      shown(({ type, object }) => ({ type: type === 'MODIFIED' ? 'ADDED' : 'MODIFIED', object })),
    ],
    [
      'an object as it never was',
      shown(({ type, object }) => ({ type, object: { ...object, data: { n: 'x' } } })),
    ],
    [
      'an object of elsewhere',
      shown(({ type, object }) => ({
        type,
        object: { ...object, metadata: { ...object.metadata, namespace: 'kube-system' } },
      })),
    ],
  ])('finds %s', async (_what, tamper) => {
    expect((await tampered(tamper, WRITES + WAIT)).failure?.property).toBe('watch-filtered');
  });

  test('finds an object that was not asked for', async () => {
    const steps =
      watch(', labelSelector: app=web') +
      create('a', '{ app: web }') +
      change('a', '1') +
      create('b') +
      change('a', '2') +
      WAIT;
    const seen: ApiObject[] = [];
    const more = eventsOf('user/', CONFIG_MAPS, (event, nth) => {
      seen.push(event.event!.object);
      const { metadata } = seen[0]!;
      const foreign = {
        ...seen[0]!,
        metadata: {
          ...metadata,
          name: 'b',
          resourceVersion: String(Number(event.event!.object.metadata.resourceVersion) - 1),
        },
      };
      return nth === 2 ? [{ ...event, event: { type: 'MODIFIED', object: foreign } }, event] : [event];
    });
    expect((await tampered(more, steps)).failure?.property).toBe('watch-filtered');
  });
});

describe('watch-bookmarkable', () => {
  test('finds a bookmark that comes before what it vouches for', async () => {
    let held: Message | undefined;
    const early = eventsOf('user/', CONFIG_MAPS, (event, nth) => {
      if (nth !== 2) return [event];
      held = event;
      const { resourceVersion = '' } = event.event!.object.metadata;
      const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { resourceVersion } } as ApiObject;
      return [{ ...event, event: { type: 'BOOKMARK', object } }, held];
    });
    expect((await tampered(early, WRITES + WAIT)).failure?.property).toBe('watch-bookmarkable');
  });

  test('finds a bookmark that goes back', async () => {
    const back = eventsOf('controller-manager/', '/api/v1/nodes', (event, nth) => {
      const object = { apiVersion: 'v1', kind: 'Node', metadata: { resourceVersion: '1' } } as ApiObject;
      return nth === 2 ? [event, { ...event, event: { type: 'BOOKMARK', object } }] : [event];
    });
    expect((await tampered(back, WRITES + WAIT)).failure?.property).toBe('watch-bookmarkable');
  });
});

describe('watch-resumable', () => {
  const RECONNECT =
    `    - advance: 15s\n    - fault: { partition: { from: node/worker-1 } }\n    - advance: 2s\n` +
    Array.from({ length: 6 }, (_, index) => podOn(`web-${index}`)).join('') +
    `    - advance: 60s\n    - fault: { heal: { from: node/worker-1 } }\n    - advance: 90s\n`;

  test('a reader that comes back is not accused', async () => {
    expect((await run(RECONNECT)).failure).toBeUndefined();
  });

  test('finds a server that leaves out what was written meanwhile', async () => {
    let opened = 0;
    let left = 0;
    const forgetful: Tamper = (message, remote) => {
      if (remote !== 'node/worker-1' || (message.of !== undefined && message.of !== '/api/v1/pods'))
        return [message];
      if (message.kind === 'opened') opened += 1;
      if (opened > OPENED_AT_FIRST && message.kind === 'event' && left++ < 2) return [];
      return [message];
    };
    expect((await tampered(forgetful, RECONNECT)).failure?.property).toBe('watch-resumable');
  });

  test('finds a reader that goes on where it was not told to be', async () => {
    let opens = 0;
    const hasty: Tamper = (message) => {
      if (message.kind !== 'open' || message.call?.path !== '/api/v1/nodes') return [message];
      const { resourceVersion } = message.call.query;
      if (opens++ === 0 || resourceVersion === undefined) return [message];
      const query = { ...message.call.query, resourceVersion: String(Number(resourceVersion) + 3) };
      return [{ ...message, call: { ...message.call, query } }];
    };
    const steps = `    - advance: 15s\n    - fault: { crash: { actor: apiserver/0 } }\n    - advance: 1s\n    - fault: { restart: { actor: apiserver/0 } }\n    - advance: 90s\n`;
    const record = await tampered(hasty, steps, '{ nodes: 2, apiServers: 2 }');
    expect(record.failure?.property).toBe('watch-resumable');
  });
});

/** Streams that an agent opens before the fault. */
const OPENED_AT_FIRST = 2;

function podOn(name: string): string {
  return `    - create: { apiVersion: v1, kind: Pod, metadata: { name: ${name}, namespace: default }, spec: { nodeName: worker-1, containers: [{ name: main, image: 'app:1' }] } }\n`;
}

describe('watch-fresh', () => {
  test('finds a watch that begins with an old state', async () => {
    const known = new Map<string, Message>();
    const old: Tamper = (message, remote) => {
      const name = message.event?.object.metadata.name ?? '';
      if (!remote.startsWith('user/') || message.kind !== 'event') return [message];
      const first = known.get(name);
      if (!first) known.set(name, message);
      return first && message.event?.type === 'ADDED' ? [first] : [message];
    };
    const again = `    - stop: w\n    - watch: { stream: v, kind: ConfigMap, namespace: default }\n`;
    const steps = create('a') + watch() + change('a', '1') + '    - advance: 1s\n' + again + WAIT;
    expect((await tampered(old, steps)).failure?.property).toBe('watch-fresh');
  });
});

describe('lists', () => {
  const LIST = `    - list: { kind: ConfigMap, namespace: default }\n`;
  const THREE = create('a') + create('b') + create('c');
  const PAGES =
    `    - list: { kind: ConfigMap, namespace: default, limit: 2 }\n      capture: { more: body.metadata.continue }\n` +
    `    - list: { kind: ConfigMap, namespace: default, limit: 2, continue: '\${more}' }\n`;

  test('in pages over writes are not accused', async () => {
    const between = PAGES.replace(
      '    - list: { kind: ConfigMap, namespace: default, limit: 2, continue',
      `${create('aa')}${change('c', '9')}$&`,
    );
    expect((await run(THREE + between + LIST)).failure).toBeUndefined();
  });

  test.each<[string, string, (list: Listed) => Listed]>([
    ['list-snapshot', 'an item that is missing', (list) => ({ ...list, items: list.items.slice(1) })],
    [
      'list-snapshot',
      'an item as it never was',
      (list) => ({ ...list, items: list.items.map((item) => ({ ...item, data: { n: 'x' } })) }),
    ],
    ['list-sorted', 'items out of order', (list) => ({ ...list, items: list.items.toReversed() })],
    [
      'list-fresh',
      'a list that is too old',
      (list) => ({ ...list, metadata: { ...list.metadata, resourceVersion: '3' }, items: [] }),
    ],
  ])('%s finds %s', async (rule, _what, tamper) => {
    expect((await tampered(listsOf(CONFIG_MAPS, tamper), THREE + LIST)).failure?.property).toBe(rule);
  });

  test('list-counted finds a number of remaining items that is wrong', async () => {
    const wrong = listsOf(CONFIG_MAPS, (list) =>
      list.metadata.remainingItemCount === undefined
        ? list
        : { ...list, metadata: { ...list.metadata, remainingItemCount: 7 } },
    );
    expect((await tampered(wrong, THREE + PAGES)).failure?.property).toBe('list-counted');
  });

  test('are held to it for informers as well', async () => {
    const lacking = listsOf('/api/v1/nodes', (list) => ({ ...list, items: list.items.slice(1) }));
    const steps = `    - advance: 15s\n    - fault: { crash: { actor: controller-manager/0 } }\n    - fault: { restart: { actor: controller-manager/0 } }\n    - advance: 15s\n`;
    const record = await tampered(lacking, steps, '{ nodes: 2, scheduler: false }');
    expect(record.failure?.property).toBe('list-snapshot');
    expect(record.failure?.details.join()).toContain('controller-manager/0 listing /api/v1/nodes');
  });

  test('a rule that is exempt is silent', async () => {
    const lacking = listsOf(CONFIG_MAPS, (list) => ({ ...list, items: list.items.slice(1) }));
    const record = await tampered(lacking, THREE + LIST, '{ nodes: 2 }\n  exempt: [list-snapshot]');
    expect(record.failure).toBeUndefined();
  });
});
