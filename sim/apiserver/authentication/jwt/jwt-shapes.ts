/** An issuer of tokens as the configuration names it, and what is made of it once its rules are read. */
import type { UserExpression } from './claim-expressions.ts';

export interface Issuer {
  readonly url?: string;
  readonly discoveryURL?: string;
  /** PEM. */
  readonly certificateAuthority?: string;
  readonly audiences?: readonly string[];
  readonly audienceMatchPolicy?: string;
}

export interface ClaimValidationRule {
  readonly claim?: string;
  readonly requiredValue?: string;
  readonly expression?: string;
  readonly message?: string;
}

export interface PrefixedClaimOrExpression {
  readonly claim?: string;
  readonly prefix?: string;
  readonly expression?: string;
}

export interface ExtraMapping {
  readonly key?: string;
  readonly valueExpression?: string;
}

export interface ClaimMappings {
  readonly username?: PrefixedClaimOrExpression;
  readonly groups?: PrefixedClaimOrExpression;
  readonly uid?: { readonly claim?: string; readonly expression?: string };
  readonly extra?: readonly ExtraMapping[];
}

export interface UserValidationRule {
  readonly expression?: string;
  readonly message?: string;
}

export interface JwtAuthenticatorConfiguration {
  readonly issuer?: Issuer;
  readonly claimValidationRules?: readonly ClaimValidationRule[];
  readonly claimMappings?: ClaimMappings;
  readonly userValidationRules?: readonly UserValidationRule[];
}

/** A condition, and what is said where it does not hold. */
export interface Condition {
  readonly expression: UserExpression;
  readonly message: string;
}

/** Claim or expression: where there is an expression it counts. */
export interface Mapping {
  readonly claim: string;
  readonly prefix: string;
  readonly expression: UserExpression | undefined;
}

export interface RuledAuthenticator {
  readonly issuer: string;
  /** Where the issuer says what it is, and by which authority it is known. */
  readonly discoveryUrl: string | undefined;
  readonly certificateAuthority: string | undefined;
  readonly audiences: readonly string[];
  readonly username: Mapping;
  readonly groups: Mapping;
  readonly uid: Omit<Mapping, 'prefix'>;
  readonly extra: readonly { readonly key: string; readonly expression: UserExpression }[];
  readonly requiredClaims: ReadonlyMap<string, string>;
  readonly claimConditions: readonly Condition[];
  readonly userConditions: readonly Condition[];
}
