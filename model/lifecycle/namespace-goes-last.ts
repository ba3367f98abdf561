/** A namespace is gone only when nothing is in it any more. Specification: "Namespace". */
import type { ApiObject } from '../../sim/api/object.ts';
import type { NodeRule, Observation, RuleSettings } from '../nodes/observation.ts';

export class NamespaceGoesLast implements NodeRule {
  readonly #settings: RuleSettings;
  /** By namespace, then by uid. */
  readonly #content = new Map<string, Map<string, ApiObject>>();

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    if (observation.kind !== 'stored') return;
    const { at, before, after } = observation;
    const object = after ?? before;
    if (!object) return;
    const { namespace, name = '', uid = '' } = object.metadata;
    if (namespace) this.#note(namespace, uid, after);
    else if (object.kind === 'Namespace' && !after) this.#ended(at, name);
  }

  look(): void {
    // What is stored says all.
  }

  #note(namespace: string, uid: string, object: ApiObject | undefined): void {
    const known = this.#content.get(namespace) ?? new Map<string, ApiObject>();
    this.#content.set(namespace, known);
    if (object) known.set(uid, object);
    else known.delete(uid);
  }

  #ended(at: number, namespace: string): void {
    const left = [...(this.#content.get(namespace)?.values() ?? [])];
    const [first] = left;
    if (!first) return;
    const more = left.length > 1 ? ` and ${left.length - 1} more` : '';
    this.#settings.report(
      at,
      `namespace ${namespace} is gone, and ${first.kind} ${first.metadata.name ?? ''}${more} is still in it`,
    );
  }
}
