/**
 * Who comes in and who decides what they may do, as files say it: made for one server, and changed while it runs when the
 * files change. Whoever reads the files is elsewhere.
 */
import type { Process } from '../../engine/process.ts';
import type { AnonymousConfiguration } from '../authentication/jwt/authentication-configuration.ts';
import type { VerifySignature } from '../authentication/jwt/issuer-keys.ts';
import { JwtAuthenticators } from '../authentication/jwt/jwt-authenticators.ts';
import type { RuledAuthenticator } from '../authentication/jwt/jwt-shapes.ts';
import type { AuthorizerType } from '../authorization/authorization-configuration.ts';
import { type Authorizer, ALWAYS_ALLOW, ALWAYS_DENY } from '../authorization/authorizer.ts';
import { AuthorizerChain, type ChainMember, memberOf } from '../authorization/authorizer-chain.ts';
import { NodeAuthorizer } from '../authorization/node-authorizer.ts';
import { WebhookAuthorizer, type WebhookRules } from '../authorization/webhook-authorizer.ts';
import {
  headersOf,
  targetOfConnection,
  type WebhookConnection,
} from '../authorization/webhook-connection.ts';
import type { ReloadedPart } from '../metrics/reload-metrics.ts';
import type { Meters } from '../request/server-view.ts';
import type { StructSchema } from '../../api/schema.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';

export type ConfiguredAuthorizer =
  | { readonly type: 'Webhook'; readonly webhook: WebhookRules; readonly connection: WebhookConnection }
  | { readonly type: Exclude<AuthorizerType, 'Webhook' | 'ABAC'> };

/** What the files say at present. */
export interface AccessConfiguration {
  /** Undefined: no tokens but the server's own are believed. */
  readonly authenticators: readonly RuledAuthenticator[] | undefined;
  readonly anonymous: AnonymousConfiguration | undefined;
  /** Undefined: a mode decides. */
  readonly authorizers: readonly ConfiguredAuthorizer[] | undefined;
  readonly verify: VerifySignature;
  /** Hears what is for the log. */
  readonly told: (line: string) => void;
}

export interface AccessParts {
  readonly surroundings: ApiServerSurroundings;
  readonly meters: Meters | undefined;
  readonly rbac: Authorizer;
  /** How the answers of webhooks are read, whatever their version. */
  readonly reviewSchema: StructSchema;
  readonly knowsKind: (type: { readonly kind: string; readonly apiVersion: string }) => boolean;
}

const NO_OPINION: Authorizer = {
  authorize: () => ({ isAllowed: false, reason: '' }),
  rulesFor: () => ({ rules: [], problems: [] }),
};

export class ServerAccess {
  readonly jwt: JwtAuthenticators | undefined;
  readonly chain: AuthorizerChain | undefined;
  readonly #configuration: AccessConfiguration;
  readonly #parts: AccessParts;

  constructor(configuration: AccessConfiguration, parts: AccessParts) {
    this.#configuration = configuration;
    this.#parts = parts;
    const { surroundings, meters, rbac } = parts;
    const { authenticators, authorizers, verify, told } = configuration;
    const jwtParts = { surroundings, verify, told, metrics: meters?.authentication };
    this.jwt = authenticators && new JwtAuthenticators(jwtParts, authenticators);
    const chainParts = { rbac, metrics: meters?.authorization };
    this.chain = authorizers && new AuthorizerChain(this.#members(authorizers), chainParts);
    if (authorizers) meters?.reloads.reloaded('authorization', true, surroundings.wallMs());
  }

  /** Whether the change is in force. */
  *change(part: ReloadedPart): Process<boolean> {
    const { authenticators = [], authorizers = [] } = this.#configuration;
    let isDone = true;
    if (part === 'authorization') this.chain?.change(this.#members(authorizers));
    else if (this.jwt) isDone = yield* this.jwt.change(authenticators);
    this.noteReload(part, isDone);
    return isDone;
  }

  /** Also of a file that makes no sense. */
  noteReload(part: ReloadedPart, isDone: boolean): void {
    const { meters, surroundings } = this.#parts;
    meters?.reloads.reloaded(part, isDone, surroundings.wallMs());
  }

  #members(authorizers: readonly ConfiguredAuthorizer[]): readonly ChainMember[] {
    return authorizers.map((each) => this.#member(each));
  }

  #member(configured: ConfiguredAuthorizer): ChainMember {
    switch (configured.type) {
      case 'AlwaysAllow':
        return memberOf('AlwaysAllow', ALWAYS_ALLOW);
      case 'AlwaysDeny':
        return memberOf('AlwaysDeny', ALWAYS_DENY);
      case 'Node':
        return memberOf('Node', new NodeAuthorizer(NO_OPINION));
      case 'RBAC':
        return memberOf('RBAC', this.#parts.rbac);
      case 'Webhook': {
        const { webhook, connection } = configured;
        const { surroundings, meters, reviewSchema, knowsKind } = this.#parts;
        return new WebhookAuthorizer(webhook, {
          surroundings,
          metrics: meters?.authorization,
          target: targetOfConnection(surroundings, connection),
          headers: headersOf(connection),
          schema: reviewSchema,
          knowsKind,
        });
      }
    }
  }
}
