/**
 * Tokens of service accounts: issued and recognised by the server alone, in the shape of a JWT. The
 * signature binds a token to this simulation; it is no cryptography. A token ends with its time, its
 * account, or the object that it is bound to. Specification: "Authentication".
 */
import type { ApiObject } from '../../api/object.ts';
import type { UserInfo } from '../request/request.ts';
import { readSigned, signed } from './signed-text.ts';
import type { TokenAuthenticator } from './token-authenticator.ts';

/** Who issues the tokens, and for whom they are if nobody else is named. */
export const TOKEN_ISSUER = 'https://kubernetes.default.svc.cluster.local';

const EXTRA = 'authentication.kubernetes.io/';
const PRIVATE = 'kubernetes.io';

/** An object by name and the uid that it had. */
export interface NamedObject {
  readonly name: string;
  readonly uid: string;
}

export type BoundKind = 'pod' | 'secret' | 'node';

export interface TokenClaims {
  readonly id: string;
  readonly namespace: string;
  readonly account: NamedObject;
  readonly audiences: readonly string[];
  readonly bound: Readonly<Partial<Record<BoundKind, NamedObject>>>;
  /** Seconds since 1970. */
  readonly issuedAt: number;
  readonly expiresAt: number;
}

/** What is present now, and what time it is. */
export interface TokenWorld {
  nowMs(): number;
  lookup(
    resource: 'serviceaccounts' | 'pods' | 'secrets' | 'nodes',
    namespace: string,
    name: string,
  ): ApiObject | undefined;
}

export class ServiceAccountTokens implements TokenAuthenticator {
  readonly #world: TokenWorld;

  constructor(world: TokenWorld) {
    this.#world = world;
  }

  issue(claims: TokenClaims): string {
    const { id, namespace, account, audiences, bound, issuedAt, expiresAt } = claims;
    const payload = {
      aud: audiences,
      exp: expiresAt,
      iat: issuedAt,
      iss: TOKEN_ISSUER,
      jti: id,
      [PRIVATE]: { namespace, ...bound, serviceaccount: account },
      nbf: issuedAt,
      sub: `system:serviceaccount:${namespace}:${account.name}`,
    };
    return signed(payload);
  }

  authenticate(token: string): UserInfo | undefined {
    const claims = this.claimsOf(token);
    return claims?.audiences.includes(TOKEN_ISSUER) ? userOf(claims) : undefined;
  }

  /** What a token that is in force says, for whatever audience; undefined: it is none. */
  claimsOf(token: string): TokenClaims | undefined {
    const claims = readToken(token);
    return claims && this.#isInForce(claims) ? claims : undefined;
  }

  #isInForce({ expiresAt, namespace, account, bound }: TokenClaims): boolean {
    if (this.#world.nowMs() >= expiresAt * 1_000) return false;
    const isPresent = (resource: Parameters<TokenWorld['lookup']>[0], { name, uid }: NamedObject): boolean =>
      this.#world.lookup(resource, resource === 'nodes' ? '' : namespace, name)?.metadata.uid === uid;
    if (!isPresent('serviceaccounts', account)) return false;
    if (bound.secret && !isPresent('secrets', bound.secret)) return false;
    if (bound.pod) return isPresent('pods', bound.pod);
    return !bound.node || isPresent('nodes', bound.node);
  }
}

export function userOf({ id, namespace, account, bound }: TokenClaims): UserInfo {
  const extra: Record<string, readonly string[]> = { [`${EXTRA}credential-id`]: [`JTI=${id}`] };
  for (const kind of ['node', 'pod'] as const) {
    const object = bound[kind];
    if (!object) continue;
    extra[`${EXTRA}${kind}-name`] = [object.name];
    if (object.uid !== '') extra[`${EXTRA}${kind}-uid`] = [object.uid];
  }
  return {
    name: `system:serviceaccount:${namespace}:${account.name}`,
    uid: account.uid,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    extra,
  };
}

function readToken(token: string): TokenClaims | undefined {
  const signedPayload = readSigned(token);
  if (!isSignedPayload(signedPayload)) return undefined;
  const { aud, exp, iat, jti, [PRIVATE]: own } = signedPayload;
  const { namespace, serviceaccount, ...bound } = own;
  return {
    id: jti,
    namespace,
    account: serviceaccount,
    audiences: aud,
    bound,
    issuedAt: iat,
    expiresAt: exp,
  };
}

/** Our own signature vouches for the shape. */
interface SignedPayload {
  readonly aud: readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly jti: string;
  readonly [PRIVATE]: TokenClaims['bound'] & {
    readonly namespace: string;
    readonly serviceaccount: NamedObject;
  };
}

const isSignedPayload = (value: unknown): value is SignedPayload =>
  typeof value === 'object' && value !== null && Reflect.get(value, 'iss') === TOKEN_ISSUER;
