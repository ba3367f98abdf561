/** Webhooks of admission and of conversion that are real servers of HTTP/2, behind services that lead to them. */
import { createSecureServer, type Http2SecureServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Auditor } from '../apiserver/audit/auditor.ts';
import { AuditPolicy } from '../apiserver/audit/policy.ts';
import { Authority } from './certificates.ts';
import { serve, type Serving } from './serve.ts';

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: {
    readonly uid: string;
    readonly name?: string;
    readonly desiredAPIVersion?: string;
    readonly objects?: readonly object[];
  };
}

let hook: Http2SecureServer;
let serving: Serving;
let url: string;
let authority: Authority;
const asked: string[] = [];
const connections = new Set<unknown>();
const events: Readonly<Record<string, unknown>>[] = [];
const policy = AuditPolicy.parse('apiVersion: audit.k8s.io/v1\nkind: Policy\nrules: [{ level: Metadata }]');

const answerTo = ({ apiVersion, kind, request }: Review): object => ({
  apiVersion,
  kind,
  response: request.desiredAPIVersion
    ? {
        uid: request.uid,
        result: { status: 'Success' },
        convertedObjects: request.objects?.map((each) => ({
          ...each,
          apiVersion: request.desiredAPIVersion,
        })),
      }
    : {
        uid: request.uid,
        allowed: request.name !== 'bad',
        status: { message: 'it is bad' },
        auditAnnotations: { good: 'yes', 'a/b': 'c', 'not good': 'x', ['k'.repeat(64)]: 'long', empty: '' },
      },
});

beforeAll(async () => {
  authority = await Authority.create();
  const files = await authority.serverCertificate(['hook.default.svc']);
  hook = createSecureServer(files, (request, response) => {
    connections.add(request.stream.session);
    let text = '';
    request.setEncoding('utf8').on('data', (piece) => (text += piece));
    request.on('end', () => {
      const review = JSON.parse(text) as Review;
      asked.push(`${request.method} ${request.url} ${review.kind}`);
      if (review.request.name === 'slow') return;
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answerTo(review)));
    });
  });
  await new Promise<void>((resolve) => void hook.listen(0, '127.0.0.1', resolve));
  const { port } = hook.address() as AddressInfo;
  serving = await serve({
    bindAddress: '127.0.0.1',
    httpPort: 0,
    seed: 1,
    speed: 1,
    nodes: 0,
    controllers: [],
    webhookForwards: new Map([['default/hook', `https://127.0.0.1:${port}`]]),
    auditor: new Auditor({ policy, write: (event) => events.push(event) }),
    onDefect: (error) => {
      throw error;
    },
  });
  [url = ''] = serving.urls;
});

afterAll(async () => {
  await serving.stop();
  hook.close();
});

const client = (certificate: string, path: string): object => ({
  service: { namespace: 'default', name: 'hook', path },
  caBundle: btoa(certificate),
});

async function send(method: string, path: string, body?: object): Promise<{ status: number; text: string }> {
  const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { 'content-type': type },
    ...(body && { body: JSON.stringify(body) }),
  });
  return { status: answer.status, text: await answer.text() };
}

const configMap = (name: string) =>
  send('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name } });

test('admission asks it over HTTP/2, keeps its connection, believes its own authority alone, and stalls nobody', async () => {
  const configuration = (certificate: string) => ({
    metadata: { name: 'hook' },
    webhooks: [
      {
        name: 'hook.example.com',
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        timeoutSeconds: 2,
        clientConfig: client(certificate, '/review'),
        rules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['configmaps'] }],
      },
    ],
  });
  const path = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
  expect((await send('POST', path, configuration(authority.certificate))).status).toBe(201);
  expect((await configMap('good')).status).toBe(201);
  // Annotations whose names are none are left out.
  const annotations = events.flatMap((event) => Object.entries(event['annotations'] ?? {}));
  expect(annotations.filter(([name]) => name.startsWith('hook.example.com'))).toEqual([
    ['hook.example.com/empty', ''],
    ['hook.example.com/good', 'yes'],
  ]);
  expect((await configMap('bad')).text).toContain(
    'admission webhook \\"hook.example.com\\" denied the request: it is bad',
  );
  expect(asked).toEqual(Array(2).fill('POST /review?timeout=2s AdmissionReview'));
  expect(connections.size).toBe(1);
  const slow = configMap('slow');
  const before = performance.now();
  expect((await send('GET', '/api/v1/namespaces/default')).status).toBe(200);
  expect(performance.now() - before).toBeLessThan(1_500);
  expect((await slow).text).toContain(
    'failed to call webhook: Post \\"https://hook.default.svc:443/review?timeout=2s\\": context deadline exceeded',
  );
  const stranger = await Authority.create();
  await send('PATCH', `${path}/hook`, configuration(stranger.certificate));
  expect((await configMap('other')).text).toContain(
    'tls: failed to verify certificate: x509: certificate signed by unknown authority',
  );
  expect((await send('DELETE', `${path}/hook`)).status).toBe(200);
});

test('conversion asks it for every version but the stored one, and watches hear of what it says', async () => {
  const version = (name: string) => ({
    name,
    served: true,
    storage: name === 'v1',
    schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
  });
  const webhook = {
    conversionReviewVersions: ['v1'],
    clientConfig: client(authority.certificate, '/convert'),
  };
  await send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: 'things.example.com' },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { plural: 'things', kind: 'Thing' },
      versions: [version('v1'), version('v2')],
      conversion: { strategy: 'Webhook', webhook },
    },
  });
  const things = (name: string): string => `/apis/example.com/${name}/namespaces/default/things`;
  for (const name of ['a', 'b', 'c']) {
    const body = { apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name } };
    while ((await send('POST', things('v1'), body)).status !== 201)
      await new Promise((resolve) => setTimeout(resolve, 50));
  }
  expect((await send('GET', `${things('v2')}/a`)).text).toContain('"apiVersion":"example.com/v2"');
  const stop = new AbortController();
  const stream = await fetch(`${url}${things('v2')}?watch=1`, { signal: stop.signal });
  let text = '';
  const reader = stream.body?.getReader();
  while (text.split('\n').length <= 3) {
    const { value, done } = (await reader?.read()) ?? { done: true };
    if (done) break;
    text += new TextDecoder().decode(value);
  }
  stop.abort();
  expect(text.match(/"apiVersion":"example.com\/v2"/g)?.length).toBe(3);
  expect(asked).toContain('POST /convert?timeout=30s ConversionReview');
});
