/** Bootstrap tokens: secrets of a type of their own in `kube-system`, by which nodes join a cluster. Pure. */
import { decodeBase64 } from '../../api/codec/base64.ts';
import { parseTime, TimeFormatError } from '../../api/time-format.ts';
import type { Secret } from '../../api/types/core-v1.ts';

export const isBootstrapToken = ({ type, metadata }: Secret): boolean =>
  type === 'bootstrap.kubernetes.io/token' && metadata.namespace === 'kube-system';

/** Empty where there is none. */
export const tokenDatum = ({ data }: Secret, key: string): string =>
  new TextDecoder().decode(decodeBase64(data?.[key] ?? ''));

/** How long it counts, in ms; undefined: for ever. A time that nobody can read has passed. */
export function leftOf(secret: Secret, nowMs: number): number | undefined {
  const text = tokenDatum(secret, 'expiration');
  if (text === '') return undefined;
  try {
    return Math.max(0, parseTime(text).epochSeconds * 1000 - nowMs);
  } catch (error) {
    if (!(error instanceof TimeFormatError)) throw error;
    return 0;
  }
}
