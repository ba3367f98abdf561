/** The resources that the rules of a policy name, and the built-in kinds that they are. Pure. */
import { RELEASE_1_31 } from '../../api/release/release-1-31.ts';
import type {
  RuleWithOperations,
  ValidatingAdmissionPolicySpec,
} from '../../api/types/admissionregistration-k8s-io-v1.ts';

export interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export interface ResourceName {
  /** Empty: of any group. */
  readonly group: string;
  readonly version: string;
  /** In lower case, plural or singular. */
  readonly resource: string;
}

/** In order, rule by rule. Rules with a wildcard for groups or versions name none. */
export function namedInRule({
  apiGroups,
  apiVersions,
  resources,
}: RuleWithOperations): readonly ResourceName[] {
  if ([...(apiGroups ?? []), ...(apiVersions ?? [])].some((text) => text.includes('*'))) return [];
  const names = (resources ?? []).filter((text) => !/[*/]/.test(text)).toSorted();
  return (apiGroups ?? [])
    .toSorted()
    .flatMap((group) =>
      (apiVersions ?? [])
        .toSorted()
        .flatMap((version) => names.map((name) => ({ group, version, resource: name.toLowerCase() }))),
    );
}

export const resourcesNamed = ({
  matchConstraints,
}: ValidatingAdmissionPolicySpec): readonly ResourceName[] =>
  (matchConstraints?.resourceRules ?? []).flatMap(namedInRule);

/** A name without a group is that of a resource in whatever group has it in this version. */
export const builtinKindsFor = ({ group, version, resource }: ResourceName): readonly Kind[] =>
  RELEASE_1_31.catalog.resources.all
    .filter(
      (each) =>
        each.version === version &&
        (group === '' || each.group === group) &&
        (each.resource === resource || each.singular === resource),
    )
    .map((each) => ({ group: each.group, version: each.version, kind: each.kind }));

export const isBuiltin = (kind: Kind): boolean => RELEASE_1_31.catalog.kinds.find(kind) !== undefined;

export function paramKindOf({ paramKind }: ValidatingAdmissionPolicySpec): Kind | undefined {
  if (!paramKind) return undefined;
  const { apiVersion = '', kind = '' } = paramKind;
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  return { group, version, kind };
}
