/**
 * What goes to a conversion webhook, and what counts as its answer, in the words of the real server. Pure.
 * Specification: not shown (Kubernetes 1.31).
 */
import { goQuote } from '../../../api/go-text.ts';
import type { ApiObject } from '../../../api/object.ts';
import type { BodyType } from '../../verbs/read-body.ts';

export const GROUP = 'apiextensions.k8s.io';
export const KIND = 'ConversionReview';
const KNOWN_VERSIONS = ['v1', 'v1beta1'] as const;

export type ConversionReviewVersion = (typeof KNOWN_VERSIONS)[number];

export interface ConversionReview {
  readonly uid: string;
  readonly version: ConversionReviewVersion;
  readonly body: object;
}

/** The answer says no, or is none; the message says why. */
export class ConversionRefused extends Error {
  override readonly name = 'ConversionRefused';
}

/** The first that the definition lists and the server knows. */
export const conversionReviewVersionOf = (listed: readonly string[]): ConversionReviewVersion =>
  listed.flatMap((version) => KNOWN_VERSIONS.filter((known) => known === version))[0] ?? 'v1';

export function conversionReviewOf(
  objects: readonly ApiObject[],
  desiredAPIVersion: string,
  { version, uid }: Pick<ConversionReview, 'version' | 'uid'>,
): ConversionReview {
  const body = {
    kind: KIND,
    apiVersion: `${GROUP}/${version}`,
    request: { uid, desiredAPIVersion, objects },
    // As Go writes what is empty.
    response: { uid: '', convertedObjects: null, result: { metadata: {} } },
  };
  return { uid, version, body };
}

export interface ConversionResponse {
  readonly uid?: string;
  readonly convertedObjects?: readonly unknown[];
  readonly result?: { readonly status?: string; readonly message?: string };
}

/** @throws ConversionRefused */
export function convertedObjectsOf(
  { uid, version }: ConversionReview,
  { kind, apiVersion }: BodyType,
  response: ConversionResponse | undefined,
): readonly unknown[] {
  const wanted = `${GROUP}/v1, Kind=${KIND}`;
  const got = `${apiVersion || '/'}, Kind=${kind}`;
  if (version === 'v1' && got !== wanted)
    throw new ConversionRefused(`expected webhook response of ${wanted}, got ${got}`);
  if (!response) throw new ConversionRefused('no response provided');
  if (version === 'v1' && response.uid !== uid)
    throw new ConversionRefused(`expected response.uid=${goQuote(uid)}, got ${goQuote(response.uid ?? '')}`);
  const { status = '', message = '' } = response.result ?? {};
  if (status !== 'Success')
    throw new ConversionRefused(message || `response.result.status was '${status}', not 'Success'`);
  return response.convertedObjects ?? [];
}
