/**
 * ValidatingAdmissionWebhook: everybody who is concerned is asked at once; the first refusal that comes counts.
 * Specification: not shown (Kubernetes 1.31).
 */
import { ApiError } from '../../../api/status.ts';
import type { Process } from '../../../engine/process.ts';
import type { ResourceVersion } from '../../registry/resource.ts';
import type { AdmissionAttributes, AdmissionPlugin } from '../admission.ts';
import { callWebhook } from './call-webhook.ts';
import { meteredCall } from './metered-call.ts';
import { failedClosed, outOfTime, WebhookFailure } from './call-failure.ts';
import { type ShownObjects, UnchangedObjects } from './shown-objects.ts';
import { isExempt, meetsConditions, versionFor } from './webhook-match.ts';
import type { WebhookInForce } from './webhook-source.ts';

export const validatingWebhooks: AdmissionPlugin = {
  name: 'ValidatingAdmissionWebhook',
  handles: (_operation, resource) => !isExempt({ resource }),
  isIdle: ({ webhooks }) => webhooks.inForce('validating').length === 0,
  validate: (attributes) => {
    const inForce = attributes.context.webhooks.inForce('validating');
    return inForce.length > 0 ? judge(attributes, inForce) : undefined;
  },
};

interface Concerned {
  readonly hook: WebhookInForce;
  readonly version: ResourceVersion;
}

function* judge(attributes: AdmissionAttributes, inForce: readonly WebhookInForce[]): Process<void> {
  const shown = new UnchangedObjects(attributes);
  const concerned: Concerned[] = [];
  for (const hook of inForce) {
    const version = versionFor(attributes, hook);
    if (version && (yield* meetsConditions(attributes, { hook, kind: 'validating', version, shown })))
      concerned.push({ hook, version });
  }
  const { surroundings, deadlineMs } = attributes.context;
  if (concerned.length === 0) return;
  if (surroundings.wallMs() >= deadlineMs) throw outOfTime();
  const refusals: unknown[] = [];
  const asking = concerned.map((each, index) => asked(attributes, each, { shown, index, refusals }));
  yield* together(attributes, asking);
  if (refusals.length > 0) throw refusals[0];
  // Nothing is done for a request whose time is over, whoever may fail to answer.
  if (surroundings.wallMs() >= deadlineMs) throw outOfTime();
}

interface Round {
  readonly shown: ShownObjects;
  readonly index: number;
  /** In the order in which they come. */
  readonly refusals: unknown[];
}

function* asked(
  attributes: AdmissionAttributes,
  { hook, version }: Concerned,
  { shown, index, refusals }: Round,
): Process<void> {
  const { context } = attributes;
  const { name, failurePolicy } = hook.webhook;
  const metered = meteredCall(attributes, 'validating', hook.webhook);
  try {
    const objects = yield* shown.in(version);
    yield* callWebhook({ attributes, hook, kind: 'validating', version, shown: objects });
    metered();
  } catch (error) {
    metered(error);
    if (error instanceof WebhookFailure && failurePolicy === 'Ignore')
      context.annotate(`failed-open.validating.webhook.admission.k8s.io/round_0_index_${index}`, name);
    else if (error instanceof WebhookFailure) refusals.push(failedClosed(name, error));
    else if (error instanceof ApiError) refusals.push(error);
    else throw error;
  }
}

/** Waits until all have come to their end. */
function* together({ context }: AdmissionAttributes, all: readonly Process<void>[]): Process<void> {
  const [only] = all;
  if (all.length === 1 && only) return yield* only;
  const { surroundings, deadlineMs } = context;
  let left = all.length;
  let wake = (): void => undefined;
  const ends = all.map((each) =>
    surroundings.start(
      counted(each, () => {
        left -= 1;
        if (left === 0) wake();
      }),
    ),
  );
  try {
    while (left > 0) {
      const timeoutMs = Math.max(1, deadlineMs - surroundings.wallMs());
      yield* surroundings.waitFor((woken) => {
        wake = woken;
        return () => undefined;
      }, timeoutMs);
    }
  } finally {
    for (const end of ends) end();
  }
}

function* counted(process: Process<void>, done: () => void): Process<void> {
  try {
    yield* process;
  } finally {
    done();
  }
}
