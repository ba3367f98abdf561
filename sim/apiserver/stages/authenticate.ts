/**
 * Who asks? First-party components come with their user; everyone else is asked for a bearer token.
 * A missing token is the anonymous user where there may be one, a bad one 401. Specification: "Authentication".
 */
import { ApiError } from '../../api/status.ts';
import type { Exchange } from '../request/exchange.ts';
import type { UserInfo } from '../request/request.ts';

export const ANONYMOUS: UserInfo = { name: 'system:anonymous', groups: ['system:unauthenticated'] };

export const unauthorized = (): ApiError => new ApiError({ reason: 'Unauthorized', message: 'Unauthorized' });

export function authenticate(exchange: Exchange): void {
  const { request, server } = exchange;
  if (request.user) {
    exchange.user = request.user;
    return;
  }
  const header = request.headers['authorization'];
  const token = header === undefined ? undefined : bearerToken(header, exchange);
  if (token === undefined) {
    if (!server.allowsAnonymous) throw unauthorized();
    exchange.user = ANONYMOUS;
    return;
  }
  const user = server.userOfToken(token);
  if (!user) throw unauthorized();
  exchange.user = user;
}

function bearerToken(header: string, exchange: Exchange): string | undefined {
  const words = header.trim().split(' ');
  if ((words[0] ?? '').toLowerCase() !== 'bearer' || words.length < 2) return undefined;
  const token = words[1] ?? '';
  if (token !== '') return token;
  if (words.length > 2) {
    exchange.warn(
      'the provided Authorization header contains extra space before the bearer token, and is ignored',
    );
  }
  return undefined;
}
