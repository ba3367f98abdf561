/**
 * What a server charges quotas for at each write, beside the plain sums of what is there: things come, grow, shrink, are
 * counted anew, and what does not fit is refused and changes nothing.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { counts } from '../../../api/quota/amounts.ts';
import type { UsageRule } from '../../../api/quota/usage-rule.ts';
import type { ApiObject } from '../../../api/object.ts';
import type { ConfigMap, ResourceQuota } from '../../../api/types/core-v1.ts';
import { actsOn, holdsInAnyOrder } from '../../../engine/any-order.arbitrary.ts';
import { chargesOf } from './charge.ts';

const NAMES = ['things', 'weight', 'length'] as const;
type Sizes = Readonly<Record<(typeof NAMES)[number], number>>;
/** By quota. */
const HARD: Readonly<Record<string, Partial<Sizes>>> = {
  all: { things: 4, weight: 30, length: 50 },
  weight: { weight: 25 },
  others: { length: 40 },
};

const sizesOf = (thing: ApiObject): Sizes => {
  const { weight = '0', length = '0' } = (thing as ConfigMap).data ?? {};
  return { things: 1, weight: Number(weight), length: Number(length) };
};

const RULE: UsageRule = {
  countsUpdates: true,
  tracks: (name) => NAMES.some((each) => each === name),
  usageOf: (thing) => counts(sizesOf(thing)),
};

class Refused extends Error {}

class World {
  readonly #things = new Map<string, ConfigMap>();
  readonly #quotas = new Map<string, ResourceQuota>();

  constructor() {
    for (const name of Object.keys(HARD)) this.#count(name);
  }

  /** New, or of another size. */
  put(name: string, weight: number, length: number): void {
    const data = { weight: String(weight), length: String(length) };
    const object: ConfigMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data };
    const old = this.#things.get(name);
    const quotas = [...this.#quotas.values()];
    const fits = this.#fits(object, old);
    try {
      const charges = chargesOf({
        quotas,
        rule: RULE,
        object,
        old,
        nowMs: 0,
        refuse: (why) => new Refused(why),
      });
      expect(fits, `${name} fits`).toBe(true);
      for (const { quota, used } of charges) this.#say(quota, used);
      this.#things.set(name, object);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      expect(fits, `${name} fits: ${error.message}`).toBe(false);
    }
  }

  /** Somebody else counts what has gone. */
  remove(name: string): void {
    this.#things.delete(name);
    for (const quota of this.#quotas.keys()) this.#count(quota);
  }

  /** What grows has room. */
  #fits(object: ConfigMap, old: ConfigMap | undefined): boolean {
    const [now, before] = [sizesOf(object), old ? sizesOf(old) : { things: 0, weight: 0, length: 0 }];
    return Object.values(HARD).every((hard) =>
      NAMES.every((name) => this.#sum(name) + now[name] - before[name] <= (hard[name] ?? Infinity)),
    );
  }

  #sum(name: (typeof NAMES)[number]): number {
    return [...this.#things.values()].reduce((sum, thing) => sum + sizesOf(thing)[name], 0);
  }

  #count(name: string): void {
    const hard = HARD[name] ?? {};
    const limited = NAMES.filter((each) => each in hard);
    const texts = (of: (each: (typeof NAMES)[number]) => number) =>
      Object.fromEntries(limited.map((each) => [each, String(of(each))]));
    this.#quotas.set(name, {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name },
      status: { hard: texts((each) => hard[each] ?? 0), used: texts((each) => this.#sum(each)) },
    });
  }

  #say(quota: ResourceQuota, used: Readonly<Record<string, string>>): void {
    this.#quotas.set(quota.metadata.name ?? '', { ...quota, status: { ...quota.status, used } });
  }

  compare(): void {
    for (const [name, { status }] of this.#quotas) {
      const told = Object.fromEntries(
        Object.entries(status?.used ?? {}).map(([each, text]) => [each, Number(text)]),
      );
      const limited = NAMES.filter((each) => each in (HARD[name] ?? {}));
      expect(told, `what ${name} counts`).toEqual(
        Object.fromEntries(limited.map((each) => [each, this.#sum(each)])),
      );
    }
  }
}

const act = actsOn<World>();
const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const put = act('put', fc.tuple(name, fc.nat(14), fc.nat(20)), (world, drawn) => world.put(...drawn));

it('comes to what is there, and lets in what fits', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [put, put, put, act('remove', name, (world, of) => world.remove(of))],
    compare: (world) => world.compare(),
    most: 20,
    runs: 200,
  });
});
