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
  /** By version. */
  readonly #kinds = new Map<string, Set<string>>();

  stored(before: ApiObject | undefined, after: ApiObject | undefined): void {
    const object = after ?? before;
    if (!object) return;
    const { uid = '' } = object.metadata;
    if (!after) {
      this.#objects.delete(uid);
      return;
    }
    this.#objects.set(uid, after);
    if (before?.apiVersion !== after.apiVersion) this.#learnKind(after);
  }

  #learnKind({ apiVersion = '', kind }: ApiObject): void {
    const known = this.#kinds.get(apiVersion);
    if (known) known.add(kind);
    else this.#kinds.set(apiVersion, new Set([kind]));
  }

  /** The collector deletes little of all that there is. */
  at(namespace: string, name: string): readonly ApiObject[] {
    return [...this.#objects.values()].filter(
      ({ metadata }) => metadata.name === name && (metadata.namespace ?? '') === namespace,
    );
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
    const areKnown = ownerReferences.every(
      ({ apiVersion, kind }) => this.#kinds.get(apiVersion)?.has(kind) === true,
    );
    // Owners in namespaces cannot be looked up for an object without one.
    return areKnown && namespace !== undefined && this.ownersOf(object).length === 0;
  }
}

export class GarbageIsCollected implements NodeRule {
  readonly #settings: RuleSettings;
  readonly #present = new Present();
  /** What has owners, by uid: nothing else can be garbage. */
  readonly #owned = new Map<string, ApiObject>();
  /** Since when something is garbage, by uid. */
  readonly #since = new Map<string, number>();
  #hasChanged = false;
  #isWhole = true;
  #notBefore = 0;

  constructor(settings: RuleSettings) {
    this.#settings = settings;
  }

  observe(observation: Observation): void {
    if (observation.kind === 'stored') this.#stored(observation.before, observation.after);
    else if (observation.kind === 'control-plane') {
      this.#isWhole = observation.isWhole;
      this.#notBefore = observation.at + CONVALESCENCE;
    }
  }

  look(at: number): void {
    if (this.#hasChanged) this.#sort(at);
    if (!this.#isWhole) return;
    for (const [uid, found] of this.#since) {
      const object = this.#owned.get(uid);
      const since = Math.max(found, this.#notBefore);
      if (!object || at - since <= WITHIN + this.#settings.slack) continue;
      this.#since.set(uid, Number.POSITIVE_INFINITY);
      this.#settings.report(
        at,
        `${nameOf(object)} has no owner left for ${inSeconds(at - since)} and is still there`,
      );
    }
  }

  #stored(before: ApiObject | undefined, after: ApiObject | undefined): void {
    this.#present.stored(before, after);
    const uid = (after ?? before)?.metadata.uid ?? '';
    // Owners come and go, and what has owners changes; what was written besides changes nothing.
    if (!before || !after || after.metadata.ownerReferences || this.#owned.has(uid)) this.#hasChanged = true;
    if (after?.metadata.ownerReferences) this.#owned.set(uid, after);
    else this.#owned.delete(uid);
  }

  #sort(at: number): void {
    this.#hasChanged = false;
    for (const [uid, object] of this.#owned) {
      if (!this.#present.isGarbage(object)) this.#since.delete(uid);
      else if (!this.#since.has(uid)) this.#since.set(uid, at);
    }
    for (const uid of this.#since.keys()) if (!this.#owned.has(uid)) this.#since.delete(uid);
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
      this.#check(observation.at, observation.path, uidIn(observation.body));
    else if (observation.kind === 'stored') this.#present.stored(observation.before, observation.after);
  }

  look(): void {
    // What is asked for says all.
  }

  #check(at: number, path: string, meant: string | undefined): void {
    const [name = '', resource = ''] = path.split('/').reverse();
    const namespace = /\/namespaces\/([^/]+)\//.exec(path)?.[1] ?? '';
    // The plural of a kind begins as the kind does.
    const object = this.#present
      .at(namespace, name)
      .find(({ kind }) => resource.startsWith(kind.toLowerCase().slice(0, -1)));
    // Whoever has the name by now may be another one than is meant.
    if (!object || (meant !== undefined && meant !== object.metadata.uid)) return;
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

/** That a deletion insists on. */
function uidIn(body: unknown): string | undefined {
  const { preconditions } = (body ?? {}) as { readonly preconditions?: { readonly uid?: string } };
  return preconditions?.uid;
}
