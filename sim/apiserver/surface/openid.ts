/**
 * Who issues the tokens of service accounts, for those who check them elsewhere. Tokens of the simulation are
 * signed by no key, so the set of keys is empty. Specification: "Authentication" (not shown: OpenID discovery).
 */
import { TOKEN_ISSUER } from '../authentication/service-account-tokens.ts';
import type { Exchange } from '../request/exchange.ts';
import { checkMediaType, JSON_TYPES } from '../representation/negotiate.ts';
import { methodNotAllowed } from '../stages/route.ts';

/** The same for everybody, for a time. */
const CACHE_CONTROL = ['cache-control', 'public, max-age=3600'] as const;
const KEY_SET = 'application/jwk-set+json';

export function serveOpenIdConfiguration(exchange: Exchange): void {
  if (exchange.request.method !== 'GET') throw methodNotAllowed();
  checkMediaType(exchange.request.headers['accept'], JSON_TYPES);
  const document = {
    issuer: TOKEN_ISSUER,
    jwks_uri: `https://${hostOf(exchange)}/openid/v1/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
  respondPublic(exchange, document, 'application/json');
}

export function serveKeySet(exchange: Exchange): void {
  if (exchange.request.method !== 'GET') throw methodNotAllowed();
  checkMediaType(exchange.request.headers['accept'], [KEY_SET]);
  respondPublic(exchange, { keys: [] }, KEY_SET);
}

function respondPublic(exchange: Exchange, document: object, contentType: string): void {
  const text = JSON.stringify(document);
  exchange.respond(200, { kind: 'text', text }, [['content-type', contentType], CACHE_CONTROL]);
}

const hostOf = ({ server, request }: Exchange): string =>
  server.publicAddress || (request.headers['host'] ?? '');
