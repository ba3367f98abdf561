import { describe, expect, it } from 'vitest';
import {
  createCluster,
  type HttpAnswer,
  milliseconds,
  seconds,
  type WireAnswer,
  WireUser,
} from '../../../index.ts';
import { bodyObject, type HttpCall, objectBody } from '../../../api/http-call.ts';
import { serveHttp } from '../../../client/http-port.ts';
import type { Process } from '../../../engine/process.ts';

interface Asked {
  readonly uid: string;
  readonly operation: string;
  readonly object: { readonly metadata: { readonly labels?: Readonly<Record<string, string>> } } | null;
  readonly [member: string]: unknown;
}

type Script = (request: Asked) => Readonly<Record<string, unknown>> | undefined;

const user = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const RULES = [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }];

const add = (path: string, value: unknown): Readonly<Record<string, unknown>> => ({
  patchType: 'JSONPatch',
  patch: btoa(JSON.stringify([{ op: 'add', path, value }])),
});

/** A cluster with webhooks that answer as they are scripted; undefined: never. */
function setUp(scripts: Readonly<Record<string, Script>>) {
  const cluster = createCluster({ controllers: [] });
  const asked: (readonly [string, Asked])[] = [];
  for (const [name, script] of Object.entries(scripts))
    cluster.simulation.actor(`${name}.example.com`, {
      *start(context) {
        serveHttp(context, 443, function* (call: HttpCall): Process<HttpAnswer> {
          const { apiVersion, request } = bodyObject(call.body) as {
            readonly apiVersion: string;
            readonly request: Asked;
          };
          asked.push([name, request]);
          const response = script(request);
          if (!response) yield* context.sleep(seconds(3_600));
          const answer = { uid: request.uid, allowed: true, ...response };
          return { status: 200, body: objectBody({ apiVersion, kind: 'AdmissionReview', response: answer }) };
        });
      },
    });
  cluster.advance(milliseconds(100));
  const wire = new WireUser(cluster);
  const send = (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    body: unknown,
    query = {},
  ): WireAnswer => wire.request({ method, path, query, user, body });
  const configure = (kind: 'Mutating' | 'Validating', name: string, hook: object = {}): void => {
    const answer = send(
      'POST',
      `/apis/admissionregistration.k8s.io/v1/${kind.toLowerCase()}webhookconfigurations`,
      {
        metadata: { name },
        webhooks: [
          {
            name: `${name}.example.com`,
            admissionReviewVersions: ['v1'],
            sideEffects: 'None',
            clientConfig: { url: `https://${name}.example.com/hook` },
            rules: RULES,
            ...hook,
          },
        ],
      },
    );
    expect(answer?.status).toBe(201);
  };
  const create = (name: string, query = {}, members = {}) => {
    const answer = send('POST', CONFIG_MAPS, { metadata: { name }, ...members }, query);
    return {
      status: answer?.status,
      body: JSON.parse(String(answer?.body)) as Readonly<Record<string, never>>,
    };
  };
  return { cluster, asked, configure, create, send };
}

describe('webhooks', () => {
  it('whose conditions fail forbid what the request names, and nothing by name where it names nothing', () => {
    const { configure, create, send } = setUp({});
    create('a');
    const matchConditions = [{ name: 'c', expression: "object.data.nope == 'a'" }];
    configure('Mutating', 'judge', { matchConditions });
    const told = (answer: WireAnswer): unknown =>
      Reflect.get(JSON.parse(String(answer?.body)) as object, 'message');
    const why = `is forbidden: expression 'object.data.nope == 'a'' resulted in error: no such key: data`;
    expect(told(send('POST', CONFIG_MAPS, { metadata: { name: 'b' } }))).toBe(`configmaps "b" ${why}`);
    expect(told(send('DELETE', `${CONFIG_MAPS}/a`, undefined))).toBe(`configmaps "a" ${why}`);
    expect(told(send('POST', CONFIG_MAPS, { metadata: { generateName: 'c-' } }))).toBe(`configmaps ${why}`);
    expect(told(send('DELETE', CONFIG_MAPS, undefined))).toBe(`configmaps ${why}`);
  });

  it('that validate refuse in their own words', () => {
    const { configure, create } = setUp({
      strict: () => ({ allowed: false, status: { message: 'no way' } }),
    });
    configure('Validating', 'strict');
    expect(create('a')).toMatchObject({
      status: 400,
      body: { message: 'admission webhook "strict.example.com" denied the request: no way', code: 400 },
    });
  });

  it('that change objects are asked in the order of their names, each seeing what was changed before', () => {
    const { asked, configure, create } = setUp({
      two: () => add('/metadata/labels/two', 'yes'),
      one: () => add('/metadata/labels', { one: 'yes' }),
    });
    configure('Mutating', 'two');
    configure('Mutating', 'one');
    expect(create('a').body['metadata']).toMatchObject({ labels: { one: 'yes', two: 'yes' } });
    expect(asked.map(([name, { object }]) => [name, object?.metadata.labels])).toEqual([
      ['one', undefined],
      ['two', { one: 'yes' }],
    ]);
  });

  it('are called once more after others have changed the object, if they want to be', () => {
    const { asked, configure, create, send } = setUp({
      one: ({ object }) => (object?.metadata.labels ? {} : add('/metadata/labels', { one: 'yes' })),
      two: () => add('/metadata/labels/two', 'yes'),
    });
    configure('Mutating', 'one', { reinvocationPolicy: 'IfNeeded' });
    configure('Mutating', 'two');
    create('a');
    expect(asked.map(([name]) => name)).toEqual(['one', 'two', 'one']);
    create('b', {}, { metadata: { name: 'b', labels: { one: 'x', two: 'yes' } } });
    // Nothing was changed but the times of managers, which lose their fractions on the first way through JSON.
    expect(asked.map(([name]) => name).slice(3)).toEqual(['one', 'two', 'one']);
    send('PUT', `${CONFIG_MAPS}/b`, { metadata: { name: 'b', labels: { one: 'x', two: 'yes' } } });
    // Nothing was changed at all, so nobody is called again.
    expect(asked.map(([name]) => name).slice(6)).toEqual(['one', 'two']);
  });

  it('that do not answer fail the request when their time is over, or are left out', () => {
    const { cluster, configure, create } = setUp({ mute: () => undefined, deaf: () => undefined });
    configure('Validating', 'deaf', { failurePolicy: 'Ignore', timeoutSeconds: 3 });
    const before = cluster.now;
    expect(create('a').status).toBe(201);
    expect(cluster.now - before).toBeGreaterThanOrEqual(seconds(3));
    configure('Validating', 'mute', { timeoutSeconds: 2 });
    expect(create('b')).toMatchObject({
      status: 500,
      body: {
        reason: 'InternalError',
        message:
          'Internal error occurred: failed calling webhook "mute.example.com": failed to call webhook: Post "https://mute.example.com/hook?timeout=2s": context deadline exceeded',
      },
    });
  });

  it('that are down or unknown are told apart, and work again after a restart', () => {
    const { cluster, configure, create } = setUp({ strict: () => ({}) });
    configure('Validating', 'strict');
    cluster.faults.crash('strict.example.com');
    expect(create('a').body['message']).toMatch(
      /dial tcp strict.example.com:443: connect: connection refused$/,
    );
    cluster.faults.restart('strict.example.com');
    cluster.advance(milliseconds(100));
    expect(create('a').status).toBe(201);
    configure('Validating', 'nobody');
    expect(create('b').body['message']).toMatch(/dial tcp: lookup nobody.example.com: no such host$/);
  });

  it('see a dry run as one, and nothing is stored', () => {
    const { asked, configure, create, send } = setUp({ one: () => add('/data', { k: 'v' }) });
    configure('Mutating', 'one');
    expect(create('a', { dryRun: 'All' }).body['data']).toEqual({ k: 'v' });
    expect(asked[0]?.[1]['dryRun']).toBe(true);
    expect(send('GET', `${CONFIG_MAPS}/a`, undefined)?.status).toBe(404);
  });

  it('see of new objects the parts that a struct always has, and no time before there is one', () => {
    const { send, configure, asked } = setUp({ early: () => ({}), late: () => ({}) });
    const rules = [{ apiGroups: ['apps'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['*'] }];
    configure('Mutating', 'early', { rules });
    configure('Validating', 'late', { rules });
    const labels = { app: 'a' };
    send('POST', '/apis/apps/v1/namespaces/default/deployments', {
      metadata: { name: 'a' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    });
    expect(asked.map(([name]) => name)).toEqual(['early', 'late']);
    const [early, late] = asked.map(([, request]) => request.object);
    expect(early).toMatchObject({ metadata: { creationTimestamp: null }, status: {} });
    expect(late).toMatchObject({ metadata: { creationTimestamp: expect.any(String) }, status: {} });
  });

  it('never see their own configurations', () => {
    const { asked, configure } = setUp({ one: () => ({ allowed: false }) });
    const rules = [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] }];
    configure('Validating', 'one', { rules });
    configure('Mutating', 'two', { rules });
    expect(asked).toEqual([]);
  });

  it('that hang longer than the request may take end it when its time is over', () => {
    const { configure, create } = setUp({ mute: () => undefined });
    configure('Mutating', 'mute', { timeoutSeconds: 30, failurePolicy: 'Ignore' });
    expect(create('a', { timeout: '3s' })).toMatchObject({
      status: 504,
      body: { message: 'Timeout: request did not complete within the allotted timeout' },
    });
  });

  it('change a Scale through its workload', () => {
    const { configure, send } = setUp({ one: () => ({ ...add('/spec/replicas', 7) }) });
    send('POST', '/apis/apps/v1/namespaces/default/deployments', {
      metadata: { name: 'd' },
      spec: {
        replicas: 1,
        selector: { matchLabels: { a: 'b' } },
        template: { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    });
    const rules = [{ ...RULES[0], apiGroups: ['apps'], resources: ['deployments/scale'] }];
    configure('Mutating', 'one', { rules });
    const answer = send('PUT', '/apis/apps/v1/namespaces/default/deployments/d/scale', {
      metadata: { name: 'd', namespace: 'default' },
      spec: { replicas: 2 },
    });
    expect(JSON.parse(String(answer?.body))).toMatchObject({ kind: 'Scale', spec: { replicas: 7 } });
  });
});
