/** Who is it? SelfSubjectReview of oneself, TokenReview of a token. Specification: "Virtual resources". */
import type { Process } from '../../engine/process.ts';
import { badRequest } from '../../api/status.ts';
import { formatTime } from '../../api/time-format.ts';
import type { TokenReviewSpec, TokenReviewStatus } from '../../api/types/authentication-k8s-io-v1.ts';
import { goQuote } from '../../api/go-text.ts';
import { TOKEN_ISSUER, userOf } from '../authentication/service-account-tokens.ts';
import type { Exchange } from '../request/exchange.ts';
import type { UserInfo } from '../request/request.ts';
import { readReview, respondReview } from './review-object.ts';

export function* selfSubjectReview(exchange: Exchange): Process<void> {
  const { draft, validate } = yield* readReview(exchange);
  yield* validate();
  const status = { userInfo: shownUser(exchange.user) };
  respondReview(exchange, draft, { creationTimestamp: formatTime(exchange.receivedMs) }, { status });
}

export function* tokenReview(exchange: Exchange): Process<void> {
  const { draft, validate } = yield* readReview(exchange);
  const spec = (draft['spec'] ?? {}) as TokenReviewSpec;
  if (!spec.token) throw badRequest('token is required for TokenReview in authentication');
  yield* validate();
  const given = (draft['status'] ?? {}) as TokenReviewStatus;
  const status = { ...given, ...(yield* statusOf(exchange, spec.token, spec.audiences ?? [])) };
  respondReview(exchange, draft, draft.metadata, { status });
}

const REFUSED = 'invalid bearer token';

/** The server asks itself: the text goes through a header, of which the first word after the scheme counts. */
const tokenIn = (text: string): string => `Bearer ${text}`.trim().split(' ')[1] ?? '';

const NOBODY = { username: 'system:anonymous', groups: ['system:unauthenticated'] };

function* statusOf(
  exchange: Exchange,
  sent: string,
  audiences: readonly string[],
): Process<TokenReviewStatus> {
  const wanted = audiences.length > 0 ? audiences : [TOKEN_ISSUER];
  const token = tokenIn(sent);
  if (token === '' && exchange.server.allowsAnonymous)
    return { authenticated: true, user: NOBODY, audiences: wanted };
  const claims = exchange.server.serviceAccountTokens.claimsOf(token);
  const own = claims?.audiences ?? [TOKEN_ISSUER];
  const recognised = new Set(own);
  const shared = wanted.filter((audience) => recognised.has(audience));
  const known = claims ? userOf(claims) : exchange.server.userOfToken(token);
  const { jwt } = exchange.server;
  const signed = known || !jwt ? undefined : yield* jwt.authenticate(token);
  const user = signed?.kind === 'user' ? signed.user : known;
  if (user && !claims) exchange.server.useOfAccountToken(token);
  if (user && shared.length > 0) return { authenticated: true, user: shownUser(user), audiences: shared };
  if (signed?.kind === 'refused') return { authenticated: false, error: `[${REFUSED}, ${signed.message}]` };
  if (!claims) return { authenticated: false, error: refusalOf(exchange, token) };
  const quoted = (texts: readonly string[]): string => `[${texts.map(goQuote).join(' ')}]`;
  const error = `[${REFUSED}, token audiences ${quoted(own)} is invalid for the target audiences ${quoted(wanted)}]`;
  return { authenticated: false, error };
}

/** Tokens out of secrets may be marked as unused. */
function refusalOf({ server }: Exchange, token: string): string {
  const used = server.useOfAccountToken(token);
  if (!used) return REFUSED;
  const { account, secret } = used;
  const { namespace = '', name = '' } = secret.metadata;
  const { name: of = '' } = account.metadata;
  return `[${REFUSED}, the token in secret ${namespace}/${name} for service account ${namespace}/${of} has been marked invalid. Use tokens from the TokenRequest API or manually created secret-based tokens, or remove the 'kubernetes.io/legacy-token-invalid-since' label from the secret to temporarily allow use of this token]`;
}

const shownUser = ({ name, uid, groups, extra }: UserInfo): NonNullable<TokenReviewStatus['user']> => ({
  username: name,
  ...(uid && { uid }),
  groups,
  ...(extra && { extra }),
});
