/**
 * Who is set aside until something happens has nowhere to go, whatever a scheduler hears, in whatever order: of nodes that come,
 * grow and open, of pods that go, that it has placed itself, or that were made anew while nobody looked, while it tries one
 * pod and others are being bound.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ApiObject } from '../api/object.ts';
import type { Node, Pod } from '../api/types/core-v1.ts';
import { ObjectStore } from '../client/informer/object-store.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../engine/any-order.arbitrary.ts';
import { Simulation } from '../engine/simulation.ts';
import { seconds } from '../engine/time.ts';
import { factsOf } from './cache/pod-facts.ts';
import { SchedulerCache } from './cache/scheduler-cache.ts';
import { makeProfiles, USUAL_CONFIGURATION } from './configuration/make-profiles.ts';
import { concerns } from './framework/cluster-event.ts';
import type { Listers } from './framework/plugin.ts';
import { nodeNews, podNews } from './news.ts';
import { type Placement, PodPlacer } from './place-pod.ts';
import type { QueuedPod } from './queue/queued-pod.ts';
import { SchedulingQueue } from './queue/scheduling-queue.ts';
import { VolumeBinder } from './volumes/volume-binding.ts';

const NODES = ['n1', 'n2'] as const;
const PODS = ['a', 'b', 'c', 'd'] as const;
const OWN = 'default-scheduler';
type NodeName = (typeof NODES)[number];

/** What a pod may ask for and a node may lack: one of these in a run, as who was rejected for one thing waits for that. */
interface Ground {
  readonly name: string;
  readonly pods: readonly PodWish[];
  readonly nodes: readonly NodeFacts[];
}

interface PodWish {
  readonly cpu?: string;
  readonly zone?: string;
  readonly tolerates?: boolean;
}

interface NodeFacts {
  readonly cpu?: string;
  readonly pods?: string;
  readonly zone?: string;
  readonly isTainted?: boolean;
  readonly isClosed?: boolean;
}

const GROUNDS: readonly Ground[] = [
  {
    name: 'room',
    pods: [{ cpu: '1' }, { cpu: '2' }, { cpu: '2' }],
    nodes: [{ cpu: '1' }, { cpu: '2' }, { cpu: '4' }, { cpu: '2', pods: '1' }],
  },
  {
    name: 'taints',
    pods: [{}, { tolerates: true }],
    nodes: [{}, { isTainted: true }, { isClosed: true }, { isTainted: true, isClosed: true }],
  },
  { name: 'labels', pods: [{ zone: 'x' }, { zone: 'y' }], nodes: [{}, { zone: 'x' }, { zone: 'y' }] },
];

const podOf = (name: string, uid: string, wish: PodWish, nodeName: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid },
  spec: {
    containers: [
      { name: 'c', image: 'i', resources: wish.cpu === undefined ? {} : { requests: { cpu: wish.cpu } } },
    ],
    schedulerName: OWN,
    ...(wish.zone !== undefined && { nodeSelector: { zone: wish.zone } }),
    ...(wish.tolerates && { tolerations: [{ operator: 'Exists' as const }] }),
    ...(nodeName !== '' && { nodeName }),
  },
});

const nodeOf = (name: string, { cpu = '9', pods = '9', zone, isTainted, isClosed }: NodeFacts): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name, labels: zone === undefined ? {} : { zone } },
  spec: {
    ...(isTainted && { taints: [{ key: 'k', effect: 'NoSchedule' as const }] }),
    ...(isClosed && { unschedulable: true }),
  },
  status: { allocatable: { cpu, pods }, capacity: { cpu, pods } },
});

const BY_NAMESPACE = { namespace: ({ metadata }: ApiObject) => [metadata.namespace ?? ''] };
/** There is nothing but pods and nodes. */
const EMPTY = new Proxy({}, { get: () => new ObjectStore(BY_NAMESPACE) }) as Listers;

interface Trial {
  readonly queued: QueuedPod;
  readonly placement: Placement;
  readonly cycle: number;
}

interface Binding {
  readonly queued: QueuedPod;
  readonly wish: PodWish;
  readonly cycle: number;
}

class World {
  readonly #simulation = new Simulation({ seed: 1 });
  readonly #context = this.#simulation.actor('scheduler/0').context;
  readonly #pods = new Map<string, { readonly pod: Pod; readonly wish: PodWish }>();
  readonly #nodes = new Map<NodeName, { readonly node: Node; readonly facts: NodeFacts }>();
  readonly #world = { cache: new SchedulerCache(), listers: EMPTY };
  readonly #profiles = makeProfiles(USUAL_CONFIGURATION, new VolumeBinder(EMPTY).plugin);
  readonly #queue = new SchedulingQueue({
    context: this.#context,
    firstPause: seconds(1),
    longestPause: seconds(10),
    gateOf: () => undefined,
    mayHelp: (event, { rejectedBy }) =>
      [...rejectedBy].some((name) => {
        const interests = this.#profile.pluginCalled(name)?.events;
        return !interests || interests.some((interest) => concerns(interest, event));
      }),
  });
  readonly #parts = { world: this.#world, queue: this.#queue, isOwn: () => true };
  readonly #podNews = podNews(this.#parts);
  readonly #nodeNews = nodeNews(this.#parts);
  readonly #placer = new PodPlacer(
    this.#world,
    this.#queue.nominations,
    this.#context.site('equally good nodes'),
  );
  #trial: Trial | undefined;
  /** By uid. */
  readonly #bindings = new Map<string, Binding>();
  #lives = 0;

  constructor(facts: NodeFacts) {
    this.set('n1', facts);
  }

  get #profile() {
    const profile = this.#profiles.get(OWN);
    if (!profile) throw new Error('a scheduler has a profile');
    return profile;
  }

  /** Comes, or was deleted and made anew while nobody looked; with a node it is somebody else's. */
  come(name: string, wish: PodWish, node: string): void {
    const old = this.#pods.get(name);
    const pod = podOf(name, `${name}-${this.#lives++}`, wish, node);
    this.#pods.set(name, { pod, wish });
    if (old) {
      this.#bindings.delete(old.pod.metadata.uid ?? '');
      this.#podNews.changed?.(pod, old.pod);
    } else this.#podNews.added?.(pod);
  }

  go(name: string): void {
    const old = this.#pods.get(name);
    if (!old) return;
    this.#pods.delete(name);
    this.#bindings.delete(old.pod.metadata.uid ?? '');
    this.#podNews.removed?.(old.pod);
  }

  /** Another scheduler has it placed; on another node than this one just does, nobody would be told of the room that leaves. */
  place(name: string, node: NodeName): void {
    const old = this.#pods.get(name);
    if (!old || old.pod.spec?.nodeName || this.#bindings.has(old.pod.metadata.uid ?? '')) return;
    this.#seenOn(old, node);
  }

  #seenOn({ pod: old, wish }: { readonly pod: Pod; readonly wish: PodWish }, node: string): void {
    const pod = podOf(old.metadata.name ?? '', old.metadata.uid ?? '', wish, node);
    this.#pods.set(old.metadata.name ?? '', { pod, wish });
    this.#bindings.delete(old.metadata.uid ?? '');
    this.#podNews.changed?.(pod, old);
  }

  set(name: NodeName, facts: NodeFacts): void {
    const old = this.#nodes.get(name);
    const node = nodeOf(name, facts);
    this.#nodes.set(name, { node, facts });
    if (old) this.#nodeNews.changed?.(node, old.node);
    else this.#nodeNews.added?.(node);
  }

  leave(name: NodeName): void {
    const old = this.#nodes.get(name);
    if (!old) return;
    this.#nodes.delete(name);
    this.#nodeNews.removed?.(old.node);
  }

  /** Looks for a node for the next pod; whatever happens until `conclude` happens in its cycle. */
  try(): void {
    if (this.#trial || this.#queue.size.active === 0) return;
    const queued = this.#queue.take().next().value as unknown as QueuedPod;
    const { pod } = queued;
    const placement = this.#placer.place({ pod, facts: factsOf(pod) }, this.#profile);
    this.#trial = { queued, placement, cycle: this.#queue.cycle };
    if (placement.kind !== 'node') return;
    this.#trial = undefined;
    const assumed: Pod = {
      ...pod,
      spec: { ...pod.spec, containers: pod.spec?.containers ?? [], nodeName: placement.node.name },
    };
    expect(this.#world.cache.assume(assumed)).toBe(true);
    const { wish = {} } = this.#pods.get(pod.metadata.name ?? '') ?? {};
    this.#bindings.set(pod.metadata.uid ?? '', {
      queued: { ...queued, pod: assumed },
      wish,
      cycle: this.#queue.cycle,
    });
  }

  /** Until somebody is set aside for whom there is no node. */
  tryInVain(): void {
    for (let left = PODS.length; left > 0; left--) {
      this.conclude();
      this.try();
    }
    this.conclude();
  }

  conclude(): void {
    const trial = this.#trial;
    this.#trial = undefined;
    if (!trial) return;
    const { queued, placement, cycle } = trial;
    const rejectedBy = placement.kind === 'unfit' ? placement.diagnosis.plugins : new Set<string>();
    this.#giveBack({ ...queued, rejectedBy }, cycle);
  }

  /** Its binding goes on, or is done and not seen yet. */
  goUnseen(index: number): void {
    const assumed = this.#assumed[index % Math.max(1, this.#bindings.size)];
    if (assumed) this.go(assumed.pod.metadata.name ?? '');
  }

  bound(index: number, isDone: boolean): void {
    const [uid, binding] = [...this.#bindings][index % Math.max(1, this.#bindings.size)] ?? [];
    if (uid === undefined || !binding) return;
    const { queued, cycle } = binding;
    const known = [...this.#pods.values()].find(({ pod }) => pod.metadata.uid === uid);
    if (!known) return;
    if (isDone) return this.#seenOn(known, queued.pod.spec?.nodeName ?? '');
    this.#bindings.delete(uid);
    if (this.#world.cache.forget(queued.pod)) this.#queue.moveAll({ resource: 'Pod', action: 'delete' });
    this.#giveBack({ ...queued, rejectedBy: new Set() }, cycle);
  }

  #giveBack(queued: QueuedPod, cycle: number): void {
    const present = this.#pods.get(queued.pod.metadata.name ?? '')?.pod;
    if (present && !present.spec?.nodeName) this.#queue.giveBack({ ...queued, pod: present }, cycle);
  }

  pass(span: number): void {
    this.#simulation.runFor(seconds(span));
  }

  compare(): void {
    const tried = this.#trial?.queued.pod.metadata.uid;
    const waiting = [...this.#pods.values()].filter(
      ({ pod: { metadata, spec } }) =>
        !spec?.nodeName && !this.#bindings.has(metadata.uid ?? '') && metadata.uid !== tried,
    );
    const hopeless = waiting.filter(({ wish }) =>
      [...this.#nodes.keys()].every((node) => !this.#fits(wish, node)),
    );
    const { active, pausing, unschedulable } = this.#queue.size;
    expect(unschedulable, 'pods that are set aside').toBeLessThanOrEqual(hopeless.length);
    expect(active + pausing + unschedulable, 'pods that wait').toBe(waiting.length);
  }

  #fits({ cpu, zone, tolerates = false }: PodWish, name: NodeName): boolean {
    const facts = this.#nodes.get(name)?.facts ?? {};
    const there = [...this.#pods.values(), ...this.#assumed].filter(({ pod }) => pod.spec?.nodeName === name);
    const taken = there.reduce((sum, { wish }) => sum + Number(wish.cpu ?? 0), 0);
    return (
      (zone === undefined || facts.zone === zone) &&
      (tolerates || (!facts.isTainted && !facts.isClosed)) &&
      there.length < Number(facts.pods ?? 9) &&
      (cpu === undefined || taken + Number(cpu) <= Number(facts.cpu ?? 9))
    );
  }

  get #assumed(): readonly { readonly pod: Pod; readonly wish: PodWish }[] {
    return [...this.#bindings.values()].map(({ queued: { pod }, wish }) => ({ pod, wish }));
  }
}

const act = actsOn<World>();
const pod = fc.constantFrom(...PODS);
const node = fc.constantFrom(...NODES);

it.each(GROUNDS)('has nowhere to go, where nodes differ in $name', ({ pods, nodes }) => {
  const facts = fc.constantFrom(...nodes);
  const come = fc.tuple(pod, fc.constantFrom(...pods), fc.constantFrom('', '', '', ...NODES));
  const set = act('set', fc.tuple(node, facts), (world, drawn) => world.set(...drawn));
  const attempt = act('try', NOTHING, (world) => world.try());
  holdsInAnyOrder({
    begin: () => new World(nodes[1] ?? {}),
    acts: [
      act('come', come, (world, drawn) => world.come(...drawn)),
      act('go', pod, (world, name) => world.go(name)),
      act('place', fc.tuple(pod, node), (world, drawn) => world.place(...drawn)),
      set,
      set,
      act('leave', node, (world, name) => world.leave(name)),
      attempt,
      attempt,
      act('try in vain', NOTHING, (world) => world.tryInVain()),
      act('conclude', NOTHING, (world) => world.conclude()),
      act('conclude', NOTHING, (world) => world.conclude()),
      act('bound', fc.tuple(fc.nat(3), fc.boolean()), (world, drawn) => world.bound(...drawn)),
      act('go unseen', fc.nat(3), (world, index) => world.goUnseen(index)),
      act('pass', fc.constantFrom(1, 11), (world, span) => world.pass(span)),
    ],
    compare: (world) => world.compare(),
    most: 40,
    runs: 600,
    hasSomeOnly: true,
  });
});
