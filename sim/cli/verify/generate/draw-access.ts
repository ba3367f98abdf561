/** A role, its binding, and questions about who may do what by them. */
import type { Json } from '../../../api/object.ts';
import type { Step } from '../../../../model/golden/replay/golden-case.ts';
import type { Random } from './random.ts';

const VERBS = ['get', 'list', 'create', 'delete', '*', 'watch', ''];
const GROUPS = ['', 'apps', '*', 'nothing.invalid'];
const RESOURCES = ['pods', 'deployments', 'pods/log', '*', '*/scale', 'configmaps'];

export function drawAccess(random: Random): readonly Step[] {
  const root = '/apis/rbac.authorization.k8s.io/v1/namespaces/${ns}';
  const rule = (): Json => ({
    verbs: [random.pick(VERBS)],
    apiGroups: [random.pick(GROUPS)],
    resources: [random.pick(RESOURCES)],
    ...(random.chance(25) && { resourceNames: ['x'] }),
  });
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  const rules = Array.from({ length: 1 + random.below(3) }, rule);
  const questions = Array.from({ length: 5 }, (): Step => ({
    request: {
      method: 'POST',
      path: '/apis/authorization.k8s.io/v1/subjectaccessreviews',
      body: {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SubjectAccessReview',
        spec: {
          user: random.pick(['${unique}', 'somebody-else']),
          resourceAttributes: {
            namespace: random.pick(['${ns}', '${ns}', 'default', '']),
            verb: random.pick(VERBS),
            group: random.pick(GROUPS),
            resource: random.pick(['pods', 'deployments', 'configmaps']),
            ...(random.chance(30) && { subresource: random.pick(['log', 'scale', '*']) }),
            ...(random.chance(30) && { name: random.pick(['x', 'y']) }),
          },
        },
      },
    },
  }));
  const subjects = [{ kind: 'User', name: '${unique}', apiGroup: 'rbac.authorization.k8s.io' }];
  return [
    {
      request: {
        method: 'POST',
        path: `${root}/roles`,
        body: { apiVersion, kind: 'Role', metadata: { name: 'r' }, rules },
      },
    },
    {
      request: {
        method: 'POST',
        path: `${root}/rolebindings`,
        body: {
          apiVersion,
          kind: 'RoleBinding',
          metadata: { name: 'r' },
          roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
          subjects,
        },
      },
    },
    // The authorizer hears of a binding a moment after it was written.
    { sleep: 300 },
    ...questions,
  ];
}
