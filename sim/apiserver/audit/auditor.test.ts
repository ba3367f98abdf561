import { describe, expect, test } from 'vitest';
import { microseconds, seconds } from '../../engine/time.ts';
import { auditedServer, policyOf } from './audited-server.fixture.ts';
import { AuditPolicy } from './policy.ts';

const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } };
const PATH = '/api/v1/namespaces/default/configmaps';
const LABELS = { app: 'd' };
const DEPLOYMENT = {
  metadata: { name: 'd' },
  spec: {
    selector: { matchLabels: LABELS },
    template: { metadata: { labels: LABELS }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
};
const SPEC = { type: 'object', properties: { replicas: { type: 'integer', default: 2 } } };
const DEFINITION = {
  metadata: { name: 'as.x.example' },
  spec: {
    group: 'x.example',
    scope: 'Namespaced',
    names: { plural: 'as', kind: 'A' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: SPEC } } },
      },
    ],
  },
};

describe('audit', () => {
  test('a creation is told twice: when it was received and when it was answered', () => {
    const { events, send } = auditedServer(policyOf({ level: 'RequestResponse' }));
    send('POST', `${PATH}?fieldManager=x`, { body: CONFIG_MAP });
    expect(events.map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseComplete']);
    expect(events[1]).toMatchObject({
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: 'RequestResponse',
      auditID: 'given',
      requestURI: `${PATH}?fieldManager=x`,
      verb: 'create',
      user: { username: 'admin', uid: '1', groups: ['system:masters', 'system:authenticated'] },
      sourceIPs: ['10.0.0.9'],
      userAgent: 'test/1',
      objectRef: { resource: 'configmaps', namespace: 'default', name: 'a', apiVersion: 'v1' },
      responseStatus: { metadata: {}, code: 201 },
      requestObject: { ...CONFIG_MAP, metadata: { name: 'a', creationTimestamp: null } },
      responseObject: { data: { k: 'v' } },
      requestReceivedTimestamp: '2025-01-01T00:00:00.000000Z',
      annotations: { 'authorization.k8s.io/decision': 'allow' },
    });
  });

  const CORE = '/api/v1/namespaces/default';
  const META = { name: 'a', creationTimestamp: null };
  const CONTAINER = {
    name: 'c',
    image: 'i',
    resources: {},
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'Always',
  };

  test.each([
    [
      'a pod',
      'POST',
      `${CORE}/pods`,
      {
        metadata: { name: 'a' },
        spec: { terminationGracePeriodSeconds: -5, containers: [{ name: 'c', image: 'i', nope: 1 }] },
      },
      {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: META,
        spec: {
          containers: [CONTAINER],
          restartPolicy: 'Always',
          terminationGracePeriodSeconds: 1,
          dnsPolicy: 'ClusterFirst',
          securityContext: {},
          schedulerName: 'default-scheduler',
          enableServiceLinks: true,
        },
        status: {},
      },
    ],
    [
      'a Scale',
      'PUT',
      '/apis/apps/v1/namespaces/default/deployments/d/scale',
      { metadata: { name: 'a' }, spec: { replicas: 4 } },
      {
        kind: 'Scale',
        apiVersion: 'autoscaling/v1',
        metadata: META,
        spec: { replicas: 4 },
        status: { replicas: 0 },
      },
    ],
    [
      'options of a deletion',
      'DELETE',
      `${CORE}/configmaps/a`,
      { gracePeriodSeconds: 0, nope: 1 },
      { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/__internal', gracePeriodSeconds: 0 },
    ],
    [
      'a request for a token',
      'POST',
      `${CORE}/serviceaccounts/default/token`,
      {},
      {
        kind: 'TokenRequest',
        apiVersion: 'authentication.k8s.io/v1',
        metadata: { creationTimestamp: null },
        spec: { audiences: null, expirationSeconds: 3600, boundObjectRef: null },
        status: { token: '', expirationTimestamp: null },
      },
    ],
  ])(
    '%s is told as it was read: with defaults, without what nobody knows, before anybody changed it',
    (...row) => {
      const [, method, path, body, requestObject] = row;
      const { events, send } = auditedServer(policyOf({ level: 'Request', omitStages: ['RequestReceived'] }));
      send('POST', '/apis/apps/v1/namespaces/default/deployments', { body: DEPLOYMENT });
      send(method, path, { body });
      expect(events.at(-1)?.['requestObject']).toEqual(requestObject);
    },
  );

  test('of a custom resource the metadata alone is read, and what its schema does not know is left out', () => {
    const { events, send, simulation } = auditedServer(
      policyOf({ level: 'Request', omitStages: ['RequestReceived'] }),
    );
    send('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', { body: DEFINITION });
    simulation.runFor(seconds(5));
    const sent = {
      apiVersion: 'x.example/v1',
      kind: 'A',
      metadata: { name: 'a', nope: 1 },
      spec: { nope: 1 },
    };
    send('POST', '/apis/x.example/v1/namespaces/default/as', { body: sent });
    const { requestObject } = events.at(-1) ?? {};
    expect(requestObject).toEqual({ ...sent, metadata: META, spec: { replicas: 2 } });
  });

  test.each([
    ['a patch in a form that there is not', 'PATCH', 'text/plain', '{}'],
    ['what cannot be read', 'PUT', 'application/json', '{"metadata'],
  ])('%s has no object', (_, method, type, body) => {
    const { events, send } = auditedServer(policyOf({ level: 'Request', omitStages: ['RequestReceived'] }));
    send(method, `${CORE}/configmaps/a`, { body, headers: { 'content-type': type } });
    expect(events.at(-1)).not.toHaveProperty('requestObject');
  });

  test('the level Metadata keeps no bodies, None keeps nothing', () => {
    const { events, send } = auditedServer(
      policyOf({ level: 'None', verbs: ['get'] }, { level: 'Metadata', omitStages: ['RequestReceived'] }),
    );
    send('GET', `${PATH}/a`);
    send('POST', PATH, { body: CONFIG_MAP });
    expect(events).toHaveLength(1);
    expect(events[0]).not.toHaveProperty('requestObject');
    expect(events[0]).not.toHaveProperty('responseObject');
  });

  test('a refusal is kept with its Status, and without its body below RequestResponse', () => {
    const { events, send } = auditedServer(policyOf({ level: 'Request', omitStages: ['RequestReceived'] }));
    send('GET', `${PATH}/missing`, { headers: { authorization: 'Bearer b' } });
    expect(events[0]?.['responseStatus']).toMatchObject({
      status: 'Failure',
      reason: 'Forbidden',
      code: 403,
    });
    expect(events[0]?.['annotations']).toMatchObject({ 'authorization.k8s.io/decision': 'forbid' });
  });

  test('a watch is told when it starts and when it ends', () => {
    const { events, send } = auditedServer(policyOf({ level: 'Metadata' }));
    const { body } = send('GET', `${PATH}?watch=true`);
    expect(events.map(({ stage }) => stage)).toEqual(['RequestReceived', 'ResponseStarted']);
    if (body.kind === 'stream') body.stream.close();
    expect(events.at(-1)?.['stage']).toBe('ResponseComplete');
  });

  test('a bad token leaves one event without a user', () => {
    const { events, send } = auditedServer(policyOf({ level: 'Metadata' }));
    send('GET', PATH, { headers: { authorization: 'Bearer nobody' } });
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({
      stage: 'ResponseStarted',
      user: {},
      responseStatus: {
        metadata: {},
        status: 'Failure',
        message: 'Unauthorized',
        reason: 'Unauthorized',
        code: 401,
      },
    });
  });

  test('who impersonates stands beside whom', () => {
    const { events, send } = auditedServer(policyOf({ level: 'Metadata', users: ['admin'] }));
    send('GET', PATH, { headers: { 'impersonate-user': 'eve' } });
    expect(events.at(-1)).toMatchObject({
      user: { username: 'admin' },
      impersonatedUser: { username: 'eve' },
    });
  });

  test('managed fields are left out where the rule says so', () => {
    const { events, send } = auditedServer(policyOf({ level: 'RequestResponse', omitManagedFields: true }));
    send('POST', PATH, { body: CONFIG_MAP });
    expect(events.at(-1)).not.toHaveProperty('responseObject.metadata.managedFields');
  });

  test('a use of a deprecated version is annotated', () => {
    const { events, send } = auditedServer(policyOf({ level: 'Metadata' }));
    send('GET', '/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas');
    expect(events.at(-1)?.['annotations']).toMatchObject({
      'k8s.io/deprecated': 'true',
      'k8s.io/removed-release': '1.32',
    });
  });

  test('what a policy only tells is annotated as JSON of Go, with its signs escaped', () => {
    const { events, send, simulation } = auditedServer(policyOf({ level: 'Metadata' }));
    const group = '/apis/admissionregistration.k8s.io/v1';
    const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] };
    const spec = {
      matchConstraints: { resourceRules: [rule] },
      validations: [{ expression: '1 < 0 && 0 > 1' }],
    };
    send('POST', `${group}/validatingadmissionpolicies`, { body: { metadata: { name: 'p' }, spec } });
    send('POST', `${group}/validatingadmissionpolicybindings`, {
      body: { metadata: { name: 'b' }, spec: { policyName: 'p', validationActions: ['Audit'] } },
    });
    simulation.runUntil(microseconds(simulation.now + seconds(2)));
    send('POST', PATH, { body: CONFIG_MAP });
    expect(events.at(-1)?.['annotations']).toMatchObject({
      'validation.policy.admission.k8s.io/validation_failure':
        '[{"message":"failed expression: 1 \\u003c 0 \\u0026\\u0026 0 \\u003e 1","policy":"p","binding":"b","expressionIndex":0,"validationActions":["Audit"]}]',
    });
  });

  test('the issue of a token is annotated with its id', () => {
    const { events, send } = auditedServer(policyOf({ level: 'Metadata' }));
    const accounts = '/api/v1/namespaces/default/serviceaccounts';
    send('POST', accounts, { body: { metadata: { name: 'robot' } } });
    const { body } = send('POST', `${accounts}/robot/token`, { body: { spec: { audiences: [] } } });
    const text = body.kind === 'bytes' ? new TextDecoder().decode(body.bytes) : '';
    const { status } = JSON.parse(text) as { status: { token: string } };
    const claims = JSON.parse(atob(status.token.split('.')[1] ?? '')) as { jti: string };
    expect(events.at(-1)?.['annotations']).toMatchObject({
      'authentication.kubernetes.io/issued-credential-id': `JTI=${claims.jti}`,
    });
  });

  test.each([
    ['nothing', {}, undefined],
    [
      'the baseline',
      { audit: 'baseline' },
      'would violate PodSecurity "baseline:latest": host namespaces (hostPID=true)',
    ],
  ])('a pod is annotated where its namespace audits %s', (_, levels, violations) => {
    const { events, send } = auditedServer(policyOf({ level: 'Metadata' }));
    const prefix = 'pod-security.kubernetes.io/';
    const labels = Object.fromEntries(Object.entries(levels).map(([mode, level]) => [prefix + mode, level]));
    send('POST', '/api/v1/namespaces', { body: { metadata: { name: 'n', labels } } });
    send('POST', '/api/v1/namespaces/n/serviceaccounts', { body: { metadata: { name: 'default' } } });
    const spec = { hostPID: true, containers: [{ name: 'c', image: 'i' }] };
    send('POST', '/api/v1/namespaces/n/pods', { body: { metadata: { name: 'p' }, spec } });
    const annotations = events.at(-1)?.['annotations'] as Record<string, string>;
    expect(annotations[`${prefix}enforce-policy`]).toBe('privileged:latest');
    expect(annotations[`${prefix}audit-violations`]).toBe(violations);
  });
});

describe('an audit policy', () => {
  const info = {
    path: '',
    isResourceRequest: true,
    verb: 'get',
    group: '',
    version: 'v1',
    resource: 'pods',
    subresource: 'log',
    namespace: 'a',
    name: 'x',
    parts: [],
    isLegacyWatch: false,
    isMalformed: false,
  };
  const user = { name: 'u', groups: ['g'] };
  test.each([
    [{ resources: [{ group: '', resources: ['pods'] }] }, false],
    [{ resources: [{ group: '', resources: ['pods/log'] }] }, true],
    [{ resources: [{ group: '', resources: ['pods/*'] }] }, true],
    [{ resources: [{ group: '', resources: ['*/log'] }] }, true],
    [{ resources: [{ group: 'apps' }] }, false],
    [{ resources: [{ group: '' }] }, true],
    [{ resources: [{ group: '', resources: ['pods/log'], resourceNames: ['y'] }] }, false],
    [{ namespaces: ['a'] }, true],
    [{ namespaces: ['b'] }, false],
    [{ userGroups: ['g'] }, true],
    [{ users: ['v'] }, false],
    [{ nonResourceURLs: ['/healthz*'] }, false],
  ])('%j matches a request for the log of a pod: %s', (rule, isMatch) => {
    const decision = AuditPolicy.parse(policyOf({ level: 'Request', ...rule })).decide(info, user);
    expect(decision.level).toBe(isMatch ? 'Request' : 'None');
  });

  test.each([
    [{ level: 'Loud' }, /rules\[0\]\.level: Unsupported value: "Loud"/],
    [{ level: 'None', omitStages: ['Later'] }, /omitStages: Invalid value: "Later"/],
    [{ level: 'None', nonResourceURLs: ['/x'], namespaces: ['a'] }, /cannot apply to both/],
  ])('%j is refused', (rule, message) => {
    expect(() => AuditPolicy.parse(policyOf(rule))).toThrow(message);
  });
});

test('metrics count what was asked', () => {
  const { send } = auditedServer(policyOf({ level: 'Metadata' }));
  send('POST', PATH, { body: CONFIG_MAP });
  send('GET', `${PATH}/a`);
  send('GET', '/apis/flowcontrol.apiserver.k8s.io/v1beta3/flowschemas');
  const { body } = send('GET', '/metrics');
  const text = body.kind === 'text' ? body.text : '';
  expect(text).toContain(
    'apiserver_request_total{code="201",component="apiserver",dry_run="",group="",resource="configmaps",scope="resource",subresource="",verb="POST",version="v1"} 1\n',
  );
  expect(text).toContain(
    'apiserver_requested_deprecated_apis{group="flowcontrol.apiserver.k8s.io",removed_release="1.32",resource="flowschemas",subresource="",version="v1beta3"} 1\n',
  );
  expect(text).toContain('apiserver_storage_objects{resource="configmaps"} 2\n');
  expect(text).toContain('apiserver_audit_level_total{level="Metadata"} 4\n');
  expect(text).toContain('apiserver_current_inflight_requests{request_kind="readOnly"} 1\n');
  expect(text).toMatch(/# TYPE apiserver_request_duration_seconds histogram\n/);
});
