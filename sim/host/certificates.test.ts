import { X509Certificate } from 'node:crypto';
import { request } from 'node:https';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { EVERY_CONTROLLER } from '../cluster/create-cluster.ts';
import { Authority, type Certificate } from './certificates.ts';
import { kubeconfigText } from './kubeconfig.ts';
import { serve, type Serving } from './serve.ts';

let serving: Serving;
let authority: Authority;
let foreign: Authority;

beforeAll(async () => {
  foreign = await Authority.create();
  const trusted = await Authority.create();
  serving = await serve({
    bindAddress: '127.0.0.1',
    securePort: 0,
    allowedHosts: ['cluster.test'],
    clientAuthorities: [trusted.certificate],
    seed: 1,
    speed: 1,
    controllers: EVERY_CONTROLLER,
    authorizationMode: 'RBAC',
    onDefect: (error) => {
      throw error;
    },
  });
  if (!serving.authority) throw new Error('it has one');
  ({ authority } = serving);
  administrator = await authority.userCertificate({ name: 'root', groups: ['system:masters', 'devs'] });
  outsider = await trusted.userCertificate({ name: 'carol', groups: [] });
});
afterAll(() => serving.stop());

let administrator: Certificate;
let outsider: Certificate;

interface Answered {
  readonly status: number;
  readonly body: string;
  /** As the server showed it. */
  readonly shown: X509Certificate;
}

/** Over TLS that is verified. @throws what is wrong with the server's certificate */
function ask(path: string, user?: Certificate, body?: object, host = '127.0.0.1'): Promise<Answered> {
  const { port } = new URL(serving.urls[0] ?? '');
  return new Promise((resolve, reject) => {
    const sent = request({
      host: '127.0.0.1',
      port,
      path,
      method: body ? 'POST' : 'GET',
      servername: /[a-z]/.test(host) ? host : '',
      ca: serving.rootCertificate,
      headers: { 'content-type': 'application/json' },
      ...user,
      agent: false,
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      const shown = new X509Certificate(
        Reflect.get(response.socket, 'getPeerCertificate').call(response.socket).raw,
      );
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => (text += piece));
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text, shown }));
    });
    sent.end(body && JSON.stringify(body));
  });
}

const whoAmI = async (user?: Certificate): Promise<unknown> => {
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' };
  const { body } = await ask('/apis/authentication.k8s.io/v1/selfsubjectreviews', user, review);
  return (JSON.parse(body) as { status?: unknown }).status;
};

test('the server shows a certificate that is no authority, for the names under which it is asked', async () => {
  const { shown } = await ask('/version');
  expect(shown.ca).toBe(false);
  expect(shown.keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
  expect(shown.checkIssued(new X509Certificate(authority.certificate))).toBe(true);
  expect(new X509Certificate(authority.certificate).ca).toBe(true);
  for (const host of ['localhost', 'kubernetes.default.svc', 'cluster.test'])
    expect((await ask('/version', undefined, undefined, host)).status).toBe(200);
  expect(shown.checkIP('127.0.0.1')).toBe('127.0.0.1');
  expect(shown.checkIP('::1')).toBe('::1');
  await expect(ask('/version', undefined, undefined, 'elsewhere.test')).rejects.toThrow(/altnames/);
});

test('a client certificate says who somebody is, whichever trusted authority it is of', async () => {
  expect(await whoAmI(administrator)).toEqual({
    userInfo: { username: 'root', groups: ['system:masters', 'devs', 'system:authenticated'] },
  });
  expect(await whoAmI(outsider)).toEqual({
    userInfo: { username: 'carol', groups: ['system:authenticated'] },
  });
  expect((await ask('/api/v1/secrets', administrator)).status).toBe(200);
  expect((await ask('/api/v1/secrets', outsider)).status).toBe(403);
  expect((await ask('/kubesim/v1/state', administrator)).status).toBe(200);
  expect((await ask('/kubesim/v1/state', outsider)).status).toBe(403);
});

test('a client certificate of somebody else is no credential', async () => {
  const stranger = await foreign.userCertificate({ name: 'root', groups: ['system:masters'] });
  expect((await ask('/api/v1/secrets', stranger)).status).toBe(401);
  expect((await ask('/kubesim/v1/state', stranger)).status).toBe(401);
  // The server's own is not one of a user's either.
  expect((await ask('/api/v1/secrets')).status).toBe(403);
});

test('pods are told of the same authority, and of the port on which the server listens', async () => {
  const path = '/api/v1/namespaces/default/configmaps/kube-root-ca.crt';
  let answer = await ask(path, administrator);
  while (answer.status !== 200) answer = await ask(path, administrator);
  expect(JSON.parse(answer.body)).toMatchObject({ data: { 'ca.crt': authority.certificate } });
  const port = Number(new URL(serving.urls[0] ?? '').port);
  const endpoints = await ask('/api/v1/namespaces/default/endpoints/kubernetes', administrator);
  expect(JSON.parse(endpoints.body)).toMatchObject({ subsets: [{ ports: [{ port }] }] });
});

test('keys of users are those that every client reads', () => {
  expect(administrator.key).toMatch(/^-----BEGIN RSA PRIVATE KEY-----\n/);
  expect(new X509Certificate(administrator.cert).publicKey.asymmetricKeyDetails).toMatchObject({
    modulusLength: 2_048,
  });
});

test('a kubeconfig has a context for each kind of credential', () => {
  const text = kubeconfigText({
    url: 'https://127.0.0.1:6443',
    token: 'secret',
    authority: authority.certificate,
    certificate: administrator,
  });
  expect(text).toContain('- name: kubesim-certificate\n  context:\n');
  expect(text).toContain(`client-certificate-data: ${Buffer.from(administrator.cert).toString('base64')}\n`);
  const plain = kubeconfigText({ url: 'http://127.0.0.1:8080', token: 'secret' });
  expect(plain).not.toContain('certificate');
  // Without it JavaScript's client refuses to speak plain HTTP.
  expect(plain).toContain('    insecure-skip-tls-verify: true\n');
  expect(text).not.toContain('insecure');
});
