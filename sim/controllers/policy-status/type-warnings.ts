/** What is wrong with the expressions of a policy, by the shapes of the kinds that it is about. Pure. */
import { KindTypes } from '../../api/cel/schema/kind-types.ts';
import { type CelType, DYN } from '../../api/cel/types/type.ts';
import { compilePolicyExpression } from '../../api/policies/compile-policy-expression.ts';
import { policyEnvironment } from '../../api/policies/policy-environment.ts';
import type { Environment } from '../../api/cel/types/declarations.ts';
import type { StructSchema } from '../../api/schema.ts';
import type {
  ExpressionWarning,
  RuleWithOperations,
  ValidatingAdmissionPolicySpec,
} from '../../api/types/admissionregistration-k8s-io-v1.ts';
import { RELEASE_1_31 } from '../../api/release/release-1-31.ts';

/** Resources of one rule that are looked at. */
const MOST = 10;

interface Kind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export function typeWarnings(spec: ValidatingAdmissionPolicySpec): readonly ExpressionWarning[] {
  const checks = checksOf(spec);
  const warnings: ExpressionWarning[] = [];
  const check = (text: string | undefined, fieldRef: string): void => {
    const issues = text ? checks.flatMap((one) => one(text)) : [];
    if (issues.length > 0) warnings.push({ fieldRef, warning: issues.join('\n') });
  };
  for (const [index, { expression, messageExpression }] of (spec.validations ?? []).entries()) {
    check(expression, `spec.validations[${index}].expression`);
    check(messageExpression, `spec.validations[${index}].messageExpression`);
  }
  return warnings;
}

type Check = (text: string) => readonly string[];

/** One for each kind of which the shape is known. */
function checksOf(spec: ValidatingAdmissionPolicySpec): readonly Check[] {
  const types = new KindTypes();
  const paramsShape = paramsShapeOf(spec);
  const paramsType = paramsShape && types.typeOf(paramsShape);
  return kindsOf(spec).flatMap((kind) => {
    const shape = shapeOf(kind);
    const objectType = shape && types.typeOf(shape);
    if (!objectType) return [];
    const environment = environmentFor(spec, { objectType, paramsType, fieldsOf: types.fieldsOf });
    const name = `${kind.group}/${kind.version}, Kind=${kind.kind}`;
    return [
      (text) => {
        const { problem, isInternal } = compilePolicyExpression(text, environment, []);
        if (problem === undefined) return [];
        return [`${name}: ${isInternal ? `type checking error: ${problem}` : problem}\n`];
      },
    ];
  });
}

function environmentFor(
  spec: ValidatingAdmissionPolicySpec,
  {
    objectType,
    paramsType,
    fieldsOf,
  }: { objectType: CelType; paramsType: CelType | undefined; fieldsOf: Environment['fieldsOf'] },
): Environment {
  const known = {
    hasParams: paramsType !== undefined,
    hasAuthorizer: true,
    objectType,
    fieldsOf,
    ...(paramsType && { paramsType }),
  };
  const variables = new Map<string, CelType>();
  for (const { name, expression } of spec.variables ?? []) {
    const before = policyEnvironment({ ...known, variables: new Map(variables) });
    variables.set(name, compilePolicyExpression(expression, before, []).program?.type ?? DYN);
  }
  return policyEnvironment({ ...known, variables });
}

function paramsShapeOf({ paramKind }: ValidatingAdmissionPolicySpec): StructSchema | undefined {
  const { apiVersion = '', kind = '' } = paramKind ?? {};
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  return shapeOf({ group, version, kind });
}

function shapeOf(kind: Kind): StructSchema | undefined {
  const { kinds, types } = RELEASE_1_31.catalog;
  const fact = kinds.find(kind);
  return fact && types.structOf(fact.typeKey);
}

/** In the order of group, version and kind. Rules with a wildcard for groups or versions are left out. */
function kindsOf({ matchConstraints }: ValidatingAdmissionPolicySpec): readonly Kind[] {
  const found = new Map<string, Kind>();
  for (const rule of matchConstraints?.resourceRules ?? []) {
    const kinds = kindsOfRule(rule);
    for (const kind of kinds) found.set(`${kind.group}\0${kind.version}\0${kind.kind}`, kind);
    if (kinds.length === MOST) break;
  }
  return [...found.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, kind]) => kind);
}

function kindsOfRule({ apiGroups, apiVersions, resources }: RuleWithOperations): readonly Kind[] {
  if ([...(apiGroups ?? []), ...(apiVersions ?? [])].some((text) => text.includes('*'))) return [];
  const names = (resources ?? []).filter((text) => !/[*/]/.test(text)).toSorted();
  const { all } = RELEASE_1_31.catalog.resources;
  const kinds = (apiGroups ?? [])
    .toSorted()
    .flatMap((group) =>
      (apiVersions ?? [])
        .toSorted()
        .flatMap((version) =>
          names.flatMap((name) =>
            all.filter(
              ({ group: its, version: of, resource }) => its === group && of === version && resource === name,
            ),
          ),
        ),
    );
  return kinds.slice(0, MOST);
}
