/** One configuration with webhooks, what they answer, and requests that reach them or do not. */
import type { Draws } from '../compare-cel/draws.ts';
import { drawAnswer, type ScriptedAnswer } from './draw-answer.ts';

export interface AskedRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: object | string;
  readonly contentType?: string;
}

export interface AdmissionCase {
  readonly isMutating: boolean;
  /** Without the way to them. */
  readonly webhooks: readonly { readonly name: string; readonly [member: string]: unknown }[];
  readonly scripts: ReadonlyMap<string, readonly ScriptedAnswer[]>;
  readonly requests: readonly AskedRequest[];
}

export const NAMESPACE = 'compared-admission';
export const GROUP = 'admission.compared.example.com';
const WIDGETS = `/apis/${GROUP}/v1/namespaces/${NAMESPACE}/widgets`;
const CONFIG_MAPS = `/api/v1/namespaces/${NAMESPACE}/configmaps`;
const DEPLOYMENTS = `/apis/apps/v1/namespaces/${NAMESPACE}/deployments`;

const some = (draws: Draws, times: number, name: string, items: readonly unknown[]): object =>
  draws.isOnceIn(times) ? { [name]: draws.pick(items) } : {};

const RULES: readonly object[] = [
  { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] },
  { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'], scope: 'Namespaced' },
  { apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['configmaps'] },
  { apiGroups: [GROUP], apiVersions: ['v1'], operations: ['*'], resources: ['widgets'] },
  { apiGroups: [GROUP], apiVersions: ['v2'], operations: ['*'], resources: ['widgets', 'widgets/status'] },
  { apiGroups: [GROUP], apiVersions: ['*'], operations: ['UPDATE'], resources: ['widgets/*'] },
  { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['*'], resources: ['deployments/scale'] },
  { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['*'], resources: ['deployments'], scope: '*' },
  {
    apiGroups: [''],
    apiVersions: ['v1'],
    operations: ['CREATE'],
    resources: ['configmaps'],
    scope: 'Cluster',
  },
];

const CONDITIONS: readonly (readonly { readonly name: string; readonly expression: string }[])[] = [
  [{ name: 'always', expression: 'true' }],
  [{ name: 'never', expression: 'false' }],
  [{ name: 'named', expression: "request.name != 'skipped'" }],
  [
    { name: 'fails', expression: 'object.spec.none > 1' },
    { name: 'also', expression: 'oldObject.none' },
  ],
  [
    { name: 'fails', expression: 'object.none > 1' },
    { name: 'never', expression: 'false' },
  ],
  [{ name: 'has', expression: "has(object.data) && 'a' in object.data" }],
  [{ name: 'admin', expression: "authorizer.group('').resource('pods').check('get').allowed()" }],
  [{ name: 'dry', expression: 'request.dryRun == true' }],
];

const SELECTORS: readonly object[] = [
  {},
  { matchLabels: { team: 'a' } },
  { matchExpressions: [{ key: 'team', operator: 'DoesNotExist' }] },
  { matchExpressions: [{ key: 'team', operator: 'NotIn', values: ['a'] }] },
];
const NAMESPACE_SELECTORS: readonly object[] = [
  {},
  { matchLabels: { 'kubernetes.io/metadata.name': NAMESPACE } },
  { matchLabels: { 'kubernetes.io/metadata.name': 'other' } },
];

function drawWebhook(draws: Draws, name: string, isMutating: boolean): AdmissionCase['webhooks'][number] {
  const rules = draws.isOnceIn(3) ? [draws.pick(RULES), draws.pick(RULES)] : [draws.pick(RULES)];
  return {
    name,
    rules,
    sideEffects: draws.isOnceIn(4) ? 'NoneOnDryRun' : 'None',
    admissionReviewVersions: draws.pick([['v1'], ['v1beta1'], ['v1beta1', 'v1'], ['v9', 'v1']]),
    ...some(draws, 2, 'failurePolicy', ['Ignore', 'Fail']),
    ...some(draws, 3, 'matchPolicy', ['Exact', 'Equivalent']),
    ...some(draws, 4, 'objectSelector', SELECTORS),
    ...some(draws, 5, 'namespaceSelector', NAMESPACE_SELECTORS),
    ...some(draws, 4, 'matchConditions', CONDITIONS),
    ...(isMutating && some(draws, 2, 'reinvocationPolicy', ['IfNeeded', 'Never'])),
  };
}

const dry = (draws: Draws): string => (draws.isOnceIn(4) ? '?dryRun=All' : '');
const labels = (draws: Draws): object => some(draws, 3, 'labels', [{ team: 'a' }, { team: 'b' }]);

const MERGE = 'application/merge-patch+json';

function drawRequest(draws: Draws, name: string): readonly AskedRequest[] {
  const metadata = { name, ...labels(draws) };
  switch (draws.below(8)) {
    case 0:
      return [
        {
          method: 'POST',
          path: `${WIDGETS}${dry(draws)}`,
          body: { apiVersion: `${GROUP}/v1`, kind: 'Widget', metadata, spec: { size: 1 } },
        },
        {
          method: 'PATCH',
          path: `${WIDGETS.replace('/v1/', '/v2/')}/${name}${dry(draws)}`,
          body: { spec: { size: 2 } },
          contentType: MERGE,
        },
        {
          method: 'PATCH',
          path: `${WIDGETS}/${name}/status`,
          body: { status: { done: true } },
          contentType: MERGE,
        },
        { method: 'DELETE', path: `${WIDGETS}/${name}${dry(draws)}` },
      ];
    case 1:
      return [
        {
          method: 'POST',
          path: DEPLOYMENTS,
          body: {
            metadata,
            spec: {
              selector: { matchLabels: { app: name } },
              template: {
                metadata: { labels: { app: name } },
                spec: { containers: [{ name: 'c', image: 'i' }] },
              },
            },
          },
        },
        {
          method: 'PATCH',
          path: `${DEPLOYMENTS}/${name}/scale`,
          body: { spec: { replicas: 2 } },
          contentType: MERGE,
        },
        { method: 'DELETE', path: `${DEPLOYMENTS}/${name}` },
      ];
    case 2:
      return [{ method: 'DELETE', path: CONFIG_MAPS }];
    default:
      return [
        { method: 'POST', path: `${CONFIG_MAPS}${dry(draws)}`, body: { metadata, data: { a: '1' } } },
        {
          method: 'PATCH',
          path: `${CONFIG_MAPS}/${name}${dry(draws)}`,
          body: { data: { b: '2' } },
          contentType: MERGE,
        },
        { method: 'DELETE', path: `${CONFIG_MAPS}/${name}${dry(draws)}` },
      ];
  }
}

export function drawCase(draws: Draws): AdmissionCase {
  const isMutating = draws.isOnceIn(2);
  const names = ['one', 'two', 'three'].slice(0, 1 + draws.below(3));
  const scripts = new Map(
    names.map((name) => [
      `${name}.example.com`,
      Array.from({ length: 1 + draws.below(2) }, () => drawAnswer(draws, isMutating)),
    ]),
  );
  return {
    isMutating,
    webhooks: [...scripts].map(([name, answers]) => ({
      ...drawWebhook(draws, name, isMutating),
      // Nobody waits long for who never answers; the others may be slow where much else is done.
      timeoutSeconds: answers.some(({ kind }) => kind === 'hang') ? 1 : 20,
    })),
    scripts,
    requests: [...drawRequest(draws, draws.isOnceIn(4) ? 'skipped' : 'a'), ...drawRequest(draws, 'b')],
  };
}
