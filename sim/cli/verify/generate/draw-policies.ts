/** Admission policies with their bindings and parameters, in force for one namespace; or many that stay dry. */
import type { JsonObject } from '../../../api/object.ts';
import { RELEASE_1_31 } from '../../../api/release/release-1-31.ts';
import type { GoldenCase, RequestStep, Step } from '../../../../model/golden/replay/golden-case.ts';
import { mutate } from './mutate.ts';
import { drawText, drawTruth, drawVariable } from './policy-expressions.ts';
import type { Random } from './random.ts';

const GROUP = '/apis/admissionregistration.k8s.io/v1';
const POLICIES = `${GROUP}/validatingadmissionpolicies`;
const BINDINGS = `${GROUP}/validatingadmissionpolicybindings`;
const OBJECTS = '/api/v1/namespaces/${ns}/configmaps';
/** Made anew each time: whoever draws changes what is drawn. */
const inNamespace = (): JsonObject => ({ matchLabels: { 'kubernetes.io/metadata.name': '${ns}' } });
/** A server looks every second whether policies have changed. */
const SOON_MS = 1700;
const CONFIG_MAP = { apiVersion: 'v1', kind: 'ConfigMap' };

const some = <Item>(random: Random, most: number, draw: (at: number) => Item): Item[] =>
  Array.from({ length: random.below(most + 1) }, (_none, at) => draw(at));

export function drawPolicies(random: Random): Pick<GoldenCase, 'steps' | 'cleanup'> {
  if (random.chance(40)) return { steps: Array.from({ length: 4 }, () => dryStep(random)) };
  const removals = [`${BINDINGS}/\${unique}-b`, `${BINDINGS}/\${unique}-c`, `${POLICIES}/\${unique}-p`];
  return {
    steps: lifeOf(random),
    cleanup: removals.map((path) => ({ request: { method: 'DELETE', path } })),
  };
}

function dryStep(random: Random): Step {
  const isBinding = random.chance(25);
  const body = isBinding ? drawBinding(random, 'b') : drawPolicy(random);
  const kind = isBinding ? 'ValidatingAdmissionPolicyBinding' : 'ValidatingAdmissionPolicy';
  if (random.chance(50))
    mutate(body, RELEASE_1_31.catalog.types.structOf(`admissionregistration.k8s.io/v1.${kind}`), random);
  return post(isBinding ? BINDINGS : POLICIES, body, { dryRun: 'All' });
}

const post = (path: string, body: object, query: NonNullable<RequestStep['query']> = {}): Step => ({
  request: { method: 'POST', path, query, body },
});

function drawRule(random: Random): JsonObject {
  return {
    apiGroups: random.pick([[''], ['*'], ['', 'apps']]),
    apiVersions: random.pick([['v1'], ['*'], ['v1', 'v2']]),
    operations: random.pick([['*'], ['CREATE', 'UPDATE'], ['CREATE'], ['UPDATE', 'DELETE']]),
    resources: random.pick([['configmaps'], ['*'], ['configmaps', 'secrets'], ['*/*'], ['secrets']]),
    ...(random.chance(20) && { resourceNames: random.pick([['a'], ['b', 'c']]) }),
    ...(random.chance(20) && { scope: random.pick(['Namespaced', '*', 'Cluster']) }),
  };
}

const drawSelector = (random: Random): JsonObject =>
  random.pick<JsonObject>([
    { matchLabels: { app: 'a' } },
    { matchExpressions: [{ key: 'app', operator: 'NotIn', values: ['b'] }] },
    { matchExpressions: [{ key: 'app', operator: 'DoesNotExist' }] },
  ]);

function drawPolicy(random: Random): JsonObject {
  const variables = ['t', 'n', 'b'].slice(0, random.below(4));
  const paramKind = random.pick([CONFIG_MAP, CONFIG_MAP, { apiVersion: 'v9', kind: 'Nothing' }]);
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: '${unique}-p' },
    spec: {
      ...(random.chance(40) && { paramKind }),
      ...(random.chance(60) && { failurePolicy: random.pick(['Fail', 'Ignore']) }),
      matchConstraints: {
        namespaceSelector: inNamespace(),
        resourceRules: random.chance(65)
          ? [{ apiGroups: [''], apiVersions: ['v1'], operations: ['*'], resources: ['configmaps'] }]
          : [drawRule(random), ...some(random, 1, () => drawRule(random))],
        ...(random.chance(15) && { excludeResourceRules: [drawRule(random)] }),
        ...(random.chance(15) && { objectSelector: drawSelector(random) }),
        ...(random.chance(15) && { matchPolicy: random.pick(['Exact', 'Equivalent']) }),
      },
      ...(random.chance(25) && {
        matchConditions: some(random, 2, (at) => ({ name: `m${at}`, expression: drawTruth(random) })),
      }),
      variables: variables.map((name) => ({ name, expression: drawVariable(name, random) })),
      validations: [drawValidation(random), ...some(random, 4, () => drawValidation(random))],
      ...(random.chance(25) && {
        auditAnnotations: some(random, 2, (at) => ({ key: `k${at}`, valueExpression: drawText(random) })),
      }),
    },
  };
}

const REASONS = ['Unauthorized', 'Forbidden', 'Invalid', 'RequestEntityTooLarge', 'Gone'];

const drawValidation = (random: Random): JsonObject => ({
  expression: drawTruth(random),
  ...(random.chance(25) && { message: random.pick(['no', 'a\nb', '', ' ', 'x'.repeat(80)]) }),
  ...(random.chance(35) && { messageExpression: drawText(random) }),
  ...(random.chance(25) && { reason: random.pick(REASONS) }),
});

function drawBinding(random: Random, name: string, hasParams = random.chance(40)): JsonObject {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicyBinding',
    metadata: { name: `\${unique}-${name}` },
    spec: {
      policyName: '${unique}-p',
      ...(hasParams && { paramRef: drawParamRef(random) }),
      ...(random.chance(20) && { matchResources: drawMatch(random) }),
      validationActions: random.pick([
        ['Deny'],
        ['Warn'],
        ['Warn'],
        ['Warn', 'Audit'],
        ['Deny', 'Audit'],
        ['Audit'],
      ]),
    },
  };
}

const drawMatch = (random: Random): JsonObject => ({
  ...(random.chance(50) && { resourceRules: [drawRule(random)] }),
  ...(random.chance(50) && { objectSelector: drawSelector(random) }),
});

function drawParamRef(random: Random): JsonObject {
  const parameterNotFoundAction = random.pick(['Allow', 'Deny']);
  const namespace = random.chance(60) ? { namespace: '${ns}' } : {};
  if (random.chance(50))
    return { name: random.pick(['p1', 'p2', 'gone']), ...namespace, parameterNotFoundAction };
  const selector = random.pick([{ matchLabels: { param: 'yes' } }, {}, { matchLabels: { param: 'no' } }]);
  return { selector, ...namespace, parameterNotFoundAction };
}

const parameter = (name: string, data: JsonObject): Step =>
  post(OBJECTS, { ...CONFIG_MAP, metadata: { name, labels: { param: 'yes' } }, data });

function lifeOf(random: Random): readonly Step[] {
  const policy = drawPolicy(random);
  const hasParams = JSON.stringify(policy).includes('"paramKind"') && random.chance(85);
  const bindings = random.chance(20) ? ['b', 'c'] : ['b'];
  return [
    parameter('p1', { k: 'x', n: '2' }),
    parameter('p2', { k: 'gone' }),
    post(OBJECTS, { ...CONFIG_MAP, metadata: { name: 'old' }, data: { x: '1' } }),
    post(POLICIES, policy),
    ...bindings.map((name) => post(BINDINGS, drawBinding(random, name, hasParams))),
    { sleep: SOON_MS },
    ...Array.from({ length: 7 }, () => drawWrite(random)),
  ];
}

function drawObject(random: Random, name: string): JsonObject {
  const data = random.pick<JsonObject>([{ x: 'ok' }, { x: '7', k: 'v' }, { long: 'no' }]);
  return {
    ...CONFIG_MAP,
    metadata: { name, ...(random.chance(50) && { labels: { app: random.pick(['a', 'b', 'old']) } }) },
    ...(random.chance(80) && { data }),
    ...(random.chance(15) && { immutable: random.chance(50) }),
  };
}

function drawWrite(random: Random): Step {
  const query = random.chance(50) ? { dryRun: 'All' } : {};
  const dice = random.below(100);
  const one = `${OBJECTS}/${random.pick(['old', 'a'])}`;
  if (dice < 40) return post(OBJECTS, drawObject(random, random.pick(['a', 'b'])), query);
  if (dice < 55)
    return { request: { method: 'PUT', path: `${OBJECTS}/old`, query, body: drawObject(random, 'old') } };
  if (dice < 80) {
    const body = { data: { y: random.pick(['1', '2', null]) } };
    const contentType = 'application/merge-patch+json';
    return { request: { method: 'PATCH', path: one, query, body, contentType } };
  }
  return { request: { method: 'DELETE', path: one, query: { dryRun: 'All' } } };
}
