/** What the resources of a container mean in bytes. Pure. */
import { approximateNumber, parseQuantity } from '../../api/quantity.ts';
import type { Container } from '../../api/types/core-v1.ts';

/** Bytes; undefined: without a limit. */
export const memoryLimitOf = ({ resources }: Container): number | undefined =>
  bytesOf(resources?.limits?.['memory']);

export function bytesOf(quantity: string | undefined): number | undefined {
  return quantity === undefined ? undefined : Math.floor(approximateNumber(parseQuantity(quantity)));
}
