/**
 * Asks the disruption budget of a pod whether it may be evicted, and charges it: the server writes the budget's status as
 * its own client, so that whoever guards budgets has a say. Who was overtaken looks again.
 * Specification: "Virtual resources" (not shown: Kubernetes 1.31).
 */
import type { Pod } from '../../api/types/core-v1.ts';
import type { Condition } from '../../api/types/meta-k8s-io-v1.ts';
import type { PodDisruptionBudget } from '../../api/types/policy-v1.ts';
import { labelSelectorOf } from '../../api/selector/label-selector.ts';
import { ApiError, forbidden, notFound, plainError } from '../../api/status.ts';
import { formatTime } from '../../api/time-format.ts';
import type { Process } from '../../engine/process.ts';
import type { StoredEntry } from '../../storage/storage.ts';
import { storageResource } from '../registry/resource.ts';
import type { Exchange } from '../request/exchange.ts';
import { ownRequest, refusalIn } from '../request/own-request.ts';
import type { StoredObject } from '../stores/stored-object.ts';

const BUDGETS = 'poddisruptionbudgets.policy';
/** Seconds after which a budget that is not observed yet is worth another try. */
const RETRY_SECONDS = 10;
const MAX_DISRUPTED_PODS = 2_000;
/** Whoever is overtaken tries so often, … */
export const MAX_TRIES = 20;
/** … after such pauses. */
export const PAUSE_MS = 500;

/**
 * Name of a budget that the pod does not count for, as long as it is as it is; undefined: it may go in any case.
 *
 * @throws ApiError if the pod may not be evicted, or whoever is asked about the write refuses
 */
export function* chargeBudget(exchange: Exchange, pod: Pod, isDryRun: boolean): Process<string | undefined> {
  const { server, info } = exchange;
  const resource = server.registry.findByText(BUDGETS);
  if (!resource) return undefined;
  const store = server.storeOf(resource);
  const found = budgetOf(store.storage.range({ prefix: store.range(info.namespace) }).entries, pod);
  if (!found) return undefined;
  const name = found.value.metadata.name ?? '';
  if (isUnhealthyAndFree(pod, found.value)) return name;
  for (let tries = 1; ; tries += 1) {
    const budget = (tries === 1 ? found : store.get(found.key))?.value as PodDisruptionBudget | undefined;
    if (!budget) throw notFound(storageResource(resource), name);
    checkBudget(budget);
    if (isDryRun) return undefined;
    const response = yield* server.handle(
      ownRequest({
        method: 'PUT',
        path: `/apis/${budget.apiVersion}/namespaces/${info.namespace}/poddisruptionbudgets/${name}/status`,
        object: countedDown(budget, info.name, formatTime(server.surroundings.wallMs())),
      }),
    );
    const refusal = refusalIn(response);
    if (!refusal) return undefined;
    if (refusal.reason !== 'Conflict' || tries === MAX_TRIES) throw refusal;
    yield* server.surroundings.sleepMs(PAUSE_MS);
  }
}

function budgetOf(
  entries: readonly StoredEntry<StoredObject>[],
  { metadata: { labels = {} } }: Pod,
): StoredEntry<StoredObject> | undefined {
  const matching = entries.filter(({ value }) =>
    labelSelectorOf((value as PodDisruptionBudget).spec?.selector).matches(labels),
  );
  if (matching.length > 1) {
    throw plainError(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  return matching[0];
}

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === 'Ready' && value === 'True') === true;

/** A pod that is not ready may go if the budget is met without it, or if the policy says so. */
function isUnhealthyAndFree(pod: Pod, { spec, status }: PodDisruptionBudget): boolean {
  if (isReady(pod)) return false;
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return currentHealthy >= desiredHealthy && desiredHealthy > 0;
}

function checkBudget({ metadata, status }: PodDisruptionBudget): void {
  const {
    observedGeneration = 0,
    disruptionsAllowed = 0,
    desiredHealthy = 0,
    currentHealthy = 0,
    disruptedPods = {},
  } = status ?? {};
  const name = metadata.name ?? '';
  if (observedGeneration < (metadata.generation ?? 0)) throw stillProcessed(name);
  if (Object.keys(disruptedPods).length > MAX_DISRUPTED_PODS) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    throw forbidden({ group: 'policy', resource: 'poddisruptionbudget' }, name, why);
  }
  if (disruptionsAllowed <= 0) {
    throw tooMany(
      `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`,
    );
  }
}

export const stillProcessed = (budget: string): ApiError =>
  tooMany(`The disruption budget ${budget} is still being processed by the server.`, RETRY_SECONDS);

const tooMany = (message: string, retryAfterSeconds?: number): ApiError =>
  new ApiError({
    reason: 'TooManyRequests',
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: {
      causes: [{ reason: 'DisruptionBudget', message }],
      ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    },
  });

function countedDown(budget: PodDisruptionBudget, pod: string, now: string): PodDisruptionBudget {
  const { status } = budget;
  const left = (status?.disruptionsAllowed ?? 0) - 1;
  return {
    ...budget,
    status: {
      currentHealthy: 0,
      desiredHealthy: 0,
      expectedPods: 0,
      ...status,
      disruptionsAllowed: left,
      disruptedPods: { ...status?.disruptedPods, [pod]: now },
      ...(left === 0 && { conditions: exhausted(status, now) }),
    },
  };
}

/** Since when no pod may go is told anew only if one might have gone until now. */
function exhausted(status: PodDisruptionBudget['status'], now: string): Condition[] {
  const { conditions: known = [], observedGeneration = 0 } = status ?? {};
  const type = 'DisruptionAllowed';
  const before = known.find((condition) => condition.type === type);
  const condition: Condition = {
    type,
    status: 'False',
    reason: 'InsufficientPods',
    message: '',
    observedGeneration,
    lastTransitionTime: before?.status === 'False' ? before.lastTransitionTime : now,
  };
  return before ? known.map((other) => (other === before ? condition : other)) : [...known, condition];
}
