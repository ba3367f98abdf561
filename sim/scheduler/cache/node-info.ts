/**
 * A node as the scheduler sees it: its object, the pods on it (assumed ones among them) and their sums, kept up to date
 * pod by pod. There may be pods on a node whose object is not known yet, or not any more.
 */
import type { Node, Pod, Taint } from '../../api/types/core-v1.ts';
import { type Amounts, amountsOf, countOf, NOTHING } from './amounts.ts';
import { collide, factsOf, type HostPort, type PodFacts } from './pod-facts.ts';

export interface PlacedPod {
  readonly pod: Pod;
  readonly facts: PodFacts;
}

const NO_TAINTS: readonly Taint[] = [];

export class NodeInfo {
  readonly name: string;
  /** In the order in which they came, by uid. */
  readonly pods = new Map<string, PlacedPod>();
  /** Those of them with affinities of any kind. */
  readonly withAffinity = new Map<string, PlacedPod>();
  readonly withAntiAffinity = new Map<string, PlacedPod>();
  /** How many of its pods use a claim, by `namespace/name`. */
  readonly claims = new Map<string, number>();
  readonly images = new Map<string, number>();
  milliCpu = 0;
  memory = 0;
  ephemeralStorage = 0;
  readonly others = new Map<string, number>();
  guessedMilliCpu = 0;
  guessedMemory = 0;
  allocatable: Amounts = NOTHING;
  allowedPods = 0;
  taints: readonly Taint[] = NO_TAINTS;
  /** Taints that only make it less welcome. */
  deterring: readonly Taint[] = NO_TAINTS;
  isUnschedulable = false;
  /** Taints that keep pods away. */
  forbidding: readonly Taint[] = NO_TAINTS;
  #node: Node | undefined;
  #labels: Readonly<Record<string, string>> = {};

  constructor(name: string) {
    this.name = name;
  }

  get node(): Node | undefined {
    return this.#node;
  }

  get labels(): Readonly<Record<string, string>> {
    return this.#labels;
  }

  get isForgotten(): boolean {
    return this.#node === undefined && this.pods.size === 0;
  }

  setNode(node: Node | undefined): void {
    this.#node = node;
    this.#labels = node?.metadata.labels ?? {};
    const { allocatable, images = [] } = node?.status ?? {};
    this.allocatable = amountsOf(allocatable);
    this.allowedPods = countOf(allocatable?.['pods'] ?? '0', 0);
    this.taints = node?.spec?.taints ?? NO_TAINTS;
    this.deterring = this.taints.filter(({ effect }) => effect === 'PreferNoSchedule');
    this.forbidding = this.taints.filter(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute');
    this.isUnschedulable = node?.spec?.unschedulable === true;
    this.images.clear();
    for (const { names = [], sizeBytes = 0 } of images)
      for (const name of names) this.images.set(name, sizeBytes);
  }

  add(pod: Pod): PlacedPod {
    const placed = { pod, facts: factsOf(pod) };
    this.put(placed);
    return placed;
  }

  put(placed: PlacedPod): void {
    const { pod, facts } = placed;
    const { uid = '' } = pod.metadata;
    this.pods.set(uid, placed);
    if (facts.preferences.length + facts.affinity.length + facts.antiAffinity.length > 0)
      this.withAffinity.set(uid, placed);
    if (facts.antiAffinity.length > 0) this.withAntiAffinity.set(uid, placed);
    this.#count(facts, 1);
  }

  remove(uid: string): PlacedPod | undefined {
    const placed = this.pods.get(uid);
    if (!placed) return undefined;
    this.pods.delete(uid);
    this.withAffinity.delete(uid);
    this.withAntiAffinity.delete(uid);
    this.#count(placed.facts, -1);
    return placed;
  }

  /** Somebody there has one of these ports already. */
  hasTaken(ports: readonly HostPort[]): boolean {
    for (const { facts } of this.pods.values())
      for (const taken of facts.hostPorts) if (ports.some((port) => collide(port, taken))) return true;
    return false;
  }

  #count({ requests, guessed, claims, namespace }: PodFacts, sign: 1 | -1): void {
    this.milliCpu += sign * requests.milliCpu;
    this.memory += sign * requests.memory;
    this.ephemeralStorage += sign * requests.ephemeralStorage;
    for (const [name, count] of requests.others)
      this.others.set(name, (this.others.get(name) ?? 0) + sign * count);
    this.guessedMilliCpu += sign * guessed.milliCpu;
    this.guessedMemory += sign * guessed.memory;
    for (const claim of claims) {
      const key = `${namespace}/${claim}`;
      this.claims.set(key, (this.claims.get(key) ?? 0) + sign);
    }
  }
}
