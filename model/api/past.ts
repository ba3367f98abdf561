/** What became of every object, change by change: what an answer can be held against. */
import type { ApiObject } from '../../sim/api/object.ts';

export interface Version {
  readonly revision: number;
  readonly before: ApiObject | undefined;
  /** Undefined: it was deleted. */
  readonly after: ApiObject | undefined;
}

/** Older changes are forgotten: no request takes so long. */
const MOST = 400;

export class Past {
  /** Somebody acts in another's name. */
  hasTwins = false;
  readonly #versions = new Map<string, Version[]>();
  /** Uids of all that there ever was, and those that more than one has had. */
  readonly #uids = new Set<string>();
  readonly #repeated = new Set<string>();

  stored(key: string, version: Version): void {
    const versions = this.#versions.get(key);
    if (!versions) this.#versions.set(key, [version]);
    else {
      versions.push(version);
      if (versions.length > 2 * MOST) versions.splice(0, MOST);
    }
    if (version.before || !version.after) return;
    const { uid = '' } = version.after.metadata;
    if (this.#uids.has(uid)) this.#repeated.add(uid);
    this.#uids.add(uid);
  }

  /** Whether more than one object has had this uid. */
  hasTwice(uid: string): boolean {
    return this.#repeated.has(uid);
  }

  of(key: string): readonly Version[] {
    return this.#versions.get(key) ?? [];
  }

  changeAt(key: string, revision: number): Version | undefined {
    return this.of(key).find((version) => version.revision === revision);
  }

  /** All that it was at some time between two revisions, both included; undefined: it was not there. */
  between(key: string, from: number, to: number): readonly (ApiObject | undefined)[] {
    const versions = this.of(key);
    const within = versions.filter(({ revision }) => revision > from && revision <= to);
    const first = versions.findLast(({ revision }) => revision <= from);
    return [first ? first.after : within[0]?.before, ...within.map(({ after }) => after)];
  }
}
