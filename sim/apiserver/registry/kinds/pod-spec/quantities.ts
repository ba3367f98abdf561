/** Quantities in objects: rounding of resource lists, comparison, and how messages print them. */
import { GoSyntax, goQuote } from '../../../../api/go-text.ts';
import {
  compareQuantities,
  formatQuantity,
  parseQuantity,
  type Quantity,
  roundUpQuantity,
} from '../../../../api/quantity.ts';

export type ResourceList = Readonly<Record<string, string>>;

const MILLI = -3;

/** Nothing finer than a thousandth is kept; rounded up. */
export function roundToMilli(resources: Record<string, string>): void {
  for (const [name, text] of Object.entries(resources)) {
    const quantity = parseQuantity(text);
    const rounded = roundUpQuantity(quantity, MILLI);
    if (compareQuantities(quantity, rounded) !== 0) resources[name] = formatQuantity(rounded);
  }
}

/** The same for lists that may not be there. */
export function roundAll(...lists: readonly (Record<string, string> | null | undefined)[]): void {
  for (const list of lists) if (list) roundToMilli(list);
}

export const isInteger = (text: string): boolean => {
  const quantity = parseQuantity(text);
  return compareQuantities(quantity, roundUpQuantity(quantity, 0)) === 0;
};

export const isGreater = (left: string, right: string): boolean =>
  compareQuantities(parseQuantity(left), parseQuantity(right)) > 0;

const GO_FORMAT: Readonly<Record<Quantity['format'], string>> = {
  DecimalSI: 'DecimalSI',
  BinarySI: 'BinarySI',
  DecimalExponent: 'DecimalExponent',
};

/** `%#v` of a quantity. */
export function goQuantity(text: string): GoSyntax {
  const quantity = parseQuantity(text);
  const { unscaled, scale, format } = quantity;
  const shown = goQuote(formatQuantity(quantity));
  return new GoSyntax(
    `resource.Quantity{i:resource.int64Amount{value:${unscaled}, scale:${scale}}, d:resource.infDecAmount{Dec:(*inf.Dec)(nil)}, s:${shown}, Format:"${GO_FORMAT[format]}"}`,
  );
}
