import type { UserInfo } from '../request/request.ts';

/** Finds the user of a token; undefined: not one of this authenticator's. */
export interface TokenAuthenticator {
  authenticate(token: string): UserInfo | undefined;
}
