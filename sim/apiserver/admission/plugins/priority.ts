/**
 * Priority: pods take their number and preemption policy from their class, or from the default class;
 * the classes of the system stay, and there is one default. Specification: not shown (Kubernetes).
 */
import { forbidden } from '../../../api/status.ts';
import type { Pod, PodSpec } from '../../../api/types/core-v1.ts';
import type { PriorityClass } from '../../../api/types/scheduling-k8s-io-v1.ts';
import type { Draft, HookContext } from '../../registry/strategy.ts';
import { type AdmissionAttributes, type AdmissionPlugin, shownName } from '../admission.ts';

const CLASSES = 'priorityclasses.scheduling.k8s.io';
const SYSTEM_PREFIX = 'system-';
const PREEMPT = 'PreemptLowerPriority';

export const priority: AdmissionPlugin = {
  name: 'Priority',
  handles: (operation, { group, resource }, subresource) => {
    if (subresource !== '') return false;
    if (group === '' && resource === 'pods') return operation === 'CREATE' || operation === 'UPDATE';
    return group === 'scheduling.k8s.io' && resource === 'priorityclasses';
  },
  admit: (attributes) => {
    if (attributes.resource.resource !== 'pods') return;
    if (attributes.operation === 'CREATE') resolve(attributes);
    else keep(attributes);
  },
  validate: (attributes) => {
    const { operation, resource, name, object, context } = attributes;
    if (resource.resource !== 'priorityclasses') return;
    if (operation === 'DELETE') {
      // Of a whole collection nobody asks.
      if (context.nameInPath !== '' && name.startsWith(SYSTEM_PREFIX))
        throw forbidden(resource, name, 'this is a system priority class and cannot be deleted');
      return;
    }
    const sent = object as PriorityClass | undefined;
    const present = sent?.globalDefault ? defaultClass(attributes.context) : undefined;
    if (!present || present.metadata.name === sent?.metadata.name) return;
    throw forbidden(
      resource,
      name,
      `PriorityClass ${present.metadata.name ?? ''} is already marked as default. Only one default can exist`,
    );
  },
};

/** Of several, the one with the smallest value. */
function defaultClass(context: HookContext): PriorityClass | undefined {
  const classes = context.lookupAll(CLASSES, '') as readonly PriorityClass[];
  let found: PriorityClass | undefined;
  for (const candidate of classes) {
    if (candidate.globalDefault && (!found || candidate.value < found.value)) found = candidate;
  }
  return found;
}

interface Resolved {
  readonly name: string;
  readonly value: number;
  readonly policy: NonNullable<PodSpec['preemptionPolicy']>;
}

function resolve(attributes: AdmissionAttributes): void {
  const { object, resource, context } = attributes;
  const name = shownName(attributes);
  const { spec } = object as Draft<Pod>;
  if (!spec) return;
  const {
    name: className,
    value,
    policy,
  } = classOf(spec.priorityClassName ?? '', context, (why) => forbidden(resource, name, why));
  if (className !== '') spec.priorityClassName = className;
  if (spec.priority !== undefined && spec.priority !== value) {
    throw forbidden(
      resource,
      name,
      `the integer value of priority (${spec.priority}) must not be provided in pod spec; priority admission controller computed ${value} from the given PriorityClass name`,
    );
  }
  if (spec.preemptionPolicy !== undefined && spec.preemptionPolicy !== policy) {
    throw forbidden(
      resource,
      name,
      `the string value of PreemptionPolicy (${spec.preemptionPolicy}) must not be provided in pod spec; priority admission controller computed ${policy} from the given PriorityClass name`,
    );
  }
  spec.priority = value;
  spec.preemptionPolicy = policy;
}

function classOf(name: string, context: HookContext, refuse: (why: string) => Error): Resolved {
  if (name === '') {
    const found = defaultClass(context);
    return found
      ? { name: found.metadata.name ?? '', value: found.value, policy: found.preemptionPolicy ?? PREEMPT }
      : { name: '', value: 0, policy: PREEMPT };
  }
  const found = context.lookup(CLASSES, '', name) as PriorityClass | undefined;
  if (!found) throw refuse(`no PriorityClass with name ${name} was found`);
  return { name, value: found.value, policy: found.preemptionPolicy ?? PREEMPT };
}

/** An update that leaves the numbers out means the present ones. */
function keep({ object, oldObject }: AdmissionAttributes): void {
  const { spec } = object as Draft<Pod>;
  const oldPod: Pod | undefined = oldObject;
  const old = oldPod?.spec;
  if (!spec || !old) return;
  if (spec.priority === undefined && old.priority !== undefined) spec.priority = old.priority;
  if (spec.preemptionPolicy === undefined && old.preemptionPolicy !== undefined)
    spec.preemptionPolicy = old.preemptionPolicy;
}
