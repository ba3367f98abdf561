/**
 * MutatingAdmissionWebhook: one after the other, each sees what those before it have made of the object. Whoever wants
 * to see what others change after it is called once more. Specification: not shown (Kubernetes 1.31).
 */
import { canonical } from '../../../api/codec/canonical.ts';
import { encodeJson } from '../../../api/codec/encode.ts';
import { internalError } from '../../../api/status.ts';
import { goQuote } from '../../../api/go-text.ts';
import { applyHookPatch, readHookPatch } from './hook-patch.ts';
import type { Process } from '../../../engine/process.ts';
import type { ResourceVersion } from '../../registry/resource.ts';
import { stored } from '../../registry/storage-form.ts';
import { isEqualJson } from '../../verbs/equal-json.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import type { ReviewAnswer } from './admission-review.ts';
import { callWebhook } from './call-webhook.ts';
import { meteredCall } from './metered-call.ts';
import { failedClosed, outOfTime, WebhookFailure } from './call-failure.ts';
import { type Reinvocation, reinvocationOf } from './reinvocation.ts';
import { type Shown, shownIn } from './shown-objects.ts';
import { decodedPatched, take } from './take-object.ts';
import { isExempt, meetsConditions, versionFor } from './webhook-match.ts';
import type { WebhookInForce } from './webhook-source.ts';

export const mutatingWebhooks: AdmissionPlugin = {
  name: 'MutatingAdmissionWebhook',
  replacesParts: true,
  handles: (_operation, resource) => !isExempt({ resource }),
  isIdle: ({ webhooks }) => webhooks.inForce('mutating').length === 0,
  admit: (attributes) => {
    const inForce = attributes.context.webhooks.inForce('mutating');
    return inForce.length > 0 ? inTurn(attributes, inForce) : undefined;
  },
};

function* inTurn(attributes: AdmissionAttributes, inForce: readonly WebhookInForce[]): Process<void> {
  const reinvocation = reinvocationOf(attributes);
  if (reinvocation.isAgain && reinvocation.lastOutput !== outputOf(attributes))
    reinvocation.requireRepeatable();
  try {
    for (const [index, hook] of inForce.entries()) {
      const version = versionFor(attributes, hook);
      if (!version) continue;
      const current = { in: (each: ResourceVersion) => shownIn(attributes, each) };
      if (!(yield* meetsConditions(attributes, { hook, kind: 'mutating', version, shown: current })))
        continue;
      // Whoever was not concerned at first stays so.
      if (reinvocation.isAgain && !reinvocation.repeats(hook.key)) continue;
      yield* oneOf(attributes, { hook, version, index, reinvocation });
    }
  } finally {
    reinvocation.lastOutput = outputOf(attributes);
  }
}

const outputOf = ({ object }: AdmissionAttributes): string => (object ? encodeJson(object) : '');

interface Turn {
  readonly hook: WebhookInForce;
  readonly version: ResourceVersion;
  readonly index: number;
  readonly reinvocation: Reinvocation;
}

function* oneOf(attributes: AdmissionAttributes, turn: Turn): Process<void> {
  const { context } = attributes;
  const { hook, index, reinvocation } = turn;
  const { name, failurePolicy, reinvocationPolicy } = hook.webhook;
  const place = `round_${reinvocation.isAgain ? 1 : 0}_index_${index}`;
  const noteMutation = (mutated: boolean): void =>
    context.annotate(
      `mutation.webhook.admission.k8s.io/${place}`,
      JSON.stringify({ configuration: hook.configuration, webhook: name, mutated }),
    );
  const metered = meteredCall(attributes, 'mutating', hook.webhook);
  let isChanged = false;
  let failure: WebhookFailure | undefined;
  try {
    isChanged = yield* changed(attributes, turn);
    metered();
  } catch (error) {
    metered(error);
    if (!(error instanceof WebhookFailure)) throw error;
    failure = error;
  } finally {
    noteMutation(isChanged);
  }
  if (isChanged) reinvocation.noteChange();
  if (reinvocationPolicy === 'IfNeeded') reinvocation.noteRepeatable(hook.key);
  if (!failure) return;
  if (failurePolicy !== 'Ignore') throw failedClosed(name, failure);
  context.annotate(`failed-open.mutation.webhook.admission.k8s.io/${place}`, name);
  if (context.surroundings.wallMs() >= context.deadlineMs) throw outOfTime();
}

/** Whether the webhook has changed the object. @throws WebhookFailure, ApiError */
function* changed(attributes: AdmissionAttributes, { hook, version }: Turn): Process<boolean> {
  const shown = yield* shownIn(attributes, version);
  const answer = yield* callWebhook({ attributes, hook, kind: 'mutating', version, shown });
  if (answer.patch === '') return false;
  return yield* patched(attributes, { hook, version, shown, answer });
}

interface Patched {
  readonly hook: WebhookInForce;
  readonly version: ResourceVersion;
  readonly shown: Shown;
  readonly answer: ReviewAnswer;
}

function* patched(
  attributes: AdmissionAttributes,
  { hook, version, shown, answer }: Patched,
): Process<boolean> {
  const patch = readHookPatch(answer.patch);
  if (patch.operations.length === 0) return false;
  const { name } = hook.webhook;
  if (!shown.object)
    throw internalError(
      `admission webhook ${goQuote(name)} attempted to modify the object, which is not supported for this operation`,
    );
  if (answer.patchType !== 'JSONPatch')
    throw new WebhookFailure(`unsupported patch type ${goQuote(answer.patchType)}`);
  const made = decodedPatched(attributes, version, applyHookPatch(encodeJson(shown.object), patch));
  const { resource, view } = attributes;
  const isSame = view
    ? isEqualJson(canonical(view.version.schema, made), shown.object)
    : isEqualJson(stored(resource, made), stored(resource, shown.object));
  const isRounded = roundsTimes(attributes);
  yield* take(attributes, made);
  return !isSame || isRounded;
}

/**
 * What a real server has written down of managers in this request has fractions of seconds, which its first way through JSON
 * takes away: to it that is a change. Custom objects are JSON all along.
 */
function roundsTimes(attributes: AdmissionAttributes): boolean {
  const { resource, view, object, oldObject } = attributes;
  const reinvocation = reinvocationOf(attributes);
  if (resource.isCustom || view || reinvocation.hasRounded) return false;
  reinvocation.hasRounded = true;
  const before = oldObject?.metadata.managedFields ?? [];
  return (object?.metadata.managedFields ?? []).some(
    (entry) => !before.some((known) => isEqualJson(known, entry)),
  );
}
