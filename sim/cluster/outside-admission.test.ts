import { describe, expect, it } from 'vitest';
import { serve } from '../host/serve.ts';
import {
  type AdmissionAttributes,
  type AdmissionPlugin,
  BUILTIN_HANDLES,
  createCluster,
  forbidden,
  milliseconds,
  type WireAnswer,
  WireUser,
} from '../index.ts';

const user = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
const PATH = '/api/v1/namespaces/default/configmaps';
const isConfigMap: AdmissionPlugin['handles'] = (operation, { resource }, subresource) =>
  resource === 'configmaps' && subresource === '' && operation !== 'DELETE';

/** Labels every config map; whoever asks for it is made to wait a second. */
function labeller() {
  const seen: { readonly isDryRun: boolean; readonly old: string | undefined }[] = [];
  const plugin: AdmissionPlugin = {
    name: 'labeller',
    handles: isConfigMap,
    *admit({ object, oldObject, isDryRun, context }: AdmissionAttributes) {
      seen.push({ isDryRun, old: oldObject?.metadata.resourceVersion });
      if (!object) return;
      object.metadata.labels = { ...object.metadata.labels, seen: 'yes' };
      if (object.metadata.annotations?.['slow'] === 'yes' && seen.length < 3)
        yield* context.surroundings.sleepMs(1_000);
    },
  };
  return { plugin, seen };
}

const refuser: AdmissionPlugin = {
  name: 'refuser',
  handles: isConfigMap,
  validate({ object, resource, name }) {
    // What the others have made of it is seen here.
    if (object?.metadata.labels?.['seen'] !== 'yes') throw new Error('the labeller comes first');
    if (name.startsWith('bad')) throw forbidden(resource, name, 'bad names are not taken');
    if (name.startsWith('odd')) throw new TypeError('odd names confuse me');
  },
};

const statusOf = (answer: WireAnswer): unknown => JSON.parse(String(answer?.body));

describe('admission plugins from outside', () => {
  const setUp = () => {
    const { plugin, seen } = labeller();
    const cluster = createCluster({ admission: [plugin, refuser], controllers: [] });
    cluster.advance(milliseconds(100));
    const wire = new WireUser(cluster);
    const post = (name: string, query = {}) =>
      wire.request({ method: 'POST', path: PATH, query, user, body: { metadata: { name } } });
    return { cluster, wire, post, seen };
  };

  it('change what is written, and see a dry run as one', () => {
    const { cluster, post, seen } = setUp();
    expect(post('a')?.status).toBe(201);
    expect(cluster.client.configMaps.get({ namespace: 'default', name: 'a' }).metadata.labels).toEqual({
      seen: 'yes',
    });
    expect(post('b', { dryRun: 'All' })?.status).toBe(201);
    expect(seen.map(({ isDryRun }) => isDryRun)).toEqual([false, true]);
  });

  it('refuse in the words of the API', () => {
    const { post } = setUp();
    expect(statusOf(post('bad-one'))).toMatchObject({
      code: 403,
      reason: 'Forbidden',
      message: 'configmaps "bad-one" is forbidden: bad names are not taken',
      details: { name: 'bad-one', kind: 'configmaps' },
    });
  });

  it('that fail are an internal error of that request alone', () => {
    const { post } = setUp();
    expect(statusOf(post('odd-one'))).toMatchObject({
      code: 500,
      reason: 'InternalError',
      message: 'Internal error occurred: admission plugin "refuser" failed: odd names confuse me',
    });
    expect(post('good')?.status).toBe(201);
  });

  it('are asked again, with what is there then, when something else was written meanwhile', () => {
    const { cluster, seen } = setUp();
    const { configMaps } = cluster.client;
    const made = configMaps.create({
      metadata: { namespace: 'default', name: 'a', annotations: { slow: 'no' } },
    });
    const key = { namespace: 'default', name: 'a' };
    const slow = cluster.user.spawn('slow', () =>
      cluster.userClient.patch(BUILTIN_HANDLES.configMaps, key, {
        type: 'merge',
        body: { metadata: { annotations: { slow: 'yes' } } },
      }),
    );
    cluster.advance(milliseconds(500));
    const between = configMaps.patch(key, { type: 'merge', body: { data: { between: 'yes' } } });
    cluster.advance(milliseconds(2_000));
    expect(slow.result()).toMatchObject({
      data: { between: 'yes' },
      metadata: { annotations: { slow: 'yes' } },
    });
    expect(seen.map(({ old }) => old)).toEqual([
      undefined,
      made.metadata.resourceVersion,
      made.metadata.resourceVersion,
      between.metadata.resourceVersion,
    ]);
  });
});

it('a served control plane survives what a plugin throws', async () => {
  const serving = await serve({
    bindAddress: '127.0.0.1',
    httpPort: 0,
    seed: 1,
    speed: 1,
    admission: [labeller().plugin, refuser],
    onDefect: (error) => {
      throw error;
    },
  });
  const post = async (name: string): Promise<{ readonly code?: number; readonly message?: string }> => {
    const body = JSON.stringify({ metadata: { name } });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${serving.urls[0]}${PATH}`, { method: 'POST', headers, body });
    return (await response.json()) as { readonly code?: number };
  };
  try {
    expect(await post('odd-one')).toMatchObject({ code: 500, reason: 'InternalError' });
    expect(await post('bad-one')).toMatchObject({ code: 403, reason: 'Forbidden' });
    expect(await post('good')).toMatchObject({ metadata: { name: 'good', labels: { seen: 'yes' } } });
  } finally {
    await serving.stop();
  }
});
