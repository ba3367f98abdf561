/** Policies with their bindings and parameters, in force for one namespace of their own, and requests that they see or not. */
import type { AskedRequest } from '../compare-admission/draw-case.ts';
import type { Random } from '../verify/generate/random.ts';
import { FLOWS, GROUP, type Ground, groupOf, isOfCluster, type Subject, SUBJECTS } from './draw-requests.ts';
import { drawPolicyText, drawPolicyTruth } from './drawn-expressions.ts';

export const ADMISSION = '/apis/admissionregistration.k8s.io/v1';

export interface CreatedObject {
  /** Of its collection. */
  readonly path: string;
  readonly body: { readonly metadata: { readonly name: string }; readonly [member: string]: unknown };
}

export interface PolicyCase {
  readonly ground: Ground;
  /** In this order, before the requests; what is refused of them is compared too. */
  readonly objects: readonly CreatedObject[];
  /** Each is made by one of these: `admin`, `alice`. */
  readonly user: 'admin' | 'alice';
  readonly requests: readonly AskedRequest[];
}

const PARAMS = ['configmaps', 'widgets', 'namespaces', 'missing'] as const;
type ParamKind = (typeof PARAMS)[number];

export const KIND_OF: Readonly<Record<ParamKind, object>> = {
  configmaps: { apiVersion: 'v1', kind: 'ConfigMap' },
  widgets: { apiVersion: `${GROUP}/v1`, kind: 'Widget' },
  namespaces: { apiVersion: 'v1', kind: 'Namespace' },
  missing: { apiVersion: 'nothing.example.com/v1', kind: 'Nothing' },
};

const some = (random: Random, percent: number, name: string, items: readonly unknown[]): object =>
  random.chance(percent) ? { [name]: random.pick(items) } : {};

const times = <Item>(count: number, draw: (at: number) => Item): readonly Item[] =>
  Array.from({ length: count }, (_none, at) => draw(at));

const OPERATIONS = [['*'], ['CREATE', 'UPDATE'], ['CREATE'], ['UPDATE', 'DELETE'], ['DELETE'], ['UPDATE']];

function drawRule(random: Random, subject: Subject, { namespace }: Ground): object {
  const isNamed = subject === 'clusterroles';
  const resources = random.pick([
    [subject],
    [subject],
    [`${subject}/*`],
    [subject, `${subject}/*`],
    ['*'],
    ['*/*'],
  ]);
  const versions =
    subject === 'widgets' || subject === 'horizontalpodautoscalers'
      ? [['v1'], ['v2'], ['*']]
      : [['v1'], ['*']];
  return {
    apiGroups: [groupOf(subject)],
    apiVersions: random.pick(versions),
    operations: random.pick(OPERATIONS),
    resources: isNamed ? [subject] : resources,
    ...(isNamed
      ? { resourceNames: [`${namespace}-a`, `${namespace}-b`] }
      : some(random, 8, 'resourceNames', [['a'], ['b', 'c']])),
    ...some(random, 12, 'scope', ['Namespaced', '*', 'Cluster']),
  };
}

const SELECTORS = [
  { matchLabels: { team: 'a' } },
  { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['b'] }] },
  { matchExpressions: [{ key: 'team', operator: 'Exists' }] },
];

const drawValidation = (random: Random): object => ({
  expression: drawPolicyTruth(random),
  ...some(random, 25, 'message', ['no', 'not that', 'x'.repeat(90)]),
  ...(random.chance(45) && { messageExpression: drawPolicyText(random) }),
  ...some(random, 30, 'reason', ['Unauthorized', 'Forbidden', 'Invalid', 'RequestEntityTooLarge']),
});

const VARIABLES: readonly (readonly [name: string, draw: (random: Random) => string])[] = [
  ['t', drawPolicyText],
  ['b', drawPolicyTruth],
  ['u', (random) => (random.chance(50) ? "variables.t + '!'" : drawPolicyText(random))],
  ['broken', () => 'object.nothing.at.all == 1'],
];

interface Plan {
  readonly ground: Ground;
  readonly subject: Subject;
  readonly param: ParamKind | undefined;
}

function drawPolicy(random: Random, { ground, subject, param }: Plan, name: string): CreatedObject {
  return {
    path: `${ADMISSION}/validatingadmissionpolicies`,
    body: {
      metadata: { name },
      spec: {
        ...(param && { paramKind: KIND_OF[param] }),
        ...some(random, 60, 'failurePolicy', ['Fail', 'Ignore']),
        matchConstraints: {
          namespaceSelector: { matchLabels: { case: ground.label } },
          resourceRules: times(1 + random.below(2), () => drawRule(random, subject, ground)),
          ...(random.chance(15) && { excludeResourceRules: [drawRule(random, subject, ground)] }),
          ...some(random, 12, 'objectSelector', SELECTORS),
          ...some(random, 25, 'matchPolicy', ['Exact', 'Equivalent']),
        },
        ...(random.chance(30) && {
          matchConditions: times(1 + random.below(2), (at) => ({
            name: `m${at}`,
            expression: drawPolicyTruth(random),
          })),
        }),
        variables: VARIABLES.slice(0, random.below(VARIABLES.length + 1)).map(([variable, draw]) => ({
          name: variable,
          expression: draw(random),
        })),
        validations: times(1 + random.below(3), () => drawValidation(random)),
        ...(random.chance(45) && {
          auditAnnotations: times(1 + random.below(2), (at) => ({
            key: `k${at}`,
            valueExpression: drawPolicyText(random),
          })),
        }),
      },
    },
  };
}

const ACTIONS = [['Deny'], ['Warn'], ['Warn'], ['Audit'], ['Warn', 'Audit'], ['Deny', 'Audit']];

function drawBinding(
  random: Random,
  { ground, subject, param }: Plan,
  policyName: string,
  name: string,
): CreatedObject {
  return {
    path: `${ADMISSION}/validatingadmissionpolicybindings`,
    body: {
      metadata: { name },
      spec: {
        policyName,
        ...(param && random.chance(90) && { paramRef: drawParamRef(random, ground, param) }),
        ...(!param && random.chance(5) && { paramRef: { name: 'p1', parameterNotFoundAction: 'Deny' } }),
        ...(random.chance(20) && {
          matchResources: {
            ...(random.chance(60) && { resourceRules: [drawRule(random, subject, ground)] }),
            ...some(random, 40, 'objectSelector', SELECTORS),
            ...some(random, 30, 'matchPolicy', ['Exact', 'Equivalent']),
          },
        }),
        validationActions: random.pick(ACTIONS),
      },
    },
  };
}

function drawParamRef(random: Random, { namespace, label }: Ground, param: ParamKind): object {
  const inNamespace = param !== 'namespaces' && random.chance(60) ? { namespace } : {};
  const more = { ...inNamespace, parameterNotFoundAction: random.pick(['Allow', 'Deny']) };
  if (random.chance(50))
    return {
      name: param === 'namespaces' ? random.pick([namespace, 'gone']) : random.pick(['p1', 'p2', 'gone']),
      ...more,
    };
  const selectors =
    param === 'namespaces'
      ? [{ matchLabels: { case: label } }]
      : [{ matchLabels: { param: 'yes' } }, { matchLabels: { param: 'no' } }];
  return { selector: random.pick<object>(selectors), ...more };
}

const parameters = ({ namespace }: Ground, param: ParamKind | undefined): readonly CreatedObject[] =>
  (['p1', 'p2'] as const).flatMap((name, at): readonly CreatedObject[] => {
    const metadata = { name, labels: { param: 'yes' } };
    if (param === 'configmaps')
      return [
        {
          path: `/api/v1/namespaces/${namespace}/configmaps`,
          body: { metadata, data: at === 0 ? { k: 'x', n: '2' } : { k: 'y' } },
        },
      ];
    if (param !== 'widgets') return [];
    const body = { apiVersion: `${GROUP}/v1`, kind: 'Widget', metadata, spec: { size: at + 1 } };
    return [{ path: `/apis/${GROUP}/v1/namespaces/${namespace}/widgets`, body }];
  });

export function drawPolicyCase(random: Random, ground: Ground): PolicyCase {
  const subject = random.pick(SUBJECTS);
  const param = random.chance(35) ? random.pick(PARAMS) : undefined;
  const plan: Plan = { ground, subject, param };
  const policies = times(random.chance(25) ? 2 : 1, (at) => `${ground.namespace}-${at}`);
  const bindings = policies.flatMap((policy) =>
    times(random.chance(8) ? 2 : 1, (at) => drawBinding(random, plan, policy, `${policy}-${at}`)),
  );
  return {
    ground,
    objects: [
      ...parameters(ground, param),
      ...policies.map((name) => drawPolicy(random, plan, name)),
      ...bindings,
    ],
    user: !isOfCluster(subject) && random.chance(35) ? 'alice' : 'admin',
    requests: [
      ...FLOWS[subject](random, ground, 'a'),
      ...(random.chance(30) ? FLOWS[subject](random, ground, 'b') : []),
    ],
  };
}
