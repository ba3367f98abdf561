import { describe, expect, test } from 'vitest';
import { type Ask, askedServer } from '../../../cli/golden/asked-server.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const RULES = [
  { apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps', 'secrets'] },
];

const policy = (spec: object): object => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'p' },
  spec: { matchConstraints: { resourceRules: RULES }, ...spec },
});

const binding = (spec: object = {}, name = 'b'): object => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name },
  spec: { policyName: 'p', validationActions: ['Deny'], ...spec },
});

const configMap = (name: string, data?: object): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  ...(data && { data }),
});

function serverWith(spec: object, bindingSpec?: object): Ask {
  const ask = askedServer();
  const { status, body } = ask('POST', `${GROUP}/validatingadmissionpolicies`, policy(spec));
  expect(status, body.message).toBe(201);
  expect(ask('POST', `${GROUP}/validatingadmissionpolicybindings`, binding(bindingSpec)).status).toBe(201);
  ask.sleep(1_500);
  return ask;
}

describe('a policy', () => {
  test('takes a moment, acts, and stops acting with its binding', () => {
    const ask = serverWith({ validations: [{ expression: 'has(object.data)', message: 'no data' }] });
    expect(ask('POST', CONFIG_MAPS, configMap('a')).body.message).toBe(
      `configmaps "a" is forbidden: ValidatingAdmissionPolicy 'p' with binding 'b' denied request: no data`,
    );
    expect(ask('POST', CONFIG_MAPS, configMap('b', { x: 'y' })).status).toBe(201);
    expect(ask('DELETE', `${GROUP}/validatingadmissionpolicybindings/b`).status).toBe(200);
    expect(ask('POST', CONFIG_MAPS, configMap('a')).status).toBe(422);
    ask.sleep(1_500);
    expect(ask('POST', CONFIG_MAPS, configMap('a')).status).toBe(201);
  });

  test('sees of new objects the parts that a struct always has', () => {
    const rule = { apiGroups: ['policy'], apiVersions: ['v1'], operations: ['CREATE'] };
    const ask = serverWith({
      matchConstraints: { resourceRules: [{ ...rule, resources: ['poddisruptionbudgets'] }] },
      validations: [
        { expression: 'false', messageExpression: 'string(object.status.expectedPods) + " pods"' },
      ],
    });
    const body = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'a' } };
    const { message } = ask('POST', '/apis/policy/v1/namespaces/default/poddisruptionbudgets', body).body;
    expect(message).toContain('denied request: 0 pods');
  });

  test('sees old objects, the request, the namespace and what the client may do', () => {
    const ask = serverWith({
      variables: [
        { name: 'name', expression: 'namespaceObject.metadata.labels["kubernetes.io/metadata.name"]' },
      ],
      matchConditions: [{ name: 'no-secrets', expression: 'request.resource.resource != "secrets"' }],
      validations: [
        { expression: 'variables.name == "default" && request.userInfo.username == "admin"' },
        {
          expression: 'request.operation != "UPDATE" || object.data.x >= oldObject.data.x',
          messageExpression: '"x was " + oldObject.data.x',
        },
        {
          expression:
            'authorizer.group("").resource("configmaps").namespace("default").check("create").allowed()',
        },
        { expression: 'request.operation != "DELETE"', reason: 'Forbidden' },
      ],
    });
    const created = ask('POST', CONFIG_MAPS, configMap('a', { x: '2' }));
    expect(created.status, created.body.message).toBe(201);
    expect(ask('PATCH', `${CONFIG_MAPS}/a`, { data: { x: '1' } }).body.message).toContain(
      'denied request: x was 2',
    );
    expect(ask('PATCH', `${CONFIG_MAPS}/a`, { data: { x: '3' } }).status).toBe(200);
    expect(ask('DELETE', `${CONFIG_MAPS}/a`).status).toBe(403);
  });

  test('may warn instead, and may ignore its own failures', () => {
    const failing = [{ expression: 'object.data.missing == "x"' }];
    const warned = serverWith({ validations: failing }, { validationActions: ['Warn'] });
    expect(warned('POST', CONFIG_MAPS, configMap('a', { x: 'y' })).warnings).toStrictEqual([
      `Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': expression 'object.data.missing == "x"' resulted in error: no such key: missing`,
    ]);
    const ignored = serverWith({ validations: failing, failurePolicy: 'Ignore' });
    expect(ignored('POST', CONFIG_MAPS, configMap('a', { x: 'y' })).status).toBe(201);
  });

  test('takes parameters by name and by label', () => {
    const spec = {
      paramKind: { apiVersion: 'v1', kind: 'Secret' },
      validations: [{ expression: 'request.resource.resource == "secrets" || object.data.x == params.type' }],
    };
    const secret = (name: string, type: string): object => ({
      apiVersion: 'v1',
      kind: 'Secret',
      type,
      metadata: { name, labels: { is: 'param' } },
    });
    const byName = serverWith(spec, { paramRef: { name: 'one', parameterNotFoundAction: 'Deny' } });
    expect(byName('POST', CONFIG_MAPS, configMap('a', { x: 'good' })).body.message).toContain(
      'no params found',
    );
    byName('PATCH', `${GROUP}/validatingadmissionpolicies/p`, { spec: { failurePolicy: 'Ignore' } });
    byName.sleep(1_500);
    expect(byName('POST', '/api/v1/namespaces/default/secrets', secret('one', 'good')).status).toBe(201);
    expect(byName('POST', CONFIG_MAPS, configMap('a', { x: 'bad' })).status).toBe(422);
    expect(byName('POST', CONFIG_MAPS, configMap('a', { x: 'good' })).status).toBe(201);
    const selector = { matchLabels: { is: 'param' } };
    const byLabel = serverWith(spec, { paramRef: { selector, parameterNotFoundAction: 'Allow' } });
    expect(byLabel('POST', CONFIG_MAPS, configMap('a', { x: 'bad' })).status).toBe(201);
    byLabel('POST', '/api/v1/namespaces/default/secrets', secret('one', 'good'));
    expect(byLabel('POST', CONFIG_MAPS, configMap('b', { x: 'bad' })).status).toBe(422);
  });

  test('is told of a namespace that is created under its name that it is in itself', () => {
    const namespaces = {
      matchConstraints: { resourceRules: [{ ...RULES[0], resources: ['namespaces'] }] },
      validations: [
        { expression: 'false', messageExpression: "has(request.namespace) ? request.namespace : 'nowhere'" },
      ],
    };
    const ask = serverWith(namespaces);
    const told = (metadata: object): string | undefined =>
      ask('POST', '/api/v1/namespaces', { metadata }).body.message?.replace(/.*denied request: /, '');
    expect(told({ name: 'new' })).toBe('new');
    expect(told({ name: 'new', generateName: 'other-' })).toBe('new');
    expect(told({ generateName: 'new-' })).toBe('nowhere');
  });

  test('chooses a namespace by the labels that are written, and below it by those that it has', () => {
    const ask = serverWith({
      matchConstraints: {
        namespaceSelector: { matchLabels: { team: 'a' } },
        resourceRules: [
          { ...RULES[0], operations: ['UPDATE'], resources: ['namespaces', 'namespaces/finalize'] },
        ],
      },
      validations: [{ expression: 'false' }],
    });
    ask('POST', '/api/v1/namespaces', { metadata: { name: 'n', labels: { team: 'a' } } });
    const bare = { metadata: { name: 'n' }, spec: { finalizers: ['kubernetes'] } };
    expect(ask('PUT', '/api/v1/namespaces/n/finalize', bare).status).toBe(422);
    expect(ask('PUT', '/api/v1/namespaces/n', bare).status).toBe(200);
    expect(ask('PUT', '/api/v1/namespaces/n/finalize', bare).status).toBe(200);
  });

  test('has an authorizer for its checks alone: neither messages nor annotations get anything from it', () => {
    const allowed = "authorizer.path('/healthz').check('get').allowed()";
    const spec = {
      variables: [{ name: 'a', expression: `string(${allowed})` }],
      validations: [
        { expression: "variables.a == 'true'" },
        { expression: 'false', message: 'written', messageExpression: "'worked out: ' + variables.a" },
      ],
    };
    const denied = (more: object): string | undefined =>
      serverWith({ ...spec, ...more })('POST', CONFIG_MAPS, configMap('a')).body.message?.replace(
        /.*request: /,
        '',
      );
    expect(denied({})).toBe('written');
    const annotated = (valueExpression: string): string | undefined =>
      denied({ validations: [{ expression: 'true' }], auditAnnotations: [{ key: 'k', valueExpression }] });
    expect(annotated(`string(${allowed})`)).toBe(
      `expression 'string(${allowed})' resulted in error: no such attribute(s): authorizer`,
    );
    expect(annotated('variables.a')).toBe(
      'expression \'variables.a\' resulted in error: composited variable "a" fails to evaluate: no such attribute(s): authorizer',
    );
  });

  test('does not know a variable that says nothing', () => {
    const { body } = askedServer()(
      'POST',
      `${GROUP}/validatingadmissionpolicies`,
      policy({ variables: [{ name: 'a', expression: ' ' }], validations: [{ expression: 'variables.a' }] }),
    );
    expect(body.message).toContain('spec.variables[0].expression: Required value');
    expect(body.message).toContain("undefined field 'a'");
  });

  test('is refused if its expressions do not compile', () => {
    const ask = askedServer();
    const { status, body } = ask(
      'POST',
      `${GROUP}/validatingadmissionpolicies`,
      policy({ validations: [{ expression: 'request.none == 1' }] }),
    );
    expect(status).toBe(422);
    expect(body.message).toContain("undefined field 'none'");
  });
});
