import { expect, test } from 'vitest';
import { askedServer } from '../../cli/golden/asked-server.ts';

const REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';
const FIELDS = 'spec.resourceAttributes.fieldSelector';
const LABELS = 'spec.resourceAttributes.labelSelector';
const IN = "must be specified when `operator` is 'In' or 'NotIn'";
const NONE = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'";

const reviewed = (selectors: object, featureGates: string) =>
  askedServer({ featureGates })('POST', REVIEWS, {
    spec: { user: 'a', resourceAttributes: { verb: 'list', resource: 'pods', ...selectors } },
  });
const refused = (selectors: object): readonly string[] => {
  const { status, body } = reviewed(selectors, 'AuthorizeWithSelectors=true');
  if (status === 201) return [];
  const { causes } = body['details'] as { causes: readonly { field: string; message: string }[] };
  return causes.map(({ field, message }) => `${field}: ${message.split(': name part')[0] ?? ''}`);
};

test.each([
  [{ fieldSelector: { rawSelector: '!!' }, labelSelector: { rawSelector: '=' } }, []],
  [
    { fieldSelector: {}, labelSelector: { requirements: [] } },
    [FIELDS, LABELS].map(
      (path) =>
        `${path}.requirements: Required value: when ${path} is specified, requirements or rawSelector is required`,
    ),
  ],
  [
    { fieldSelector: { rawSelector: 'a=b', requirements: [{ key: '', operator: 'In' }] } },
    [`${FIELDS}.rawSelector: Invalid value: "a=b": may not specified at the same time as requirements`],
  ],
  [
    {
      fieldSelector: { requirements: [{ operator: 'In' }, { key: 'a', operator: 'Exists', values: ['b'] }] },
    },
    [
      `${FIELDS}.requirements[0].key: Required value: must be specified`,
      `${FIELDS}.requirements[0].values: Required value: ${IN}`,
      `${FIELDS}.requirements[1].values: Forbidden: ${NONE}`,
    ],
  ],
  [{ fieldSelector: { requirements: [{ key: 'a', operator: 'Like' }] } }, []],
  [{ labelSelector: { requirements: [{ key: 'a', operator: 'Like', values: ['b'] }] } }, []],
  [
    { labelSelector: { requirements: [{ key: '!', operator: 'NotIn' }] } },
    [
      `${LABELS}.requirements[0].values: Required value: ${IN}`,
      `${LABELS}.requirements[0].key: Invalid value: "!"`,
    ],
  ],
])('selectors of a review: %j', (selectors, errors) => expect(refused(selectors)).toEqual(errors));

test('selectors are echoed with their feature, and neither judged nor echoed without it', () => {
  const selectors = { fieldSelector: { rawSelector: 'a=b' } };
  expect(reviewed(selectors, 'AuthorizeWithSelectors=true').body['spec']).toMatchObject({
    resourceAttributes: selectors,
  });
  const { status, body } = reviewed({ fieldSelector: {} }, '');
  expect(status).toBe(201);
  expect(body['spec']).not.toHaveProperty('resourceAttributes.fieldSelector');
});

const requirements = (...operators: readonly string[]): object => ({
  requirements: operators.map((operator) => ({
    key: 'a',
    operator,
    ...(operator.endsWith('In') && { values: ['b'] }),
  })),
});

test.each([
  [{ fieldSelector: { rawSelector: 'a==b,c!=d' }, labelSelector: { rawSelector: 'a in (b)' } }, undefined],
  [
    { fieldSelector: { rawSelector: '!!' }, labelSelector: { rawSelector: '=' } },
    `${FIELDS} ignored due to parse error; ${LABELS} ignored due to parse error`,
  ],
  [{ fieldSelector: requirements('In', 'NotIn'), labelSelector: requirements('In', 'Exists') }, undefined],
  [{ fieldSelector: requirements('Exists') }, `${FIELDS} ignored due to parse error`],
  [{ fieldSelector: requirements('In', 'Exists') }, `${FIELDS} partially ignored due to parse error`],
  [
    { fieldSelector: { requirements: [{ key: 'a', operator: 'In', values: ['b', 'c'] }] } },
    `${FIELDS} ignored due to parse error`,
  ],
  [{ labelSelector: requirements('Like') }, `${LABELS} ignored due to parse error`],
  [{ labelSelector: requirements('Like', 'Exists') }, `${LABELS} partially ignored due to parse error`],
])('what cannot be read of selectors is told: %j', (selectors, problem) => {
  const { status, body } = reviewed(selectors, 'AuthorizeWithSelectors=true');
  expect([status, Reflect.get(body['status'] as object, 'evaluationError')]).toEqual([201, problem]);
});
