/** Users known by tokens that others have signed, and webhooks that decide what they may do: over real HTTPS, from files. */
import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { StaticTokens } from '../apiserver/authentication/static-tokens.ts';
import { AccessFiles } from './access-files.ts';
import { Authority } from './certificates.ts';
import { serve, type Serving } from './serve.ts';

const API = 'apiserver.config.k8s.io/v1beta1';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const ADMIN = 'admin-token';
const LOOKS_MS = 10_000;

let folder: string;
let other: Server;
let origin: string;
let ca: string;
let serving: Serving;
const asked: string[] = [];
const told: string[] = [];
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' });
let keys = [jwk(rsa.publicKey, 'r'), jwk(curve.publicKey, 'e')];

function jwk(key: KeyObject, kid: string): object {
  return { ...key.export({ format: 'jwk' }), kid, use: 'sig' };
}

const base64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

interface Signing {
  readonly key?: KeyObject;
  readonly alg?: string;
  readonly kid?: string;
}

function token(claims: object, { key = rsa.privateKey, alg = 'RS256', kid = 'r' }: Signing = {}): string {
  const now = Math.floor(Date.now() / 1000);
  const usual = { iss: origin, aud: 'kube', exp: now + 600, sub: 'ann' };
  const text = `${base64({ alg, kid })}.${base64({ ...usual, ...claims })}`;
  const options =
    alg === 'ES256'
      ? { key, dsaEncoding: 'ieee-p1363' as const }
      : createPrivateKey(key.export({ format: 'pem', type: 'pkcs8' }));
  return `${text}.${sign('sha256', Buffer.from(text), options).toString('base64url')}`;
}

/** The issuer and the webhook are one server: what is asked about `deny` is denied, and so on. */
function answerTo(path: string, body: string): unknown {
  if (path === '/.well-known/openid-configuration') return { issuer: origin, jwks_uri: `${origin}/keys` };
  if (path === '/keys') return { keys };
  const { apiVersion, kind, spec } = JSON.parse(body);
  asked.push(`${spec.user} ${spec.resourceAttributes.verb} ${spec.resourceAttributes.name ?? ''}`);
  const statuses: Record<string, object> = {
    allow: { allowed: true, reason: 'because' },
    deny: { allowed: false, denied: true, reason: 'never' },
  };
  return { apiVersion, kind, status: statuses[spec.resourceAttributes.name] ?? { allowed: false } };
}

const webhookOf = (condition: string): object => ({
  type: 'Webhook',
  name: 'hook',
  webhook: {
    timeout: '2s',
    subjectAccessReviewVersion: 'v1',
    matchConditionSubjectAccessReviewVersion: 'v1',
    failurePolicy: 'NoOpinion',
    connectionInfo: { type: 'KubeConfigFile', kubeConfigFile: join(folder, 'kubeconfig') },
    matchConditions: [{ expression: condition }],
  },
});

const writeAuthorization = (condition: string): void =>
  writeFileSync(
    join(folder, 'authorization.yaml'),
    JSON.stringify({
      apiVersion: API,
      kind: 'AuthorizationConfiguration',
      authorizers: [webhookOf(condition), { type: 'RBAC', name: 'rbac' }],
    }),
  );

const writeAuthentication = (prefix: string): void =>
  writeFileSync(
    join(folder, 'authentication.yaml'),
    JSON.stringify({
      apiVersion: API,
      kind: 'AuthenticationConfiguration',
      jwt: [
        {
          issuer: { url: origin, certificateAuthority: ca, audiences: ['kube'] },
          claimValidationRules: [{ expression: 'claims.?level.orValue(5) > 3', message: 'level too low' }],
          claimMappings: {
            username: { expression: `'${prefix}' + claims.sub` },
            groups: { expression: 'claims.?groups.orValue([])' },
            uid: { claim: 'sub' },
            extra: [{ key: 'example.org/tenant', valueExpression: "claims.?tenant.orValue('')" }],
          },
          userValidationRules: [
            { expression: "!user.username.startsWith('jwt:system:')", message: 'no system names' },
          ],
        },
      ],
    }),
  );

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'kubesim-access-'));
  const authority = await Authority.create();
  ca = authority.certificate;
  other = createServer(await authority.serverCertificate(['127.0.0.1']), (request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(answerTo((request.url ?? '').split('?')[0] ?? '', body)));
    });
  });
  await new Promise<void>((resolve) => void other.listen(0, '127.0.0.1', resolve));
  origin = `https://127.0.0.1:${(other.address() as AddressInfo).port}`;
  const kubeconfig = {
    'current-context': 'x',
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    clusters: [
      { name: 'c', cluster: { server: `${origin}/review`, 'certificate-authority-data': btoa(ca) } },
    ],
    users: [{ name: 'u', user: { token: 'secret' } }],
  };
  writeFileSync(join(folder, 'kubeconfig'), JSON.stringify(kubeconfig));
  writeAuthentication('jwt:');
  writeAuthorization("request.resourceAttributes.resource == 'configmaps'");
  serving = await serve({
    bindAddress: '127.0.0.1',
    httpPort: 0,
    seed: 1,
    speed: 1,
    nodes: 0,
    controllers: [],
    scheduler: false,
    tokenAuthenticators: [StaticTokens.parse(`${ADMIN},admin,,"system:masters"`)],
    access: new AccessFiles({
      authentication: join(folder, 'authentication.yaml'),
      authorization: join(folder, 'authorization.yaml'),
      gates: { isStructured: true, hasAnonymous: false },
      told: (line) => told.push(line),
    }),
    onDefect: (error) => expect.unreachable(String(error)),
  });
}, 30_000);

afterAll(async () => {
  await serving.stop();
  other.close();
  rmSync(folder, { recursive: true });
});

interface Answer {
  readonly status: number;
  readonly text: string;
}

async function ask(path: string, bearer: string, body?: object): Promise<Answer> {
  const response = await fetch(`${serving.urls[0]}${path}`, {
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
  });
  return { status: response.status, text: await response.text() };
}

const reviewed = async (bearer: string): Promise<unknown> => {
  const { text } = await ask('/apis/authentication.k8s.io/v1/tokenreviews', ADMIN, {
    spec: { token: bearer },
  });
  return JSON.parse(text).status;
};

async function untilSo(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => void setTimeout(resolve, 100));
}

test('a signed token makes the user that the expressions say', async () => {
  await untilSo(async () => (await ask('/healthz', token({}))).status === 200);
  const claims = { groups: ['dev', ''], tenant: 't1' };
  const user = {
    username: 'jwt:ann',
    uid: 'ann',
    groups: ['dev', 'system:authenticated'],
    extra: { 'example.org/tenant': ['t1'] },
  };
  expect(await reviewed(token(claims))).toMatchObject({ authenticated: true, user });
  const signing = { key: curve.privateKey, alg: 'ES256', kid: 'e' };
  expect(await reviewed(token(claims, signing))).toMatchObject({ authenticated: true, user });
});

test.each([
  [
    'of another key',
    {},
    { key: generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey },
    'oidc: verify token: failed to verify signature: failed to verify id token signature',
  ],
  [
    'of another audience',
    { aud: 'other' },
    {},
    'oidc: verify token: oidc: expected audience "kube" got ["other"]',
  ],
  [
    'that has expired',
    { exp: 5 },
    {},
    'oidc: verify token: oidc: token is expired (Token Expiry: 1970-01-01 00:00:05 +0000 UTC)',
  ],
  [
    'whose rule does not hold',
    { level: 2 },
    {},
    "oidc: error evaluating claim validation expression: validation expression 'claims.?level.orValue(5) > 3' failed: level too low",
  ],
  [
    'whose rule fails',
    { level: 'x' },
    {},
    "oidc: error evaluating claim validation expression: expression 'claims.?level.orValue(5) > 3' resulted in error: no such overload",
  ],
  [
    'of a user who may not be',
    { sub: 'system:x' },
    {},
    "oidc: error evaluating user info validation rule: validation expression '!user.username.startsWith('jwt:system:')' failed: no system names",
  ],
  [
    'without a name',
    { sub: undefined },
    {},
    "oidc: error evaluating username claim expression: expression ''jwt:' + claims.sub' resulted in error: no such key: sub",
  ],
] as const)('a token %s is refused', async (_what, claims, signing, why) => {
  const refused = token(claims, signing);
  expect((await ask(CONFIG_MAPS, refused)).status).toBe(401);
  expect(await reviewed(refused)).toMatchObject({ error: `[invalid bearer token, ${why}]` });
});

test('a key that comes later is fetched when it is needed', async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const late = token({ sub: 'late' }, { key: privateKey, kid: 'n' });
  expect((await ask(`${CONFIG_MAPS}/allow`, late)).status).toBe(401);
  keys = [...keys, jwk(publicKey, 'n')];
  expect((await ask(`${CONFIG_MAPS}/allow`, late)).status).toBe(404);
});

test('the webhook decides first, is asked once, and never about masters', async () => {
  const ann = token({});
  asked.length = 0;
  expect((await ask(`${CONFIG_MAPS}/allow`, ann)).status).toBe(404);
  expect((await ask(`${CONFIG_MAPS}/allow`, ann)).status).toBe(404);
  expect((await ask(`${CONFIG_MAPS}/deny`, ann)).text).toContain(': never"');
  expect((await ask('/api/v1/namespaces/default/pods/deny', ann)).status).toBe(403);
  expect((await ask(`${CONFIG_MAPS}/deny`, ADMIN)).status).toBe(404);
  expect(asked).toEqual(['jwt:ann get allow', 'jwt:ann get deny']);
  const question = { user: 'zed', resourceAttributes: { verb: 'get', resource: 'configmaps', name: 'deny' } };
  const review = await ask('/apis/authorization.k8s.io/v1/subjectaccessreviews', ADMIN, { spec: question });
  expect(JSON.parse(review.text).status).toEqual({ allowed: false, denied: true, reason: 'never' });
});

test('expressions of policies ask the webhook, too', async () => {
  const path = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic';
  const check = "authorizer.group('').resource('configmaps').name(object.metadata.name).check('get')";
  await ask(`${path}ies`, ADMIN, {
    metadata: { name: 'p' },
    spec: {
      matchConstraints: {
        resourceRules: [
          { apiGroups: [''], apiVersions: ['*'], operations: ['CREATE'], resources: ['configmaps'] },
        ],
      },
      variables: [{ name: 'check', expression: check }],
      validations: [{ expression: 'variables.check.allowed()', message: 'may not read it' }],
    },
  });
  await ask(`${path}ybindings`, ADMIN, {
    metadata: { name: 'p' },
    spec: { policyName: 'p', validationActions: ['Deny'] },
  });
  const rights = '/apis/rbac.authorization.k8s.io/v1/clusterrole';
  await ask(`${rights}s`, ADMIN, {
    metadata: { name: 'maker' },
    rules: [{ verbs: ['create'], apiGroups: [''], resources: ['configmaps'] }],
  });
  await ask(`${rights}bindings`, ADMIN, {
    metadata: { name: 'maker' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'maker' },
    subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'jwt:ann' }],
  });
  const make = (name: string): Promise<Answer> =>
    ask(`${CONFIG_MAPS}?dryRun=All`, token({}), { metadata: { name } });
  await untilSo(async () => (await make('deny')).text.includes('may not read it'));
  expect((await make('allow')).status).toBe(201);
});

test(
  'changed files are taken over, and those that make no sense change nothing',
  async () => {
    writeAuthorization('no sense');
    await untilSo(async () => told.some((line) => line.includes('failed to load authorization config')));
    expect((await ask(`${CONFIG_MAPS}/deny`, token({}))).text).toContain(': never"');
    writeAuthorization("request.resourceAttributes.resource == 'pods'");
    await untilSo(async () => (await ask('/api/v1/namespaces/default/pods/allow', token({}))).status === 404);
    writeAuthentication('new:');
    await untilSo(async () => JSON.stringify(await reviewed(token({ n: told.length }))).includes('new:ann'));
    expect(told).toContain('reloaded authentication config');
    const { text } = await ask('/metrics', ADMIN);
    expect(text).toMatch(
      /^apiserver_authorization_config_controller_automatic_reloads_total\{.*"failure"\} 1$/m,
    );
    expect(text).toMatch(
      /^apiserver_authorization_webhook_evaluations_total\{name="hook",result="success"\}/m,
    );
  },
  3 * LOOKS_MS,
);
