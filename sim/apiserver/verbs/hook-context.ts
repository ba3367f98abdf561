/** What the hooks of strategies and the admission plugins may know of the request and of the server. */
import type { ApiObject, JsonObject } from '../../api/object.ts';
import type { AdmissionContext, AdmissionOperation } from '../admission/admission.ts';
import type { WebhookSource } from '../admission/webhooks/webhook-source.ts';
import type { PolicySource } from '../admission/policies/policy-source.ts';
import type { CelMetrics } from '../metrics/cel-metrics.ts';
import type { AdmissionMetrics } from '../metrics/admission-metrics.ts';
import type { Authorizer } from '../authorization/authorizer.ts';
import { qualifiedName } from '../../api/validation/names.ts';
import { operationOptionsOf } from '../options/operation-options.ts';
import { requestDeadlineMs } from '../options/request-deadline.ts';
import type { Resource } from '../registry/resource.ts';
import type { Exchange } from '../request/exchange.ts';
import type { UserInfo } from '../request/request.ts';
import type { ResourceStore } from '../stores/resource-store.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';

export class ExchangeHookContext implements AdmissionContext {
  readonly isDryRun: boolean;
  readonly namespace: string;
  readonly apiVersion: string;
  readonly #exchange: Exchange;

  constructor(exchange: Exchange, isDryRun: boolean) {
    this.#exchange = exchange;
    this.isDryRun = isDryRun;
    this.namespace = exchange.info.namespace;
    this.apiVersion = exchange.routed.version.apiVersion;
  }

  get nowMs(): number {
    return this.#exchange.receivedMs;
  }

  get subresource(): string {
    return this.#exchange.info.subresource;
  }

  get user(): UserInfo {
    return this.#exchange.user;
  }

  get authorizer(): Authorizer {
    return this.#exchange.authorizer;
  }

  get allowsEverything(): boolean {
    return this.#exchange.server.allowsEverything;
  }

  get surroundings(): ApiServerSurroundings {
    return this.#exchange.server.surroundings;
  }

  get nameInPath(): string {
    return this.#exchange.info.name;
  }

  isFeatureEnabled(gate: string): boolean {
    return this.#exchange.server.features.isFeatureEnabled(gate);
  }

  isReleasedBy(release: string): boolean {
    return this.#exchange.server.features.isReleasedBy(release);
  }

  storeOf(text: string): { readonly resource: Resource; readonly store: ResourceStore } | undefined {
    const { server } = this.#exchange;
    const resource = server.registry.findByText(text);
    return resource && { resource, store: server.storeOf(resource) };
  }

  resourceOfKind(wanted: { group: string; version: string; kind: string }): Resource | undefined {
    return this.#exchange.server.registry.findByKind(wanted);
  }

  storeOfResource(resource: Resource): ResourceStore {
    return this.#exchange.server.storeOf(resource);
  }

  get policies(): PolicySource {
    return this.#exchange.server.policies;
  }

  get webhooks(): WebhookSource {
    return this.#exchange.server.webhooks;
  }

  get admissionMetrics(): AdmissionMetrics | undefined {
    return this.#exchange.server.meters?.admission;
  }

  get celMetrics(): CelMetrics | undefined {
    return this.#exchange.server.meters?.cel;
  }

  get deadlineMs(): number {
    return requestDeadlineMs(this.#exchange);
  }

  operationOptions(operation: AdmissionOperation): JsonObject | null {
    return operationOptionsOf(this.#exchange, operation);
  }

  lookup(text: string, namespace: string, name: string): ApiObject | undefined {
    const found = this.storeOf(text);
    return found?.store.get(found.store.key(namespace, name))?.value;
  }

  lookupAll(text: string, namespace: string): readonly ApiObject[] {
    const store = this.storeOf(text)?.store;
    if (!store) return [];
    return store.storage.range({ prefix: store.range(namespace) }).entries.map(({ value }) => value);
  }

  warn(text: string): void {
    this.#exchange.warn(text);
  }

  /** Names that are none are left out, and what was said first stays. */
  annotate(key: string, value: string): void {
    const isName = key.split('/').length === 2 && qualifiedName(key).length === 0;
    if (isName && !this.#exchange.auditAnnotations.has(key)) this.#exchange.annotate(key, value);
  }

  uuid(): string {
    return this.#exchange.server.surroundings.uuid();
  }

  uint32(): number {
    return this.#exchange.server.surroundings.uint32();
  }
}
