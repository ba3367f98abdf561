/**
 * A scheduler with a few nodes and pods of all kinds of wishes, which come, go and change in any order, beside a plain
 * reading of each wish: who gets a node was allowed to have it, and in the end nobody waits who could have one.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { bears, isAbout, portsOf, selects, wants } from '../../model/scheduling/wishes.ts';
import type { Node, Pod, PodAffinityTerm, Taint } from '../api/types/core-v1.ts';
import { type Act, actsOn, holdsInAnyOrder, NOTHING } from '../engine/any-order.arbitrary.ts';
import { seconds } from '../engine/time.ts';
import { addNode, addPod, type PodFacts, world } from './scheduling.fixture.ts';

const NODES = ['n1', 'n2', 'n3'] as const;
const PODS = ['a', 'b', 'c', 'd', 'e', 'f'] as const;
const HOST = 'kubernetes.io/hostname';
const SCHEDULER = 'scheduler/0';

class World {
  readonly cluster = world();
  readonly #placed = new Set<string>();

  constructor(size: number = NODES.length) {
    for (const [index, name] of NODES.slice(0, size).entries())
      addNode(this.cluster, name, { cpu: '2', pods: '3', labels: { zone: index === 2 ? 'z2' : 'z1' } });
    this.pass(1);
  }

  add(name: string, facts: PodFacts): void {
    if (this.pods.some(({ metadata }) => metadata.name === name)) this.remove(name);
    addPod(this.cluster, name, facts);
    // Whoever names a node asks no scheduler.
    if (facts.nodeName !== undefined) this.#placed.add(this.cluster.client.pods.get(name).metadata.uid ?? '');
    this.pass(1);
  }

  remove(name: string): void {
    if (this.pods.some(({ metadata }) => metadata.name === name)) this.cluster.client.pods.delete(name);
    this.pass(1);
  }

  relabel(name: string, app: string): void {
    if (this.pods.some(({ metadata }) => metadata.name === name))
      this.cluster.client.pods.patch(name, { type: 'merge', body: { metadata: { labels: { app } } } });
    this.pass(1);
  }

  mark(name: string, taints: readonly Taint[], unschedulable: boolean): void {
    this.cluster.client.nodes.patch(name, { type: 'merge', body: { spec: { taints, unschedulable } } });
    this.pass(1);
  }

  /** Whom this may help is not looked for among all who wait. */
  moveAway(name: string, zone: string): void {
    this.zone(name, zone);
    this.pass(AT_LAST_SECONDS);
  }

  zone(name: string, zone: string): void {
    this.cluster.client.nodes.patch(name, { type: 'merge', body: { metadata: { labels: { zone } } } });
    this.pass(1);
  }

  /** A pod waits as its own kind is on one node only and the other is shut; then one of them goes there, or here. */
  evenOut(topologyKey: string, by: 'one who goes' | 'one who comes'): void {
    for (const name of ['a', 'b', 'c']) this.remove(name);
    this.mark('n1', [], false);
    this.mark('n2', [], true);
    const labels = { app: 'x' };
    this.add('a', { labels });
    this.add('b', { labels, ...evenly(topologyKey, 'x', 'DoNotSchedule') });
    if (by === 'one who goes') this.remove('a');
    else this.add('c', { labels, nodeName: 'n2' });
  }

  refuse(): void {
    this.cluster.faults.failRequests({
      actor: SCHEDULER,
      resource: 'pods',
      subresource: 'binding',
      verb: 'create',
      count: 1,
      status: 500,
    });
  }

  restart(): void {
    this.cluster.faults.crash(SCHEDULER);
    this.cluster.faults.restart(SCHEDULER);
    this.pass(2);
  }

  pass(span: number): void {
    this.cluster.advance(seconds(span));
    this.#checkPlaced();
  }

  /** Pods that have a node now and had none before. */
  #checkPlaced(): void {
    const fresh = this.pods.filter(
      ({ metadata, spec }) => spec?.nodeName && !this.#placed.has(metadata.uid ?? ''),
    );
    for (const pod of fresh) {
      this.#placed.add(pod.metadata.uid ?? '');
      const node = this.nodes.find(({ metadata }) => metadata.name === pod.spec?.nodeName);
      if (!node) throw new Error('a node that there is');
      // Of several that came at once each may have been the first.
      const problem = this.problem(pod, node, fresh.length === 1);
      expect(problem, `${pod.metadata.name ?? ''} on ${node.metadata.name ?? ''}`).toBeUndefined();
    }
  }

  /** Why a pod may not be on a node, beside all others. */
  problem(pod: Pod, node: Node, minds = true): string | undefined {
    const others = this.pods.filter(
      ({ metadata, spec }) => spec?.nodeName && metadata.uid !== pod.metadata.uid,
    );
    const there = others.filter(({ spec }) => spec?.nodeName === node.metadata.name);
    if (!wants(pod, node)) return 'it does not want the node';
    if (!bears(pod, node)) return 'it does not bear its taints';
    if (there.length >= 3) return 'there are three pods';
    if ([...there, pod].reduce((sum, each) => sum + cpuOf(each), 0) > 2) return 'the processor is taken';
    if (there.some((other) => portsOf(other).some((port) => portsOf(pod).includes(port))))
      return 'its port is taken';
    return this.#neighbours(pod, node, others) ?? (minds ? this.#company(pod, node, others) : undefined);
  }

  #isBeside(node: Node, other: Pod, key: string): boolean {
    const domain = this.#domainOf(other, key);
    return domain !== undefined && domain === node.metadata.labels?.[key];
  }

  #domainOf({ spec }: Pod, key: string): string | undefined {
    return this.nodes.find(({ metadata }) => metadata.name === spec?.nodeName)?.metadata.labels?.[key];
  }

  #neighbours(pod: Pod, node: Node, others: readonly Pod[]): string | undefined {
    for (const other of others) {
      const minds = (owner: Pod, whom: Pod): boolean =>
        termsOf(owner, 'podAntiAffinity').some(
          (term) => this.#isBeside(node, other, term.topologyKey) && isAbout(term, owner, whom),
        );
      if (minds(pod, other)) return `it minds ${other.metadata.name ?? ''}`;
      if (minds(other, pod)) return `${other.metadata.name ?? ''} minds it`;
    }
    return undefined;
  }

  #company(pod: Pod, node: Node, others: readonly Pod[]): string | undefined {
    const terms = termsOf(pod, 'podAffinity');
    const liked = others.filter((other) => terms.every((term) => isAbout(term, pod, other)));
    const isFirst = liked.length === 0 && terms.every((term) => isAbout(term, pod, pod));
    for (const { topologyKey } of terms)
      if (!isFirst && !liked.some((other) => this.#isBeside(node, other, topologyKey)))
        return 'it misses company';
    for (const { topologyKey, maxSkew, labelSelector = {}, whenUnsatisfiable } of pod.spec
      ?.topologySpreadConstraints ?? []) {
      if (whenUnsatisfiable !== 'DoNotSchedule') continue;
      const counted = this.nodes.filter((each) => wants(pod, each));
      const countIn = (domain: string | undefined): number =>
        others.filter(
          (other) =>
            this.#domainOf(other, topologyKey) === domain &&
            counted.some(({ metadata }) => metadata.name === other.spec?.nodeName) &&
            selects(labelSelector, other.metadata.labels),
        ).length;
      const counts = counted.map(({ metadata }) => countIn(metadata.labels?.[topologyKey]));
      const own = selects(labelSelector, pod.metadata.labels) ? 1 : 0;
      if (countIn(node.metadata.labels?.[topologyKey]) + own - Math.min(...counts) > maxSkew)
        return 'they lie unevenly';
    }
    return undefined;
  }

  get pods(): readonly Pod[] {
    return this.cluster.client.pods
      .list()
      .items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  }

  get nodes(): readonly Node[] {
    return this.cluster.client.nodes.list().items;
  }
}

const cpuOf = ({ spec }: Pod): number => Number(spec?.containers[0]?.resources?.requests?.['cpu'] ?? 0);

const termsOf = ({ spec }: Pod, kind: 'podAffinity' | 'podAntiAffinity'): readonly PodAffinityTerm[] =>
  spec?.affinity?.[kind]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];

/** The longest pause, and what a decision and its binding take. */
const SOON_SECONDS = 12;
/** Those who were refused, or missed what would have helped, are tried again within minutes. */
const AT_LAST_SECONDS = 360;

function nobodyWaitsInVain(subject: World, afterSeconds = AT_LAST_SECONDS): void {
  subject.pass(afterSeconds);
  const { pods, nodes } = subject;
  for (const pod of pods.filter(({ spec }) => !spec?.nodeName))
    for (const node of nodes)
      expect(
        subject.problem(pod, node),
        `${pod.metadata.name ?? ''} could be on ${node.metadata.name ?? ''}`,
      ).toBeDefined();
}

const key = fc.constantFrom(HOST, 'zone');
const app = fc.constantFrom('x', 'y');
const term = fc.tuple(key, app).map(([topologyKey, of]): PodAffinityTerm => ({
  topologyKey,
  labelSelector: { matchLabels: { app: of } },
}));
const required = (one: PodAffinityTerm) => ({ requiredDuringSchedulingIgnoredDuringExecution: [one] });
const evenly = (
  topologyKey: string,
  of: string,
  whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway',
): PodFacts => ({
  topologySpreadConstraints: [
    { topologyKey, maxSkew: 1, whenUnsatisfiable, labelSelector: { matchLabels: { app: of } } },
  ],
});
/** By what may keep a pod from a node where there is room. */
const WISHES = {
  nothing: fc.constantFrom<PodFacts>(
    { nodeSelector: { zone: 'z2' } },
    { tolerations: [{ key: 'k', operator: 'Exists' }] },
    { nodeName: 'n1' },
  ),
  ports: fc.constant<PodFacts>({ hostPort: 80 }),
  dislike: term.map((one): PodFacts => ({ affinity: { podAntiAffinity: required(one) } })),
  company: term.map((one): PodFacts => ({ affinity: { podAffinity: required(one) } })),
  evenness: fc
    .tuple(key, app, fc.constantFrom('DoNotSchedule' as const, 'ScheduleAnyway' as const))
    .map((drawn) => evenly(...drawn)),
};
const wishing = (wish: fc.Arbitrary<PodFacts>): fc.Arbitrary<PodFacts> =>
  fc
    .tuple(
      fc.oneof({ weight: 2, arbitrary: fc.constant<PodFacts>({}) }, { weight: 4, arbitrary: wish }),
      app,
      fc.constantFrom(undefined, undefined, '1', '2'),
    )
    .map(([facts, of, cpu]): PodFacts => ({
      ...facts,
      labels: { app: of },
      ...(cpu !== undefined && { cpu }),
    }));
const taints = fc.constantFrom<readonly Taint[]>(
  [],
  [],
  [{ key: 'k', effect: 'NoSchedule' }],
  [{ key: 'k', effect: 'PreferNoSchedule' }],
);
const act = actsOn<World>();
const [name, node] = [fc.constantFrom(...PODS), fc.constantFrom(...NODES)];

const doingsOn = (node: fc.Arbitrary<(typeof NODES)[number]>, pod: fc.Arbitrary<PodFacts>) => [
  act('add', fc.tuple(name, pod), (subject: World, [of, facts]) => subject.add(of, facts)),
  act('add', fc.tuple(name, pod), (subject: World, [of, facts]) => subject.add(of, facts)),
  act('remove', name, (subject, of) => subject.remove(of)),
  act('mark', fc.tuple(node, taints, fc.constantFrom(false, false, true)), (subject, [of, all, isShut]) =>
    subject.mark(of, all, isShut),
  ),
];

it('gives nodes to those who may have them, and to all of those', () => {
  holdsInAnyOrder({
    begin: () => new World(),
    acts: [
      ...doingsOn(node, wishing(fc.oneof(...Object.values(WISHES)))),
      act('relabel', fc.tuple(name, app), (subject, [of, to]) => subject.relabel(of, to)),
      act('zone', fc.tuple(node, fc.constantFrom('z1', 'z2')), (subject, [of, zone]) =>
        subject.zone(of, zone),
      ),
      act('refuse', NOTHING, (subject) => subject.refuse()),
      act('restart', NOTHING, (subject) => subject.restart()),
      act('pass', fc.constantFrom(3, 12), (subject, span) => subject.pass(span)),
    ],
    compare: () => undefined,
    end: (subject) => nobodyWaitsInVain(subject),
    most: 20,
    runs: 40,
  });
});

const two = fc.constantFrom(...NODES.slice(0, 2));
/** What is too rare among all. */
const RARE: Partial<Record<keyof typeof WISHES, fc.Arbitrary<Act<World>>>> = {
  evenness: act(
    'even out',
    fc.tuple(key, fc.constantFrom('one who goes', 'one who comes')),
    (subject, drawn) => subject.evenOut(...drawn),
  ),
};

it.each(Object.keys(WISHES) as (keyof typeof WISHES)[])(
  'gives nodes to those who care for %s as soon as somebody goes, comes or opens',
  (wish) => {
    holdsInAnyOrder({
      begin: () => new World(2),
      acts: [
        ...doingsOn(two, wishing(WISHES[wish])),
        act('remove', name, (subject, of) => subject.remove(of)),
        act('move away', fc.tuple(two, fc.constantFrom('z1', 'z2')), (subject, [of, zone]) =>
          subject.moveAway(of, zone),
        ),
        ...(RARE[wish] ? [RARE[wish]] : []),
      ],
      compare: (subject) => nobodyWaitsInVain(subject, SOON_SECONDS),
      most: 20,
      runs: 8,
    });
  },
);
