/**
 * The keys of an issuer: where they are is asked of the issuer until it answers, and they are fetched when a token comes
 * that none of the known ones has signed, unless the issuer said that they would hold longer. One fetch serves all who
 * wait for it. Specification: not shown (Kubernetes 1.31).
 */
import { bodyObject, bodyBytes, type HttpAnswer, type HttpEndpoint } from '../../../api/http-call.ts';
import { goQuote } from '../../../api/go-text.ts';
import type { Process } from '../../../engine/process.ts';
import { problemOf } from '../../admission/webhooks/call-target.ts';
import type { ApiServerSurroundings } from '../../surroundings.ts';
import type { RuledAuthenticator } from './jwt-shapes.ts';
import type { SignedToken } from './signed-token.ts';
import { badSignature } from './token-checks.ts';

/** One key of a JSON Web Key Set, as it came. */
export type JsonWebKey = Readonly<Record<string, unknown>>;

export interface SignatureQuestion {
  readonly key: JsonWebKey;
  readonly algorithm: string;
  readonly signed: Uint8Array;
  readonly signature: Uint8Array;
}

/** Whether the key has signed the bytes; a key or an algorithm that makes no sense has not. */
export type VerifySignature = (question: SignatureQuestion) => boolean;

const WELL_KNOWN = '/.well-known/openid-configuration';
const PATIENCE_MS = 30_000;
const RETRY_MS = 10_000;
/** Keys that hold no longer than this are fetched anew. */
const EXPIRY_DELTA_MS = 30_000;
const NO_SIGNATURE = 'failed to verify id token signature';

export class IssuerKeys {
  readonly #surroundings: ApiServerSurroundings;
  readonly #rules: RuledAuthenticator;
  readonly #verify: VerifySignature;
  #keySetUrl: string | undefined;
  #problem: string;
  #keys: readonly JsonWebKey[] = [];
  #expiresAtMs = 0;
  #fetching: { readonly waiting: (() => void)[]; outcome?: string } | undefined;

  constructor(surroundings: ApiServerSurroundings, rules: RuledAuthenticator, verify: VerifySignature) {
    this.#surroundings = surroundings;
    this.#rules = rules;
    this.#verify = verify;
    this.#problem = `oidc: authenticator for issuer ${goQuote(rules.issuer)} is not initialized`;
  }

  /** Undefined: tokens can be looked at. */
  get problem(): string | undefined {
    return this.#keySetUrl === undefined ? this.#problem : undefined;
  }

  /** Asks the issuer until it says where its keys are. `told` hears what goes wrong. */
  *discover(told: (problem: string) => void): Process<void> {
    for (;;) {
      const problem = yield* this.#askIssuer();
      if (problem === undefined) return;
      this.#problem = problem;
      told(`oidc authenticator: initializing plugin: ${problem}`);
      yield* this.#surroundings.sleepMs(RETRY_MS);
    }
  }

  /** @throws TokenRefusal */
  *check(token: SignedToken): Process<void> {
    if (this.#isSigned(token)) return;
    if (this.#surroundings.wallMs() + EXPIRY_DELTA_MS <= this.#expiresAtMs) throw badSignature(NO_SIGNATURE);
    const problem = yield* this.#fetched();
    if (problem !== undefined) throw badSignature(`fetching keys ${problem}`);
    if (!this.#isSigned(token)) throw badSignature(NO_SIGNATURE);
  }

  #isSigned({ algorithm, keyId, isExtended, signed, signature }: SignedToken): boolean {
    if (isExtended) return false;
    return this.#keys.some((key) => {
      const isMeant = keyId === '' || key['kid'] === keyId;
      return isMeant && this.#verify({ key, algorithm, signed, signature });
    });
  }

  *#askIssuer(): Process<string | undefined> {
    const { issuer, discoveryUrl } = this.#rules;
    const url = discoveryUrl ?? `${issuer.replace(/\/$/, '')}${WELL_KNOWN}`;
    const got = yield* this.#get(url);
    if (typeof got === 'string') return got;
    if (got.status !== 200) return `${statusText(got.status)}: ${textOf(got)}`;
    const document = documentOf(got);
    if (typeof document === 'string') return `oidc: failed to decode provider discovery object: ${document}`;
    const said = document['issuer'];
    if (said !== issuer) {
      const shown = typeof said === 'string' ? said : '';
      return `oidc: issuer did not match the issuer returned by provider, expected ${goQuote(issuer)} got ${goQuote(shown)}`;
    }
    const keySetUrl = document['jwks_uri'];
    this.#keySetUrl = typeof keySetUrl === 'string' ? keySetUrl : '';
    return undefined;
  }

  /** Undefined: the keys are there. */
  *#fetched(): Process<string | undefined> {
    const under = this.#fetching;
    if (under) {
      yield* this.#surroundings.waitFor((wake) => {
        under.waiting.push(wake);
        return () => undefined;
      }, PATIENCE_MS);
      return under.outcome;
    }
    const own: { readonly waiting: (() => void)[]; outcome?: string } = { waiting: [] };
    this.#fetching = own;
    try {
      const problem = yield* this.#fetch();
      if (problem !== undefined) own.outcome = problem;
      return problem;
    } finally {
      // Also when whoever asked went away meanwhile: the next one asks anew.
      this.#fetching = undefined;
      for (const wake of own.waiting) wake();
    }
  }

  *#fetch(): Process<string | undefined> {
    const got = yield* this.#get(this.#keySetUrl ?? '');
    if (typeof got === 'string') return `oidc: get keys failed ${got}`;
    if (got.status !== 200) return `oidc: get keys failed: ${statusText(got.status)} ${textOf(got)}`;
    const document = documentOf(got);
    if (typeof document === 'string') return `oidc: failed to decode keys: ${document} ${textOf(got)}`;
    const keys: unknown = document['keys'];
    this.#keys = Array.isArray(keys) ? keys.filter(isRecord) : [];
    this.#expiresAtMs = this.#surroundings.wallMs() + keptMs(got);
    return undefined;
  }

  /** The answer, or what went wrong. */
  *#get(url: string): Process<HttpAnswer | string> {
    const [, origin = '', authority = '', rest = ''] = /^(https?:\/\/([^/?#]*))(.*)$/i.exec(url) ?? [];
    const failed = (why: string): string => `Get ${goQuote(url)}: ${why}`;
    if (origin === '') return failed(`unsupported protocol scheme ""`);
    const path = rest.startsWith('/') ? rest : `/${rest}`;
    const call = { method: 'GET', path, headers: { 'user-agent': 'Go-http-client/1.1' } } as const;
    const outcome = yield* this.#surroundings.call(this.#endpoint(origin, authority), call, PATIENCE_MS);
    if (outcome.kind === 'answer') return outcome.answer;
    const port = /:\d+$/.test(authority) ? '' : ':443';
    return failed(problemOf(outcome, `${authority}${port}`));
  }

  #endpoint(origin: string, authority: string): HttpEndpoint {
    const [host = '', port = '443'] = authority.split(':');
    const actor = this.#surroundings.actorOf?.(host);
    if (actor !== undefined) return { kind: 'actor', actor, port: Number(port) };
    const { certificateAuthority } = this.#rules;
    return { kind: 'url', url: origin, ...(certificateAuthority !== undefined && { certificateAuthority }) };
  }
}

const isRecord = (value: unknown): value is JsonWebKey =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const TEXT = new TextDecoder();
const textOf = ({ body }: HttpAnswer): string => TEXT.decode(bodyBytes(body));

function documentOf(answer: HttpAnswer): JsonWebKey | string {
  const type = answer.headers?.['content-type'] ?? '';
  try {
    const value = bodyObject(answer.body);
    if (isRecord(value)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  return type.split(';')[0]?.trim() === 'application/json'
    ? 'got Content-Type = application/json, but could not unmarshal as JSON'
    : `expected Content-Type = application/json, got ${goQuote(type)}`;
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'Bad Request',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  502: 'Bad Gateway',
  503: 'Service Unavailable',
};

const statusText = (status: number): string => `${status} ${REASONS[status] ?? ''}`.trim();

/** How long the issuer lets its keys be kept; without a word not at all. */
function keptMs({ headers = {} }: HttpAnswer): number {
  const control = headers['cache-control'] ?? '';
  if (/\bno-store\b|\bno-cache\b|\bprivate\b/i.test(control)) return 0;
  return Number(/\bmax-age=(\d+)/i.exec(control)?.[1] ?? 0) * 1000;
}
