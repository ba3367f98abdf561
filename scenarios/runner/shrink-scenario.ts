/**
 * Makes a scenario that fails as small as it gets while it still fails alike: fewer steps and faults, a smaller cluster,
 * less time, simpler manifests. It works on the scenario as a value and asks whoever runs it; it knows the language only so
 * far as to tell what may be left out and what may be less.
 */
import { formatDuration, parseDuration } from '../language/duration.ts';
import type { Json, JsonMap } from '../language/shape.ts';

export interface ShrinkOptions {
  readonly fails: (candidate: JsonMap) => Promise<boolean>;
  /** Runs that it may cost. */
  readonly attempts: number;
}

/** `spec.steps`, as members and items from the scenario down. */
type Place = readonly (string | number)[];

export async function shrinkScenario(scenario: JsonMap, options: ShrinkOptions): Promise<JsonMap> {
  return new Shrinking(scenario, options).run();
}

/** Lists of steps within a step. */
const INNER: readonly Place[] = [
  ['repeat', 'steps'],
  ['together', 'steps'],
  ['pages', 'between'],
];
/** Without these a step or a manifest is none: trying would only cost. */
const NEEDED: ReadonlySet<string> = new Set([
  'apiVersion',
  'kind',
  'name',
  'metadata',
  'steps',
  'from',
  'actor',
]);
/** Whoever tries brings chance along: without these the scenario would have another by itself. */
const OF_CHANCE = ['seed', 'choices'];
const SHORTER = [0.01, 0.1, 0.5];

class Shrinking {
  #current: JsonMap;
  #left: number;
  readonly #fails: ShrinkOptions['fails'];

  constructor(scenario: JsonMap, { fails, attempts }: ShrinkOptions) {
    this.#current = scenario;
    this.#fails = fails;
    this.#left = attempts;
  }

  async run(): Promise<JsonMap> {
    for (let before = ''; before !== JSON.stringify(this.#current) && this.#left > 0;) {
      before = JSON.stringify(this.#current);
      await this.#fewer(['spec', 'steps']);
      await this.#smallerCluster();
      await this.#eachStep(['spec', 'steps']);
    }
    await this.#members(
      ['spec'],
      new Set(['steps', 'cluster', 'exempt', 'checkers', 'always', 'description', ...OF_CHANCE]),
    );
    return this.#current;
  }

  async #tries(candidate: JsonMap): Promise<boolean> {
    if (this.#left <= 0) return false;
    this.#left--;
    if (!(await this.#fails(candidate))) return false;
    this.#current = candidate;
    return true;
  }

  #at(place: Place): Json | undefined {
    return place.reduce<Json | undefined>(
      (value, part) =>
        typeof value === 'object' && value !== null
          ? (value as Record<string | number, Json>)[part]
          : undefined,
      this.#current,
    );
  }

  /** Leaves out items of a list, first many, then single ones, those at the end first. */
  async #fewer(place: Place): Promise<void> {
    const length = (): number => (this.#at(place) as readonly Json[]).length;
    for (let size = Math.ceil(length() / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
      for (let end = length(); end > 0 && this.#left > 0; end -= size) {
        const items = this.#at(place) as readonly Json[];
        const start = Math.max(0, end - size);
        const kept = [...items.slice(0, start), ...items.slice(end)];
        if (kept.length > 0) await this.#tries(replaced(this.#current, place, kept));
      }
    }
  }

  async #smallerCluster(): Promise<void> {
    await this.#members(['spec', 'cluster'], new Set(['controllers', 'scheduler']));
    const cluster = this.#at(['spec', 'cluster']);
    if (!isMapping(cluster)) return;
    for (const [name, value] of Object.entries(cluster)) {
      if (typeof value !== 'number') continue;
      for (let less = 0; less < value; less++)
        if (await this.#tries(replaced(this.#current, ['spec', 'cluster', name], less))) break;
    }
  }

  /** Leaves out members of a mapping that need not be there. */
  async #members(place: Place, kept: ReadonlySet<string> = NEEDED): Promise<void> {
    const mapping = this.#at(place);
    if (!isMapping(mapping)) return;
    for (const name of Object.keys(mapping)) {
      if (!kept.has(name)) await this.#tries(replaced(this.#current, [...place, name], undefined));
    }
  }

  async #eachStep(place: Place): Promise<void> {
    const steps = this.#at(place);
    if (!Array.isArray(steps)) return;
    for (let index = steps.length - 1; index >= 0 && this.#left > 0; index--) {
      const step = [...place, index];
      for (const inner of INNER) {
        if (!Array.isArray(this.#at([...step, ...inner]))) continue;
        await this.#fewer([...step, ...inner]);
        await this.#eachStep([...step, ...inner]);
      }
      await this.#simpler(step, 0);
      await this.#shorter(step);
    }
  }

  /** Leaves out what is within, from the outside in. */
  async #simpler(place: Place, depth: number): Promise<void> {
    const value = this.#at(place);
    if (!isMapping(value) || depth > 6) return;
    for (const name of Object.keys(value)) {
      const inner = [...place, name];
      if (INNER.some(([verb]) => verb === name)) continue;
      const isGone = !NEEDED.has(name) && (await this.#tries(replaced(this.#current, inner, undefined)));
      if (!isGone) await this.#simpler(inner, depth + 1);
    }
  }

  /** Less time where a step says how long. */
  async #shorter(step: Place): Promise<void> {
    for (const name of ['advance', 'for', 'delay']) {
      const value = this.#at([...step, name]);
      const micros = typeof value === 'string' ? parseDuration(value) : undefined;
      if (micros === undefined) continue;
      for (const part of SHORTER) {
        const less = formatDuration(rounded(micros * part));
        if (less === value) break;
        if (await this.#tries(replaced(this.#current, [...step, name], less))) break;
      }
    }
  }
}

const isMapping = (value: Json | undefined): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const MILLISECOND = 1_000;
const rounded = (micros: number): number => {
  const unit = micros > 1_000 * MILLISECOND ? 1_000 * MILLISECOND : MILLISECOND;
  return Math.max(unit, Math.round(micros / unit) * unit);
};

/** The same with another value at a place; undefined: with none. */
function replaced(value: JsonMap, place: Place, by: Json | undefined): JsonMap {
  return withValue(value, place, by) as JsonMap;
}

function withValue(value: Json, [first, ...rest]: Place, by: Json | undefined): Json | undefined {
  if (first === undefined) return by;
  if (Array.isArray(value)) {
    return (value as readonly Json[]).flatMap((item, index) => {
      const inner = index === first ? withValue(item, rest, by) : item;
      return inner === undefined ? [] : [inner];
    });
  }
  if (!isMapping(value)) return value;
  const entries = Object.entries(value).flatMap(([name, member]): [string, Json][] => {
    const inner = name === first ? withValue(member, rest, by) : member;
    return inner === undefined ? [] : [[name, inner]];
  });
  return Object.fromEntries(entries);
}
