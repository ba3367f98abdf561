/** What is wrong with the expressions of a policy, by the shapes of the kinds that it is about. Pure. */
import { fieldsIn } from '../../api/cel/schema/declare.ts';
import { KindTypes } from '../../api/cel/schema/kind-types.ts';
import { type CelType, DYN } from '../../api/cel/types/type.ts';
import { compilePolicyExpression } from '../../api/policies/compile-policy-expression.ts';
import { policyEnvironment } from '../../api/policies/policy-environment.ts';
import type { Environment } from '../../api/cel/types/declarations.ts';
import type {
  ExpressionWarning,
  ValidatingAdmissionPolicySpec,
} from '../../api/types/admissionregistration-k8s-io-v1.ts';
import { RELEASE_1_31 } from '../../api/release/release-1-31.ts';
import { type CustomKinds, NO_CUSTOM_KINDS } from './custom-kinds.ts';
import { builtinKindsFor, type Kind, namedInRule, paramKindOf } from './named-kinds.ts';

/** Resources of one rule that are looked at. */
const MOST = 10;

export function typeWarnings(
  spec: ValidatingAdmissionPolicySpec,
  custom: CustomKinds = NO_CUSTOM_KINDS,
): readonly ExpressionWarning[] {
  const checks = checksOf(spec, custom);
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
function checksOf(spec: ValidatingAdmissionPolicySpec, custom: CustomKinds): readonly Check[] {
  const types = new KindTypes();
  const paramKind = paramKindOf(spec);
  const params = paramKind && shapeOf(paramKind, types, custom);
  return kindsOf(spec, custom).flatMap((kind) => {
    const object = shapeOf(kind, types, custom);
    if (!object) return [];
    const environment = environmentFor(spec, {
      objectType: object.type,
      paramsType: params?.type,
      fieldsOf: (name) => object.fieldsOf(name) ?? params?.fieldsOf(name),
    });
    const name = `${kind.group}/${kind.version}, Kind=${kind.kind}`;
    return [
      (text) => {
        const { problem, isInternal } = compilePolicyExpression(text, environment, []);
        if (problem === undefined) return [];
        const said = problem.replace(/^compilation failed: /, '');
        return [`${name}: ${isInternal ? `type checking error: ${said}` : said}\n`];
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
    areStored: true,
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

/** What expressions know of a kind; undefined: nothing. */
interface Shape {
  readonly type: CelType;
  readonly fieldsOf: Environment['fieldsOf'];
}

function shapeOf(kind: Kind, types: KindTypes, custom: CustomKinds): Shape | undefined {
  const { catalog } = RELEASE_1_31;
  const fact = catalog.kinds.find(kind);
  if (fact) {
    const type = types.typeOf(catalog.types.structOf(fact.typeKey));
    return type && { type, fieldsOf: types.fieldsOf };
  }
  const declared = custom.shapeOf(kind);
  return declared && { type: declared.type, fieldsOf: fieldsIn(declared) };
}

/** In the order of group, version and kind. */
function kindsOf({ matchConstraints }: ValidatingAdmissionPolicySpec, custom: CustomKinds): readonly Kind[] {
  const found = new Map<string, Kind>();
  for (const rule of matchConstraints?.resourceRules ?? []) {
    const kinds = namedInRule(rule)
      .flatMap((name) => {
        const builtin = builtinKindsFor(name);
        return builtin.length > 0 ? builtin : custom.kindsFor(name);
      })
      .slice(0, MOST);
    for (const kind of kinds) found.set(`${kind.group}\0${kind.version}\0${kind.kind}`, kind);
    if (kinds.length === MOST) break;
  }
  return [...found.entries()].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, kind]) => kind);
}
