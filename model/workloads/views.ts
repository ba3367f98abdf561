/**
 * How old the view was that somebody acted on: from when on objects were written of which he had not heard when he sent
 * his request. Who was stopped, cut off or told late goes on with what he knew, and nobody calls back what he has asked for.
 */
import type { ApiObject } from '../../sim/api/object.ts';
import type { Observation, ObservationOf } from '../nodes/observation.ts';
import { nameOf } from './owned-pods.ts';

interface Write {
  readonly at: number;
  readonly revision: number;
}

export interface ViewsOptions {
  /** Of which kinds he should have heard. */
  readonly of: readonly string[];
  /** What he writes, such as `jobs`. */
  readonly writes: string;
}

const PATH = /^\/apis\/[^/]+\/[^/]+\/namespaces\/([^/]+)\/([^/]+)(?:\/([^/]+))?$/;

export class Views {
  readonly #writes: string;
  readonly #written: ReadonlyMap<string, Write[]>;
  /** The newest revision that somebody has heard of, by who and kind. */
  readonly #heard = new Map<string, number>();
  /** From when on who sent a body had missed something. */
  readonly #sent = new WeakMap<object, number>();
  /** The same of the request that a server has heard last for an object, by its name. */
  readonly #asked = new Map<string, number>();

  constructor({ of, writes }: ViewsOptions) {
    this.#writes = writes;
    this.#written = new Map(of.map((kind) => [kind, []]));
  }

  observe(observation: Observation): void {
    switch (observation.kind) {
      case 'stored':
        this.#store(observation);
        break;
      case 'objects-heard':
        this.#hear(observation);
        break;
      case 'request-sent':
        this.#send(observation);
        break;
      case 'request-heard':
        this.#ask(observation);
        break;
      case 'crashed':
        // Who begins anew asks for everything.
        for (const kind of this.#written.keys()) this.#heard.delete(`${observation.actor} ${kind}`);
        break;
      default:
      // Nothing else tells anybody anything.
    }
  }

  /** When the first was written that he had missed who wrote this object at last; `now`, if he knew all. */
  missedSince(written: ApiObject, now: number): number {
    return this.#asked.get(nameOf(written)) ?? now;
  }

  #store({ at, revision, before, after }: ObservationOf<'stored'>): void {
    this.#written.get((after ?? before)?.kind ?? '')?.push({ at, revision });
  }

  #hear({ by, objects, listed }: ObservationOf<'objects-heard'>): void {
    if (listed) this.#learn(by, listed.kind, listed.revision);
    for (const { kind = '', metadata } of objects) this.#learn(by, kind, Number(metadata.resourceVersion));
  }

  #learn(by: string, kind: string, revision: number): void {
    if (!this.#written.has(kind)) return;
    const key = `${by} ${kind}`;
    this.#heard.set(key, Math.max(this.#heard.get(key) ?? 0, revision));
  }

  #send({ at, by, body }: ObservationOf<'request-sent'>): void {
    if (typeof body === 'object' && body !== null) this.#sent.set(body, this.#missing(by, at));
  }

  #ask({ at, path, body }: ObservationOf<'request-heard'>): void {
    const [, namespace = '', resource, named] = PATH.exec(path) ?? [];
    if (resource !== this.#writes) return;
    const object = typeof body === 'object' && body !== null ? (body as ApiObject) : undefined;
    const name = named ?? object?.metadata.name ?? '';
    this.#asked.set(`${namespace}/${name}`, (object && this.#sent.get(object)) ?? at);
  }

  #missing(by: string, now: number): number {
    let since = now;
    for (const [kind, writes] of this.#written) {
      const known = this.#heard.get(`${by} ${kind}`);
      // Of whom nothing is known, nothing is excused.
      if (known === undefined) continue;
      const last = writes.findLastIndex(({ revision }) => revision <= known);
      since = Math.min(since, writes[last + 1]?.at ?? now);
    }
    return since;
  }
}
