/** What the hooks of strategies and the admission plugins may know of the request and of the server. */
import type { ApiObject } from '../../api/object.ts';
import type { Exchange } from '../request/exchange.ts';
import type { HookContext } from '../registry/strategy.ts';
import type { UserInfo } from '../request/request.ts';

export class ExchangeHookContext implements HookContext {
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

  get user(): UserInfo {
    return this.#exchange.user;
  }

  isFeatureEnabled(gate: string): boolean {
    return this.#exchange.server.featureGates.isEnabled(gate);
  }

  lookup(text: string, namespace: string, name: string): ApiObject | undefined {
    const { server } = this.#exchange;
    const resource = server.registry.findByText(text);
    if (!resource) return undefined;
    const store = server.storeOf(resource);
    return store.get(store.key(namespace, name))?.value;
  }

  lookupAll(text: string, namespace: string): readonly ApiObject[] {
    const { server } = this.#exchange;
    const resource = server.registry.findByText(text);
    if (!resource) return [];
    const store = server.storeOf(resource);
    return store.storage.range({ prefix: store.range(namespace) }).entries.map(({ value }) => value);
  }

  warn(text: string): void {
    this.#exchange.warn(text);
  }

  uuid(): string {
    return this.#exchange.server.surroundings.uuid();
  }

  uint32(): number {
    return this.#exchange.server.surroundings.uint32();
  }
}
