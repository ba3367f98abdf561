import { describe, expect, it } from 'vitest';
import { bodyObject, type HttpCall, objectBody } from '../../api/http-call.ts';
import { serveHttp } from '../../client/http-port.ts';
import type { Process } from '../../engine/process.ts';
import { createCluster, type HttpAnswer, milliseconds, type WireAnswer, WireUser } from '../../index.ts';

interface Asked {
  readonly uid: string;
  readonly operation: string;
  readonly subResource?: string;
  readonly object: unknown;
  readonly [member: string]: unknown;
}

type Script = (request: Asked, isMutating: boolean) => object;

const HOST = 'guard.example.com';
const NAMESPACE = '/api/v1/namespaces/default';
const ADMISSION = '/apis/admissionregistration.k8s.io/v1';
const user = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
const upgrade = { connection: 'Upgrade', upgrade: 'SPDY/3.1' };

const patch = (...operations: readonly object[]): object => ({
  patchType: 'JSONPatch',
  patch: btoa(JSON.stringify(operations)),
});

interface Sent {
  readonly body?: unknown;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A cluster whose mutating and validating webhook see whatever is asked of `resources`. */
function setUp(resources: readonly string[], script: Script = () => ({}), hook: object = {}) {
  const cluster = createCluster({ controllers: [], scheduler: false, nodes: 0 });
  const asked: Asked[] = [];
  cluster.simulation.actor(HOST, {
    *start(context) {
      serveHttp(context, 443, function* (call: HttpCall): Process<HttpAnswer> {
        const { request } = bodyObject(call.body) as { readonly request: Asked };
        const isMutating = call.path.startsWith('/mutating');
        asked.push(request);
        yield* context.sleep(milliseconds(1));
        const response = { uid: request.uid, allowed: true, ...script(request, isMutating) };
        const answer = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response };
        return { status: 200, body: objectBody(answer) };
      });
    },
  });
  cluster.advance(milliseconds(100));
  const wire = new WireUser(cluster);
  const send = (method: 'GET' | 'POST', path: string, sent: Sent = {}): WireAnswer =>
    wire.request({ method, path, user, query: {}, headers: {}, body: undefined, ...sent });
  send('POST', `${NAMESPACE}/serviceaccounts`, { body: { metadata: { name: 'default' } } });
  for (const name of ['web', 'api'])
    expect(send('POST', `${NAMESPACE}/pods`, { body: pod(name) })?.status).toBe(201);
  for (const kind of ['mutating', 'validating'])
    send('POST', `${ADMISSION}/${kind}webhookconfigurations`, {
      body: {
        metadata: { name: kind },
        webhooks: [
          {
            name: `${kind}.example.com`,
            admissionReviewVersions: ['v1'],
            sideEffects: 'None',
            clientConfig: { url: `https://${HOST}/${kind}` },
            rules: [{ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources }],
            ...hook,
          },
        ],
      },
    });
  return { cluster, asked, send };
}

const pod = (name: string): object => ({
  metadata: { name },
  spec: { containers: [{ name: 'main', image: 'main' }] },
});

const messageOf = (answer: WireAnswer): unknown => {
  const status: unknown = JSON.parse(String(answer?.body));
  return Reflect.get(Object(status), 'message');
};

describe('admission of connections', () => {
  it('shows the options of the query as an object, before the pod is looked for', () => {
    const { asked, send } = setUp(['pods/*']);
    const answer = send('GET', `${NAMESPACE}/pods/none/exec`, {
      query: { command: 'ls', stdout: 'maybe', stderr: '0', container: 'main' },
      headers: upgrade,
    });
    expect(answer?.status).toBe(404);
    expect(asked).toHaveLength(2);
    const kind = { group: '', version: 'v1', kind: 'PodExecOptions' };
    expect(asked[1]).toMatchObject({
      kind,
      requestKind: kind,
      resource: { group: '', version: 'v1', resource: 'pods' },
      subResource: 'exec',
      operation: 'CONNECT',
      name: 'none',
      namespace: 'default',
      object: { kind: 'PodExecOptions', apiVersion: 'v1', stdout: true, container: 'main', command: ['ls'] },
      oldObject: null,
      dryRun: false,
      options: null,
    });
    expect(asked[1]?.object).not.toHaveProperty('metadata');
  });

  it('takes over what a webhook makes of the options', () => {
    const { send } = setUp(['pods/exec'], (_request, isMutating) =>
      isMutating ? patch({ op: 'add', path: '/container', value: 'other' }) : {},
    );
    const answer = send('GET', `${NAMESPACE}/pods/web/exec`, { query: { command: 'ls' }, headers: upgrade });
    expect(messageOf(answer)).toBe('container other is not valid for pod web');
  });

  it('tells the path behind a proxy', () => {
    const { asked, send } = setUp(['*/proxy']);
    send('GET', `${NAMESPACE}/services/web:80/proxy/a/b`, { query: { path: '/c' } });
    expect(asked[0]).toMatchObject({
      name: 'web:80',
      object: { kind: 'ServiceProxyOptions', apiVersion: 'v1', path: '/a/b' },
    });
  });

  it('is not for dry runs, and refuses ports that are none', () => {
    const { asked, send } = setUp(['pods/*']);
    const dry = send('POST', `${NAMESPACE}/pods/web/exec`, { query: { dryRun: 'All' }, headers: upgrade });
    expect(messageOf(dry)).toBe('dryRun is not supported');
    const port = send('POST', `${NAMESPACE}/pods/web/portforward`, {
      query: { ports: '80,abc' },
      headers: upgrade,
    });
    expect(messageOf(port)).toBe(
      'cannot convert to []int32: strconv.ParseUint: parsing "abc": invalid syntax',
    );
    expect(asked).toEqual([]);
  });

  it('is of no selector of objects', () => {
    const objectSelector = { matchExpressions: [{ key: 'skip', operator: 'DoesNotExist' }] };
    const { asked, send } = setUp(['pods/*'], undefined, { objectSelector });
    send('GET', `${NAMESPACE}/pods/web/exec`, { headers: upgrade });
    expect(asked).toEqual([]);
    send('POST', `${NAMESPACE}/pods/web/eviction`, { body: { metadata: { name: 'web' } } });
    expect(asked).toHaveLength(2);
  });

  it('fails as the webhook fails: closed, or open', () => {
    const broken: Script = () => ({ uid: 'wrong' });
    const closed = setUp(['pods/exec'], broken);
    const refused = closed.send('GET', `${NAMESPACE}/pods/web/exec`, { headers: upgrade });
    expect(refused?.status).toBe(500);
    expect(messageOf(refused)).toContain('failed calling webhook "mutating.example.com"');
    const open = setUp(['pods/exec'], broken, { failurePolicy: 'Ignore' });
    const passed = open.send('GET', `${NAMESPACE}/pods/web/exec`, { headers: upgrade });
    expect(messageOf(passed)).toBe('pod web does not have a host assigned');
    expect(open.asked).toHaveLength(2);
  });
});

describe('admission of what endpoints create', () => {
  it('sees an eviction, and nobody is asked about the deletion that follows', () => {
    const { asked, send } = setUp(['pods', 'pods/eviction']);
    const answer = send('POST', `${NAMESPACE}/pods/web/eviction`, {
      body: { apiVersion: 'policy/v1beta1', metadata: { name: 'web' } },
    });
    expect(answer?.status).toBe(201);
    expect(asked.map(({ operation, subResource }) => [operation, subResource])).toEqual([
      ['CREATE', 'eviction'],
      ['CREATE', 'eviction'],
    ]);
    expect(asked[1]).toMatchObject({
      kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
      name: 'web',
      object: { kind: 'Eviction', apiVersion: 'policy/v1', metadata: { name: 'web', namespace: 'default' } },
      options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
    });
  });

  it('keeps a pod whose eviction is denied, and evicts it once it is allowed', () => {
    let isAllowed = false;
    const { send } = setUp(['pods/eviction'], (_request, isMutating) => ({
      allowed: isMutating || isAllowed,
    }));
    const evict = (): WireAnswer =>
      send('POST', `${NAMESPACE}/pods/web/eviction`, {
        body: { metadata: { name: 'web' }, deleteOptions: { gracePeriodSeconds: 0 } },
      });
    expect(evict()?.status).toBe(400);
    expect(send('GET', `${NAMESPACE}/pods/web`)?.status).toBe(200);
    isAllowed = true;
    expect(evict()?.status).toBe(201);
    expect(send('GET', `${NAMESPACE}/pods/web`)?.status).toBe(404);
  });

  it('may send a pod to another node', () => {
    const { asked, send } = setUp(['pods/binding', 'bindings'], (_request, isMutating) =>
      isMutating ? patch({ op: 'replace', path: '/target/name', value: 'elsewhere' }) : {},
    );
    const body = (name: string): object => ({ metadata: { name }, target: { name: 'here' } });
    expect(send('POST', `${NAMESPACE}/pods/web/binding`, { body: body('web') })?.status).toBe(201);
    expect(send('POST', `${NAMESPACE}/bindings`, { body: body('api') })?.status).toBe(201);
    for (const name of ['web', 'api'])
      expect(JSON.parse(String(send('GET', `${NAMESPACE}/pods/${name}`)?.body))).toMatchObject({
        spec: { nodeName: 'elsewhere' },
      });
    expect(asked.map(({ subResource, name }) => [subResource, name])).toEqual([
      ['binding', 'web'],
      ['binding', 'web'],
      [undefined, 'api'],
      [undefined, 'api'],
    ]);
    expect(asked[1]?.object).toMatchObject({
      metadata: { managedFields: [{ subresource: 'binding', fieldsV1: { 'f:target': {} } }] },
      target: { name: 'elsewhere' },
    });
  });

  it('validates only what is right, and tells dry runs', () => {
    const { asked, send } = setUp(['pods/*', 'serviceaccounts/token']);
    const wrong = { metadata: { name: 'api' }, target: { name: 'here' } };
    expect(send('POST', `${NAMESPACE}/pods/web/binding`, { body: wrong })?.status).toBe(400);
    expect(asked).toHaveLength(1);
    send('POST', `${NAMESPACE}/serviceaccounts`, { body: { metadata: { name: 'robot' } } });
    send('POST', `${NAMESPACE}/serviceaccounts/robot/token`, {
      body: { spec: {} },
      query: { dryRun: 'All' },
    });
    expect(asked[1]).toMatchObject({ dryRun: true, object: { spec: { audiences: null } } });
    expect(asked[2]).toMatchObject({
      kind: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' },
      object: { metadata: { name: 'robot' }, status: { token: '' } },
    });
    expect(asked).toHaveLength(3);
  });

  it('may answer another question than was asked in a review', () => {
    const { send } = setUp(['subjectaccessreviews'], (_request, isMutating) =>
      isMutating ? patch({ op: 'add', path: '/spec/groups', value: ['system:masters'] }) : {},
    );
    const answer = send('POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      body: { spec: { user: 'nobody', resourceAttributes: { verb: 'get', resource: 'pods' } } },
    });
    expect(JSON.parse(String(answer?.body))).toMatchObject({ spec: { groups: ['system:masters'] } });
  });
});

describe('policies', () => {
  it('see connections and evictions in their own kinds, and no reviews', () => {
    const { cluster, send } = setUp([]);
    const messageExpression =
      "request.operation + ' ' + request.kind.kind + ' ' + object.kind + ' ' + string(has(request.options.kind))";
    send('POST', `${ADMISSION}/validatingadmissionpolicies`, {
      body: {
        metadata: { name: 'closed' },
        spec: {
          matchConstraints: {
            resourceRules: [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }],
          },
          matchConditions: [{ name: 'user', expression: "request.resource.group != 'apps'" }],
          validations: [{ expression: 'false', messageExpression }],
        },
      },
    });
    send('POST', `${ADMISSION}/validatingadmissionpolicybindings`, {
      body: { metadata: { name: 'closed' }, spec: { policyName: 'closed', validationActions: ['Deny'] } },
    });
    cluster.advance(milliseconds(2_000));
    const denied = (text: string): string =>
      `pods "web" is forbidden: ValidatingAdmissionPolicy 'closed' with binding 'closed' denied request: ${text}`;
    const exec = send('GET', `${NAMESPACE}/pods/web/exec`, { headers: upgrade });
    expect(messageOf(exec)).toBe(denied('CONNECT PodExecOptions PodExecOptions false'));
    const eviction = send('POST', `${NAMESPACE}/pods/web/eviction`, { body: { metadata: { name: 'web' } } });
    expect(messageOf(eviction)).toBe(denied('CREATE Eviction Eviction true'));
    const review = send('POST', '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', {
      body: { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } },
    });
    expect(review?.status).toBe(201);
  });
});
