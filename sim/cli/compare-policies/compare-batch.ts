/** Cases that stand at both servers at the same time, so that they settle together; each is told by what differs first. */
import type { Side } from '../compare-admission/side.ts';
import { answerText, apart } from '../compare-admission/steady-text.ts';
import { ADMISSION, KIND_OF, type PolicyCase } from './draw-policy-case.ts';
import { GROUP } from './draw-requests.ts';

/** A server looks every second whether policies have changed. */
const SETTLE_MS = 4_500;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const INTEGER = { type: 'integer' };
const TEXT = { type: 'string' };

const version = (name: string): object => ({
  name,
  served: true,
  storage: name === 'v1',
  subresources: {
    status: {},
    scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
  },
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties: {
            size: INTEGER,
            replicas: INTEGER,
            ratio: { type: 'number' },
            at: { type: 'string', format: 'date-time' },
            list: { type: 'array', items: TEXT },
            amount: { 'x-kubernetes-int-or-string': true },
            free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          },
        },
        status: { type: 'object', properties: { done: { type: 'boolean' }, replicas: INTEGER } },
      },
    },
  },
});

const ROLES = '/apis/rbac.authorization.k8s.io/v1';

/**
 * Stands throughout and sees nothing: a real server that has no policy left with a kind of parameters learns nothing more of
 * such parameters, whatever policies come.
 */
const keeper = (name: string, paramKind: object): object => ({
  metadata: { name: `keeper-${name}` },
  spec: {
    paramKind,
    matchConstraints: {
      resourceRules: [{ apiGroups: ['none'], apiVersions: ['*'], operations: ['*'], resources: ['nones'] }],
    },
    validations: [{ expression: 'true' }],
  },
});

/** What the requests are about, and rights of the second user. */
export async function prepare(side: Side): Promise<void> {
  const definition = {
    metadata: { name: `widgets.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: { plural: 'widgets', kind: 'Widget' },
      versions: [version('v1'), version('v2')],
    },
  };
  const role = {
    metadata: { name: 'compared' },
    rules: [
      {
        apiGroups: ['*'],
        resources: ['*'],
        verbs: ['create', 'update', 'patch', 'delete', 'deletecollection', 'get'],
      },
    ],
  };
  const binding = {
    metadata: { name: 'compared' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'compared' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'devs' }],
  };
  for (const [path, body] of [
    ['/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition],
    [`${ROLES}/clusterroles`, role],
    [`${ROLES}/clusterrolebindings`, binding],
    ...Object.entries(KIND_OF).map(
      ([name, kind]) => [`${ADMISSION}/validatingadmissionpolicies`, keeper(name, kind)] as const,
    ),
    ...Object.keys(KIND_OF).map(
      (name) =>
        [
          `${ADMISSION}/validatingadmissionpolicybindings`,
          {
            metadata: { name: `keeper-${name}` },
            spec: {
              policyName: `keeper-${name}`,
              paramRef: { name: 'none', namespace: 'default', parameterNotFoundAction: 'Allow' },
              validationActions: ['Audit'],
            },
          },
        ] as const,
    ),
  ] as const)
    await side.ask({ method: 'POST', path, body });
  await sleep(SETTLE_MS);
}

export async function compareBatch(
  cases: readonly PolicyCase[],
  sides: readonly [Side, Side],
): Promise<readonly string[]> {
  const [wanted, got] = await Promise.all(sides.map((side) => answersOf(cases, side)));
  return cases.flatMap((drawn, at) => {
    const [real = [], own = []] = [wanted?.[at], got?.[at]];
    const first = real.findIndex((text, index) => text !== own[index]);
    if (first === -1) return [];
    return [
      [
        `case ${drawn.ground.label}`,
        ...shown(drawn),
        `  ${titles(drawn)[first]}`,
        apart(real[first] ?? '', own[first] ?? ''),
      ].join('\n'),
    ];
  });
}

const shown = ({ objects, user }: PolicyCase): readonly string[] => [
  ...objects.map(({ body }) => `  ${JSON.stringify(body)}`),
  `  as ${user}`,
];

const titles = ({ objects, requests }: PolicyCase): readonly string[] => [
  ...objects.map(({ path, body }) => `POST ${path} ${body.metadata.name}`),
  ...requests.map(({ method, path, body }) => `${method} ${path} ${JSON.stringify(body)}`),
];

async function answersOf(cases: readonly PolicyCase[], side: Side): Promise<readonly (readonly string[])[]> {
  const said = await Promise.all(cases.map((drawn) => stand(drawn, side)));
  await sleep(SETTLE_MS);
  const answers = await Promise.all(cases.map((drawn) => ask(drawn, side)));
  await Promise.all(cases.map((drawn) => takeAway(drawn, side)));
  return cases.map((_drawn, at) => [...(said[at] ?? []), ...(answers[at] ?? [])]);
}

async function stand({ ground, objects }: PolicyCase, side: Side): Promise<readonly string[]> {
  const body = { metadata: { name: ground.namespace, labels: { case: ground.label } } };
  await side.ask({ method: 'POST', path: '/api/v1/namespaces', body });
  const said: string[] = [];
  for (const object of objects) said.push(answerText(await side.ask({ method: 'POST', ...object })));
  return said;
}

async function ask({ user, requests }: PolicyCase, side: Side): Promise<readonly string[]> {
  const said: string[] = [];
  for (const request of requests) said.push(answerText(await side.ask(request, `${user}-token`)));
  return said;
}

async function takeAway({ objects }: PolicyCase, side: Side): Promise<void> {
  for (const { path, body } of objects)
    if (path.includes('validatingadmissionpolic'))
      await side.ask({ method: 'DELETE', path: `${path}/${body.metadata.name}` });
}
