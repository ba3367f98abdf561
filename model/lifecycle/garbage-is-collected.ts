/**
 * What belongs to nobody any more goes: once all the owners of an object are gone, or never were, it is deleted within a
 * minute while the control plane is whole. What finalizers hold, and what names owners of kinds that nobody has seen, is nobody's business.
 * And only that is collected: the garbage collector deletes nothing that has an owner which stays.
 * Specification: "Owner references, garbage collection".
 */
import type { ApiObject } from '../../sim/api/object.ts';
import {
  CONVALESCENCE,
  inSeconds,
  SECOND,
  type NodeRule,
  type Observation,
  type RuleSettings,
} from '../nodes/observation.ts';

const COLLECTOR = 'system:serviceaccount:kube-system:generic-garbage-collector';
/** A kind that is new is followed within half a minute. */
const WITHIN = 90 * SECOND;

const nameOf = ({ kind, metadata: { namespace, name = '' } }: ApiObject): string =>
  `${kind} ${namespace ? `${namespace}/` : ''}${name}`;

/** What there is, by uid. */
class Present {
  readonly #objects = new Map<string, ApiObject>();
  readonly #kinds = new Set<string>();

  stored(before: ApiObject | undefined, after: ApiObject | undefined): void {
    if (after) {
      this.#objects.set(after.metadata.uid ?? '', after);
      this.#kinds.add(`${after.apiVersion} ${after.kind}`);
    } else if (before) this.#objects.delete(before.metadata.uid ?? '');
  }

  get all(): Iterable<ApiObject> {
    return this.#objects.values();
  }

  /** Owners that it has, and that can be owners of it. */
  ownersOf({ metadata }: ApiObject): readonly ApiObject[] {
    return (metadata.ownerReferences ?? []).flatMap(({ uid }) => {
      const owner = this.#objects.get(uid);
      const isInReach = !owner?.metadata.namespace || owner.metadata.namespace === metadata.namespace;
      return owner && isInReach ? [owner] : [];
    });
  }

  isGarbage(object: ApiObject): boolean {
    const { ownerReferences = [], deletionTimestamp, finalizers = [], namespace } = object.metadata;
    if (ownerReferences.length === 0 || deletionTimestamp !== undefined || finalizers.length > 0)
      return false;
    const areKnown = ownerReferences.every(({ apiVersion, kind }) =>
      this.#kinds.has(`${apiVersion} ${kind}`),
    );
    // Owners in namespaces cannot be looked up for an object without one.
    return areKnown && namespace !== undefined && this.ownersOf(object).length === 0;
  }
}

export class GarbageIsCollected implements NodeRule {
  readonly #settings: RuleSettings;
  readonly #present = new Present();
  readonly #since = new Map<ApiObject, number>();
  #isWhole = true;
  #notBefore = 0;

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    if (observation.kind === 'stored') this.#present.stored(observation.before, observation.after);
    else if (observation.kind === 'control-plane') {
      this.#isWhole = observation.isWhole;
      this.#notBefore = observation.at + CONVALESCENCE;
    }
  }

  look(at: number): void {
    const garbage = new Set([...this.#present.all].filter((object) => this.#present.isGarbage(object)));
    for (const object of this.#since.keys()) if (!garbage.has(object)) this.#since.delete(object);
    for (const object of garbage) {
      const since = Math.max(this.#since.get(object) ?? at, this.#notBefore);
      this.#since.set(object, since);
      if (!this.#isWhole || at - since <= WITHIN + this.#settings.slack) continue;
      this.#since.set(object, Number.POSITIVE_INFINITY);
      this.#settings.report(
        at,
        `${nameOf(object)} has no owner left for ${inSeconds(at - since)} and is still there`,
      );
    }
  }
}

export class OnlyGarbageIsCollected implements NodeRule {
  readonly #settings: RuleSettings;
  readonly #present = new Present();

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    if (
      observation.kind === 'request-heard' &&
      observation.user === COLLECTOR &&
      observation.method === 'DELETE'
    )
      this.#check(observation.at, observation.path);
    else if (observation.kind === 'stored') this.#present.stored(observation.before, observation.after);
  }

  look(): void {
    // What is asked for says all.
  }

  #check(at: number, path: string): void {
    const object = [...this.#present.all].find((each) => isAt(path, each));
    if (!object) return;
    const staying = this.#present
      .ownersOf(object)
      .find(({ metadata }) => metadata.deletionTimestamp === undefined);
    if (staying)
      this.#settings.report(
        at,
        `the garbage collector deletes ${nameOf(object)}, which ${nameOf(staying)} owns`,
      );
  }
}

/** The plural of a kind begins as the kind does. */
function isAt(path: string, { kind, metadata: { namespace, name = '' } }: ApiObject): boolean {
  const [last, resource = ''] = path.split('/').reverse();
  const isInNamespace = namespace
    ? path.includes(`/namespaces/${namespace}/`)
    : !path.includes('/namespaces/');
  return last === name && isInNamespace && resource.startsWith(kind.toLowerCase().slice(0, -1));
}
