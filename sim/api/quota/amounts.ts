/** Lists of amounts by name, as quotas count them. */
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  quantityOf,
  subtractQuantities,
} from '../quantity.ts';

export type Amounts = ReadonlyMap<string, Quantity>;
export type AmountTexts = Readonly<Record<string, string>>;

export const amountsOf = (texts: AmountTexts | undefined): Amounts =>
  new Map(Object.entries(texts ?? {}).map(([name, text]) => [name, parseQuantity(text)]));

export const counts = (entries: Readonly<Record<string, number>>): Amounts =>
  new Map(Object.entries(entries).map(([name, count]) => [name, quantityOf(count)]));

/** All names of both. */
export function sumOf(one: Amounts, other: Amounts): Amounts {
  const sum = new Map(one);
  for (const [name, amount] of other) {
    const present = sum.get(name);
    sum.set(name, present ? addQuantities(present, amount) : amount);
  }
  return sum;
}

/** The larger amount of every name of both. */
export function largestOf(one: Amounts, other: Amounts): Amounts {
  const largest = new Map(one);
  for (const [name, amount] of other) {
    const present = largest.get(name);
    if (!present || compareQuantities(amount, present) > 0) largest.set(name, amount);
  }
  return largest;
}

/** What `now` has that `before` had not; what both have alike is left out. */
export function differenceOf(now: Amounts, before: Amounts): Amounts {
  const difference = new Map<string, Quantity>();
  for (const name of new Set([...now.keys(), ...before.keys()])) {
    const zero = quantityOf(0);
    const amount = subtractQuantities(now.get(name) ?? zero, before.get(name) ?? zero);
    if (amount.unscaled !== 0n) difference.set(name, amount);
  }
  return difference;
}

export const only = (amounts: Amounts, isWanted: (name: string) => boolean): Amounts =>
  new Map([...amounts].filter(([name]) => isWanted(name)));

/** Names whose amount is above the limit; names without a limit are free. */
export const namesAbove = (amounts: Amounts, limits: Amounts): ReadonlySet<string> =>
  new Set(
    [...amounts]
      .filter(([name, amount]) => {
        const limit = limits.get(name);
        return limit !== undefined && compareQuantities(amount, limit) > 0;
      })
      .map(([name]) => name),
  );

/** `configmaps=1,pods=2` */
export const amountsText = (amounts: Amounts): string =>
  [...amounts.keys()]
    .sort()
    .map((name) => `${name}=${formatQuantity(amounts.get(name) ?? quantityOf(0))}`)
    .join(',');

export const textsOf = (amounts: Amounts): AmountTexts =>
  Object.fromEntries([...amounts].map(([name, amount]) => [name, formatQuantity(amount)]));
