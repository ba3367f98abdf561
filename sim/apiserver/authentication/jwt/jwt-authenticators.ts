/**
 * Users known by tokens that others have signed: one authenticator for each issuer of the configuration, all of them
 * replaced at once when it changes. What was found is kept for a few seconds, as the real server keeps it.
 */
import type { Process } from '../../../engine/process.ts';
import type { AuthenticationMetrics } from '../../metrics/authentication-metrics.ts';
import type { UserInfo } from '../../request/request.ts';
import type { ApiServerSurroundings } from '../../surroundings.ts';
import { IssuerKeys, type VerifySignature } from './issuer-keys.ts';
import type { RuledAuthenticator } from './jwt-shapes.ts';
import { mappedUser } from './mapped-user.ts';
import { claimedIssuer, readSignedToken } from './signed-token.ts';
import { badSignature, checkAudiences, checkToken, TokenRefusal } from './token-checks.ts';

export type TokenOutcome =
  | { readonly kind: 'user'; readonly user: UserInfo }
  /** It is none of the issuers'. */
  | { readonly kind: 'unknown' }
  | { readonly kind: 'refused'; readonly message: string };

export interface JwtParts {
  readonly surroundings: ApiServerSurroundings;
  readonly verify: VerifySignature;
  readonly metrics: AuthenticationMetrics | undefined;
  /** Hears what issuers do wrong, for the log. */
  readonly told: (line: string) => void;
}

interface Authenticator {
  readonly rules: RuledAuthenticator;
  readonly keys: IssuerKeys;
}

interface Generation {
  readonly authenticators: readonly Authenticator[];
  /** Ends what its issuers are still asked. */
  end(): void;
}

const KEPT_MS = 10_000;
const MOST_KEPT = 4096;
const CHANGE_PATIENCE_MS = 60_000;
const CHANGE_STEP_MS = 1_000;

export class JwtAuthenticators {
  readonly #parts: JwtParts;
  readonly #kept = new Map<string, { readonly user: UserInfo; readonly untilMs: number }>();
  #present: Generation;

  constructor(parts: JwtParts, rules: readonly RuledAuthenticator[]) {
    this.#parts = parts;
    this.#present = this.#begin(rules);
  }

  /**
   * Others take over once each of their issuers has said what it is; true: they did. Until then the present ones go on,
   * and for good if there is an issuer that does not answer within a minute.
   */
  *change(rules: readonly RuledAuthenticator[]): Process<boolean> {
    const next = this.#begin(rules);
    const { surroundings, told } = this.#parts;
    const untilMs = surroundings.wallMs() + CHANGE_PATIENCE_MS;
    for (;;) {
      const problem = next.authenticators.map(({ keys }) => keys.problem).find((each) => each !== undefined);
      if (problem === undefined) break;
      if (surroundings.wallMs() >= untilMs) {
        next.end();
        told(`failed to update authentication config: ${problem}`);
        return false;
      }
      yield* surroundings.sleepMs(CHANGE_STEP_MS);
    }
    this.#present.end();
    this.#present = next;
    return true;
  }

  *authenticate(token: string): Process<TokenOutcome> {
    const issuer = claimedIssuer(token);
    if (issuer === undefined) return { kind: 'unknown' };
    const known = this.#kept.get(token);
    if (known && this.#parts.surroundings.wallMs() < known.untilMs) return { kind: 'user', user: known.user };
    const found = this.#present.authenticators.find(({ rules }) => rules.issuer === issuer);
    if (!found) return { kind: 'unknown' };
    const outcome = yield* this.#judged(found, token);
    if (outcome.kind === 'user') this.#keep(token, outcome.user);
    return outcome;
  }

  *#judged({ rules, keys }: Authenticator, token: string): Process<TokenOutcome> {
    const { surroundings, metrics } = this.#parts;
    const fromMs = surroundings.wallMs();
    const count = (result: 'success' | 'failure'): void =>
      metrics?.tokenJudged({
        issuer: rules.issuer,
        result,
        seconds: (surroundings.wallMs() - fromMs) / 1000,
      });
    try {
      if (keys.problem !== undefined) throw new TokenRefusal('oidc: authenticator not initialized');
      const signed = readSignedToken(token);
      if (!signed) throw badSignature('oidc: malformed jwt');
      checkToken(signed, rules, fromMs);
      yield* keys.check(signed);
      checkAudiences(signed, rules);
      const user = mappedUser(signed.claims, rules);
      count('success');
      return { kind: 'user', user };
    } catch (error) {
      if (!(error instanceof TokenRefusal)) throw error;
      count('failure');
      return { kind: 'refused', message: error.message };
    }
  }

  #keep(token: string, user: UserInfo): void {
    const [oldest] = this.#kept.size >= MOST_KEPT ? this.#kept.keys() : [];
    if (oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.delete(token);
    this.#kept.set(token, { user, untilMs: this.#parts.surroundings.wallMs() + KEPT_MS });
  }

  #begin(rules: readonly RuledAuthenticator[]): Generation {
    const { surroundings, verify, told } = this.#parts;
    const authenticators = rules.map((each) => ({
      rules: each,
      keys: new IssuerKeys(surroundings, each, verify),
    }));
    const ends = authenticators.map(({ keys }) => surroundings.start(keys.discover(told)));
    return { authenticators, end: () => ends.forEach((end) => end()) };
  }
}
