/**
 * What the cluster makes by itself for something else, and what was deleted before its maker was told that it was there:
 * whoever lists again finds none, as he did before, and nobody tells him that it has gone. Here as in a real cluster it is
 * not made anew until what it is for is written, or its maker begins anew.
 */
import type { ApiObject } from '../../sim/api/object.ts';
import { nameOf } from '../workloads/owned-pods.ts';

const MAKERS = 'controller-manager/';
export type MadeByItself = 'Endpoints' | 'ServiceAccount' | 'ConfigMap';

/** Of these kinds each namespace has one, of that name. */
export const OF_NAMESPACES: ReadonlyMap<MadeByItself, string> = new Map([
  ['ServiceAccount', 'default'],
  ['ConfigMap', 'kube-root-ca.crt'],
]);

export class LostUntold {
  /** Uids, by who was told. */
  readonly #told = new Map<string, Set<string>>();
  /** By kind, namespace and name. */
  readonly #lost = new Set<string>();

  store(before: ApiObject | undefined, after: ApiObject | undefined): void {
    const object = (after ?? before) as ApiObject;
    if (object.kind === 'Service') this.#lost.delete(keyOf('Endpoints', nameOf(object)));
    else if (object.kind === 'Namespace') this.#wakeFor(object.metadata.name ?? '');
    else if (!isMadeByItself(object)) return;
    else if (after) this.#lost.delete(keyOf(object.kind, nameOf(object)));
    else this.#end(object);
  }

  hear(by: string, object: ApiObject): void {
    if (!by.startsWith(MAKERS) || !isMadeByItself(object)) return;
    const told = this.#told.get(by) ?? new Set<string>();
    this.#told.set(by, told.add(object.metadata.uid ?? ''));
  }

  forget(actor: string): void {
    if (this.#told.delete(actor)) this.#lost.clear();
  }

  /** `name` with its namespace. */
  isLost(kind: MadeByItself, name: string): boolean {
    return this.#lost.has(keyOf(kind, name));
  }

  #wakeFor(namespace: string): void {
    for (const [kind, name] of OF_NAMESPACES) this.#lost.delete(keyOf(kind, `${namespace}/${name}`));
  }

  #end(object: ApiObject): void {
    const { uid = '' } = object.metadata;
    if ([...this.#told.values()].some((told) => !told.has(uid)))
      this.#lost.add(keyOf(object.kind, nameOf(object)));
    for (const told of this.#told.values()) told.delete(uid);
  }
}

const keyOf = (kind: string | undefined, name: string): string => `${kind ?? ''} ${name}`;

const isMadeByItself = ({ kind = '', metadata: { name } }: ApiObject): boolean =>
  kind === 'Endpoints' || (name !== undefined && OF_NAMESPACES.get(kind as MadeByItself) === name);
