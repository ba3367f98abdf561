/** Quantities in objects: rounding of resource lists, comparison, and how messages print them. */
import { GoSyntax, goQuote } from '../../../../api/go-text.ts';
import {
  compareQuantities,
  formatQuantity,
  int64Value,
  isSmallQuantity,
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

/** Counted in thousandths, in 64 bits: what does not fit passes or not by what is left of it. */
export const isInteger = (text: string): boolean =>
  SHORT_INTEGER.test(text) || int64Value(text, MILLI) % 1000n === 0n;

/** Most amounts are. */
const SHORT_INTEGER = /^[0-9]{1,12}$/;

export const isGreater = (left: string, right: string): boolean =>
  compareQuantities(parseQuantity(left), parseQuantity(right)) > 0;

const GO_FORMAT: Readonly<Record<Quantity['format'], string>> = {
  DecimalSI: 'DecimalSI',
  BinarySI: 'BinarySI',
  DecimalExponent: 'DecimalExponent',
};

/** The text in a request, and the one that was made of it for a message. */
export interface SentQuantity {
  readonly text: string;
  readonly printed?: string;
}

const NO_AMOUNT = { value: 0n, scale: 0, pointer: '0xc000000000' };

/** `%#v` of a quantity, which shows how it was sent: as an integer with a scale, or as a decimal of any length. */
export function goQuantity(text: string, { text: sent, printed }: SentQuantity = { text }): GoSyntax {
  const exact = parseQuantity(sent);
  const quantity = roundUpQuantity(exact, MILLI);
  const isRounded = compareQuantities(exact, quantity) !== 0 || quantity.scale !== exact.scale;
  const { value, scale, pointer } = isSmallQuantity(sent)
    ? { value: quantity.unscaled, scale: quantity.scale, pointer: 'nil' }
    : NO_AMOUNT;
  const remembered = sent === '0' ? sent : isRounded ? '' : (exact.text ?? '');
  const shown = goQuote(printed ?? remembered);
  return new GoSyntax(
    `resource.Quantity{i:resource.int64Amount{value:${value}, scale:${scale}}, d:resource.infDecAmount{Dec:(*inf.Dec)(${pointer})}, s:${shown}, Format:"${GO_FORMAT[quantity.format]}"}`,
    JSON.stringify(formatQuantity(quantity)),
  );
}
