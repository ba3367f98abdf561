/** Reviews are objects that are created, answered and forgotten: what they have in common. */
import { canonical } from '../../api/codec/canonical.ts';
import { atOnce } from '../../api/steps.ts';
import type { ApiObject } from '../../api/object.ts';
import type { FieldError } from '../../api/status.ts';
import { invalidError } from '../../api/validation/field-error.ts';
import type { Process } from '../../engine/process.ts';
import type { Exchange } from '../request/exchange.ts';
import { managedFieldsOfCreation } from '../verbs/managed-fields.ts';
import { createOptionsOf } from '../options/create-options.ts';
import type { DraftObject } from '../registry/strategy.ts';
import { respondTyped } from '../representation/respond.ts';
import { checkNamespace, wipeSystemMetadata } from '../verbs/create-object.ts';
import { expectedTypeOf } from '../verbs/body-type.ts';
import { decodeObject } from '../verbs/decode-object.ts';
import { EndpointAdmission } from './endpoint-admission.ts';

export interface Review {
  readonly draft: DraftObject;
  /** To be asked once the review has been found right. @throws ApiError */
  validate(): Process<void>;
}

/** The review that was sent, with its managed fields, as admission lets it through. @throws ApiError */
export function* readReview(exchange: Exchange): Process<Review> {
  const { resource, version } = exchange.routed;
  const options = createOptionsOf(exchange);
  const draft = decodeObject(exchange, expectedTypeOf(exchange.routed), options.fieldValidation);
  checkNamespace(exchange, resource, draft.metadata);
  wipeSystemMetadata(draft.metadata);
  atOnce(managedFieldsOfCreation(exchange, draft, options.fieldManager));
  const admission = new EndpointAdmission(exchange, {
    operation: 'CREATE',
    draft,
    kind: version,
    name: draft.metadata.name ?? '',
    isDryRun: options.isDryRun,
  });
  yield* admission.admit();
  return { draft, validate: () => admission.validate() };
}

/** Answers with the review and its status, said in the version that the server works on; `metadata` replaces what was sent. */
export function respondReview(
  exchange: Exchange,
  draft: DraftObject,
  metadata: object,
  members: object,
): void {
  const { resource, version } = exchange.routed;
  const { kind } = draft;
  const { spec } = resource.convert(draft, resource.storageApiVersion);
  const answer = { kind, apiVersion: resource.storageApiVersion, spec, ...members, metadata } as ApiObject;
  const object = canonical(version.schema, resource.convert(answer, version.apiVersion)) as ApiObject;
  respondTyped(exchange, 201, object, version);
}

/** Only who set what is kept of a review's metadata. */
export const managedOnly = ({ metadata: { managedFields } }: DraftObject): object =>
  managedFields ? { managedFields } : {};

/** The real server names no kind here. */
export const invalidReview = (exchange: Exchange, errors: readonly FieldError[]): Error =>
  invalidError({ group: exchange.routed.resource.group, kind: '' }, '', errors);
