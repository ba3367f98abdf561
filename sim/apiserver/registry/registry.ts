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

/** The rows of a registry, found in several ways. */
class RowIndex {
  /** By plural name; different groups and versions seldom share one. */
  readonly byName: Map<string, readonly FoundResource[]>;
  readonly workedOn: Map<string, readonly FoundResource[]>;
  readonly byText: Map<string, Resource>;
  readonly groups: Map<string, number>;

  constructor(of?: RowIndex) {
    this.byName = new Map(of?.byName);
    this.workedOn = new Map(of?.workedOn);
    this.byText = new Map(of?.byText);
    this.groups = new Map(of?.groups);
  }

  add(resource: Resource): void {
    const { resource: name, workedOn } = resource;
    this.byText.set(resourceText(resource), resource);
    const found = [...resource.versions.values()].map((version) => ({ resource, version }));
    put(this.byName, name, found);
    if (workedOn) put(this.workedOn, name, [{ resource, version: workedOn }]);
    this.groups.set(resource.group, (this.groups.get(resource.group) ?? 0) + 1);
  }

  remove(resource: Resource): void {
    const { resource: name, group } = resource;
    this.byText.delete(resourceText(resource));
    const versions = [...resource.versions.values()];
    const others = (this.byName.get(name) ?? []).filter(
      ({ version }) => !versions.some((each) => isOf(version, each)),
    );
    if (others.length > 0) this.byName.set(name, others);
    else this.byName.delete(name);
    const left = (this.groups.get(group) ?? 1) - 1;
    if (left > 0) this.groups.set(group, left);
    else this.groups.delete(group);
  }
}

type GroupVersion = Pick<ResourceVersion, 'group' | 'version'>;

const isOf = ({ group, version }: GroupVersion, other: GroupVersion): boolean =>
  version === other.version && group === other.group;

/** What was there of the same group and version gives way. */
function put(
  rows: Map<string, readonly FoundResource[]>,
  name: string,
  found: readonly FoundResource[],
): void {
  const others = (rows.get(name) ?? []).filter(
    ({ version }) => !found.some((each) => isOf(version, each.version)),
  );
  rows.set(name, [...others, ...found]);
}

/** By the rows that a registry begins with: the same few are in all clusters of a process. */
const indexes = new WeakMap<readonly Resource[], RowIndex>();

function indexOf(resources: readonly Resource[]): RowIndex {
  const known = indexes.get(resources);
  if (known) return known;
  const index = new RowIndex();
  for (const resource of resources) index.add(resource);
  indexes.set(resources, index);
  return index;
}

export class Registry {
  readonly #first: readonly Resource[];
  /** That of all that begin alike, until something is added or removed. */
  #index: RowIndex;
  #generation: number;

  constructor(resources: readonly Resource[] = []) {
    this.#first = resources;
    this.#index = indexOf(resources);
    this.#generation = resources.length;
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
    this.#changed().add(resource);
  }

  remove(resource: Resource): void {
    this.#changed().remove(resource);
  }

  #changed(): RowIndex {
    if (this.unchanged) this.#index = new RowIndex(this.#index);
    this.#generation += 1;
    return this.#index;
  }

  find(group: string, version: string, resource: string): FoundResource | undefined {
    return findIn(this.#index.byName, group, version, resource);
  }

  /** The version that a resource is worked on in, and that nobody is served. */
  findWorkedOn(group: string, version: string, resource: string): FoundResource | undefined {
    return findIn(this.#index.workedOn, group, version, resource);
  }

  /** By text such as `deployments.apps` or `configmaps`. */
  findByText(text: string): Resource | undefined {
    return this.#index.byText.get(text);
  }

  /** The resource whose objects are of a kind. */
  findByKind(wanted: { group: string; version: string; kind: string }): Resource | undefined {
    for (const resource of this.#index.byText.values()) {
      for (const { group, version, kind } of resource.versions.values())
        if (group === wanted.group && version === wanted.version && kind === wanted.kind) return resource;
    }
    return undefined;
  }

  /** The `openAPIV3Schema` of a custom kind, as its definition declares it. */
  declaredSchema(kind: { group: string; version: string; kind: string }): JsonObject | undefined {
    for (const resource of this.#index.byText.values()) {
      if (resource.group !== kind.group || resource.kind !== kind.kind) continue;
      return resource.versions.get(kind.version)?.declaredSchema;
    }
    return undefined;
  }

  /** A group that definitions brought in, and nothing built in shares. */
  isCustomGroup(group: string): boolean {
    if (!this.hasGroup(group)) return false;
    for (const resource of this.#index.byText.values())
      if (resource.group === group && !resource.isCustom) return false;
    return true;
  }

  hasGroup(group: string): boolean {
    return this.#index.groups.has(group);
  }

  /** In the order in which they were added. */
  all(): Iterable<Resource> {
    return this.#index.byText.values();
  }
}

const findIn = (
  rows: ReadonlyMap<string, readonly FoundResource[]>,
  group: string,
  version: string,
  resource: string,
): FoundResource | undefined =>
  rows.get(resource)?.find((row) => row.version.version === version && row.version.group === group);
