/** Removes what a case has left on the server: the objects that it created, then its namespaces. */
import type { RawResponse } from './golden-case.ts';
import { isObject } from './json-object.ts';
import { getAt } from './json-pointer.ts';

const COLLECTION = /^(\/api\/v1|\/apis\/[^/]+\/[^/]+)(\/namespaces\/[^/]+\/[^/]+|\/(?!namespaces\/)[^/]+)$/;

/** Answered, and kept nowhere. */
const REVIEW = /\/[a-z]+reviews$/;

/** Sends a request as the administrator; the answer's body. */
export type Send = (method: string, path: string, body?: unknown) => unknown;

export class Cleaner {
  /** Oldest first. */
  readonly #objects: string[] = [];
  readonly #namespaces: string[] = [];
  readonly #send: Send;
  readonly #finalizesNamespaces: boolean;

  /** `finalizesNamespaces`: nobody else finishes their deletion. */
  constructor(send: Send, finalizesNamespaces: boolean) {
    this.#send = send;
    this.#finalizesNamespaces = finalizesNamespaces;
  }

  noteNamespace(name: string): void {
    this.#namespaces.push(name);
  }

  /** Remembers the object that a request created, if it created one. */
  noteAnswer(method: string, path: string, { status, body }: RawResponse): void {
    if (status !== 201 || path.includes('dryRun')) return;
    const [bare = ''] = path.split('?');
    const name = getAt(body, '/metadata/name');
    const isPost = method === 'POST' && COLLECTION.test(bare) && !REVIEW.test(bare) && typeof name === 'string' && name !== '';
    const object = isPost ? `${bare}/${name}` : method === 'PATCH' || method === 'PUT' ? bare : undefined;
    if (object === undefined) return;
    const namespace = /^\/api\/v1\/namespaces\/([^/]+)$/.exec(object)?.[1];
    if (namespace === undefined) this.#objects.push(object);
    else this.noteNamespace(namespace);
  }

  clean(): void {
    for (const path of this.#objects.reverse()) {
      const deleted = this.#send('DELETE', `${path}?gracePeriodSeconds=0`);
      if (getAt(deleted, '/metadata/finalizers/0') !== undefined) {
        this.#send('PATCH', path, { metadata: { finalizers: null } });
      }
    }
    for (const name of this.#namespaces) this.#deleteNamespace(`/api/v1/namespaces/${name}`);
  }

  #deleteNamespace(path: string): void {
    const namespace = this.#send('DELETE', path);
    if (!this.#finalizesNamespaces || !isObject(namespace) || namespace['kind'] !== 'Namespace') return;
    this.#send('PUT', `${path}/finalize`, { ...namespace, spec: { finalizers: [] } });
  }
}
