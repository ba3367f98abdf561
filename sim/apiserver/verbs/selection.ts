/** Which objects of a collection a list, watch or deletecollection is about. */
import type { ApiObject } from '../../api/object.ts';
import type { FieldSelector } from '../../api/selector/field-selector.ts';
import type { Exchange } from '../request/exchange.ts';
import type { ListOptions } from '../options/list-options.ts';
import type { Resource } from '../registry/resource.ts';
import type { Trigger } from '../watch-cache/trigger-index.ts';

export interface Selection {
  /** There are no selectors. */
  readonly isEverything: boolean;
  /** Expects objects in storage version. */
  matches(this: void, object: ApiObject): boolean;
  /** The one name that an object must have, if there is one. */
  readonly name?: string | undefined;
  /** The one value that a field must have by which watches are found. */
  readonly trigger?: Trigger | undefined;
}

/** Every agent watches the pods of its node. */
const NODE_OF_POD = 'spec.nodeName';

function triggerOf(
  { group, resource }: Resource,
  fieldSelector: FieldSelector | undefined,
): Trigger | undefined {
  if (group !== '' || resource !== 'pods') return undefined;
  const value = fieldSelector?.requiredValue(NODE_OF_POD);
  return value === undefined ? undefined : { field: NODE_OF_POD, value, valueOf: nodeNameOf };
}

const nodeNameOf = ({ spec }: ApiObject & { readonly spec?: { readonly nodeName?: string } }): string =>
  spec?.nodeName ?? '';

const EVERYTHING: Selection = { isEverything: true, matches: () => true };

export function selectionOf(
  exchange: Exchange,
  options: Pick<ListOptions, 'labelSelector' | 'fieldSelector'>,
): Selection {
  const { resource, version } = exchange.routed;
  const { labelSelector } = options;
  const fieldSelector = withPathName(exchange, options.fieldSelector);
  if (!labelSelector && !fieldSelector) return EVERYTHING;
  const trigger = triggerOf(resource, fieldSelector);
  return {
    isEverything: false,
    name: fieldSelector?.requiredValue('metadata.name'),
    trigger,
    matches: (object) => {
      // Of all pods few are on one node: the others are told apart by this alone.
      if (trigger && trigger.valueOf(object) !== trigger.value) return false;
      if (labelSelector && !labelSelector.matches(object.metadata.labels ?? {})) return false;
      return !fieldSelector || fieldSelector.matches(selectableFields(resource, object, version.apiVersion));
    },
  };
}

/** One name is asked for, and its namespace is known: more than one object cannot be meant. */
export const isOfOneKey = (
  { info, routed }: Exchange,
  { fieldSelector }: Pick<ListOptions, 'fieldSelector'>,
): boolean =>
  fieldSelector?.requiredValue('metadata.name') !== undefined &&
  (!routed.resource.isNamespaced ||
    (info.namespace || fieldSelector.requiredValue('metadata.namespace') || '') !== '');

/** A legacy watch of one object names it in the path. */
function withPathName({ info }: Exchange, selector: FieldSelector | undefined): FieldSelector | undefined {
  const name = info.isLegacyWatch ? info.name : '';
  if (name === '') return selector;
  return {
    requirements: [...(selector?.requirements ?? [])],
    text: selector?.text ?? '',
    isEverything: false,
    matches: (fields) => fields['metadata.name'] === name && (selector?.matches(fields) ?? true),
    requiredValue: (field) => (field === 'metadata.name' ? name : selector?.requiredValue(field)),
  };
}

function selectableFields(
  resource: Resource,
  object: ApiObject,
  apiVersion: string,
): Readonly<Record<string, string>> {
  const { name = '', namespace = '' } = object.metadata;
  const own = resource.strategy.selectableFields?.(object, apiVersion);
  return { 'metadata.name': name, 'metadata.namespace': namespace, ...own };
}
