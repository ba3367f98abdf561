/**
 * The admission of what endpoints of their own are asked: evictions, bindings, token requests, reviews, connections.
 * Plugins see, and may change, what was sent, in its own kind, under the resource of the path. It may be asked about
 * before anything is looked up, so that whoever guards a door sees also who knocks at a wrong one.
 * Specification: not shown (Kubernetes 1.31).
 */
import { canonical } from '../../api/codec/canonical.ts';
import type { JsonObject } from '../../api/object.ts';
import type { Process } from '../../engine/process.ts';
import type { AdmissionAttributes, AdmissionOperation, SubresourceView } from '../admission/admission.ts';
import { copied } from '../registry/storage-form.ts';
import type { DraftObject } from '../registry/strategy.ts';
import type { Exchange } from '../request/exchange.ts';
import { ExchangeHookContext } from '../verbs/hook-context.ts';

export interface EndpointRequest {
  readonly operation: AdmissionOperation;
  /** What was sent; plugins change it in place. */
  readonly draft: DraftObject;
  readonly kind: SubresourceView['version'];
  readonly name: string;
  readonly isDryRun: boolean;
  /** Its kind has no metadata, so that no selector of objects chooses it. */
  readonly isBare?: boolean;
  /** Puts into the draft what only plugins see of it. */
  readonly complete?: (draft: DraftObject) => void;
}

export class EndpointAdmission {
  readonly #exchange: Exchange;
  readonly #attributes: AdmissionAttributes;

  constructor(
    exchange: Exchange,
    { operation, draft, kind, name, isDryRun, isBare = false, complete }: EndpointRequest,
  ) {
    const { resource, version } = exchange.routed;
    let isComplete = complete === undefined;
    const view: SubresourceView = {
      version: kind,
      isBare,
      show(object) {
        if (!isComplete) complete?.(object as DraftObject);
        isComplete = true;
        return shownAs(kind, object, isBare);
      },
      take: (object, shown) => replaceMembers(object, copied(shown) as DraftObject, isBare),
    };
    this.#exchange = exchange;
    this.#attributes = {
      operation,
      resource,
      version,
      subresource: exchange.info.subresource,
      namespace: exchange.info.namespace,
      name,
      object: draft,
      oldObject: undefined,
      isDryRun,
      context: new ExchangeHookContext(exchange, isDryRun),
      view,
    };
  }

  /** Lets plugins change the draft. @throws ApiError */
  *admit(): Process<void> {
    const admitting = this.#exchange.server.admission.admit(this.#attributes);
    if (admitting) yield* admitting;
  }

  /** Lets plugins refuse it, once it has been found right. @throws ApiError */
  *validate(): Process<void> {
    const validating = this.#exchange.server.admission.validate(this.#attributes);
    if (validating) yield* validating;
  }
}

function shownAs({ schema, kind, apiVersion }: EndpointRequest['kind'], object: object, isBare: boolean) {
  const { metadata, ...members } = object as DraftObject;
  return canonical(schema, { ...members, kind, apiVersion, ...(!isBare && { metadata }) }) as DraftObject;
}

function replaceMembers(draft: DraftObject, made: DraftObject, isBare: boolean): void {
  const members: JsonObject = made as object as JsonObject;
  // Written out as null, but no member of what was sent.
  if (!isBare && made.metadata.creationTimestamp === null) delete made.metadata.creationTimestamp;
  for (const name of Object.keys(draft))
    if (!(name in members) && !(isBare && name === 'metadata')) Reflect.deleteProperty(draft, name);
  Object.assign(draft, members);
}
