/** The `request` of expressions: what is asked for, by whom, and on what. Empty texts are left out. */
import type { ApiObject, JsonObject } from '../../../api/object.ts';
import type { ResourceVersion } from '../../registry/resource.ts';
import { type AdmissionAttributes, toldNamespace } from '../admission.ts';

const OPTIONS: Readonly<Record<Exclude<AdmissionAttributes['operation'], 'CONNECT'>, string>> = {
  CREATE: 'CreateOptions',
  DELETE: 'DeleteOptions',
  UPDATE: 'UpdateOptions',
};

/** As the request names the object: a deletion of many names none. */
export const requestName = ({ operation, name, context }: AdmissionAttributes): string =>
  operation === 'DELETE' ? context.nameInPath : name;

const filled = (members: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== '' && value !== undefined));

const kindOf = ({ group, version, kind }: Pick<ResourceVersion, 'group' | 'version' | 'kind'>): object => ({
  group,
  version,
  kind,
});

/** `matched`: the version in which the policy looks at the object. */
export function requestValue(attributes: AdmissionAttributes, matched: ResourceVersion): JsonObject {
  const { operation, resource, version, subresource, isDryRun, context, view } = attributes;
  const { name: username, uid, groups, extra } = context.user;
  const resourceIn = (each: ResourceVersion): object => ({
    group: each.group,
    version: each.version,
    resource: resource.resource,
  });
  return filled({
    kind: kindOf(view?.version ?? matched),
    resource: resourceIn(matched),
    subResource: subresource,
    requestKind: kindOf(view?.version ?? version),
    requestResource: resourceIn(version),
    requestSubResource: subresource,
    name: requestName(attributes),
    namespace: toldNamespace(attributes),
    operation,
    userInfo: filled({
      username,
      uid: uid ?? '',
      ...(groups.length > 0 && { groups }),
      ...(extra && Object.keys(extra).length > 0 && { extra }),
    }),
    dryRun: isDryRun,
    options: optionsOf(operation, isDryRun),
  }) as JsonObject;
}

/** A connection has none. */
function optionsOf(operation: AdmissionAttributes['operation'], isDryRun: boolean): object {
  if (operation === 'CONNECT') return {};
  return {
    kind: OPTIONS[operation],
    apiVersion: 'meta.k8s.io/v1',
    ...(isDryRun && { dryRun: ['All'] }),
  };
}

/** The namespace as expressions may see it. */
export function namespaceValue(namespace: ApiObject): JsonObject {
  const { managedFields: _fields, ownerReferences: _owners, ...metadata } = namespace.metadata;
  const { spec, status } = namespace as { readonly spec?: JsonObject; readonly status?: JsonObject };
  return { metadata, spec: spec ?? {}, status: status ?? {} };
}
