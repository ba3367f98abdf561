/**
 * What a token has to say before anybody looks at its signature: well-formed claims, the right audience, a time in which
 * it counts, a signature of a kind that is taken. Refusals are in the words of the real server.
 */
import { DecodeError } from '../../../api/codec/decode-error.ts';
import type { JsonNode } from '../../../api/codec/json-nodes.ts';
import { goQuote } from '../../../api/go-text.ts';
import { formatGoTime } from '../../../api/time-format.ts';
import { type Claims, goWordOf, textsOf } from './claims.ts';
import type { RuledAuthenticator } from './jwt-shapes.ts';
import type { SignedToken } from './signed-token.ts';

/** The token is not believed; the message says why. */
export class TokenRefusal extends Error {
  override readonly name = 'TokenRefusal';
}

export const ALGORITHMS = ['ES256', 'ES384', 'ES512', 'PS256', 'PS384', 'PS512', 'RS256', 'RS384', 'RS512'];

const LEEWAY_MS = 60_000;
const MS_PER_SECOND = 1000;

const verifying = (why: string): TokenRefusal => new TokenRefusal(`oidc: verify token: ${why}`);
const quoted = (texts: readonly string[]): string => `[${texts.map(goQuote).join(' ')}]`;

/** @throws TokenRefusal */
export function checkToken(
  { claims, algorithm }: SignedToken,
  { audiences: wanted }: Pick<RuledAuthenticator, 'audiences'>,
  nowMs: number,
): void {
  const { audiences, expiresAt, notBefore } = registeredClaims(claims);
  const [only] = wanted;
  if (wanted.length === 1 && !audiences.includes(only ?? ''))
    throw verifying(`oidc: expected audience ${goQuote(only ?? '')} got ${quoted(audiences)}`);
  if (!(expiresAt * MS_PER_SECOND >= nowMs))
    throw verifying(`oidc: token is expired (Token Expiry: ${timeText(expiresAt)})`);
  if (notBefore !== undefined && nowMs + LEEWAY_MS < notBefore * MS_PER_SECOND)
    throw verifying(
      `oidc: current time ${formatGoTime(nowMs)} before the nbf (not before) time: ${timeText(notBefore)}`,
    );
  if (!ALGORITHMS.includes(algorithm))
    throw verifying(
      `oidc: id token signed with unsupported algorithm, expected ${quoted(ALGORITHMS)} got ${goQuote(algorithm)}`,
    );
}

/** Of several audiences one is looked for once the signature is known to be good. @throws TokenRefusal */
export function checkAudiences(
  { claims }: SignedToken,
  { audiences: wanted }: Pick<RuledAuthenticator, 'audiences'>,
): void {
  const { audiences } = registeredClaims(claims);
  if (audiences.some((each) => wanted.includes(each))) return;
  throw verifying(`oidc: expected audience in ${quoted(wanted.toSorted())} got ${quoted(audiences)}`);
}

/** @throws TokenRefusal */
export const badSignature = (why: string): TokenRefusal => verifying(`failed to verify signature: ${why}`);

interface RegisteredClaims {
  readonly audiences: readonly string[];
  /** Seconds since 1970; long ago where nobody says. */
  readonly expiresAt: number;
  readonly notBefore: number | undefined;
}

const TEXTS = ['iss', 'sub', 'nonce', 'at_hash'] as const;
/** The year 1, which Go takes for no time at all. */
const NEVER = -62_135_596_800;

function registeredClaims(claims: Claims): RegisteredClaims {
  try {
    for (const name of TEXTS) checkText(claims.get(name), name);
    const audience = claims.get('aud');
    const audiences = audience ? audiencesOf(audience) : [];
    const [expiry, , notBefore] = (['exp', 'iat', 'nbf'] as const).map((name) => {
      const node = claims.get(name);
      return node && secondsOf(node);
    });
    return { audiences, expiresAt: expiry ?? NEVER, notBefore };
  } catch (error) {
    if (error instanceof DecodeError) throw verifying(`oidc: failed to unmarshal claims: ${error.message}`);
    throw error;
  }
}

function checkText(node: JsonNode | undefined, name: string): void {
  if (!node || node.kind === 'string' || node.kind === 'null') return;
  throw new DecodeError(
    `json: cannot unmarshal ${goWordOf(node)} into Go struct field idToken.${name} of type string`,
  );
}

function audiencesOf(node: JsonNode): readonly string[] {
  if (node.kind !== 'array' && node.kind !== 'string' && node.kind !== 'null')
    throw new DecodeError(
      `json: cannot unmarshal ${goWordOf(node)} into Go struct field idToken.aud of type []string`,
    );
  try {
    return textsOf(node);
  } catch (error) {
    if (!(error instanceof DecodeError) || node.kind !== 'array') throw error;
    const wrong = node.nodes.find(({ kind }) => kind !== 'string' && kind !== 'null') ?? node;
    throw new DecodeError(
      `json: cannot unmarshal ${goWordOf(wrong)} into Go struct field idToken.aud of type string`,
    );
  }
}

/** What has no place in 64 bits is long over. */
const MOST_SECONDS = 2 ** 63;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function secondsOf(node: JsonNode): number {
  const text = node.kind === 'number' ? node.text : node.kind === 'string' ? node.value : undefined;
  if (text !== undefined && NUMBER.test(text)) {
    const seconds = Math.trunc(Number(text));
    return Math.abs(seconds) < MOST_SECONDS ? seconds : -MOST_SECONDS;
  }
  if (node.kind === 'string')
    throw new DecodeError(
      `json: invalid number literal, trying to unmarshal ${goQuote(JSON.stringify(node.value))} into Number`,
    );
  if (node.kind === 'null') throw new DecodeError('strconv.ParseFloat: parsing "": invalid syntax');
  throw new DecodeError(`json: cannot unmarshal ${goWordOf(node)} into Go value of type json.Number`);
}

/** Beyond the years that dates can have there is one text. */
const MOST_SHOWN = 8.64e12;
const timeText = (seconds: number): string =>
  Math.abs(seconds) <= MOST_SHOWN
    ? formatGoTime(seconds * MS_PER_SECOND)
    : '292277026596-12-04 15:30:08 +0000 UTC';
