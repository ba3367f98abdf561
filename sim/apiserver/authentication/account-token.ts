/**
 * Tokens that secrets of service accounts hold: they have no end and no audience, and are good as long as the secret holds
 * them. Specification: "Authentication".
 */
import type { AccountTokenSubject } from '../../api/account-token-subject.ts';
import type { Secret } from '../../api/types/core-v1.ts';
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

export class AccountTokens implements TokenAuthenticator {
  readonly #lookup: TokenWorld['lookup'];

  constructor({ lookup }: Pick<TokenWorld, 'lookup'>) {
    this.#lookup = lookup;
  }

  authenticate(token: string): UserInfo | undefined {
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
    if (this.#lookup('serviceaccounts', namespace, name)?.metadata.uid !== uid) return undefined;
    return {
      name: `system:serviceaccount:${namespace}:${name}`,
      uid,
      groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
    };
  }
}
