/** Normalises one JSON value of a server: members by what they mean, all other strings as text. */
import { compareText, isObject } from './json-object.ts';
import type { Literals } from './literals.ts';
import { mark } from './placeholders.ts';
import { ipPlaceholder, type TextNormaliser } from './text-normaliser.ts';

const REVISION = /^[1-9]\d*$/;
const AGE = /^(\d+[smhdy])+$/;
const HASH = /^[\w+/]{11}=$/;
const IP = /^(\d{1,3}(\.\d{1,3}){3}|[0-9a-f]*(:[0-9a-f]*){2,7})$/i;
const PORT_MEMBERS: ReadonlySet<string> = new Set(['nodePort', 'healthCheckNodePort']);
const IP_MEMBERS: ReadonlySet<string> = new Set(['clusterIP', 'clusterIPs']);

type Members = Record<string, unknown>;

export class BodyNormaliser {
  readonly #text: TextNormaliser;
  readonly #literals: Literals;

  constructor(text: TextNormaliser, literals: Literals) {
    this.#text = text;
    this.#literals = literals;
  }

  /** `isBookmark`: the metadata are those of a collection. */
  normalise(value: unknown, isBookmark = false): unknown {
    return isBookmark && isObject(value) ? this.#object(value, true) : this.#any(value);
  }

  #any(value: unknown): unknown {
    if (typeof value === 'string') return this.#text(value);
    if (Array.isArray(value)) return value.map((item) => this.#any(item));
    return isObject(value) ? this.#object(value, hasListMetadata(value)) : value;
  }

  #object(value: Members, isCollection: boolean): Members {
    const isTable = value['kind'] === 'Table';
    const isOwnGroup = value['kind'] === 'APIResourceList' && this.#isOwn(value['groupVersion']);
    return this.#mapped(value, (key, item) => {
      if (key === 'metadata' && isObject(item)) return this.#metadata(item, isCollection);
      if (isTable && key === 'rows' && Array.isArray(item)) return item.map((row) => this.#row(row));
      if (isOwnGroup && key === 'resources' && Array.isArray(item)) return item.map((each) => this.#ownResource(each));
      return this.#member(key, item);
    });
  }

  /** Whether the case has made up a name. */
  #isOwn(name: unknown): boolean {
    return typeof name === 'string' && this.#text(name) !== name;
  }

  /** The storage version hash of a resource depends on a name that the case made up. */
  #ownResource(value: unknown): unknown {
    if (!isObject(value)) return this.#any(value);
    return this.#mapped(value, (key, item) =>
      key === 'storageVersionHash' && HASH.test(String(item)) ? '<hash>' : this.#member(key, item),
    );
  }

  #metadata(value: Members, isCollection: boolean): Members {
    return this.#mapped(value, (key, item) => {
      if (key === 'resourceVersion' && isCollection && isRevision(item)) return '<listrv>';
      if (key === 'continue' && typeof item === 'string' && item !== '') return '<continue>';
      if (key === 'managedFields' && Array.isArray(item)) return this.#any(sortedManagedFields(item));
      return this.#member(key, item);
    });
  }

  #member(key: string, value: unknown): unknown {
    if (key === 'resourceVersion' && isRevision(value)) return mark('rv', value);
    if (PORT_MEMBERS.has(key) && this.#isAllocatedPort(value)) return '<port>';
    if (IP_MEMBERS.has(key)) {
      return Array.isArray(value) ? value.map((item) => this.#address(item)) : this.#address(value);
    }
    return this.#any(value);
  }

  #address(value: unknown): unknown {
    return isAddress(value) && !this.#literals.ips.has(value) ? ipPlaceholder(value) : this.#any(value);
  }

  #isAllocatedPort(value: unknown): boolean {
    return Number.isInteger(value) && value !== 0 && !this.#literals.digits.has(String(value));
  }

  /** The cells of a Table's row tell ages. */
  #row(value: unknown): unknown {
    if (!isObject(value)) return this.#any(value);
    return this.#mapped(value, (key, item) => {
      if (key !== 'cells' || !Array.isArray(item)) return this.#any(item);
      return item.map((cell: unknown) => (typeof cell === 'string' && AGE.test(cell) ? '<age>' : this.#any(cell)));
    });
  }

  #mapped(value: Members, map: (key: string, item: unknown) => unknown): Members {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.#text(key), map(key, item)]));
  }
}

/** Addresses and ports that the server chose, anywhere in the values. */
export function allocatedIn(
  values: readonly unknown[],
  literals: Literals,
): { readonly ips: ReadonlySet<string>; readonly ports: ReadonlySet<string> } {
  const ips = new Set<string>();
  const ports = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isObject(value)) {
      for (const [key, item] of Object.entries(value)) {
        if (PORT_MEMBERS.has(key) && Number.isInteger(item) && item !== 0) ports.add(String(item));
        if (IP_MEMBERS.has(key)) for (const ip of [item].flat()) if (isAddress(ip)) ips.add(ip);
        visit(item);
      }
    }
  };
  values.forEach(visit);
  for (const literal of literals.ips) ips.delete(literal);
  for (const literal of literals.digits) ports.delete(literal);
  return { ips, ports };
}

/**
 * Managed fields are ordered by operation, then by time to the second, then by manager. Whether two
 * writes fall into one second is chance, so the entries of one operation are put in the order that
 * they have within one second.
 */
function sortedManagedFields(entries: readonly unknown[]): readonly unknown[] {
  const runs: unknown[][] = [];
  for (const entry of entries) {
    const run = runs.at(-1);
    if (run && operationOf(run[0]) === operationOf(entry)) run.push(entry);
    else runs.push([entry]);
  }
  return runs.flatMap((run) => run.sort((a, b) => compareText(managerKey(a), managerKey(b))));
}

const operationOf = (entry: unknown): unknown => (isObject(entry) ? entry['operation'] : undefined);

/** \0 is below every letter, so that the parts are compared one after the other. */
function managerKey(entry: unknown): string {
  if (!isObject(entry)) return '';
  return ['manager', 'apiVersion', 'subresource'].map((name) => textOr(entry[name], '')).join('\0');
}

const textOr = (value: unknown, otherwise: string): string => (typeof value === 'string' ? value : otherwise);

/** Lists, Tables and Statuses have the metadata of a collection. */
function hasListMetadata({ kind, items, metadata }: Members): boolean {
  if (kind === 'Table' || kind === 'Status') return true;
  return items !== undefined && isObject(metadata) && !metadata['name'] && !metadata['uid'];
}

const isRevision = (value: unknown): value is string => typeof value === 'string' && REVISION.test(value);
const isAddress = (value: unknown): value is string => typeof value === 'string' && IP.test(value);
