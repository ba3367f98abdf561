/** How claims become a user: rules for name, groups, uid and extras, and the one that ties e-mail addresses to their proof. */
import { selectionsIn } from '../../../api/cel/syntax/selections.ts';
import { duplicate, invalid, required } from '../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../api/validation/field-path.ts';
import { domainPrefixedPathErrors } from '../../../api/validation/domain-prefixed-path.ts';
import { compileUserExpression, type UserExpression } from './claim-expressions.ts';
import type {
  ClaimMappings,
  ExtraMapping,
  Mapping,
  PrefixedClaimOrExpression,
  RuledAuthenticator,
} from './jwt-shapes.ts';
import type { RuleFindings } from './rule-findings.ts';

interface Surroundings {
  readonly findings: RuleFindings;
  /** Other expressions in which the proof of an e-mail address may be asked for. */
  readonly conditions: readonly UserExpression[];
}

const BOTH = "claim and expression can't both be set";

export function ruledMappings(
  { username = {}, groups = {}, uid = {}, extra = [] }: ClaimMappings,
  path: FieldPath,
  { findings, conditions }: Surroundings,
): Pick<RuledAuthenticator, 'username' | 'groups' | 'uid' | 'extra'> {
  checkFeature({ username, groups, uid, extra }, path, findings);
  const name = prefixedMapping(username, path.child('username'), { findings, isRequired: true });
  const group = prefixedMapping(groups, path.child('groups'), { findings, isRequired: false });
  const id = uidMapping(uid, path.child('uid'), findings);
  const extras = extraMappings(extra, path.child('extra'), findings);
  const proofs = [...conditions, ...extras.map(({ expression }) => expression)];
  if (findings.isStructured && name.expression && !isProven(name.expression, proofs))
    findings.add([invalid(path.child('username', 'expression'), name.expression.text, UNPROVEN)]);
  return { username: name, groups: group, uid: id, extra: extras };
}

const UNPROVEN =
  'claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression';

/** An expression that uses an address has somebody ask whether the address was verified. */
function isProven(name: UserExpression, others: readonly UserExpression[]): boolean {
  const selects = ({ program }: UserExpression, wanted: string): boolean => {
    for (const { of, field } of selectionsIn(program.expression))
      if (of === 'claims' && field === wanted) return true;
    return false;
  };
  return !selects(name, 'email') || [name, ...others].some((each) => selects(each, 'email_verified'));
}

function checkFeature(
  { username, groups, uid, extra }: Required<ClaimMappings>,
  path: FieldPath,
  findings: RuleFindings,
): void {
  for (const [name, { expression = '' }] of [
    ['username', username],
    ['groups', groups],
  ] as const)
    if (expression !== '')
      findings.needStructure(path.child(name, 'expression'), expression, 'expression is');
  if (uid.claim || uid.expression) findings.needStructure(path.child('uid'), '', 'uid claim mapping is');
  if (extra.length > 0) findings.needStructure(path.child('extra'), '', 'extra claim mapping is');
}

function prefixedMapping(
  { claim = '', prefix, expression: text = '' }: PrefixedClaimOrExpression,
  path: FieldPath,
  { findings, isRequired }: { readonly findings: RuleFindings; readonly isRequired: boolean },
): Mapping {
  const plain: Mapping = { claim, prefix: prefix ?? '', expression: undefined };
  if (text !== '' && claim !== '') findings.add([invalid(path, '', BOTH)]);
  else if (text !== '') {
    if (prefix !== undefined)
      findings.add([invalid(path.child('prefix'), prefix, "prefix can't be set when expression is set")]);
    const own = path.child('expression');
    return { ...plain, expression: findings.compiled(compileUserExpression(text, 'claims'), own, text) };
  } else if (claim === '' && isRequired) findings.add([required(path, 'claim or expression is required')]);
  else if (claim !== '' && prefix === undefined)
    findings.add([required(path.child('prefix'), PREFIX_REQUIRED)]);
  return plain;
}

const PREFIX_REQUIRED =
  'prefix is required when claim is set. It can be set to an empty string to disable prefixing';

function uidMapping(
  { claim = '', expression: text = '' }: NonNullable<ClaimMappings['uid']>,
  path: FieldPath,
  findings: RuleFindings,
): RuledAuthenticator['uid'] {
  if (claim !== '' && text !== '') findings.add([invalid(path, '', BOTH)]);
  if (claim !== '' || text === '') return { claim, expression: undefined };
  const own = path.child('expression');
  return { claim, expression: findings.compiled(compileUserExpression(text, 'claims'), own, text) };
}

function extraMappings(
  extra: readonly ExtraMapping[],
  path: FieldPath,
  findings: RuleFindings,
): RuledAuthenticator['extra'] {
  const seen = new Set<string>();
  return extra.flatMap(({ key = '', valueExpression: text = '' }, index) => {
    const own = path.index(index);
    findings.add(domainPrefixedPathErrors(key, own.child('key')));
    if (key !== key.toLowerCase()) findings.add([invalid(own.child('key'), key, 'key must be lowercase')]);
    if (seen.has(key)) {
      findings.add([duplicate(own.child('key'), key)]);
      return [];
    }
    seen.add(key);
    const value = own.child('valueExpression');
    if (text === '') {
      findings.add([required(value, 'valueExpression is required')]);
      return [];
    }
    const expression = findings.compiled(compileUserExpression(text, 'claims'), value, text);
    return expression ? [{ key, expression }] : [];
  });
}
