/**
 * Eviction: the deletion of a pod if its disruption budget allows it. An allowed disruption is counted
 * in the budget before the pod goes. Specification: "Subresources".
 */
import { structOf } from '../../api/catalog/builtin-types.ts';
import { labelSelectorOf } from '../../api/selector/label-selector.ts';
import { ApiError, badRequest, notFound, plainError } from '../../api/status.ts';
import { formatTime } from '../../api/time-format.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import type { Eviction, PodDisruptionBudget } from '../../api/types/policy-v1.ts';
import type { Process } from '../../engine/process.ts';
import { type AdmissionAttributes, admit, validateAdmission } from '../admission/admission.ts';
import type { Endpoint } from '../endpoints.ts';
import type { Exchange } from '../exchange.ts';
import { writeOptionsOf } from '../options/write-options.ts';
import type { DeleteOptions, Draft, DraftObject } from '../registry/strategy.ts';
import { methodNotAllowed } from '../stages/route.ts';
import { decodeObject } from '../verbs/decode-object.ts';
import { deleteObject } from '../verbs/delete.ts';
import { ExchangeHookContext } from '../verbs/hook-context.ts';
import { BodyError, parseBody, readBody } from '../verbs/read-body.ts';
import { respondCreated } from './respond-created.ts';
import { changeStored } from './stored-change.ts';

const REFUSED = "Cannot evict pod as it would violate the pod's disruption budget.";
const TWO_BUDGETS =
  'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
const RETRY_AFTER_SECONDS = 10;
/** A budget that has not caught up with so many disruptions gets no more. */
const MAX_DISRUPTED = 2_000;
const BUDGETS = 'poddisruptionbudgets.policy';

export const evictionEndpoint: Endpoint = function* evictionEndpoint(exchange: Exchange): Process<void> {
  const { info, server, routed } = exchange;
  if (info.verb !== 'create') throw methodNotAllowed();
  const options = writeOptionsOf(exchange.request.query, 'CreateOptions');
  const draft = decodeEviction(exchange, options.fieldValidation);
  const { metadata, deleteOptions = {} } = draft as Eviction;
  if (metadata.name !== info.name) throw badRequest('name in URL does not match name in Eviction object');
  const isDryRun = options.isDryRun || (deleteOptions.dryRun?.length ?? 0) > 0;
  const attributes: AdmissionAttributes = {
    operation: 'CREATE',
    resource: routed.resource,
    version: routed.version,
    subresource: info.subresource,
    namespace: info.namespace,
    name: info.name,
    object: draft,
    oldObject: undefined,
    isDryRun,
    context: new ExchangeHookContext(exchange, isDryRun),
    exchange,
  };
  yield* admit(attributes);
  yield* validateAdmission(attributes);
  const store = server.storeOf(routed.resource);
  const entry = store.get(store.key(info.namespace, info.name));
  if (!entry) throw notFound(routed.resource, info.name);
  const pod = entry.value as Pod;
  if (!ignoresBudgets(pod)) consult(exchange, pod, isDryRun);
  if (!isDryRun) markDisrupted(exchange);
  yield* deleteObject(exchange, info.name, {
    ...(deleteOptions as DeleteOptions),
    ...(isDryRun && { dryRun: ['All'] }),
  });
  respondCreated(exchange);
};

/** Both versions of the kind are taken, and one that does not say. */
function decodeEviction(exchange: Exchange, level: Parameters<typeof decodeObject>[2]): DraftObject {
  const version = saysBeta(exchange) ? 'v1beta1' : 'v1';
  const apiVersion = `policy/${version}`;
  const schema = structOf('policy/v1.Eviction');
  return decodeObject(exchange, { group: 'policy', version, apiVersion, kind: 'Eviction', schema, goTypeName: 'policy.Eviction' }, level);
}

function saysBeta(exchange: Exchange): boolean {
  const body = readBody(exchange);
  if (body.kind === 'protobuf') return body.type.apiVersion === 'policy/v1beta1';
  try {
    return parseBody(body).type.apiVersion === 'policy/v1beta1';
  } catch (error) {
    if (error instanceof BodyError) return false;
    throw error;
  }
}

/** Pods that are ending anyway, or have not begun. */
const ignoresBudgets = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp !== undefined || ['Succeeded', 'Failed', 'Pending'].includes(status?.phase ?? '');

/** @throws ApiError if the budget refuses */
function consult(exchange: Exchange, pod: Pod, isDryRun: boolean): void {
  const context = new ExchangeHookContext(exchange, isDryRun);
  const budgets = (context.lookupAll(BUDGETS, exchange.info.namespace) as readonly PodDisruptionBudget[]).filter(
    ({ spec }) => labelSelectorOf(spec?.selector).matches(pod.metadata.labels),
  );
  if (budgets.length > 1) throw plainError(TWO_BUDGETS);
  const [budget] = budgets;
  const resource = exchange.server.registry.findByText(BUDGETS);
  if (!budget || !resource || goesUncounted(pod, budget)) return;
  changeStored(exchange, {
    resource,
    name: budget.metadata.name ?? '',
    isDryRun,
    change: (draft) => countDown(draft as Draft<PodDisruptionBudget>, pod, formatTime(exchange.receivedMs)),
  });
}

/** A pod that is not ready takes nothing away from a budget that is kept without it. */
function goesUncounted({ status: podStatus }: Pod, { spec, status }: PodDisruptionBudget): boolean {
  const isReady = podStatus?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') ?? false;
  if (isReady) return false;
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

function countDown(budget: Draft<PodDisruptionBudget>, pod: Pod, now: string): void {
  const { name = '', generation = 0 } = budget.metadata;
  const status = (budget.status ??= { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 });
  if ((status.observedGeneration ?? 0) < generation) {
    throw tooManyRequests(`The disruption budget ${name} is still being processed by the server.`, RETRY_AFTER_SECONDS);
  }
  if (Object.keys(status.disruptedPods ?? {}).length > MAX_DISRUPTED) {
    throw forbiddenByBudget(name, 'DisruptedPods map too big - too many evictions not confirmed by PDB controller');
  }
  if (status.disruptionsAllowed < 0) throw forbiddenByBudget(name, 'pdb disruptions allowed is negative');
  if (status.disruptionsAllowed === 0) {
    const { desiredHealthy, currentHealthy } = status;
    throw tooManyRequests(`The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`);
  }
  status.disruptionsAllowed -= 1;
  (status.disruptedPods ??= {})[pod.metadata.name ?? ''] = now;
  if (status.disruptionsAllowed === 0) setExhausted(status, generation, now);
}

function setExhausted(status: NonNullable<Draft<PodDisruptionBudget>['status']>, generation: number, now: string): void {
  const conditions = (status.conditions ??= []);
  const known = conditions.find(({ type }) => type === 'DisruptionAllowed');
  const isSame = known?.status === 'False';
  const condition = {
    type: 'DisruptionAllowed',
    status: 'False',
    observedGeneration: generation,
    lastTransitionTime: isSame ? known.lastTransitionTime : now,
    reason: 'InsufficientPods',
    message: '',
  };
  if (known) Object.assign(known, condition);
  else conditions.push(condition);
}

const tooManyRequests = (message: string, retryAfterSeconds?: number): ApiError =>
  new ApiError({
    reason: 'TooManyRequests',
    message: REFUSED,
    details: {
      causes: [{ reason: 'DisruptionBudget', message }],
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    },
  });

const forbiddenByBudget = (name: string, why: string): ApiError =>
  new ApiError({
    reason: 'Forbidden',
    message: `poddisruptionbudget.policy ${JSON.stringify(name)} is forbidden: ${why}`,
    details: { name, group: 'policy', kind: 'poddisruptionbudget' },
  });

/** The pod says why it goes. */
function markDisrupted(exchange: Exchange): void {
  const { resource } = exchange.routed;
  const now = formatTime(exchange.receivedMs);
  changeStored(exchange, {
    resource,
    name: exchange.info.name,
    isDryRun: false,
    change: (draft) => {
      const status = ((draft as Draft<Pod>).status ??= {});
      const conditions = (status.conditions ??= []);
      if (conditions.some(({ type, status: value }) => type === 'DisruptionTarget' && value === 'True')) return;
      status.conditions = [
        ...conditions.filter(({ type }) => type !== 'DisruptionTarget'),
        {
          type: 'DisruptionTarget',
          status: 'True',
          lastTransitionTime: now,
          reason: 'EvictionByEvictionAPI',
          message: 'Eviction API: evicting',
        },
      ];
    },
  });
}
