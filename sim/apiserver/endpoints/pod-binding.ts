/**
 * Binding a pod to a node, once: `pods/<name>/binding`, or the name in the body at `bindings`. It sets
 * the node's name and the condition PodScheduled; no managed field changes. Specification: "Subresources".
 */
import { structOf } from '../../api/catalog/builtin-types.ts';
import type { ApiObject } from "../../api/object.ts";
import { badRequest, conflict, notFound, plainError } from '../../api/status.ts';
import { formatTime } from '../../api/time-format.ts';
import type { Binding, Pod } from '../../api/types/core-v1.ts';
import { aggregateText, notSupported, required } from '../../api/validation/field-error.ts';
import { FieldPath } from '../../api/validation/field-path.ts';
import { invariant } from '../../engine/invariant.ts';
import type { Process } from '../../engine/process.ts';
import { type AdmissionAttributes, admit, validateAdmission } from '../admission/admission.ts';
import type { Endpoint } from '../endpoints.ts';
import type { Exchange } from '../exchange.ts';
import { writeOptionsOf } from '../options/write-options.ts';
import type { Resource } from '../registry/resource.ts';
import type { Draft } from '../registry/strategy.ts';
import { methodNotAllowed } from '../stages/route.ts';
import { decodeObject } from '../verbs/decode-object.ts';
import { ExchangeHookContext } from '../verbs/hook-context.ts';
import { respondCreated } from './respond-created.ts';
import { changeStored } from './stored-change.ts';

const TARGET = FieldPath.of('target');

export const bindingEndpoint: Endpoint = function* bindingEndpoint(exchange: Exchange): Process<void> {
  const { info, server, routed } = exchange;
  if (info.verb !== 'create') throw methodNotAllowed();
  const options = writeOptionsOf(exchange.request.query, 'CreateOptions');
  const expected = { group: '', version: 'v1', apiVersion: 'v1', kind: 'Binding', schema: structOf('v1.Binding'), goTypeName: 'core.Binding' };
  const draft = decodeObject(exchange, expected, options.fieldValidation);
  const binding = draft as ApiObject as Binding;
  const name = binding.metadata.name ?? '';
  if (info.name !== '' && name !== info.name) throw badRequest('name in URL does not match name in Binding object');
  const pods = server.registry.findByText('pods');
  invariant(pods !== undefined, 'every server has pods');
  const attributes: AdmissionAttributes = {
    operation: 'CREATE',
    resource: routed.resource,
    version: routed.version,
    subresource: info.subresource,
    namespace: info.namespace,
    name,
    object: draft,
    oldObject: undefined,
    isDryRun: options.isDryRun,
    context: new ExchangeHookContext(exchange, options.isDryRun),
    exchange,
  };
  yield* admit(attributes);
  checkBinding(binding);
  yield* validateAdmission(attributes);
  assign(exchange, pods, binding, options.isDryRun);
  respondCreated(exchange);
};

/** Findings are told without a reason here. */
function checkBinding({ target }: Binding): void {
  const errors = [];
  const { kind = '', name = '' } = target ?? {};
  if (kind !== '' && kind !== 'Node') errors.push(notSupported(TARGET.child('kind'), kind, ['Node', '<empty>']));
  if (name === '') errors.push(required(TARGET.child('name')));
  if (errors.length > 0) throw plainError(aggregateText(errors));
}

function assign(exchange: Exchange, pods: Resource, { metadata, target }: Binding, isDryRun: boolean): void {
  const { name = '', uid, resourceVersion, annotations } = metadata;
  const store = exchange.server.storeOf(pods);
  const key = store.key(exchange.info.namespace, name);
  if (!store.get(key)) throw notFound(pods, name);
  changeStored(exchange, {
    resource: pods,
    name,
    isDryRun,
    change: (draft, present) => {
      const pod = draft as Draft<Pod>;
      const own = present.metadata;
      const isOther = (uid && uid !== own.uid) || (resourceVersion && resourceVersion !== own.resourceVersion);
      if (isOther) {
        const what = uid && uid !== own.uid ? 'UID' : 'ResourceVersion';
        const [wanted = '', found = ''] = what === 'UID' ? [uid, own.uid] : [resourceVersion, own.resourceVersion];
        throw conflict(
          pods,
          name,
          `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: ${what} in precondition: ${wanted}, ${what} in object meta: ${found}`,
        );
      }
      const refusal = refusalOf(present as Pod);
      if (refusal) throw conflict({ group: '', resource: 'pods/binding' }, name, refusal);
      (pod.spec ??= { containers: [] }).nodeName = target.name ?? '';
      if (annotations) pod.metadata.annotations = { ...pod.metadata.annotations, ...annotations };
      setScheduled(pod, formatTime(exchange.receivedMs));
    },
  });
}

function refusalOf({ metadata, spec }: Pod): string | undefined {
  const { name = '' } = metadata;
  if (metadata.deletionTimestamp !== undefined) return `pod ${name} is being deleted, cannot be assigned to a host`;
  if (spec?.nodeName) return `pod ${name} is already assigned to node ${JSON.stringify(spec.nodeName)}`;
  if ((spec?.schedulingGates?.length ?? 0) > 0) return `pod ${name} has non-empty .spec.schedulingGates`;
  return undefined;
}

function setScheduled(pod: Draft<Pod>, now: string): void {
  const status = (pod.status ??= {});
  const conditions = (status.conditions ??= []);
  const known = conditions.find(({ type }) => type === 'PodScheduled');
  if (!known) {
    conditions.push({ type: 'PodScheduled', status: 'True', lastTransitionTime: now });
    return;
  }
  if (known.status !== 'True') known.lastTransitionTime = now;
  known.status = 'True';
  delete known.reason;
  delete known.message;
}
