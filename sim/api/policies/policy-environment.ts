/** Variables of expressions in policies and match conditions, and the shapes of those whose shape is known. */
import { environmentWith } from '../cel/environment.ts';
import { AUTHORIZER, RESOURCE_CHECK } from '../cel/library/authorizer.ts';
import type { Environment } from '../cel/types/declarations.ts';
import { BOOL, type CelType, DYN, INT, listOf, mapOf, STRING, struct, TIMESTAMP } from '../cel/types/type.ts';

type Fields = ReadonlyMap<string, CelType>;

const fields = (members: Readonly<Record<string, CelType>>): Fields => new Map(Object.entries(members));

const KIND = struct('kubernetes.GroupVersionKind');
const RESOURCE = struct('kubernetes.GroupVersionResource');
const USER = struct('kubernetes.UserInfo');
const REQUEST = struct('kubernetes.AdmissionRequest');
const NAMESPACE = struct('kubernetes.Namespace');
const METADATA = struct('kubernetes.NamespaceMetadata');
const SPEC = struct('kubernetes.NamespaceSpec');
const STATUS = struct('kubernetes.NamespaceStatus');
const CONDITION = struct('kubernetes.NamespaceCondition');
const VARIABLES = struct('kubernetes.variables');
const TEXTS = listOf(STRING);
const TEXT_MAP = mapOf(STRING, STRING);

const STRUCTURES: ReadonlyMap<string, Fields> = new Map([
  [KIND.name, fields({ group: STRING, version: STRING, kind: STRING })],
  [RESOURCE.name, fields({ group: STRING, version: STRING, resource: STRING })],
  [USER.name, fields({ username: STRING, uid: STRING, groups: TEXTS, extra: mapOf(STRING, TEXTS) })],
  [
    REQUEST.name,
    fields({
      kind: KIND,
      resource: RESOURCE,
      subResource: STRING,
      requestKind: KIND,
      requestResource: RESOURCE,
      requestSubResource: STRING,
      name: STRING,
      namespace: STRING,
      operation: STRING,
      userInfo: USER,
      dryRun: BOOL,
      options: DYN,
    }),
  ],
  [
    METADATA.name,
    fields({
      name: STRING,
      generateName: STRING,
      namespace: STRING,
      labels: TEXT_MAP,
      annotations: TEXT_MAP,
      UID: STRING,
      creationTimestamp: TIMESTAMP,
      deletionGracePeriodSeconds: INT,
      deletionTimestamp: TIMESTAMP,
      generation: INT,
      resourceVersion: STRING,
      finalizers: TEXTS,
    }),
  ],
  [SPEC.name, fields({ finalizers: TEXTS })],
  [
    CONDITION.name,
    fields({ status: STRING, type: STRING, lastTransitionTime: TIMESTAMP, message: STRING, reason: STRING }),
  ],
  [STATUS.name, fields({ conditions: listOf(CONDITION), phase: STRING })],
  [NAMESPACE.name, fields({ metadata: METADATA, spec: SPEC, status: STATUS })],
]);

export interface PolicyVariables {
  readonly hasParams: boolean;
  readonly hasAuthorizer: boolean;
  /** Types of the policy's own variables; absent: expressions know none. */
  readonly variables?: ReadonlyMap<string, CelType>;
  /** Instead of knowing nothing of objects: what is known where types are checked. */
  readonly objectType?: CelType;
  readonly paramsType?: CelType;
  readonly fieldsOf?: Environment['fieldsOf'];
  /** See `EnvironmentOptions`. */
  readonly areStored?: boolean;
}

export function policyEnvironment(known: PolicyVariables): Environment {
  const { hasParams, hasAuthorizer, variables, objectType = DYN, paramsType = DYN } = known;
  const declared = new Map<string, CelType>([
    ['object', objectType],
    ['oldObject', objectType],
    ['namespaceObject', NAMESPACE],
    ['request', REQUEST],
  ]);
  if (hasParams) declared.set('params', paramsType);
  if (hasAuthorizer) declared.set('authorizer', AUTHORIZER).set('authorizer.requestResource', RESOURCE_CHECK);
  if (variables) declared.set('variables', VARIABLES);
  return environmentWith(declared, {
    hasLibraryCosts: false,
    areStored: known.areStored ?? false,
    fieldsOf: (name) =>
      name === VARIABLES.name ? variables : (STRUCTURES.get(name) ?? known.fieldsOf?.(name)),
  });
}
