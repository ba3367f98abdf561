/**
 * One issuer of the configuration with its rules: each is looked at in the real server's order, compiled, and refused in
 * its words. What is refused makes no authenticator, whatever else is returned.
 */
import type { FieldError } from '../../../api/status.ts';
import { duplicate, invalid, required } from '../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../api/validation/field-path.ts';
import { compileUserExpression, type UserExpression } from './claim-expressions.ts';
import { ruledMappings } from './claim-mappings.ts';
import { issuerErrors } from './issuer-rules.ts';
import type {
  ClaimValidationRule,
  Condition,
  JwtAuthenticatorConfiguration,
  RuledAuthenticator,
  UserValidationRule,
} from './jwt-shapes.ts';
import { RuleFindings } from './rule-findings.ts';

export interface RuledOrRefused {
  readonly authenticator: RuledAuthenticator;
  readonly errors: readonly FieldError[];
}

/** `isStructured`: expressions may be used at all. */
export function ruledAuthenticator(
  configuration: JwtAuthenticatorConfiguration,
  path: FieldPath,
  isStructured: boolean,
): RuledOrRefused {
  const {
    issuer = {},
    claimValidationRules = [],
    claimMappings = {},
    userValidationRules = [],
  } = configuration;
  const findings = new RuleFindings(isStructured);
  findings.add(issuerErrors(issuer, path.child('issuer')));
  const claims = claimRules(claimValidationRules, path.child('claimValidationRules'), findings);
  const mappings = ruledMappings(claimMappings, path.child('claimMappings'), {
    findings,
    conditions: claims.conditions.map(({ expression }) => expression),
  });
  const userConditions = userRules(userValidationRules, path.child('userValidationRules'), findings);
  const { url = '', discoveryURL, certificateAuthority, audiences = [] } = issuer;
  return {
    errors: findings.errors,
    authenticator: {
      issuer: url,
      discoveryUrl: discoveryURL || undefined,
      certificateAuthority: certificateAuthority || undefined,
      audiences,
      ...mappings,
      requiredClaims: claims.required,
      claimConditions: claims.conditions,
      userConditions,
    },
  };
}

interface ClaimRules {
  readonly required: ReadonlyMap<string, string>;
  readonly conditions: readonly Condition[];
}

function claimRules(
  rules: readonly ClaimValidationRule[],
  path: FieldPath,
  findings: RuleFindings,
): ClaimRules {
  const claims = new Map<string, string>();
  const seen = new Set<string>();
  const conditions: Condition[] = [];
  for (const [index, rule] of rules.entries()) {
    const { claim = '', expression = '', requiredValue = '', message = '' } = rule;
    const own = path.index(index);
    if (expression !== '') findings.needStructure(own.child('expression'), expression, 'expression is');
    if (claim !== '' && expression !== '')
      findings.add([invalid(own, claim, "claim and expression can't both be set")]);
    else if (claim === '' && expression === '')
      findings.add([required(own, 'claim or expression is required')]);
    else if (claim !== '') {
      if (message !== '')
        findings.add([invalid(own.child('message'), message, "message can't be set when claim is set")]);
      if (claims.has(claim)) findings.add([duplicate(own.child('claim'), claim)]);
      claims.set(claim, requiredValue);
    } else {
      if (requiredValue !== '')
        findings.add([
          invalid(
            own.child('requiredValue'),
            requiredValue,
            "requiredValue can't be set when expression is set",
          ),
        ]);
      const compiled = condition(expression, own.child('expression'), { seen, findings, variable: 'claims' });
      if (compiled) conditions.push({ expression: compiled, message });
    }
  }
  return { required: claims, conditions };
}

function userRules(
  rules: readonly UserValidationRule[],
  path: FieldPath,
  findings: RuleFindings,
): readonly Condition[] {
  if (rules.length > 0) findings.needStructure(path, '', 'user validation rules are');
  const seen = new Set<string>();
  return rules.flatMap(({ expression = '', message = '' }, index) => {
    const own = path.index(index).child('expression');
    if (expression === '') {
      findings.add([required(own, 'expression is required')]);
      return [];
    }
    const compiled = condition(expression, own, { seen, findings, variable: 'user' });
    return compiled ? [{ expression: compiled, message }] : [];
  });
}

interface Seen {
  readonly seen: Set<string>;
  readonly findings: RuleFindings;
  readonly variable: 'claims' | 'user';
}

function condition(
  text: string,
  path: FieldPath,
  { seen, findings, variable }: Seen,
): UserExpression | undefined {
  if (seen.has(text)) {
    findings.add([duplicate(path, text)]);
    return undefined;
  }
  seen.add(text);
  return findings.compiled(compileUserExpression(text, variable, 'bool'), path, text);
}
