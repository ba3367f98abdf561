/**
 * Tokens that secrets of service accounts hold: they have no end and no audience, and are good as long as the secret holds
 * them, unless they are marked as unused. Specification: "Authentication".
 */
import type { AccountTokenSubject } from '../../api/account-token-subject.ts';
import type { Secret, ServiceAccount } from '../../api/types/core-v1.ts';
import type { UserInfo } from '../request/request.ts';
import type { TokenWorld } from './service-account-tokens.ts';
import { readSigned, signed } from './signed-text.ts';
import type { TokenAuthenticator } from './token-authenticator.ts';

const ISSUER = 'kubernetes/serviceaccount';
const CLAIM = 'kubernetes.io/serviceaccount/';

export const accountToken = ({ namespace, account, secret }: AccountTokenSubject): string =>
  signed({
    iss: ISSUER,
    [`${CLAIM}namespace`]: namespace,
    [`${CLAIM}secret.name`]: secret.name,
    [`${CLAIM}service-account.name`]: account.name,
    [`${CLAIM}service-account.uid`]: account.uid,
    sub: `system:serviceaccount:${namespace}:${account.name}`,
  });

/** What a secret holds that is there, and for whom. */
export interface AccountToken {
  readonly user: UserInfo;
  readonly account: ServiceAccount;
  readonly secret: Secret;
}

const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';

/** Nobody has used it for long: it is good for nothing until the mark is taken away. */
export const isMarkedInvalid = ({ secret }: AccountToken): boolean =>
  (secret.metadata.labels?.[INVALID_SINCE] ?? '') !== '';

export class AccountTokens implements TokenAuthenticator {
  readonly #lookup: TokenWorld['lookup'];

  constructor({ lookup }: Pick<TokenWorld, 'lookup'>) {
    this.#lookup = lookup;
  }

  authenticate(token: string): UserInfo | undefined {
    const found = this.find(token);
    return found && !isMarkedInvalid(found) ? found.user : undefined;
  }

  /** In force or marked; undefined: it is none. */
  find(token: string): AccountToken | undefined {
    const payload = readSigned(token);
    if (typeof payload !== 'object' || payload === null || Reflect.get(payload, 'iss') !== ISSUER)
      return undefined;
    const claim = (name: string): string => String(Reflect.get(payload, CLAIM + name));
    const namespace = claim('namespace');
    const name = claim('service-account.name');
    const uid = claim('service-account.uid');
    const secret: Secret | undefined = this.#lookup('secrets', namespace, claim('secret.name'));
    if (!secret || secret.metadata.deletionTimestamp || secret.data?.['token'] !== btoa(token))
      return undefined;
    const account: ServiceAccount | undefined = this.#lookup('serviceaccounts', namespace, name);
    if (account?.metadata.uid !== uid) return undefined;
    const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
    return { user: { name: `system:serviceaccount:${namespace}:${name}`, uid, groups }, account, secret };
  }
}
