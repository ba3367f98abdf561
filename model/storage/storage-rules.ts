/**
 * What has to hold of a storage while the releases of API servers change over it. Pure: it is told what was written in
 * which version, which releases run, and what a server saw of each object before and after it was replaced.
 * Specification: "Deprecation rules" 1, 2 and 4b.
 */
import { isMapping } from '../api/json.ts';

export const STORAGE_RULES = [
  'storage-versions-wait',
  'forms-stay',
  'stored-stays-readable',
  'upgrades-lose-nothing',
  'custom-objects-are-valid',
  'policies-hold',
] as const;
export type StorageRuleName = (typeof STORAGE_RULES)[number];

export interface StorageViolation {
  readonly rule: StorageRuleName;
  /** Virtual microseconds. */
  readonly at: number;
  readonly message: string;
}

export interface StoredWrite {
  readonly at: number;
  readonly key: string;
  /** In which it is stored now, and before. */
  readonly apiVersion: string;
  readonly before: string | undefined;
  /** Since when there is that version: `1.23`; undefined: nobody knows, or as far back as is known. */
  readonly introduced: string | undefined;
  /** Of the API servers that run. */
  readonly releases: readonly string[];
}

/** What a server made of a stored object; undefined: it could not read it. */
export interface SeenObject {
  readonly key: string;
  readonly object: unknown;
}

const numberOf = (release: string): number => Number(release.slice(release.indexOf('.') + 1));

export class StorageRules {
  readonly violations: StorageViolation[] = [];
  readonly #rules: ReadonlySet<StorageRuleName>;
  /** By key: the versions that it was stored in since releases last went back, but for the present one. */
  readonly #formerForms = new Map<string, Set<string>>();

  constructor(rules: readonly StorageRuleName[]) {
    this.#rules = new Set(rules);
  }

  /** From now on older forms are what is wanted again. */
  wentBack(): void {
    this.#formerForms.clear();
  }

  written({ at, key, apiVersion, before, introduced, releases }: StoredWrite): void {
    if (before === undefined || before === apiVersion) return;
    const oldest = Math.min(...releases.map(numberOf));
    // Of one release alone: the one before it, which it may be gone back to.
    const reader = releases.length > 1 && new Set(releases).size > 1 ? oldest : oldest - 1;
    if (introduced !== undefined && !apiVersion.includes('alpha') && numberOf(introduced) > reader)
      this.#say(
        'storage-versions-wait',
        at,
        `${key} is stored in ${apiVersion}, which 1.${reader} cannot read`,
      );
    // Servers of two releases store what each of them stores, as long as both are there.
    if (new Set(releases).size > 1) this.#formerForms.delete(key);
    else this.#changedForm(at, key, before, apiVersion);
  }

  #changedForm(at: number, key: string, before: string, apiVersion: string): void {
    const former = this.#formerForms.get(key) ?? new Set<string>();
    this.#formerForms.set(key, former.add(before));
    if (former.has(apiVersion))
      this.#say('forms-stay', at, `${key} was stored in ${before}, and is in ${apiVersion} again`);
    former.delete(apiVersion);
  }

  /** A server of another release looks at what the one before it has seen. */
  replaced(at: number, before: readonly SeenObject[], after: ReadonlyMap<string, SeenObject>): void {
    for (const { key, object } of before) {
      if (object === undefined) continue;
      const seen = after.get(key);
      if (!seen) this.#say('upgrades-lose-nothing', at, `${key} is gone`);
      else if (seen.object === undefined)
        this.#say('stored-stays-readable', at, `${key} cannot be read any more`);
      else {
        const lost = firstLoss(object, seen.object, '');
        if (lost !== undefined) this.#say('upgrades-lose-nothing', at, `${key} has lost ${lost}`);
      }
    }
  }

  #say(rule: StorageRuleName, at: number, message: string): void {
    if (this.#rules.has(rule)) this.violations.push({ rule, at, message });
  }
}

/** Zero values are as good as none: a release may have them where nothing was said. */
const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === '' || value === 0 || value === false;

/** Path of the first value that is not there any more, or is another one; what is there besides does not matter. */
function firstLoss(before: unknown, after: unknown, path: string): string | undefined {
  if (Object.is(before, after) || isNothing(before)) return undefined;
  if (path === '.apiVersion') return undefined;
  if (Array.isArray(before)) {
    if (!Array.isArray(after) || after.length < before.length) return path;
    for (const [index, item] of before.entries()) {
      const lost = firstLoss(item, after[index], `${path}[${index}]`);
      if (lost !== undefined) return lost;
    }
    return undefined;
  }
  if (!isMapping(before) || !isMapping(after)) return path;
  for (const [name, value] of Object.entries(before)) {
    const lost = firstLoss(value, after[name], `${path}.${name}`);
    if (lost !== undefined) return lost;
  }
  return undefined;
}
