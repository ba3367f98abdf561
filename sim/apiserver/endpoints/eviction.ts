/**
 * `pods/eviction`: a deletion that asks the disruption budgets first. Specification: "Virtual
 * resources" (not shown: Kubernetes 1.31).
 */
import type { Process } from '../../engine/process.ts';
import { checkDeleteOptions, isDryRunOf } from '../options/delete-options.ts';
import { ApiError, badRequest, notFound, plainError } from '../../api/status.ts';
import { disruptionTarget } from '../../api/pod/disruption-target.ts';
import { formatTime } from '../../api/time-format.ts';
import type { Pod, PodCondition } from '../../api/types/core-v1.ts';
import type { Eviction } from '../../api/types/policy-v1.ts';
import type { Exchange } from '../request/exchange.ts';
import { createOptionsOf } from '../options/create-options.ts';
import { atRevision, stored, thawed } from '../registry/storage-form.ts';
import type { DeleteOptions, DraftObject } from '../registry/strategy.ts';
import { respondPlain } from '../representation/respond.ts';
import { decodeObject } from '../verbs/decode-object.ts';
import { isEqualJson } from '../verbs/equal-json.ts';
import { checkNamespace } from '../verbs/create-object.ts';
import { checkPreconditions, deleteObject } from '../verbs/delete.ts';
import { managedFieldsOfEndpoint } from '../verbs/managed-fields.ts';
import { chargeBudget, MAX_TRIES, PAUSE_MS, stillProcessed } from './charge-budget.ts';
import { EndpointAdmission } from './endpoint-admission.ts';
import type { ResourceStore } from '../stores/resource-store.ts';

export function* eviction(exchange: Exchange): Process<void> {
  const { resource } = exchange.routed;
  const { info } = exchange;
  const options = createOptionsOf(exchange);
  const schema = exchange.types.structOf('policy/v1.Eviction');
  const expected = {
    group: 'policy',
    version: 'v1',
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    schema,
    goTypeName: 'policy.Eviction',
    alsoTakes: ['policy/v1beta1'],
  };
  const draft = decodeObject(exchange, expected, options.fieldValidation);
  draft.apiVersion = expected.apiVersion;
  checkNamespace(exchange, resource, draft.metadata);
  const admission = new EndpointAdmission(exchange, {
    operation: 'CREATE',
    draft,
    kind: expected,
    name: info.name,
    isDryRun: options.isDryRun,
    complete: (object) =>
      managedFieldsOfEndpoint(exchange, object, { ...expected, fieldManager: options.fieldManager }),
  });
  yield* admission.admit();
  const sent = draft as Eviction;
  if (sent.metadata.name !== info.name)
    throw badRequest('name in URL does not match name in Eviction object');
  const terms = termsOf(sent, options.isDryRun);
  yield* admission.validate();
  const pod = yield* presentUnlessFree(exchange, terms);
  if (pod) yield* removeByBudget(exchange, terms, pod);
  respondPlain(
    exchange,
    201,
    { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
    'meta.k8s.io/v1.Status',
  );
}

/** How a pod is to be deleted. */
interface Terms {
  readonly options: DeleteOptions;
  readonly isDryRun: boolean;
}

function termsOf({ deleteOptions }: Eviction, isDryRun: boolean): Terms {
  const options = (deleteOptions ?? {}) as DeleteOptions;
  const { dryRun = [] } = options;
  if (isDryRun && dryRun.length > 0 && dryRun.join() !== 'All')
    throw plainError(`Non-matching dry-run options in request and content: [All] and [${dryRun.join(' ')}]`);
  return { options, isDryRun: isDryRun || isDryRunOf(options) };
}

/**
 * Pods that do not run, or are going anyway, disrupt nothing: they are deleted at once, and there is none left to ask a budget about.
 * Who means another one, and no version of it, is thought to have been overtaken: it is tried for a while.
 */
function* presentUnlessFree(exchange: Exchange, terms: Terms): Process<Pod | undefined> {
  const mayRetry = terms.options.preconditions?.resourceVersion === undefined;
  for (let tries = 1; ; tries += 1) {
    const pod = presentPod(exchange);
    if (!passesAnyBudget(pod)) return pod;
    try {
      yield* remove(exchange, terms);
      return undefined;
    } catch (error) {
      if (!mayRetry || !isConflict(error) || tries === MAX_TRIES) throw error;
    }
    yield* exchange.server.surroundings.sleepMs(PAUSE_MS);
  }
}

function* removeByBudget(exchange: Exchange, { options, isDryRun }: Terms, pod: Pod): Process<void> {
  const sparing = yield* chargeBudget(exchange, pod, isDryRun);
  if (sparing === undefined) {
    yield* remove(exchange, { options, isDryRun });
    return;
  }
  const { preconditions } = options;
  const { resourceVersion = '' } = pod.metadata;
  const asItWas = { ...options, preconditions: { ...preconditions, resourceVersion } };
  try {
    yield* remove(exchange, { options: asItWas, isDryRun });
  } catch (error) {
    if (!isConflict(error) || preconditions?.resourceVersion !== undefined) throw error;
    throw stillProcessed(sparing);
  }
}

const isConflict = (error: unknown): boolean => error instanceof ApiError && error.reason === 'Conflict';

function presentPod({ server, info, routed: { resource } }: Exchange): Pod {
  const store = server.storeOf(resource);
  const entry = store.get(store.key(info.namespace, info.name));
  if (!entry) throw notFound({ group: '', resource: 'pods' }, info.name);
  return entry.value;
}

function passesAnyBudget({ metadata, status }: Pod): boolean {
  const phase = status?.phase ?? '';
  return (
    phase === 'Succeeded' ||
    phase === 'Failed' ||
    phase === 'Pending' ||
    metadata.deletionTimestamp !== undefined
  );
}

function* remove(exchange: Exchange, { options, isDryRun }: Terms): Process<void> {
  const { server, info, routed } = exchange;
  const asked = isDryRun
    ? { ...options, dryRun: ['All'] }
    : marked(exchange, server.storeOf(routed.resource), options);
  // What is wrong with them is found only now: the budget is charged and the pod is marked by then.
  checkDeleteOptions(options);
  // Whoever may evict may delete: nobody is asked about the deletion.
  yield* deleteObject(exchange, info.name, asked, { isAdmitted: true });
}

type Preconditions = NonNullable<DeleteOptions['preconditions']>;

const BY_EVICTION = { reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' };

/** The pod itself tells why it goes. Gives the options for its deletion: a version that they name is that of the mark. */
function marked(exchange: Exchange, store: ResourceStore, options: DeleteOptions): DeleteOptions {
  const { resource } = exchange.routed;
  const { name } = exchange.info;
  const entry = store.get(store.key(exchange.info.namespace, name));
  if (!entry) return options;
  const { preconditions } = options;
  checkPreconditions(resource, name, entry.value, { preconditions: saidIn(preconditions) });
  const draft = thawed(entry.value) as DraftObject & { status?: { conditions?: object[] } };
  const status = (draft.status ??= {});
  status.conditions = withCondition(
    status.conditions ?? [],
    disruptionTarget(entry.value as Pod, BY_EVICTION, formatTime(exchange.receivedMs)),
  );
  const next = stored(resource, draft);
  // Who is evicted again says so already: nothing is written that is not new.
  const written = isEqualJson(next, entry.value)
    ? entry.value
    : store.replace(entry.key, entry.modRevision, (revision) => atRevision(next, revision));
  if (!written || preconditions?.resourceVersion === undefined) return options;
  const { resourceVersion = '' } = written.metadata;
  return { ...options, preconditions: { ...preconditions, resourceVersion } };
}

/** The mark takes what is empty for not said; the deletion does not. */
const saidIn = ({ uid, resourceVersion }: Preconditions = {}): Preconditions => ({
  ...(uid && { uid }),
  ...(resourceVersion && { resourceVersion }),
});

/** Instead of one of its type, where that was, or as the last. */
function withCondition(known: readonly object[], condition: PodCondition): object[] {
  const isOfType = (other: object): boolean => Reflect.get(other, 'type') === condition.type;
  return known.some(isOfType)
    ? known.map((other) => (isOfType(other) ? condition : other))
    : [...known, condition];
}
