/** Alpha versions whose shape was another one: bindings of roles and runtime classes. */
import type { VersionPair } from '../../conversion/conversion.ts';
import type { OldVersions } from './old-version.ts';
import { defined, type Fields, fieldsOf, inVersion, mapped } from './parts.ts';

const RBAC = 'rbac.authorization.k8s.io';
const RBAC_ALPHA = `${RBAC}/v1alpha1`;

/** A subject told the version of its API, too; of users and groups it was that of the group itself. */
function newSubject({ apiVersion, ...subject }: Fields): Fields {
  const said = typeof apiVersion === 'string' ? apiVersion : '';
  const slash = said.indexOf('/');
  const group = slash < 0 ? '' : said.slice(0, slash);
  return { ...subject, ...(group !== '' && { apiGroup: group }) };
}

const oldSubject = ({ apiGroup, ...subject }: Fields): Fields => ({
  ...subject,
  ...(typeof apiGroup === 'string' && apiGroup !== '' && { apiVersion: `${apiGroup}/v1alpha1` }),
});

const binding: VersionPair = {
  toStorage: (object) =>
    inVersion(object, `${RBAC}/v1`, { subjects: mapped(object['subjects'], newSubject) }),
  fromStorage: (object) =>
    inVersion(object, RBAC_ALPHA, { subjects: mapped(object['subjects'], oldSubject) }),
};

const NODE_ALPHA = 'node.k8s.io/v1alpha1';

const runtimeClass: VersionPair = {
  toStorage: ({ spec, ...object }) => {
    const { runtimeHandler, overhead, scheduling } = fieldsOf(spec);
    return inVersion(
      object,
      'node.k8s.io/v1',
      defined({ handler: runtimeHandler ?? '', overhead, scheduling }),
    );
  },
  fromStorage: ({ handler, overhead, scheduling, ...object }) =>
    inVersion(object, NODE_ALPHA, {
      spec: defined({ runtimeHandler: handler, overhead, scheduling }),
    }),
};

export const ALPHA: Readonly<Record<string, OldVersions>> = {
  'rolebindings.rbac.authorization.k8s.io': { [RBAC_ALPHA]: { pair: binding } },
  'clusterrolebindings.rbac.authorization.k8s.io': { [RBAC_ALPHA]: { pair: binding } },
  'runtimeclasses.node.k8s.io': { [NODE_ALPHA]: { pair: runtimeClass } },
};
