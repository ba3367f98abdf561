/**
 * `pods/binding` and `bindings`: a pod gets its node. Specification: not shown (Kubernetes 1.31).
 */
import type { Process } from '../../engine/process.ts';
import { goQuote } from '../../api/go-text.ts';
import { badRequest, conflict, type FieldError, notFound, plainError } from '../../api/status.ts';
import { aggregateText, notSupported, required } from '../../api/validation/field-error.ts';
import { FieldPath } from '../../api/validation/field-path.ts';
import { pathSegmentName } from '../../api/validation/names.ts';
import { formatTime } from '../../api/time-format.ts';
import type { ApiObject } from '../../api/object.ts';
import type { Binding, Pod } from '../../api/types/core-v1.ts';
import type { Exchange } from '../request/exchange.ts';
import { createOptionsOf } from '../options/create-options.ts';
import { atRevision, stored, thawed } from '../registry/storage-form.ts';
import type { Draft } from '../registry/strategy.ts';
import { respondPlain } from '../representation/respond.ts';
import { decodeObject } from '../verbs/decode-object.ts';
import { managedFieldsOfEndpoint } from '../verbs/managed-fields.ts';
import { EndpointAdmission } from './endpoint-admission.ts';

export function* binding(exchange: Exchange): Process<void> {
  const { server, info } = exchange;
  const options = createOptionsOf(exchange);
  const expected = {
    group: '',
    version: 'v1',
    apiVersion: 'v1',
    kind: 'Binding',
    schema: exchange.types.structOf('v1.Binding'),
    goTypeName: 'core.Binding',
  };
  const draft = decodeObject(exchange, expected, options.fieldValidation);
  const sent = draft as ApiObject as Binding;
  if (sent.metadata.namespace && sent.metadata.namespace !== info.namespace) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  draft.metadata.namespace = info.namespace;
  const admission = new EndpointAdmission(exchange, {
    operation: 'CREATE',
    draft,
    kind: expected,
    name: info.name === '' ? (sent.metadata.name ?? '') : info.name,
    isDryRun: options.isDryRun,
    complete: (object) =>
      managedFieldsOfEndpoint(exchange, object, { ...expected, fieldManager: options.fieldManager }),
  });
  yield* admission.admit();
  const name = info.name === '' ? (sent.metadata.name ?? '') : info.name;
  if (info.name !== '' && sent.metadata.name !== info.name)
    throw badRequest('name in URL does not match name in Binding object');
  checkTarget(sent);
  yield* admission.validate();
  checkName(name);
  const resource = server.registry.findByText('pods');
  if (!resource) throw notFound({ group: '', resource: 'pods' }, name);
  const store = server.storeOf(resource);
  const entry = store.get(store.key(info.namespace, name));
  if (!entry) throw notFound({ group: '', resource: 'pods' }, name);
  const bound = boundPod(thawed(entry.value) as Draft<Pod>, sent, {
    key: options.isDryRun ? entry.key.replace('/registry', '') : entry.key,
    // Of `/bindings` nobody asks which pod of the name is meant.
    wanted: info.name === '' ? ['resourceVersion'] : ['uid', 'resourceVersion'],
    now: formatTime(exchange.receivedMs),
  });
  if (!options.isDryRun) {
    const next = stored(resource, bound);
    store.replace(entry.key, entry.modRevision, (revision) => atRevision(next, revision));
  }
  respondPlain(
    exchange,
    201,
    { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Success', code: 201 },
    'meta.k8s.io/v1.Status',
  );
}

function checkTarget({ target }: Binding): void {
  const { kind = '', name = '' } = target ?? {};
  const path = FieldPath.of('target');
  const errors: FieldError[] = [];
  if (kind !== '' && kind !== 'Node')
    errors.push(notSupported(path.child('kind'), kind, ['Node', '<empty>']));
  if (name === '') errors.push(required(path.child('name')));
  if (errors.length > 0) throw plainError(aggregateText(errors));
}

/** The pod's name makes a key of the storage. */
function checkName(name: string): void {
  if (name === '') throw badRequest('Name parameter required.');
  const [finding] = pathSegmentName(name);
  if (finding) throw badRequest(`Name parameter invalid: ${goQuote(name)}: ${finding}`);
}

interface BindingFacts {
  /** Of the storage, as messages show it. */
  readonly key: string;
  /** RFC 3339. */
  readonly now: string;
  readonly wanted: readonly (keyof typeof PRECONDITIONS)[];
}

const PRECONDITIONS = { uid: 'UID', resourceVersion: 'ResourceVersion' } as const;

function boundPod(
  pod: Draft<Pod>,
  { metadata, target }: Binding,
  { key, now, wanted }: BindingFacts,
): Draft<Pod> {
  const name = pod.metadata.name ?? '';
  const refuse = (why: string) => conflict({ group: '', resource: 'pods/binding' }, name, why);
  for (const member of wanted) {
    const [said, is = ''] = [metadata[member], pod.metadata[member]];
    if (!said || said === is) continue;
    const why = `${PRECONDITIONS[member]} in precondition: ${said}, ${PRECONDITIONS[member]} in object meta: ${is}`;
    const where = `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0`;
    throw conflict(
      { group: '', resource: 'pods' },
      name,
      `${where}, AdditionalErrorMsg: Precondition failed: ${why}`,
    );
  }
  if (pod.metadata.deletionTimestamp)
    throw refuse(`pod ${name} is being deleted, cannot be assigned to a host`);
  const spec = (pod.spec ??= { containers: [] });
  if (spec.nodeName) throw refuse(`pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`);
  if ((spec.schedulingGates ?? []).length > 0)
    throw refuse(`pod ${name} has non-empty .spec.schedulingGates`);
  spec.nodeName = target.name ?? '';
  Object.assign((pod.metadata.annotations ??= {}), metadata.annotations);
  if (Object.keys(pod.metadata.annotations).length === 0) delete pod.metadata.annotations;
  const status = (pod.status ??= {});
  const known = status.conditions ?? [];
  const old = known.find(({ type }) => type === 'PodScheduled');
  const isNews = old?.status !== 'True';
  const lastTransitionTime = (isNews ? undefined : old.lastTransitionTime) ?? now;
  const scheduled = { type: 'PodScheduled', status: 'True', lastTransitionTime };
  status.conditions = old ? known.map((each) => (each === old ? scheduled : each)) : [...known, scheduled];
  return pod;
}
