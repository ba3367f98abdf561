/**
 * What a request may know of the server that it came to, in narrow parts; whoever needs less asks for a
 * part alone. Nothing here knows the server itself, its stages or its handlers.
 */
import type { Release } from '../../api/release/release.ts';
import type { Process } from '../../engine/process.ts';
import type { Admission } from '../admission/admission.ts';
import type { PolicySource } from '../admission/policies/policy-source.ts';
import type { ForeignServices } from '../aggregation/foreign-services.ts';
import type { WebhookSource } from '../admission/webhooks/webhook-source.ts';
import type { AccountToken } from '../authentication/account-token.ts';
import type { ServiceAccountTokens } from '../authentication/service-account-tokens.ts';
import type { Authorizer } from '../authorization/authorizer.ts';
import type { FeatureGates } from '../feature-gates.ts';
import type { AdmissionMetrics } from '../metrics/admission-metrics.ts';
import type { JwtAuthenticators } from '../authentication/jwt/jwt-authenticators.ts';
import type { AggregatorMetrics } from '../metrics/aggregator-metrics.ts';
import type { AuthenticationMetrics } from '../metrics/authentication-metrics.ts';
import type { AuthorizationMetrics } from '../metrics/authorization-metrics.ts';
import type { ReloadMetrics } from '../metrics/reload-metrics.ts';
import type { CelMetrics } from '../metrics/cel-metrics.ts';
import type { ConversionMetrics } from '../metrics/conversion-metrics.ts';
import type { DeprecatedUse } from '../metrics/deprecated-use.ts';
import type { Features, Machinery } from '../machinery.ts';
import type { Registry } from '../registry/registry.ts';
import type { Resource } from '../registry/resource.ts';
import type { ResourceStore } from '../stores/resource-store.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';
import type { ApiRequest, ApiResponse, UserInfo } from './request.ts';

/** Which resources there are, and where their objects are. */
export interface StoreView {
  readonly registry: Registry;
  storeOf(resource: Pick<Resource, 'storagePrefix' | 'isNamespaced'>): ResourceStore;
}

/** Who may do what. */
export interface AccessView {
  readonly authorizer: Authorizer;
  /** Authorization cannot refuse anything, so nobody need ask. */
  readonly allowsEverything: boolean;
  /** Whether whoever shows no credentials is `system:anonymous`. */
  readonly allowsAnonymous: boolean;
  /** Where nobody may be anonymous but on these paths; absent: on all. */
  readonly anonymousPaths: ReadonlySet<string> | undefined;
  /** Whether containers may be privileged. */
  readonly allowsPrivileged: boolean;
}

/** What the server tells of itself. */
export interface ConditionView {
  /** Host and port under which clients reach the server; empty: as they say. */
  readonly publicAddress: string;
  /** Names of health checks that fail at present. */
  readonly failingChecks: ReadonlySet<string>;
  readonly deprecatedUse: DeprecatedUse;
}

/** What is counted inside of requests. */
export interface Meters {
  readonly admission: AdmissionMetrics;
  readonly cel: CelMetrics;
  readonly conversion: ConversionMetrics;
  readonly aggregator: AggregatorMetrics;
  readonly authentication: AuthenticationMetrics;
  readonly authorization: AuthorizationMetrics;
  readonly reloads: ReloadMetrics;
}

export interface ServerView extends StoreView, AccessView, ConditionView {
  readonly release: Release;
  readonly surroundings: ApiServerSurroundings;
  readonly featureGates: FeatureGates;
  readonly machinery: Machinery;
  readonly features: Features;
  readonly admission: Admission;
  readonly policies: PolicySource;
  readonly webhooks: WebhookSource;
  readonly foreignServices: ForeignServices;
  /** Of a write only what differs from the present object is examined; otherwise all of it, with the same result. */
  readonly writesByDelta: boolean;
  /** What counts, where somebody does. */
  readonly meters: Meters | undefined;
  readonly upkeep: {
    /** A lease for a key that is to be gone after so many seconds, or soon afterwards. */
    leaseFor(seconds: number): number;
  };
  /** Those that the server issues itself. */
  readonly serviceAccountTokens: ServiceAccountTokens;
  /** What the server asks of itself (`ownRequest`). */
  handle(request: ApiRequest): Process<ApiResponse>;
  /** Of whichever tokens the server believes. */
  userOfToken(token: string): UserInfo | undefined;
  /** Knows users by tokens that others have signed; undefined: nobody else's are believed. */
  readonly jwt: JwtAuthenticators | undefined;
  /** Of a token out of a secret, whose use is noted; undefined: it is none. */
  useOfAccountToken(token: string): AccountToken | undefined;
}
