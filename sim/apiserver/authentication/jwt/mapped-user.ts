/** The user that the claims of a token make by the rules of its issuer. Pure; refusals are in the words of the real server. */
import { DecodeError } from '../../../api/codec/decode-error.ts';
import { goQuote } from '../../../api/go-text.ts';
import { itemsOf, ValueList, ValueMap } from '../../../api/cel/values/containers.ts';
import { CelError, type CelValue, isList } from '../../../api/cel/values/value.ts';
import type { UserInfo } from '../../request/request.ts';
import { ExpressionFailure, type UserExpression } from './claim-expressions.ts';
import { type Claims, goWordOf, textOf, textsOf } from './claims.ts';
import type { Condition, RuledAuthenticator } from './jwt-shapes.ts';
import { TokenRefusal } from './token-checks.ts';

const AUTHENTICATED = 'system:authenticated';

/** @throws TokenRefusal */
export function mappedUser(claims: Claims, rules: RuledAuthenticator): UserInfo {
  const name = usernameOf(claims, rules);
  const groups = groupsOf(claims, rules);
  const uid = uidOf(claims, rules);
  const extra = extraOf(claims, rules);
  checkRequired(claims, rules);
  checkConditions(rules.claimConditions, claims.value, 'claim validation expression');
  const user = { name, groups, ...(uid && { uid }), ...(extra && { extra }) };
  if (rules.userConditions.length > 0)
    checkConditions(rules.userConditions, userValue(user), 'user info validation rule');
  return { ...user, groups: groups.includes(AUTHENTICATED) ? groups : [...groups, AUTHENTICATED] };
}

function usernameOf(claims: Claims, { username: { claim, prefix, expression } }: RuledAuthenticator): string {
  if (expression) {
    const value = evaluated(expression, claims.value, 'username claim expression');
    if (typeof value !== 'string') throw mustBeText('username');
    if (value === '') throw new TokenRefusal('oidc: empty username via CEL expression is not allowed');
    return value;
  }
  const name = claimText(claims, claim, (why) => `oidc: parse username claims ${goQuote(claim)}: ${why}`);
  if (claim === 'email') checkVerified(claims);
  return prefix + name;
}

const mustBeText = (what: string): TokenRefusal =>
  new TokenRefusal(
    `oidc: error evaluating ${what} claim expression: ${what} claim expression must return a string`,
  );

/** Who says nothing of it has verified the address. */
function checkVerified(claims: Claims): void {
  const node = claims.get('email_verified');
  if (!node || (node.kind === 'boolean' && node.value)) return;
  if (node.kind === 'boolean' || node.kind === 'null') throw new TokenRefusal('oidc: email not verified');
  throw new TokenRefusal(
    `oidc: parse 'email_verified' claim: json: cannot unmarshal ${goWordOf(node)} into Go value of type bool`,
  );
}

function groupsOf(
  claims: Claims,
  { groups: { claim, prefix, expression } }: RuledAuthenticator,
): readonly string[] {
  const node = claim === '' ? undefined : claims.get(claim);
  if (node) {
    try {
      return textsOf(node).map((group) => prefix + group);
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      throw new TokenRefusal(`oidc: parse groups claim ${goQuote(claim)}: ${error.message}`);
    }
  }
  if (!expression) return [];
  const told = 'group claim expression';
  return textList(evaluated(expression, claims.value, told), `oidc: error evaluating ${told}`);
}

function uidOf(claims: Claims, { uid: { claim, expression } }: RuledAuthenticator): string {
  if (claim !== '')
    return claimText(claims, claim, (why) => `oidc: parse uid claim ${goQuote(claim)}: ${why}`);
  if (!expression) return '';
  const value = evaluated(expression, claims.value, 'uid claim expression');
  if (typeof value !== 'string') throw mustBeText('uid');
  return value;
}

function extraOf(claims: Claims, { extra }: RuledAuthenticator): UserInfo['extra'] {
  const values = extra.flatMap(({ key, expression }) => {
    const told = `oidc: error evaluating extra claim expression: ${expression.text}`;
    const texts = textList(evaluated(expression, claims.value), told);
    return texts.length > 0 ? [[key, texts] as const] : [];
  });
  return values.length > 0 ? Object.fromEntries(values) : undefined;
}

function checkRequired(claims: Claims, { requiredClaims }: RuledAuthenticator): void {
  for (const [claim, wanted] of requiredClaims) {
    if (!claims.get(claim)) throw new TokenRefusal(`oidc: required claim ${claim} not present in ID token`);
    const value = claimText(claims, claim, (why) => `oidc: parse claim ${claim}: ${why}`);
    if (value !== wanted)
      throw new TokenRefusal(
        `oidc: required claim ${claim} value does not match. Got = ${value}, want = ${wanted}`,
      );
  }
}

function checkConditions(conditions: readonly Condition[], value: CelValue, what: string): void {
  const results = conditions.map(({ expression }) => evaluated(expression, value, what));
  for (const [index, { expression, message }] of conditions.entries()) {
    if (results[index] === true) continue;
    throw new TokenRefusal(
      `oidc: error evaluating ${what}: validation expression '${expression.text}' failed: ${message}`,
    );
  }
}

/** `what`: which expression it is; absent: the failure stands alone. */
function evaluated(expression: UserExpression, value: CelValue, what?: string): CelValue {
  try {
    return expression.of(value);
  } catch (error) {
    if (!(error instanceof ExpressionFailure)) throw error;
    throw new TokenRefusal(
      what === undefined ? error.message : `oidc: error evaluating ${what}: ${error.message}`,
    );
  }
}

function claimText(claims: Claims, name: string, told: (why: string) => string): string {
  const node = claims.get(name);
  if (!node) throw new TokenRefusal(told('claim not present'));
  try {
    return textOf(node);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw new TokenRefusal(told(error.message));
  }
}

/** Empty texts count for nothing. */
function textList(value: CelValue, told: string): readonly string[] {
  const wrong = (): TokenRefusal =>
    new TokenRefusal(`${told}: expression must return a string or a list of strings`);
  if (value === null) return [];
  if (typeof value === 'string') return value === '' ? [] : [value];
  if (!isList(value)) throw wrong();
  const items = itemsOf(value);
  if (items instanceof CelError) throw wrong();
  return items.flatMap((item) => {
    if (typeof item !== 'string') throw wrong();
    return item === '' ? [] : [item];
  });
}

/** All parts are there, whatever the user has of them. */
function userValue({ name, uid = '', groups, extra = {} }: UserInfo): CelValue {
  const texts = (list: readonly string[]): CelValue => new ValueList(list);
  return new ValueMap([
    ['username', name],
    ['uid', uid],
    ['groups', texts(groups)],
    ['extra', new ValueMap(Object.entries(extra).map(([key, values]) => [key, texts(values)] as const))],
  ]);
}
