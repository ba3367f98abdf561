/**
 * A scheduler with plain pods and nodes that come, go and change, that is cut off, late or refused amid it: who could have a
 * node has one as soon as its longest pause is over, without the look at everybody every five minutes; who has one is let be.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { isKeptByNodesAlone } from '../../model/pod-facts.ts';
import { bears, isAbout, wants } from '../../model/scheduling/wishes.ts';
import type { Node, Pod } from '../api/types/core-v1.ts';
import type { ResourceHandle } from '../client/resource-handle.ts';
import { refusedWrites, tryTo } from '../cluster/troubled-client.fixture.ts';
import { type Act, actsOn, holdsInAnyOrder, NOTHING } from '../engine/any-order.arbitrary.ts';
import { milliseconds, seconds } from '../engine/time.ts';
import { addNode, addPod, type PodFacts, world } from './scheduling.fixture.ts';

const NODES = ['n1', 'n2'] as const;
const PODS = ['a', 'b', 'c', 'd'] as const;
const SCHEDULER = 'scheduler/0';
/** The longest pause, and what a decision and its binding take. */
const SOON = seconds(12);
const ROOM = { cpu: '2', pods: '2' };

class World {
  readonly cluster = world();
  /** By uid: when a pod was first seen on a node. */
  readonly #placedMs = new Map<string, number>();

  #isCut = false;
  /** Until when it was cut off. */
  #healedMs = 0;
  /** Pods by uid that had no room on a node when it came or changed: of that they hear nothing, and nothing of the room later. */
  readonly #unheard = new Set<string>();

  constructor(size: number) {
    for (const name of NODES.slice(0, size)) this.join(name);
    this.pass(1);
  }

  get #nowMs(): number {
    return this.cluster.userClient.context.wallMs();
  }

  join(name: string): void {
    tryTo(() => addNode(this.cluster, name, { ...ROOM, labels: { zone: name === 'n2' ? 'z2' : 'z1' } }));
    this.#noteFull(name);
  }

  leave(name: string): void {
    tryTo(() => this.cluster.client.nodes.delete(name));
  }

  change(name: string, body: object): void {
    tryTo(() => this.cluster.client.nodes.patch(name, { type: 'merge', body }));
    this.#noteFull(name);
  }

  #noteFull(name: string): void {
    const { pods } = this;
    for (const node of this.nodes.filter(({ metadata }) => metadata.name === name))
      for (const pod of pods.filter(({ spec }) => !spec?.nodeName))
        if (lackOfRoom(pod, node, pods) !== undefined) this.#unheard.add(pod.metadata.uid ?? '');
  }

  resize(name: string, cpu: string): void {
    const body = { status: { allocatable: { ...ROOM, cpu }, capacity: { ...ROOM, cpu } } };
    tryTo(() => this.cluster.client.nodes.patch(name, { type: 'merge', body }, { subresource: 'status' }));
  }

  add(name: string, facts: PodFacts): void {
    tryTo(() => addPod(this.cluster, name, facts));
  }

  /** What others look for may come to be, or cease. */
  label(name: string, app: string | null): void {
    const body = { metadata: { labels: { app } } };
    tryTo(() => this.cluster.client.pods.patch(name, { type: 'merge', body }));
  }

  remove(name: string): void {
    tryTo(() => this.cluster.client.pods.delete(name));
  }

  /** Somebody else puts a waiting pod on a node, whether there is room or not. */
  put(name: string, node: string): void {
    const body = { metadata: { name }, target: { kind: 'Node', name: node } };
    tryTo(() => this.cluster.client.resource(BINDINGS).create(body));
  }

  /** Somebody else is as fast. */
  race(name: string, node: string, ms: number): void {
    this.remove(name);
    this.add(name, {});
    this.cluster.advance(milliseconds(ms));
    this.put(name, node);
  }

  /** A pod waits for one to be near, and another becomes it. */
  befriend(name: string, other: string, topologyKey: string): void {
    for (const each of [name, other]) this.remove(each);
    this.add(other, {});
    this.add(name, near(topologyKey));
    this.pass(1);
    this.label(other, 'web');
  }

  /** A pod that comes, is placed and goes while nobody looks. */
  flash(name: string, others: string): void {
    this.lag(3);
    this.add(name, { cpu: '2' });
    this.pass(0.3);
    this.add(others, { cpu: '1' });
    this.remove(name);
    this.cluster.faults.endWatches({ expired: true });
  }

  refuse(count: number, status: 409 | 500): void {
    this.cluster.faults.failRequests({ actor: SCHEDULER, verb: 'create', resource: 'pods', count, status });
  }

  /** A binding fails, and the node may not be had any more when its pod is tried again. */
  missNode(name: string, node: string): void {
    this.remove(name);
    this.refuse(1, 500);
    this.add(name, {});
    this.pass(0.1);
    this.change(node, { spec: { unschedulable: true } });
  }

  /** Pods that wait for an end of taints bear them, and that is heard while they are tried for another reason. */
  bearAmidTries(): void {
    for (const name of NODES) this.change(name, tainted('1'));
    for (const name of PODS) this.remove(name);
    for (const name of PODS) this.add(name, {});
    this.pass(2.5);
    this.lag(1);
    for (const name of NODES) this.change(name, tainted('2'));
    for (const name of PODS) this.bear(name);
    this.lag(0);
    this.pass(0.1);
  }

  bear(name: string): void {
    const body = [
      { op: 'add' as const, path: '/spec/tolerations/-', value: { key: 'k', operator: 'Exists' } },
    ];
    tryTo(() => this.cluster.client.pods.patch(name, { type: 'json', body }));
  }

  restart(): void {
    this.cluster.faults.crash(SCHEDULER);
    this.cluster.faults.restart(SCHEDULER);
  }

  lag(span: number): void {
    this.cluster.lagWatchCaches(seconds(span));
  }

  cut(isCut: boolean): void {
    if (this.#isCut && !isCut) this.#healedMs = this.#nowMs;
    this.#isCut = isCut;
    if (isCut) this.cluster.faults.partition(SCHEDULER);
    else this.cluster.faults.heal(SCHEDULER);
  }

  pass(span: number): void {
    this.cluster.advance(milliseconds(span * 1_000));
    for (const { metadata, spec } of this.pods)
      if (spec?.nodeName && !this.#placedMs.has(metadata.uid ?? ''))
        this.#placedMs.set(metadata.uid ?? '', this.#nowMs);
  }

  /** The end of all trouble, and a moment. */
  look(): void {
    this.lag(0);
    this.cut(false);
    while (this.cluster.faults.allowRequests({ actor: SCHEDULER, verb: 'create', resource: 'pods' }));
    // Watches that were cut are opened anew within so long.
    this.pass(20);
    const since = this.cluster.now;
    this.cluster.advance(SOON);
    expect(refusedWrites(this.cluster, { since, by: /scheduler/ })).toEqual([]);
    const { pods, nodes } = this;
    for (const pod of pods.filter((each) => !each.spec?.nodeName && !this.#isUnheard(each)))
      for (const node of nodes)
        expect(
          problem(pod, node, { pods, nodes }),
          `${pod.metadata.name ?? ''} could be on ${node.metadata.name ?? ''}`,
        ).toBeDefined();
    this.pass(0);
    this.#expectLetBe();
  }

  #isUnheard(pod: Pod): boolean {
    return isKeptByNodesAlone(pod) && this.#unheard.has(pod.metadata.uid ?? '');
  }

  /** Nobody looks for a node for who has one. */
  #expectLetBe(): void {
    const { items } = this.cluster.client.events.list();
    for (const { involvedObject, reason, lastTimestamp, eventTime, series } of items) {
      const placedMs = this.#placedMs.get(involvedObject.uid ?? '');
      if (reason !== 'FailedScheduling' || placedMs === undefined) continue;
      const toldMs = Date.parse(series?.lastObservedTime ?? lastTimestamp ?? eventTime ?? '');
      // What is seen late may be told late.
      expect(toldMs, `of ${involvedObject.name ?? ''}, which has a node`).toBeLessThan(
        Math.max(placedMs, this.#healedMs) + LATE_MS,
      );
    }
  }

  get pods(): readonly Pod[] {
    return this.cluster.client.pods.list().items;
  }

  get nodes(): readonly Node[] {
    return this.cluster.client.nodes.list().items;
  }
}

const BINDINGS: ResourceHandle = {
  group: '',
  version: 'v1',
  resource: 'bindings',
  kind: 'Binding',
  isNamespaced: true,
};
const LATE_MS = 9_000;
const tainted = (value: string): object => ({
  spec: { taints: [{ key: 'k', value, effect: 'NoSchedule' }] },
});
const cpuOf = ({ spec }: Pod): number => Number(spec?.containers[0]?.resources?.requests?.['cpu'] ?? 0);

interface Present {
  readonly pods: readonly Pod[];
  readonly nodes: readonly Node[];
}

/** Pods that it wants near are near the node; who looks for its own like may be the first. */
function isNear(pod: Pod, node: Node, { pods, nodes }: Present): boolean {
  const terms = pod.spec?.affinity?.podAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
  return terms.every((term) => {
    const placeOf = (each: Node | undefined): string | undefined => each?.metadata.labels?.[term.topologyKey];
    const placed = pods
      .filter((each) => isAbout(term, pod, each))
      .map(({ spec }) => placeOf(nodes.find(({ metadata }) => metadata.name === spec?.nodeName)))
      .filter((place) => place !== undefined);
    const place = placeOf(node);
    return (
      (place !== undefined && placed.includes(place)) || (placed.length === 0 && isAbout(term, pod, pod))
    );
  });
}

/** Why a pod may not be on a node, beside all others. */
function problem(pod: Pod, node: Node, present: Present): string | undefined {
  if (!wants(pod, node)) return 'it does not want the node';
  if (!bears(pod, node)) return 'it does not bear its taints';
  if (!isNear(pod, node, present)) return 'nobody is near it that the pod looks for';
  return lackOfRoom(pod, node, present.pods);
}

function lackOfRoom(pod: Pod, node: Node, pods: readonly Pod[]): string | undefined {
  const there = pods.filter(({ spec }) => spec?.nodeName === node.metadata.name);
  const { cpu = '0', pods: most = '0' } = node.status?.allocatable ?? {};
  if (there.length >= Number(most)) return 'there are enough pods';
  return [...there, pod].reduce((sum, each) => sum + cpuOf(each), 0) > Number(cpu)
    ? 'the processor is taken'
    : undefined;
}

const near = (topologyKey: string): PodFacts => ({
  affinity: {
    podAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: [
        { labelSelector: { matchLabels: { app: 'web' } }, topologyKey },
      ],
    },
  },
});
const facts = fc.constantFrom<PodFacts>(
  {},
  { labels: { app: 'web' } },
  near('zone'),
  near('kubernetes.io/hostname'),
  { cpu: '1' },
  { cpu: '2' },
  { cpu: '2' },
  { cpu: '1', nodeSelector: { zone: 'z2' } },
  { tolerations: [{ key: 'k', operator: 'Exists' }] },
);
const change = fc.constantFrom<object>(
  { spec: { unschedulable: true } },
  { spec: { unschedulable: null } },
  { spec: { unschedulable: null, taints: null } },
  { spec: { taints: [{ key: 'k', effect: 'NoSchedule' }] } },
  { spec: { taints: null } },
  { metadata: { labels: { zone: 'z1' } } },
  { metadata: { labels: { zone: 'z2' } } },
);
const act = actsOn<World>();
const pass = act('pass', fc.constantFrom(0.01, 0.3, 1, 4, 11), (subject, span) => subject.pass(span));

function doings(size: number): readonly fc.Arbitrary<Act<World>>[] {
  const name = fc.constantFrom(...PODS.slice(0, size + 1));
  const node = fc.constantFrom(...NODES.slice(0, size));
  const add = act('add', fc.tuple(name, facts), (subject, drawn) => subject.add(...drawn));
  const remove = act('remove', name, (subject, of) => subject.remove(of));
  const set = act('change', fc.tuple(node, change), (subject, drawn) => subject.change(...drawn));
  return [
    add,
    add,
    remove,
    set,
    set,
    act('resize', fc.tuple(node, fc.constantFrom('1', '2', '4')), (subject, drawn) =>
      subject.resize(...drawn),
    ),
    act('leave', node, (subject, of) => subject.leave(of)),
    act('join', node, (subject, of) => subject.join(of)),
    act('label', fc.tuple(name, fc.constantFrom('web', null)), (subject, drawn) => subject.label(...drawn)),
    act('put', fc.tuple(name, node), (subject, drawn) => subject.put(...drawn)),
    act('race', fc.tuple(name, node, fc.integer({ min: 1, max: 6 })), (subject, drawn) =>
      subject.race(...drawn),
    ),
    act(
      'befriend',
      fc.tuple(name, name, fc.constantFrom('zone', 'kubernetes.io/hostname')),
      (subject, drawn) => subject.befriend(...drawn),
    ),
    act('miss its node', fc.tuple(name, node), (subject, drawn) => subject.missNode(...drawn)),
    act('flash', fc.tuple(name, name), (subject, drawn) => subject.flash(...drawn)),
    act('bear', name, (subject, of) => subject.bear(of)),
    act('bear amid tries', NOTHING, (subject) => subject.bearAmidTries()),
  ];
}

it.each([1, 2])('has who could have one of %i nodes have it soon after anything', (size) => {
  holdsInAnyOrder({
    begin: () => new World(size),
    acts: doings(size),
    compare: (subject) => subject.look(),
    most: 16,
    runs: 14,
  });
});

it.each([1, 2])('has who could have one of %i nodes have it soon after all troubles', (size) => {
  const refusal = fc.tuple(fc.constantFrom(1, 2), fc.constantFrom(409 as const, 500 as const));
  holdsInAnyOrder({
    begin: () => new World(size),
    acts: [
      fc.oneof(...doings(size)),
      fc.oneof(...doings(size)),
      pass,
      fc.oneof(
        act('refuse', refusal, (subject, drawn) => subject.refuse(...drawn)),
        act('lag', fc.constantFrom(1, 3), (subject, span) => subject.lag(span)),
        act('cut', fc.boolean(), (subject, isCut) => subject.cut(isCut)),
        act('end watches', fc.boolean(), ({ cluster }, expired) => cluster.faults.endWatches({ expired })),
        act('restart', NOTHING, (subject) => subject.restart()),
      ),
      act('look', NOTHING, (subject) => subject.look()),
    ],
    compare: () => undefined,
    end: (subject) => subject.look(),
    most: 24,
    runs: 10,
  });
});
