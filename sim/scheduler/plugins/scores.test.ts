/** What nodes are worth to a pod, to the point: rounding decides between nodes that are nearly alike. Kubernetes 1.31. */
import { describe, expect, it } from 'vitest';
import type {
  Pod,
  PodAffinityTerm,
  PodSpec,
  Service,
  TopologySpreadConstraint,
} from '../../api/types/core-v1.ts';
import { ObjectStore } from '../../client/informer/object-store.ts';
import { factsOf } from '../cache/pod-facts.ts';
import { SchedulerCache } from '../cache/scheduler-cache.ts';
import type { Listers, Plugin, SchedulingWorld } from '../framework/plugin.ts';
import { interPodAffinity } from './inter-pod-affinity.ts';
import { podTopologySpread } from './pod-topology-spread.ts';

const HOST = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';

const emptyListers = (): Listers => ({
  namespaces: new ObjectStore(),
  services: new ObjectStore(),
  replicationControllers: new ObjectStore(),
  replicaSets: new ObjectStore(),
  statefulSets: new ObjectStore(),
  budgets: new ObjectStore(),
  claims: new ObjectStore(),
  volumes: new ObjectStore(),
  storageClasses: new ObjectStore(),
  csiNodes: new ObjectStore(),
});

type Labels = Readonly<Record<string, string>>;

function worldOf(nodes: Readonly<Record<string, Labels>>): SchedulingWorld {
  const cache = new SchedulerCache();
  for (const [name, labels] of Object.entries(nodes))
    cache.setNode({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels: { [HOST]: name, ...labels } },
    });
  return { cache, listers: emptyListers() };
}

let uids = 0;

function pod(labels: Labels, spec: Partial<PodSpec> = {}): Pod {
  const metadata = { name: `p${(uids += 1)}`, namespace: 'default', uid: `u${uids}`, labels };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: { containers: [], ...spec } };
}

function put(
  world: SchedulingWorld,
  nodeName: string,
  count: number,
  labels: Labels,
  spec: Partial<PodSpec> = {},
): void {
  for (let index = 0; index < count; index++) world.cache.setPod(pod(labels, { ...spec, nodeName }));
}

/** By the names of the nodes, brought between 0 and 100. */
function scores(plugin: Plugin, candidate: Pod, world: SchedulingWorld): Readonly<Record<string, number>> {
  const { nodes } = world.cache;
  const score = plugin.beginScore?.({ pod: candidate, facts: factsOf(candidate) }, nodes, world);
  const found = nodes.map((node) => score?.score(node) ?? 0);
  score?.normalize?.(found, nodes);
  return Object.fromEntries(nodes.map(({ name }, index) => [name, found[index] ?? 0]));
}

describe('pods that like to be near others', () => {
  const near = (weight: number, topologyKey = HOST) => ({
    weight,
    podAffinityTerm: { topologyKey, labelSelector: { matchLabels: { app: 'a' } } } satisfies PodAffinityTerm,
  });
  const liking = (...terms: readonly ReturnType<typeof near>[]): Pod =>
    pod({}, { affinity: { podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: terms } } });

  it('weigh shares first, and cut off what is less than one of them', () => {
    const world = worldOf({ none: {}, some: {}, all: {} });
    put(world, 'some', 29, { app: 'a' });
    put(world, 'all', 100, { app: 'a' });
    // 29 hundredths, times a hundred, are a little less than 29.
    expect(scores(interPodAffinity, liking(near(1)), world)).toEqual({ none: 0, some: 28, all: 100 });
  });

  it('are liked by others where those say so, required or not', () => {
    const world = worldOf({ required: {}, wished: {}, unwished: {}, nothing: {} });
    const { podAffinityTerm: term } = near(1);
    const mine = { requiredDuringSchedulingIgnoredDuringExecution: [term] };
    const wish = { preferredDuringSchedulingIgnoredDuringExecution: [near(3)] };
    put(world, 'required', 1, {}, { affinity: { podAffinity: mine } });
    put(world, 'wished', 1, {}, { affinity: { podAffinity: wish } });
    put(world, 'unwished', 1, {}, { affinity: { podAntiAffinity: wish } });
    expect(scores(interPodAffinity, pod({ app: 'a' }), world)).toEqual({
      required: 66,
      wished: 100,
      unwished: 0,
      nothing: 50,
    });
  });

  it('find no domain on a node without the label', () => {
    const world = worldOf({ empty: { rack: '' }, none: {} });
    put(world, 'empty', 1, { app: 'a' });
    expect(scores(interPodAffinity, liking(near(5, 'rack')), world)).toEqual({ empty: 100, none: 0 });
  });
});

describe('pods that are to be spread', () => {
  const over = (
    topologyKey: string,
    labelSelector: NonNullable<TopologySpreadConstraint['labelSelector']>,
  ) => ({
    ...{ topologyKey, labelSelector, maxSkew: 1 },
    whenUnsatisfiable: 'ScheduleAnyway' as const,
  });
  const app = { matchLabels: { app: 'a' } };

  it('do not count those on nodes that lack another of the labels', () => {
    const world = worldOf({
      a: { [ZONE]: 'z1', rack: 'r' },
      b: { [ZONE]: 'z2', rack: 'r' },
      c: { [ZONE]: 'z1' },
    });
    put(world, 'c', 5, { app: 'a' });
    put(world, 'b', 1, { app: 'a' });
    const wanting = (topologySpreadConstraints: readonly TopologySpreadConstraint[]): Pod =>
      pod({ app: 'a' }, { topologySpreadConstraints });
    expect(scores(podTopologySpread, wanting([over(ZONE, app), over('rack', app)]), world)).toMatchObject({
      a: 100,
      b: 50,
    });
    expect(scores(podTopologySpread, wanting([over(ZONE, app)]), world)).toMatchObject({ a: 14, b: 100 });
  });

  it('count nobody where everybody is selected', () => {
    const world = worldOf({ a: {}, b: {} });
    put(world, 'a', 4, { app: 'a' });
    const everybody = pod({ app: 'a' }, { topologySpreadConstraints: [over(HOST, {})] });
    expect(scores(podTopologySpread, everybody, world)).toEqual({ a: 100, b: 100 });
    const strict = pod(
      { app: 'a' },
      { topologySpreadConstraints: [{ ...over(HOST, {}), whenUnsatisfiable: 'DoNotSchedule' }] },
    );
    const begun = podTopologySpread.beginFilter?.({ pod: strict, facts: factsOf(strict) }, world);
    const filter = begun?.kind === 'filter' ? begun.filter : undefined;
    expect(world.cache.nodes.map((node) => filter?.check(node))).toEqual([undefined, undefined]);
  });

  it('take nodes without a zone for one more zone, where nobody says how they are to be spread', () => {
    const known = worldOf({ a: { [ZONE]: 'z1' }, b: { [ZONE]: 'z2' }, c: {} });
    const selector = { app: 'a' };
    const services = new ObjectStore<Service>({
      namespace: ({ metadata }) => [metadata.namespace ?? ''],
    });
    services.put({
      ...{ apiVersion: 'v1', kind: 'Service' },
      metadata: { name: 's', namespace: 'default' },
      spec: { selector },
    });
    const world = { ...known, listers: { ...known.listers, services } };
    put(world, 'a', 10, selector);
    // Ten pods weigh ten times the logarithm of 5, for three hosts and for three zones.
    expect(scores(podTopologySpread, pod(selector), world)).toEqual({ a: 5, b: 89, c: 100 });
  });
});
