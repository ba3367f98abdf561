/**
 * An admission or conversion webhook that answers as it is told to: an actor of the network under its host name, so that it can be
 * slow, cut off, and crash like everybody else. It keeps what it was told through its crashes, as a file on its disk.
 */
import { bodyObject, type HttpAnswer, type HttpCall, objectBody } from '../api/http-call.ts';
import { serveHttp } from '../client/http-port.ts';
import type { Actor } from '../engine/actor.ts';
import type { Context } from '../engine/context.ts';
import type { Process } from '../engine/process.ts';
import type { Simulation } from '../engine/simulation.ts';
import { hours, type Micros } from '../engine/time.ts';

export const WEBHOOK_ANSWERS = ['allow', 'deny', 'patch', 'garbage', 'hang', 'wrong-uid', 'fail'] as const;
export type WebhookAnswer = (typeof WEBHOOK_ANSWERS)[number];

export interface WebhookScript {
  readonly answers: WebhookAnswer;
  /** Before each answer, by its own clock. */
  readonly delay?: Micros;
  /** Why it denies. */
  readonly message?: string;
  /** Operations of the JSON patch that it answers with. */
  readonly patch?: readonly unknown[];
  readonly warnings?: readonly string[];
}

/** What it was asked and is about to answer. */
export interface WebhookVerdict {
  readonly webhook: string;
  readonly request: ReviewRequest;
  readonly answers: WebhookAnswer;
}

export interface ReviewRequest {
  readonly uid: string;
  readonly operation: string;
  readonly dryRun?: boolean;
  readonly object?: { readonly metadata?: { readonly uid?: string } } | null;
}

interface ConversionRequest {
  readonly uid: string;
  readonly desiredAPIVersion: string;
  readonly objects: readonly object[];
}

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: ReviewRequest | ConversionRequest;
}

const HTTPS_PORT = 443;
const FOR_EVER = hours(1_000);

export class ScriptedWebhook {
  readonly actor: Actor;
  readonly name: string;
  #script: WebhookScript;
  readonly #onVerdict: (verdict: WebhookVerdict) => void;

  /** `name`: its host name, under which it answers HTTPS. */
  constructor(
    simulation: Simulation,
    name: string,
    script: WebhookScript,
    onVerdict: (verdict: WebhookVerdict) => void = () => undefined,
  ) {
    this.name = name;
    this.#script = script;
    this.#onVerdict = onVerdict;
    this.actor = simulation.actor(name, { start: (context) => this.#serve(context) });
  }

  /** From the next request on. */
  follow(script: WebhookScript): void {
    this.#script = script;
  }

  *#serve(context: Context): Process<void> {
    serveHttp(context, HTTPS_PORT, (call) => this.#answer(context, call));
  }

  *#answer(context: Context, call: HttpCall): Process<HttpAnswer> {
    const script = this.#script;
    const { answers, delay } = script;
    const review = bodyObject(call.body) as Review;
    const { uid } = review.request;
    if ('desiredAPIVersion' in review.request)
      context.trace('conversion', `${review.request.desiredAPIVersion} ${answers}`, { uid });
    else {
      context.trace('review', `${review.request.operation} ${answers}`, { uid });
      this.#onVerdict({ webhook: this.name, request: review.request, answers });
    }
    if (delay !== undefined) yield* context.sleep(delay);
    if (answers === 'hang') yield* context.sleep(FOR_EVER);
    if (answers === 'fail') return { status: 500, body: textBody('the webhook has failed') };
    if (answers === 'garbage') return { status: 200, body: textBody('garbage') };
    return {
      status: 200,
      body: objectBody({
        apiVersion: review.apiVersion,
        kind: review.kind,
        response:
          'desiredAPIVersion' in review.request
            ? conversionOf(script, review.request)
            : responseOf(script, uid),
      }),
    };
  }
}

/** Nothing but the version changes. */
function conversionOf({ answers, message }: WebhookScript, request: ConversionRequest): object {
  const { uid, desiredAPIVersion, objects } = request;
  return {
    uid: answers === 'wrong-uid' ? `not-${uid}` : uid,
    convertedObjects: objects.map((object) => ({ ...object, apiVersion: desiredAPIVersion })),
    result:
      answers === 'deny'
        ? { status: 'Failure', ...(message !== undefined && { message }) }
        : { status: 'Success' },
  };
}

const textBody = (text: string): { readonly kind: 'bytes'; readonly bytes: Uint8Array } => ({
  kind: 'bytes',
  bytes: new TextEncoder().encode(text),
});

function responseOf({ answers, message, patch = [], warnings }: WebhookScript, uid: string): object {
  return {
    uid: answers === 'wrong-uid' ? `not-${uid}` : uid,
    allowed: answers !== 'deny',
    ...(warnings && { warnings }),
    ...(answers === 'deny' && message !== undefined && { status: { message } }),
    ...(answers === 'patch' && { patchType: 'JSONPatch', patch: btoa(JSON.stringify(patch)) }),
  };
}
