/**
 * Who the claims of a token make, by any rules of its issuer, beside a plain reading of the documentation: a name and its
 * prefix, groups of one text or of a list, addresses that were verified, claims that have to be there, conditions.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../../engine/any-order.arbitrary.ts';
import { FieldPath } from '../../../api/validation/field-path.ts';
import type { UserInfo } from '../../request/request.ts';
import { ruledAuthenticator } from './authenticator-rules.ts';
import { Claims } from './claims.ts';
import type { JwtAuthenticatorConfiguration } from './jwt-shapes.ts';
import { mappedUser } from './mapped-user.ts';
import { checkAudiences, checkToken, TokenRefusal } from './token-checks.ts';

type Value = string | number | boolean | null | readonly Value[] | { readonly [name: string]: Value };
type Said = Readonly<Record<string, Value>>;

const URL = 'https://issuer.example';
const NAMES = ['sub', 'email', 'email_verified', 'groups', 'team', 'aud', 'uid'];

const word = fc.constantFrom('a', 'b', 'kim', '', 'é', 'system:authenticated', 'system:masters');
const words = fc.array(word, { maxLength: 3 });
const odd = fc.constantFrom<Value[]>(7, 1.5, true, false, null, { a: 'b' }, ['a', 7], ['a', null], [['a']]);
const value: fc.Arbitrary<Value> = fc.oneof(
  { weight: 4, arbitrary: word },
  { weight: 2, arbitrary: words },
  odd,
);
const proof: fc.Arbitrary<Value> = fc.oneof({ weight: 4, arbitrary: fc.boolean() }, value);
const said: fc.Arbitrary<Said> = fc
  .tuple(
    fc.constantFrom('kim', 'system:node'),
    fc.dictionary(fc.constantFrom(...NAMES), value, { noNullPrototype: true }),
    fc.option(fc.record({ email: word, email_verified: proof }), { nil: {} }),
  )
  .map(([sub, ...others]) => Object.assign({ sub }, ...others) as Said);

interface Rules {
  readonly name: { readonly claim: string; readonly prefix: string } | 'text' | 'joined';
  readonly groups: { readonly claim: string; readonly prefix: string } | 'list' | undefined;
  readonly uid: 'uid' | 'text' | undefined;
  readonly extra: boolean;
  readonly required: string | undefined;
  readonly isVerified: boolean;
  readonly noSystem: boolean;
}

const rules: fc.Arbitrary<Rules> = fc.record({
  name: fc.oneof(
    fc.record({ claim: fc.constantFrom('sub', 'email', 'team'), prefix: fc.constantFrom('', 'oidc:') }),
    fc.constantFrom('text' as const, 'joined' as const),
  ),
  groups: fc.oneof(
    fc.record({ claim: fc.constantFrom('groups', 'team'), prefix: fc.constantFrom('', 'g:') }),
    fc.constantFrom('list' as const, undefined),
  ),
  uid: fc.constantFrom('uid', 'text', undefined),
  extra: fc.boolean(),
  required: fc.constantFrom(undefined, undefined, 'a', 'kim'),
  isVerified: fc.boolean(),
  noSystem: fc.boolean(),
});

/** In the words of the configuration. */
function configured({
  name,
  groups,
  uid,
  extra,
  required,
  isVerified,
  noSystem,
}: Rules): JwtAuthenticatorConfiguration {
  const username =
    typeof name === 'object'
      ? name
      : { expression: name === 'text' ? 'claims.team' : "claims.sub + '@' + claims.team" };
  return {
    issuer: { url: URL, audiences: ['a'] },
    claimMappings: {
      username,
      ...(groups && { groups: typeof groups === 'object' ? groups : { expression: 'claims.groups' } }),
      ...(uid && { uid: uid === 'uid' ? { claim: 'uid' } : { expression: 'claims.uid' } }),
      ...(extra && { extra: [{ key: 'example.com/team', valueExpression: 'claims.team' }] }),
    },
    claimValidationRules: [
      ...(required === undefined ? [] : [{ claim: 'team', requiredValue: required }]),
      ...(isVerified
        ? [{ expression: 'claims.?email_verified.orValue(true) == true', message: 'proof' }]
        : []),
    ],
    ...(noSystem && {
      userValidationRules: [{ expression: "!user.username.startsWith('system:')", message: 'reserved' }],
    }),
  };
}

class Refused extends Error {}
const refuse = (): never => {
  throw new Refused();
};

const isText = (it: Value | undefined): it is string => typeof it === 'string';

/** A claim as a text: nothing said is not there, null says nothing. */
const textOf = (it: Value | undefined): string => (it === null ? '' : isText(it) ? it : refuse());

/** A text is a list of one. */
function textsOf(it: Value): readonly string[] {
  if (isText(it)) return [it];
  if (it === null) return [];
  return Array.isArray(it) ? it.map(textOf) : refuse();
}

/** What an expression makes: texts alone, and no empty ones. */
function madeTexts(it: Value | undefined): readonly string[] {
  if (it === undefined) return refuse();
  if (it === null) return [];
  const all: readonly Value[] = Array.isArray(it) ? it : [it];
  return all.map((each) => (isText(each) ? each : refuse())).filter((each) => each !== '');
}

function userOf(claims: Said, { name, groups, uid, extra, required, isVerified, noSystem }: Rules): UserInfo {
  const { team } = claims;
  const nameText = (): string => {
    if (typeof name !== 'object') {
      const made =
        name === 'text'
          ? team
          : isText(claims['sub']) && isText(team)
            ? `${claims['sub']}@${team}`
            : refuse();
      return isText(made) && made !== '' ? made : refuse();
    }
    const text = textOf(claims[name.claim]);
    const { email_verified: proof } = claims;
    if (name.claim === 'email' && proof !== undefined && proof !== true) refuse();
    return name.prefix + text;
  };
  const groupTexts = (): readonly string[] => {
    if (groups === undefined) return [];
    if (groups === 'list') return madeTexts(claims['groups']);
    const own = claims[groups.claim];
    return own === undefined ? [] : textsOf(own).map((each) => groups.prefix + each);
  };
  const uidText = (): string => {
    if (uid === undefined) return '';
    if (uid === 'uid') return textOf(claims['uid']);
    return isText(claims['uid']) ? claims['uid'] : refuse();
  };
  const [who, all, id] = [nameText(), groupTexts(), uidText()];
  const extras = extra ? madeTexts(team) : [];
  if (required !== undefined && (team === undefined || textOf(team) !== required)) refuse();
  if (isVerified && claims['email_verified'] !== undefined && claims['email_verified'] !== true) refuse();
  if (noSystem && who.startsWith('system:')) refuse();
  return {
    name: who,
    groups: all.includes('system:authenticated') ? all : [...all, 'system:authenticated'],
    ...(id !== '' && { uid: id }),
    ...(extras.length > 0 && { extra: { 'example.com/team': extras } }),
  };
}

function outcomeOf(run: () => unknown): unknown {
  try {
    return run();
  } catch (error) {
    if (error instanceof TokenRefusal || error instanceof Refused) return 'refused';
    throw error;
  }
}

function read(claims: Said): Claims {
  const found = Claims.read(JSON.stringify(claims));
  if (!found) throw new Error('claims are an object');
  return found;
}

it('is who the rules make of what the token says', () => {
  fc.assert(
    fc.property(said, rules, (claims, drawn) => {
      const { authenticator, errors } = ruledAuthenticator(configured(drawn), FieldPath.of('jwt'), true);
      expect(errors).toEqual([]);
      const wanted = outcomeOf(() => userOf(claims, drawn));
      expect(outcomeOf(() => mappedUser(read(claims), authenticator))).toEqual(wanted);
    }),
    asOftenAs(400),
  );
});

it('is believed in its time, and by those that it is meant for', () => {
  const NOW_S = 1_700_000_000;
  const time: fc.Arbitrary<string | number> = fc.constantFrom(
    NOW_S - 61,
    NOW_S - 1,
    NOW_S,
    NOW_S + 59,
    NOW_S + 60,
    NOW_S + 61,
    `${NOW_S + 9}`,
    'x',
  );
  const times = fc.record({ exp: time, nbf: time }, { requiredKeys: ['exp'] });
  const audience: fc.Arbitrary<Value> = fc.oneof(word, words, odd);
  const wanted: fc.Arbitrary<readonly string[]> = fc.constantFrom(['a'], ['a', 'b'], ['kim']);
  fc.assert(
    fc.property(
      times,
      audience,
      wanted,
      fc.constantFrom('RS256', 'ES512', 'HS256', 'none'),
      (when, aud, audiences, algorithm) => {
        const token = {
          claims: read({ ...when, aud }),
          algorithm,
          keyId: '',
          isExtended: false,
          signed: new Uint8Array(),
          signature: new Uint8Array(),
        };
        const own = outcomeOf(() => (aud === null ? [] : textsOf(aud)));
        const isMeant = Array.isArray(own) && own.some((each: string) => audiences.includes(each));
        const isInTime =
          when.exp !== 'x' &&
          Number(when.exp) >= NOW_S &&
          (when.nbf === undefined || (when.nbf !== 'x' && Number(when.nbf) <= NOW_S + 60));
        const isBelieved = isMeant && isInTime && /^(?:RS|ES)/.test(algorithm);
        const outcome = outcomeOf(() => {
          checkToken(token, { audiences }, NOW_S * 1_000);
          checkAudiences(token, { audiences });
          return 'believed';
        });
        expect(outcome).toBe(isBelieved ? 'believed' : 'refused');
      },
    ),
    asOftenAs(400),
  );
});
