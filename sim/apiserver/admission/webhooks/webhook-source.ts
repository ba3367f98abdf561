/**
 * The webhooks that are in force on one server, in the order in which they are called: by name of their configuration,
 * then as listed there. It knows what the server's watch cache knows, so a server that lags calls who was there before.
 */
import type {
  MutatingWebhook,
  MutatingWebhookConfiguration,
  ValidatingWebhook,
} from '../../../api/types/admissionregistration-k8s-io-v1.ts';
import type { Resource } from '../../registry/resource.ts';
import type { ResourceStore } from '../../stores/resource-store.ts';
import type { PolicyExpression } from '../../../api/policies/compile-policy-expression.ts';
import { compilePolicy } from '../../../api/policies/compiled-policy.ts';

export type WebhookKind = 'mutating' | 'validating';

export type Webhook = ValidatingWebhook & Pick<MutatingWebhook, 'reinvocationPolicy'>;

export interface WebhookInForce {
  readonly configuration: string;
  readonly webhook: Webhook;
  /** Tells it from all others. */
  readonly key: string;
  readonly conditions: readonly PolicyExpression[];
}

interface WebhookHost {
  readonly registry: { findByText(text: string): Resource | undefined };
  storeOf(resource: Resource): ResourceStore;
}

interface Known {
  readonly store: ResourceStore;
  readonly revision: number;
  readonly webhooks: readonly WebhookInForce[];
}

const NONE: readonly WebhookInForce[] = [];

export class WebhookSource {
  readonly #host: WebhookHost;
  readonly #known = new Map<WebhookKind, Known>();
  /** Compiled once for as long as the webhook is what it is. */
  readonly #conditions = new WeakMap<object, readonly PolicyExpression[]>();

  constructor(host: WebhookHost) {
    this.#host = host;
  }

  inForce(kind: WebhookKind): readonly WebhookInForce[] {
    const known = this.#known.get(kind);
    if (known && known.revision === known.store.cache.lastEventRevision) return known.webhooks;
    const resource = this.#host.registry.findByText(
      `${kind}webhookconfigurations.admissionregistration.k8s.io`,
    );
    if (!resource) return NONE;
    const store = this.#host.storeOf(resource);
    const { cache } = store;
    const webhooks = cache
      .list({ prefix: resource.storagePrefix })
      .entries.flatMap(({ value }) => this.#webhooksOf(value as MutatingWebhookConfiguration));
    this.#known.set(kind, { store, revision: cache.lastEventRevision, webhooks });
    return webhooks;
  }

  #webhooksOf({ metadata, webhooks = [] }: MutatingWebhookConfiguration): readonly WebhookInForce[] {
    const configuration = metadata.name ?? '';
    const seen = new Map<string, number>();
    return webhooks.map((webhook) => {
      const count = seen.get(webhook.name) ?? 0;
      seen.set(webhook.name, count + 1);
      return {
        configuration,
        webhook,
        key: `${configuration}/${webhook.name}/${count}`,
        conditions: this.#conditionsOf(webhook),
      };
    });
  }

  #conditionsOf(webhook: Webhook): readonly PolicyExpression[] {
    const { matchConditions } = webhook;
    if (!matchConditions || matchConditions.length === 0) return [];
    const known = this.#conditions.get(webhook);
    if (known) return known;
    const { matchConditions: compiled } = compilePolicy({ matchConditions }, undefined);
    this.#conditions.set(webhook, compiled);
    return compiled;
  }
}
