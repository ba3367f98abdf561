/**
 * What one scheduler knew at a moment, in one life: what it has heard, and what it has decided itself and was not told to be
 * wrong about. News of the last instants count as perhaps: they may lie in a queue before it.
 */
import type { ApiObject } from '../../sim/api/object.ts';
import type { Node, Pod } from '../../sim/api/types/core-v1.ts';
import { hasEnded } from '../pod-facts.ts';
import type { Binding, Deletion, PlacedPod, SchedulingObservation } from './observation.ts';

/** Microseconds that news may wait before they are looked at. */
const FRESH = 20_000;
/** Microseconds for which a scheduler may go on with what it does for a pod that does not wait any more. */
const UNDER_WAY = 2_000_000;

interface Heard<T> {
  readonly object: T;
  readonly at: number;
  /** What was known before, while that may still count. */
  readonly before: readonly T[];
}

interface Own {
  readonly pod: Pod;
  readonly node: string;
  /** A fault may cost it its answer: then it is perhaps there. */
  readonly mayBeLost: boolean;
  isAnswered: boolean;
}

interface Past {
  readonly pod: Pod;
  readonly until: number;
}

/** A binding that it sends. */
interface Sent {
  readonly pod: string;
  readonly uid: string;
  readonly node: string;
}

const keyOf = ({ metadata: { namespace = '', name = '' } }: ApiObject): string => `${namespace}/${name}`;

export class SchedulerView {
  readonly #nodes = new Map<string, Heard<Node>>();
  readonly #pods = new Map<string, Heard<Pod>>();
  /** Its own bindings that it has not seen yet, by uid. */
  readonly #own = new Map<string, Own>();
  /** Pods that waited, by uid, and until when. */
  readonly #waited = new Map<string, Past>();
  /** Pods that are gone, or whose name another one has, by uid, and since when. */
  readonly #former = new Map<string, Past>();

  take(observation: SchedulingObservation): void {
    const { at } = observation;
    if (observation.kind === 'heard') for (const object of observation.objects) this.#heard(object, at);
    if (observation.kind === 'heard-gone') this.#gone(observation.object, at);
    if (observation.kind === 'heard-all') this.#replace(observation.of, observation.objects, at);
    if (observation.kind === 'bind-answered') this.#answered(observation.uid, observation.isBound);
    // Whether bindings under way have come about, it cannot know.
    if (observation.kind === 'disturbed')
      for (const [uid, { isAnswered }] of this.#own) if (!isAnswered) this.#own.delete(uid);
  }

  /** Undefined: nothing is known of the pod or of the node, or another one has its name by now: then it is refused. */
  binding({ pod: podKey, uid, node: nodeName }: Sent, at: number): Binding | undefined {
    const pod = this.#pods.get(podKey);
    const node = this.#nodes.get(nodeName);
    if (!pod || !node || pod.object.metadata.uid !== uid) return undefined;
    const nodes = at - node.at > FRESH ? [node.object] : [node.object, ...node.before];
    const sure: PlacedPod[] = [];
    const perhaps: PlacedPod[] = [];
    const there: Pod[] = [];
    const place = (placed: Pod, name: string, isSure: boolean): void => {
      const labels = this.#nodes.get(name)?.object.metadata.labels ?? {};
      perhaps.push({ pod: placed, labels });
      if (!isSure) return;
      sure.push({ pod: placed, labels });
      if (name === nodeName) there.push(placed);
    };
    for (const { object, at: heardAt } of this.#pods.values())
      if (object.spec?.nodeName) place(object, object.spec.nodeName, at - heardAt > FRESH);
    for (const { pod: own, node: name, mayBeLost, isAnswered } of this.#own.values())
      place(own, name, isAnswered || !mayBeLost);
    return { pod: pod.object, nodes, there, placed: sure, perhapsPlaced: perhaps };
  }

  bound({ pod: podKey, uid, node }: Sent, mayBeLost = false): void {
    const pod = this.#pods.get(podKey)?.object;
    if (pod?.metadata.uid === uid) this.#own.set(uid, { pod, node, mayBeLost, isAnswered: false });
  }

  deletion(podKey: string, at: number): Deletion | undefined {
    const victim = this.#pods.get(podKey);
    if (!victim) return undefined;
    const waiting = [...this.#pods.values()].filter(({ object }) => !object.spec?.nodeName);
    const before = [...this.#waited.values()].filter(({ until }) => at - until <= UNDER_WAY);
    return {
      // Deletions go by name: what began before the news of another one means the one before.
      victims: [victim.object, ...this.#formerOf(podKey, at)],
      waiting: [...waiting.map(({ object }) => object), ...before.map(({ pod }) => pod)],
    };
  }

  #heard(object: ApiObject, at: number): void {
    if (object.kind === 'Node') this.#remember(this.#nodes, object.metadata.name ?? '', object, at);
    if (object.kind !== 'Pod') return;
    const pod = object as Pod;
    if (hasEnded(pod)) {
      this.#gone(pod, at);
      return;
    }
    this.#leaves(keyOf(pod), pod, at);
    if (pod.spec?.nodeName && this.#own.delete(pod.metadata.uid ?? '')) at = -Infinity;
    this.#remember(this.#pods, keyOf(pod), pod, at);
  }

  /** A change of a pod that was on its node before is no news of where it is. */
  #remember<T extends ApiObject>(known: Map<string, Heard<T>>, key: string, object: T, at: number): void {
    const old = known.get(key);
    const isPlaced = (each: T | undefined): boolean => !!(each as Pod | undefined)?.spec?.nodeName;
    const since = object.kind === 'Pod' && old && isPlaced(old.object) && isPlaced(object) ? old.at : at;
    const before = old ? [old.object, ...(at - old.at > FRESH ? [] : old.before)] : [];
    known.set(key, { object, at: since, before: object.kind === 'Node' ? before : [] });
  }

  #formerOf(key: string, at: number): readonly Pod[] {
    return [...this.#former.values()].flatMap(({ pod, until }) =>
      keyOf(pod) === key && at - until <= UNDER_WAY ? [pod] : [],
    );
  }

  /** What waited until now. */
  #waitsNoMore(key: string, at: number): void {
    const known = this.#pods.get(key)?.object;
    if (known && !known.spec?.nodeName) remember(this.#waited, known, at);
  }

  /** What had the name until now; undefined: nobody has it afterwards. */
  #leaves(key: string, next: Pod | undefined, at: number): void {
    this.#waitsNoMore(key, at);
    const known = this.#pods.get(key)?.object;
    if (known && known.metadata.uid !== next?.metadata.uid) remember(this.#former, known, at);
  }

  #gone(object: ApiObject, at: number): void {
    if (object.kind === 'Node') this.#nodes.delete(object.metadata.name ?? '');
    if (object.kind !== 'Pod') return;
    this.#leaves(keyOf(object), undefined, at);
    this.#pods.delete(keyOf(object));
    this.#own.delete(object.metadata.uid ?? '');
  }

  #replace(kind: string, objects: readonly ApiObject[], at: number): void {
    const present = new Set(
      objects.map((object) => (kind === 'Node' ? (object.metadata.name ?? '') : keyOf(object))),
    );
    const known: Map<string, Heard<ApiObject>> = kind === 'Node' ? this.#nodes : this.#pods;
    for (const key of known.keys()) {
      if (present.has(key)) continue;
      if (kind === 'Pod') this.#leaves(key, undefined, at);
      known.delete(key);
    }
    // What it placed itself and is not in a list any more, has gone unseen.
    const uids = new Set(objects.map(({ metadata }) => metadata.uid ?? ''));
    if (kind === 'Pod') for (const uid of this.#own.keys()) if (!uids.has(uid)) this.#own.delete(uid);
    for (const object of objects) this.#heard(object, at);
  }

  #answered(uid: string, isBound: boolean): void {
    const own = this.#own.get(uid);
    if (!own) return;
    if (isBound) own.isAnswered = true;
    else this.#own.delete(uid);
  }
}

/** Those that ended first stand first, and go when they do not count any more. */
function remember(past: Map<string, Past>, pod: Pod, at: number): void {
  for (const [uid, { until }] of past) {
    if (at - until <= UNDER_WAY) break;
    past.delete(uid);
  }
  const { uid = '' } = pod.metadata;
  past.delete(uid);
  past.set(uid, { pod, until: at });
}
