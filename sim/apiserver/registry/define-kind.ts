/**
 * What a built-in kind is beyond its shape, in one value that its own file exports: how its objects are
 * checked and changed, where they are stored, how its versions differ, what its other paths do. The
 * catalog says the rest. What a definition leaves out is as with most kinds.
 */
import type { ApiObject } from '../../api/object.ts';
import type { Conversion } from '../conversion/conversion.ts';
import type { Endpoint } from '../endpoints/endpoints.ts';
import type { Deprecation, ScalePaths } from './resource.ts';
import type { Strategy } from './strategy.ts';

export interface KindDefinition<T extends ApiObject = ApiObject> {
  /** Absent: the core group. */
  readonly group?: string;
  /** Plural name in paths. */
  readonly resource: string;
  /** Absent: the generic one. */
  readonly strategy?: Strategy<T>;
  /** With the generic strategy: false where changes of the spec are not counted. */
  readonly countsGenerations?: false;
  /** Below `/registry/`, if not the plural name: the place that a real server uses, which messages show. */
  readonly storageDirectory?: string;
  /** Of its internal types, which messages show, if not the first label of the group. */
  readonly goPackage?: string;
  /** Where its versions differ in shape, or the stored one is not the preferred one. */
  readonly conversion?: Conversion;
  /** Where its objects keep what their Scale shows. */
  readonly scale?: ScalePaths;
  /** Deprecated without a version that takes its place, so that the catalog does not say so. */
  readonly deprecation?: Deprecation;
  /** Paths that do something of their own, by subresource; `''` is the resource itself. */
  readonly endpoints?: Readonly<Record<string, Endpoint>>;
  /** Texts about columns of its Table, by their names. */
  readonly columnDescriptions?: Readonly<Record<string, string>>;
}

/** For the type checker: hooks see objects of the kind. */
export const defineKind = <T extends ApiObject>(definition: KindDefinition<T>): KindDefinition<T> =>
  definition;

/** Of everything that runs replicas of a pod template. */
export const WORKLOAD_SCALE: ScalePaths = {
  specReplicas: ['spec', 'replicas'],
  statusReplicas: ['status', 'replicas'],
  selector: ['spec', 'selector'],
};
