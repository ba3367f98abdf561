/** The AdmissionReview that a webhook is sent, and what its answer says. Specification: not shown (Kubernetes 1.31). */
import { goQuote } from '../../../api/go-text.ts';
import type { JsonObject } from '../../../api/object.ts';
import type { ResourceVersion } from '../../registry/resource.ts';
import { type AdmissionAttributes, toldNamespace } from '../admission.ts';
import { requestName } from '../policies/request-value.ts';
import { answerInvalid, type Explanation } from './call-failure.ts';
import type { Shown } from './shown-objects.ts';
import type { WebhookKind } from './webhook-source.ts';

const GROUP = 'admission.k8s.io';
const KIND = 'AdmissionReview';

export type ReviewVersion = 'v1' | 'v1beta1';

/** The first that is known here. Undefined: the webhook speaks none of them. */
export const reviewVersionOf = (offered: readonly string[]): ReviewVersion | undefined =>
  offered.find((version): version is ReviewVersion => version === 'v1' || version === 'v1beta1');

export interface Review {
  readonly uid: string;
  readonly version: ReviewVersion;
  readonly body: JsonObject;
}

export interface ReviewOf {
  readonly attributes: AdmissionAttributes;
  /** In which the webhook sees the object. */
  readonly matched: ResourceVersion;
  readonly shown: Shown;
  readonly version: ReviewVersion;
  readonly uid: string;
}

export function reviewOf({ attributes, matched, shown, version, uid }: ReviewOf): Review {
  const { subresource, operation, isDryRun, context, resource, view } = attributes;
  const { name: username, uid: userUid, groups, extra } = context.user;
  const kindIn = (each: Pick<ResourceVersion, 'group' | 'version' | 'kind'>): JsonObject => ({
    group: each.group,
    version: each.version,
    kind: each.kind,
  });
  const resourceIn = (each: ResourceVersion): JsonObject => ({
    group: each.group,
    version: each.version,
    resource: resource.resource,
  });
  const name = requestName(attributes);
  const namespace = toldNamespace(attributes);
  const request = {
    uid,
    kind: kindIn(view?.version ?? matched),
    resource: resourceIn(matched),
    ...(subresource && { subResource: subresource }),
    requestKind: kindIn(view?.version ?? attributes.version),
    requestResource: resourceIn(attributes.version),
    ...(subresource && { requestSubResource: subresource }),
    ...(name && { name }),
    ...(namespace && { namespace }),
    operation,
    userInfo: {
      username,
      ...(userUid && { uid: userUid }),
      ...(groups.length > 0 && { groups: [...groups] }),
      ...(extra && Object.keys(extra).length > 0 && { extra }),
    },
    object: (shown.object ?? null) as JsonObject | null,
    oldObject: (shown.oldObject ?? null) as JsonObject | null,
    dryRun: isDryRun,
    options: context.operationOptions(operation),
  };
  return {
    uid,
    version,
    body: { kind: KIND, apiVersion: `${GROUP}/${version}`, request },
  };
}

export interface ReviewAnswer {
  readonly isAllowed: boolean;
  /** Of type JSONPatch unless `patchType` says otherwise; decoded from base64. */
  readonly patch: string;
  readonly patchType: string;
  readonly explanation: Explanation | undefined;
  readonly auditAnnotations: Readonly<Record<string, string>>;
  readonly warnings: readonly string[];
}

interface Response {
  readonly uid?: string;
  readonly allowed?: boolean;
  readonly status?: Explanation;
  readonly patch?: string;
  readonly patchType?: string;
  readonly auditAnnotations?: Readonly<Record<string, string>>;
  readonly warnings?: readonly string[];
}

/** What was decoded, with the type that it says of itself. */
export interface ReceivedReview {
  readonly apiVersion: string;
  readonly kind: string;
  readonly response?: Response;
}

/** @throws WebhookFailure */
export function verifiedAnswer(
  { uid, version }: Review,
  { apiVersion, kind, response }: ReceivedReview,
  webhookKind: WebhookKind,
): ReviewAnswer {
  if (!response) throw answerInvalid('webhook response was absent');
  if (version === 'v1') {
    checkIdentity(uid, { apiVersion, kind, response });
    if (webhookKind === 'mutating') checkPatch(response);
    else checkNoPatch(response);
  }
  const patch = webhookKind === 'mutating' ? (response.patch ?? '') : '';
  return {
    isAllowed: response.allowed ?? false,
    patch: patch === '' ? '' : new TextDecoder().decode(bytesOfBase64(patch)),
    // Of old reviews nobody looks at it.
    patchType: version === 'v1' ? (response.patchType ?? '') : 'JSONPatch',
    explanation: response.status,
    auditAnnotations: response.auditAnnotations ?? {},
    warnings: response.warnings ?? [],
  };
}

function checkIdentity(uid: string, { apiVersion, kind, response }: ReceivedReview): void {
  if (response?.uid !== uid)
    throw answerInvalid(`expected response.uid=${goQuote(uid)}, got ${goQuote(response?.uid ?? '')}`);
  const wanted = `${GROUP}/v1, Kind=${KIND}`;
  const got = `${apiVersion || '/'}, Kind=${kind}`;
  if (got !== wanted) throw answerInvalid(`expected webhook response of ${wanted}, got ${got}`);
}

function checkPatch({ patch = '', patchType }: Response): void {
  if (patch !== '' && patchType === undefined)
    throw answerInvalid('webhook returned response.patch but not response.patchType');
  if (patch === '' && patchType !== undefined)
    throw answerInvalid('webhook returned response.patchType but not response.patch');
  if (patchType === '') throw answerInvalid('webhook returned invalid response.patchType of ""');
}

function checkNoPatch({ patch = '', patchType }: Response): void {
  if (patch !== '') throw answerInvalid('validating webhook may not return response.patch');
  if (patchType !== undefined) throw answerInvalid('validating webhook may not return response.patchType');
}

const bytesOfBase64 = (text: string): Uint8Array =>
  Uint8Array.from(atob(text.replace(/[\r\n]/g, '')), (digit) => digit.charCodeAt(0));
