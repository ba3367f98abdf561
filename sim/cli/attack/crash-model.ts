/**
 * What clients of a server that crashes know: of each key the values that it may have, and of each version what it is
 * of. A write without an answer may have happened or not; one that was answered has, and one that was refused has not.
 */
export interface Broken {
  readonly kind: 'acknowledgedLost' | 'refusedKept' | 'versionReused';
  readonly text: string;
}

type Value = string | undefined;

const ABSENT = 'absent';

export class CrashModel {
  readonly broken: Broken[] = [];
  readonly #possible = new Map<string, Set<Value>>();
  readonly #refused = new Set<string>();
  /** By version: the key and its value. */
  readonly #versions = new Map<string, string>();
  #newestVersion = 0;

  /** The value of a key; `unsure` if a write of it was not answered. */
  present(key: string): { readonly value: Value } | 'unsure' {
    const possible = this.#of(key);
    return possible.size > 1 ? 'unsure' : { value: [...possible][0] };
  }

  acknowledged(key: string, value: Value): void {
    this.#possible.set(key, new Set([value]));
  }

  unanswered(key: string, value: Value): void {
    this.#of(key).add(value);
  }

  refused(value: Value): void {
    if (value !== undefined) this.#refused.add(value);
  }

  /** Somebody was told that a key had this value at this version. */
  saw(key: string, value: Value, version: string): void {
    const text = `${key}=${value ?? ABSENT}`;
    const known = this.#versions.get(version) ?? text;
    if (known !== text) this.#break('versionReused', `version ${version} was ${known} and is ${text}`);
    this.#versions.set(version, text);
    this.#newestVersion = Math.max(this.#newestVersion, Number(version));
    if (value !== undefined && this.#refused.has(value)) this.#break('refusedKept', text);
  }

  /** Everything there is after a restart. */
  restarted(state: ReadonlyMap<string, string>, version: string): void {
    if (Number(version) < this.#newestVersion)
      this.#break('acknowledgedLost', `version ${this.#newestVersion} was seen, the server is at ${version}`);
    for (const key of new Set([...this.#possible.keys(), ...state.keys()])) {
      const value = state.get(key);
      if (!this.#of(key).has(value)) this.#break(...this.#wrong(key, value));
      this.#possible.set(key, new Set([value]));
    }
  }

  #wrong(key: string, value: Value): readonly [Broken['kind'], string] {
    const expected = [...this.#of(key)].map((each) => each ?? ABSENT).join(' or ');
    const kind = value !== undefined && this.#refused.has(value) ? 'refusedKept' : 'acknowledgedLost';
    return [kind, `${key} is ${value ?? ABSENT}, not ${expected}`];
  }

  #of(key: string): Set<Value> {
    const known = this.#possible.get(key);
    if (known) return known;
    const fresh = new Set<Value>([undefined]);
    this.#possible.set(key, fresh);
    return fresh;
  }

  #break(kind: Broken['kind'], text: string): void {
    this.broken.push({ kind, text });
  }
}
