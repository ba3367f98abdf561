/** The objects that a binding hands to its policy as parameters. */
import type { ApiObject } from '../../../api/object.ts';
import { labelSelectorOf } from '../../../api/selector/label-selector.ts';
import type { ParamKind, ParamRef } from '../../../api/types/admissionregistration-k8s-io-v1.ts';
import type { Resource } from '../../registry/resource.ts';
import type { AdmissionContext } from '../admission.ts';

/** Why there are no parameters to be had. */
export class ParamProblem extends Error {}

/** The kind of the parameters; undefined: the server has no such kind. */
export function paramResource(
  context: AdmissionContext,
  { apiVersion = '', kind = '' }: ParamKind,
): Resource | undefined {
  const slash = apiVersion.indexOf('/');
  const [group, version] =
    slash < 0 ? ['', apiVersion] : [apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
  return context.resourceOfKind({ group, version, kind });
}

/** As messages name a kind: `group/version, Kind=Kind`. */
export const kindText = ({ apiVersion = '', kind = '' }: ParamKind): string =>
  `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;

export interface ParamQuestion {
  readonly context: AdmissionContext;
  readonly resource: Resource;
  readonly ref: ParamRef;
  /** Of the request. */
  readonly namespace: string;
}

/** In their storage version. @throws ParamProblem */
export function paramsOf({ context, resource, ref, namespace }: ParamQuestion): readonly ApiObject[] {
  const { name, selector, parameterNotFoundAction } = ref;
  if (resource.isNamespaced && !ref.namespace && namespace === '')
    throw new ParamProblem(
      'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    );
  if (!resource.isNamespaced && ref.namespace)
    throw new ParamProblem('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  const store = context.storeOfResource(resource);
  const from = resource.isNamespaced ? (ref.namespace ?? namespace) : '';
  const found: ApiObject[] = [];
  if (name) {
    const param = store.get(store.key(from, name))?.value;
    if (param) found.push(param);
  } else if (selector) {
    const parsed = labelSelectorOf(selector);
    for (const { value } of store.storage.range({ prefix: store.range(from) }).entries)
      if (parsed.matches(value.metadata.labels ?? {})) found.push(value);
  } else throw new ParamProblem('one of name or selector must be provided');
  if (found.length === 0 && parameterNotFoundAction === 'Deny')
    throw new ParamProblem('no params found for policy binding with `Deny` parameterNotFoundAction');
  return found;
}
