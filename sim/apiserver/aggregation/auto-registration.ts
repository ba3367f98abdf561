/**
 * Keeps an APIService for each version that a definition serves, accepted or not, and says of those without a service
 * that they are available. Works a moment after each change, like the controllers inside a real server; where no
 * definition ever was, and nobody touches an APIService, nothing ever happens here.
 * Specification: not shown (Kubernetes: the aggregation layer's registration of custom resources).
 */
import { formatTime } from '../../api/time-format.ts';
import type { CustomResourceDefinition } from '../../api/types/apiextensions-k8s-io-v1.ts';
import type { APIService, APIServiceCondition } from '../../api/types/apiregistration-k8s-io-v1.ts';
import type { ServicePriorities } from '../../api/release/release.ts';
import { ownVersions } from '../bootstrap/default-api-services.ts';
import type { StorageWatch } from '../../storage/storage.ts';
import type { Resource } from '../registry/resource.ts';
import { DEFINITIONS } from '../custom-resources/definition-sync.ts';
import { writeOwnStatus } from '../stores/own-status.ts';
import type { ResourceStore } from '../stores/resource-store.ts';
import { untilWritten } from '../stores/until-written.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';
import { API_SERVICES } from './foreign-services.ts';
import { keepServices, type KeptServicesHost } from './keep-services.ts';
import { LOCAL, managedOf, nameOf, type WantedSpec } from './service-plan.ts';

/** Time between a change and the work that follows it. */
const REACTION_MS = 2;
const PRIORITIES = { groupPriorityMinimum: 1000, versionPriority: 100 } as const;

export interface RegistrationHost extends KeptServicesHost {
  readonly release: { readonly rules: { readonly servicePriorities: ServicePriorities } };
  readonly surroundings: ApiServerSurroundings;
  endWithServer(watch: StorageWatch): void;
}

export class AutoRegistration {
  readonly #host: RegistrationHost;
  readonly #services: Resource;
  readonly #definitions: ResourceStore;
  #isScheduled = false;

  /** From now on, in this life of the server. */
  static start(host: RegistrationHost): void {
    const services = host.registry.findByText(API_SERVICES);
    const definitions = host.registry.findByText(DEFINITIONS);
    if (!services || !definitions) return;
    const registration = new AutoRegistration(host, services, host.storeOf(definitions));
    const { storage } = host.storeOf(services);
    for (const { storagePrefix: prefix } of [definitions, services])
      host.endWithServer(storage.watch({ prefix, onEvents: () => registration.#schedule() }));
    // Definitions may have come and gone while this server was away.
    if (registration.#stored().length > 0 || registration.#hasRegistered()) registration.#schedule();
  }

  private constructor(host: RegistrationHost, services: Resource, definitions: ResourceStore) {
    this.#host = host;
    this.#services = services;
    this.#definitions = definitions;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#host.surroundings.after(REACTION_MS, () => {
      this.#isScheduled = false;
      untilWritten(this.#host.surroundings, () => this.#run());
    });
  }

  #run(): void {
    const { registry, release } = this.#host;
    const builtIn = ownVersions(registry, release.rules.servicePriorities).map(nameOf);
    const wanted = servedVersions(this.#stored());
    keepServices(this.#host, { managed: 'true', wanted, others: new Set(builtIn) });
    this.#confirmLocal();
  }

  #stored(): readonly CustomResourceDefinition[] {
    const { storage, prefix } = this.#definitions;
    return storage.range({ prefix }).entries.map(({ value }) => value as CustomResourceDefinition);
  }

  /** Whether anything is registered that stands for a definition. */
  #hasRegistered(): boolean {
    const { storage, prefix } = this.#host.storeOf(this.#services);
    return storage.range({ prefix }).entries.some(({ value }) => managedOf(value) === 'true');
  }

  /** Whoever has no service is answered by this server, which is there. */
  #confirmLocal(): void {
    const store = this.#host.storeOf(this.#services);
    const now = formatTime(this.#host.surroundings.wallMs());
    for (const entry of store.storage.range({ prefix: store.range('') }).entries) {
      const service = entry.value as APIService;
      if (service.spec?.service || isConfirmed(service)) continue;
      const status = { ...service.status, conditions: confirmed(service.status?.conditions ?? [], now) };
      writeOwnStatus({ store, resource: this.#services, now }, entry, { ...service, status });
    }
  }
}

const isConfirmed = ({ status }: APIService): boolean =>
  (status?.conditions ?? []).some(
    ({ type, status: value, reason, message }) =>
      type === LOCAL.type && value === LOCAL.status && reason === LOCAL.reason && message === LOCAL.message,
  );

/** Of one that was available, by its service, it stays the same time. */
function confirmed(conditions: readonly APIServiceCondition[], now: string): readonly APIServiceCondition[] {
  const old = conditions.find(({ type }) => type === LOCAL.type);
  const since = old?.status === LOCAL.status ? old.lastTransitionTime : undefined;
  const next = { ...LOCAL, lastTransitionTime: since ?? now };
  return old ? conditions.map((each) => (each === old ? next : each)) : [...conditions, next];
}

/** Whether their names were accepted is not asked. */
function servedVersions(definitions: readonly CustomResourceDefinition[]): readonly WantedSpec[] {
  const specs = new Map<string, WantedSpec>();
  for (const { spec } of definitions)
    for (const { name: version, served } of spec.versions) {
      const wanted = { group: spec.group, version, ...PRIORITIES };
      if (served) specs.set(nameOf(wanted), wanted);
    }
  return [...specs.values()];
}
