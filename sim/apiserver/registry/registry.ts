/**
 * All resources that a server knows, found by group, version and plural name. Built-in rows are made
 * from the catalog when they are first asked for; custom resources come and go at run time.
 */
import type { JsonObject } from '../../api/object.ts';
import { type Resource, type ResourceVersion, resourceText } from './resource.ts';

export interface FoundResource {
  readonly resource: Resource;
  readonly version: ResourceVersion;
}

export class Registry {
  readonly #byPath = new Map<string, FoundResource>();
  readonly #workedOn = new Map<string, FoundResource>();
  readonly #byText = new Map<string, Resource>();
  readonly #groups = new Map<string, number>();
  readonly #first: readonly Resource[];
  #generation = 0;

  constructor(resources: readonly Resource[] = []) {
    this.#first = resources;
    for (const resource of resources) this.add(resource);
  }

  /** The very list that it began with, as long as nothing was added or removed: what follows from it can be shared. */
  get unchanged(): readonly Resource[] | undefined {
    return this.#generation === this.#first.length ? this.#first : undefined;
  }

  /** Rises with every change: discovery caches are good as long as it stays. */
  get generation(): number {
    return this.#generation;
  }

  add(resource: Resource): void {
    this.#generation += 1;
    this.#byText.set(resourceText(resource), resource);
    for (const version of resource.versions.values()) {
      this.#byPath.set(pathOf(version.group, version.version, resource.resource), { resource, version });
    }
    const { workedOn } = resource;
    if (workedOn) {
      const path = pathOf(workedOn.group, workedOn.version, resource.resource);
      this.#workedOn.set(path, { resource, version: workedOn });
    }
    this.#groups.set(resource.group, (this.#groups.get(resource.group) ?? 0) + 1);
  }

  remove(resource: Resource): void {
    this.#generation += 1;
    this.#byText.delete(resourceText(resource));
    for (const version of resource.versions.values()) {
      this.#byPath.delete(pathOf(version.group, version.version, resource.resource));
    }
    const left = (this.#groups.get(resource.group) ?? 1) - 1;
    if (left > 0) this.#groups.set(resource.group, left);
    else this.#groups.delete(resource.group);
  }

  find(group: string, version: string, resource: string): FoundResource | undefined {
    return this.#byPath.get(pathOf(group, version, resource));
  }

  /** The version that a resource is worked on in, and that nobody is served. */
  findWorkedOn(group: string, version: string, resource: string): FoundResource | undefined {
    return this.#workedOn.get(pathOf(group, version, resource));
  }

  /** By text such as `deployments.apps` or `configmaps`. */
  findByText(text: string): Resource | undefined {
    return this.#byText.get(text);
  }

  /** The resource whose objects are of a kind. */
  findByKind(wanted: { group: string; version: string; kind: string }): Resource | undefined {
    for (const resource of this.#byText.values()) {
      for (const { group, version, kind } of resource.versions.values())
        if (group === wanted.group && version === wanted.version && kind === wanted.kind) return resource;
    }
    return undefined;
  }

  /** The `openAPIV3Schema` of a custom kind, as its definition declares it. */
  declaredSchema(kind: { group: string; version: string; kind: string }): JsonObject | undefined {
    for (const resource of this.#byText.values()) {
      if (resource.group !== kind.group || resource.kind !== kind.kind) continue;
      return resource.versions.get(kind.version)?.declaredSchema;
    }
    return undefined;
  }

  /** A group that definitions brought in, and nothing built in shares. */
  isCustomGroup(group: string): boolean {
    if (!this.hasGroup(group)) return false;
    for (const resource of this.#byText.values())
      if (resource.group === group && !resource.isCustom) return false;
    return true;
  }

  hasGroup(group: string): boolean {
    return this.#groups.has(group);
  }

  /** In the order in which they were added. */
  all(): Iterable<Resource> {
    return this.#byText.values();
  }
}

const pathOf = (group: string, version: string, resource: string): string =>
  `${group}/${version}/${resource}`;
