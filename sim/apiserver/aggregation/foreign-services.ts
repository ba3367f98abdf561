/**
 * The groups and versions that others serve: APIServices with a service, as the server's watch cache knows them, what
 * each said last of its resources, and whether it is available by its condition. It asks nobody (see `availability.ts`).
 * Beside them, which versions are registered at all, with a service or without.
 */
import { byKey } from '../../api/go-text.ts';
import type { JsonObject } from '../../api/object.ts';
import type { APIService } from '../../api/types/apiregistration-k8s-io-v1.ts';
import type { ForeignContent } from '../discovery/served.ts';
import type { Resource } from '../registry/resource.ts';
import type { ResourceStore } from '../stores/resource-store.ts';

export const API_SERVICES = 'apiservices.apiregistration.k8s.io';

export interface ForeignService extends RegisteredVersion {
  readonly name: string;
  /** Of its APIService: another one may have its name by now. */
  readonly uid: string;
  readonly isAvailable: boolean;
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
  readonly caBundle?: string;
  /** Whatever certificate it shows is believed. */
  readonly isUnverified: boolean;
}

interface ForeignServicesHost {
  readonly registry: { findByText(text: string): Resource | undefined };
  storeOf(resource: Resource): ResourceStore;
}

interface TaggedDocument {
  readonly document: JsonObject;
  readonly tag: string | undefined;
}

/** An APIService as lists of groups need it. */
export interface RegisteredVersion {
  readonly group: string;
  readonly version: string;
  readonly groupPriority: number;
  readonly versionPriority: number;
}

const NONE: ReadonlyMap<string, ForeignService> = new Map();
const HTTPS_PORT = 443;

export class ForeignServices {
  readonly #host: ForeignServicesHost;
  #store: ResourceStore | undefined;
  #revision = -1;
  #services = NONE;
  #registered: readonly RegisteredVersion[] = [];
  readonly #contents = new Map<string, ForeignContent>();
  readonly #indices = new Map<string, ReadonlyMap<string, string>>();
  readonly #swaggers = new Map<string, TaggedDocument>();
  #generation = 0;

  constructor(host: ForeignServicesHost) {
    this.#host = host;
  }

  /** By name of the APIService, such as `v1beta1.metrics.k8s.io`. */
  get services(): ReadonlyMap<string, ForeignService> {
    this.#learn();
    return this.#services;
  }

  #learn(): void {
    const resource = this.#store ? undefined : this.#host.registry.findByText(API_SERVICES);
    if (resource) this.#store = this.#host.storeOf(resource);
    const cache = this.#store?.cache;
    if (!cache || cache.lastEventRevision === this.#revision) return;
    this.#revision = cache.lastEventRevision;
    const { entries } = cache.list({ prefix: this.#store?.range('') ?? '' });
    this.#registered = entries.flatMap(({ value }) => registeredVersionOf(value));
    const found = entries.flatMap(({ value }) => {
      const service = foreignServiceOf(value);
      return service ? [[service.name, service] as const] : [];
    });
    if (found.length > 0 || this.#services.size > 0) this.#generation += 1;
    const before = this.#services;
    this.#services = found.length === 0 ? NONE : new Map(found.sort(byKey));
    for (const name of before.keys()) if (!this.#services.has(name)) this.#forget(name);
  }

  /** Whoever comes under that name again is another. */
  #forget(name: string): void {
    for (const learnt of [this.#contents, this.#indices, this.#swaggers]) learnt.delete(name);
  }

  /** The same array as long as nothing changes. */
  get registered(): readonly RegisteredVersion[] {
    this.#learn();
    return this.#registered;
  }

  /** Rises when what is found here changes. */
  get generation(): number {
    return this.services.size === 0 && this.#generation === 0 ? 0 : this.#generation;
  }

  find(group: string, version: string): ForeignService | undefined {
    const { services } = this;
    return services === NONE ? undefined : services.get(`${version}.${group}`);
  }

  /** What it said last that it serves. */
  contentOf(name: string): ForeignContent {
    return this.#contents.get(name) ?? { isStale: true };
  }

  learn(service: ForeignService, content: ForeignContent): void {
    const { name } = service;
    if (!this.#isRegistered(service)) return;
    if (JSON.stringify(this.contentOf(name)) === JSON.stringify(content)) return;
    this.#contents.set(name, content);
    this.#generation += 1;
  }

  /** Whoever answers after it was taken away has nothing more to say. */
  #isRegistered({ name, uid }: ForeignService): boolean {
    return this.services.get(name)?.uid === uid;
  }

  /** Which documents of OpenAPI version 3 it has said to have, and where; undefined: it has not said. */
  indexOf(name: string): ReadonlyMap<string, string> | undefined {
    return this.#indices.get(name);
  }

  learnIndex(service: ForeignService, index: ReadonlyMap<string, string>): void {
    if (this.#isRegistered(service)) this.#indices.set(service.name, index);
  }

  /** Its document of OpenAPI version 2. */
  swaggerOf(name: string): JsonObject | undefined {
    return this.#swaggers.get(name)?.document;
  }

  /** By which it knows the document again. */
  swaggerTagOf(name: string): string | undefined {
    return this.#swaggers.get(name)?.tag;
  }

  learnSwagger(service: ForeignService, document: JsonObject, tag: string | undefined): void {
    if (!this.#isRegistered(service)) return;
    this.#swaggers.set(service.name, { document, tag });
    this.#generation += 1;
  }
}

function registeredVersionOf({ spec }: APIService): readonly RegisteredVersion[] {
  if (!spec) return [];
  const { group = '', version = '', groupPriorityMinimum, versionPriority } = spec;
  return [{ group, version, groupPriority: groupPriorityMinimum, versionPriority }];
}

function foreignServiceOf({ metadata, spec, status }: APIService): ForeignService | undefined {
  const { service, group = '', version = '', caBundle, insecureSkipTLSVerify = false } = spec ?? {};
  if (!spec || !service) return undefined;
  return {
    name: metadata.name ?? '',
    uid: metadata.uid ?? '',
    group,
    version,
    groupPriority: spec.groupPriorityMinimum,
    versionPriority: spec.versionPriority,
    isAvailable:
      status?.conditions?.some((one) => one.type === 'Available' && one.status === 'True') ?? false,
    service: {
      namespace: service.namespace ?? '',
      name: service.name ?? '',
      port: service.port ?? HTTPS_PORT,
    },
    ...(caBundle !== undefined && { caBundle }),
    isUnverified: insecureSkipTLSVerify,
  };
}
