/**
 * `pods/eviction`: a deletion that asks the disruption budgets first. Specification: "Virtual
 * resources" (not shown: Kubernetes 1.31).
 */
import type { Process } from '../../engine/process.ts';
import { checkDeleteOptions, isDryRunOf } from '../options/delete-options.ts';
import { badRequest, notFound, plainError } from '../../api/status.ts';
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
import { chargeBudget } from './charge-budget.ts';
import { EndpointAdmission } from './endpoint-admission.ts';
import type { ResourceStore } from '../stores/resource-store.ts';

export function* eviction(exchange: Exchange): Process<void> {
  const { resource } = exchange.routed;
  const { info, server } = exchange;
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
  yield* admission.validate();
  const store = server.storeOf(resource);
  const entry = store.get(store.key(info.namespace, info.name));
  if (!entry) throw notFound({ group: '', resource: 'pods' }, info.name);
  const deleteOptions = (sent.deleteOptions ?? {}) as DeleteOptions;
  const { dryRun } = deleteOptions;
  if (options.isDryRun && dryRun && dryRun.join() !== 'All')
    throw plainError(`Non-matching dry-run options in request and content: [All] and [${dryRun.join(' ')}]`);
  const isDryRun = options.isDryRun || isDryRunOf(deleteOptions);
  const pod = entry.value as Pod;
  if (!passesAnyBudget(pod)) yield* chargeBudget(exchange, pod, isDryRun);
  const asked = isDryRun ? { ...deleteOptions, dryRun: ['All'] } : marked(exchange, store, deleteOptions);
  // What is wrong with them is found only now: the budget is charged and the pod is marked by then.
  checkDeleteOptions(deleteOptions);
  // Whoever may evict may delete: nobody is asked about the deletion.
  yield* deleteObject(exchange, info.name, asked, { isAdmitted: true });
  respondPlain(
    exchange,
    201,
    { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
    'meta.k8s.io/v1.Status',
  );
}

/** Pods that do not run, or are going anyway, disrupt nothing. */
function passesAnyBudget({ metadata, status }: Pod): boolean {
  const phase = status?.phase ?? '';
  return (
    phase === 'Succeeded' ||
    phase === 'Failed' ||
    phase === 'Pending' ||
    metadata.deletionTimestamp !== undefined
  );
}

const BY_EVICTION = { reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' };

/** The pod itself tells why it goes. Gives the options for its deletion: a version that they name is that of the mark. */
function marked(exchange: Exchange, store: ResourceStore, options: DeleteOptions): DeleteOptions {
  const { resource } = exchange.routed;
  const { name } = exchange.info;
  const entry = store.get(store.key(exchange.info.namespace, name));
  if (!entry) return options;
  checkPreconditions(resource, name, entry.value, options);
  const draft = thawed(entry.value) as DraftObject & { status?: { conditions?: object[] } };
  const status = (draft.status ??= {});
  status.conditions = withCondition(
    status.conditions ?? [],
    disruptionTarget(entry.value as Pod, BY_EVICTION, formatTime(exchange.receivedMs)),
  );
  const next = stored(resource, draft);
  // Who is evicted again says so already: nothing is written that is not new.
  if (isEqualJson(next, entry.value)) return options;
  const replaced = store.replace(entry.key, entry.modRevision, (revision) => atRevision(next, revision));
  const { preconditions } = options;
  if (!replaced || preconditions?.resourceVersion === undefined) return options;
  const { resourceVersion = '' } = replaced.metadata;
  return { ...options, preconditions: { ...preconditions, resourceVersion } };
}

/** Instead of one of its type, where that was, or as the last. */
function withCondition(known: readonly object[], condition: PodCondition): object[] {
  const isOfType = (other: object): boolean => Reflect.get(other, 'type') === condition.type;
  return known.some(isOfType)
    ? known.map((other) => (isOfType(other) ? condition : other))
    : [...known, condition];
}
