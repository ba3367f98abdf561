/**
 * Who has to leave a tainted node, and when, against a model of the documentation: in any order of taints that come and
 * go, pods that are made, removed and made anew under their names, and requests that are refused.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Pod as CorePod, Taint, Toleration } from '../../api/types/core-v1.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, TroubledManager } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const NODES = ['n1', 'n2'] as const;
const KEYS = ['a', 'b'] as const;
const NAMES = ['x', 'y'] as const;
const MANAGER = 'controller-manager/0';
const CONTROLLER = 'controller/taint-eviction';

/** For how long each key is tolerated; absent: not at all. */
type Patience = Readonly<Partial<Record<(typeof KEYS)[number], number>>>;

interface Pod {
  readonly node: string;
  readonly patience: Patience;
  planned?: { readonly since: number; readonly dueAt: number } | undefined;
}

class World {
  readonly cluster = createCluster({
    controllers: ['taint-eviction-controller', 'serviceaccount-controller'],
  });
  readonly #taints = new Map<string, Set<string>>(NODES.map((name) => [name, new Set<string>()]));
  readonly #pods = new Map<string, Pod>();
  #now = 0;

  constructor() {
    const { client } = this.cluster;
    this.cluster.advance(seconds(2));
    for (const name of NODES) {
      client.nodes.create({ metadata: { name } });
      this.#writeTaints(name);
    }
    this.pass(1);
  }

  taint(node: string, keys: readonly string[]): void {
    this.#taints.set(node, new Set(keys));
    this.#writeTaints(node);
    for (const pod of this.#pods.values()) if (pod.node === node) this.#consider(pod);
    this.pass(1);
  }

  make(name: string, node: string, patience: Patience): void {
    if (this.#pods.has(name)) {
      this.#pods.delete(name);
      this.cluster.client.pods.delete(name);
    }
    this.cluster.client.pods.create({
      metadata: { name },
      spec: {
        nodeName: node,
        terminationGracePeriodSeconds: 0,
        tolerations: tolerationsOf(patience),
        containers: [{ name: 'c', image: 'i' }],
      },
    });
    const pod: Pod = { node, patience };
    this.#pods.set(name, pod);
    this.#consider(pod);
    this.pass(1);
  }

  /** The next tries fail. */
  refuse(verb: 'get' | 'patch' | 'delete', count: number): void {
    this.cluster.faults.failRequests({ actor: MANAGER, resource: 'pods', verb, count });
  }

  /** It sees everything anew, and so time begins anew for all. */
  restart(): void {
    this.cluster.faults.crash(MANAGER);
    this.cluster.faults.restart(MANAGER);
    for (const pod of this.#pods.values()) {
      pod.planned = undefined;
      this.#consider(pod);
    }
    this.pass(1);
  }

  pass(span: number): void {
    this.cluster.advance(seconds(span));
    this.#now += span;
  }

  /** Within a second of its time each pod is gone, and not before. */
  compare(): void {
    const there = this.cluster.client.pods.list().items.map(({ metadata }) => metadata.name);
    for (const [name, { planned }] of this.#pods) {
      const { dueAt } = planned ?? { dueAt: Infinity };
      if (this.#now < dueAt) expect(there, `${name} is there`).toContain(name);
      if (this.#now <= dueAt) continue;
      expect(there, `${name} has left`).not.toContain(name);
      this.#pods.delete(name);
    }
    for (const name of [...this.#pods.keys()]) if (!there.includes(name)) this.#pods.delete(name);
  }

  #consider(pod: Pod): void {
    const allowed = [...(this.#taints.get(pod.node) ?? [])].map((key) => pod.patience[key as 'a'] ?? 0);
    const isIntolerant = [...(this.#taints.get(pod.node) ?? [])].some((key) => !(key in pod.patience));
    const span = Math.min(Infinity, ...allowed);
    if (span === Infinity) pod.planned = undefined;
    else if (!pod.planned || isIntolerant) pod.planned = { since: this.#now, dueAt: this.#now + span };
  }

  #writeTaints(node: string): void {
    const taints = [...(this.#taints.get(node) ?? [])].map((key) => ({ key, effect: 'NoExecute' }));
    this.cluster.client.nodes.patch(node, { type: 'merge', body: { spec: { taints } } });
  }
}

function tolerationsOf(patience: Patience): readonly Toleration[] {
  return Object.entries(patience).map(([key, span]) => ({
    key,
    operator: 'Exists',
    effect: 'NoExecute',
    ...(span < Infinity && { tolerationSeconds: span }),
  }));
}

const node = fc.constantFrom(...NODES);
const name = fc.constantFrom(...NAMES);
const patience = fc.constantFrom<Patience>(
  {},
  { a: 6 },
  { a: 30 },
  { b: 40 },
  { a: 20, b: 9 },
  { a: Infinity, b: 12 },
  { a: Infinity, b: Infinity },
);
const act = actsOn<World>();

it('has pods leave when their patience is over, and lets all others be', () => {
  holdsInAnyOrderAsBefore({
    begin: () => new World(),
    acts: [
      act('taint', fc.tuple(node, fc.subarray([...KEYS])), (world, [of, keys]) => world.taint(of, keys)),
      act('taint', fc.tuple(node, fc.subarray([...KEYS])), (world, [of, keys]) => world.taint(of, keys)),
      act('make', fc.tuple(name, node, patience), (world, [of, on, how]) => world.make(of, on, how)),
      act('refuse', fc.constantFrom('get' as const, 'patch' as const, 'delete' as const), (world, verb) =>
        world.refuse(verb, 2),
      ),
      act('restart', fc.constant(undefined), (world) => world.restart()),
      act('pass', fc.integer({ min: 1, max: 8 }), (world, span) => world.pass(span)),
    ],
    compare: (world) => world.compare(),
    end: (world) => {
      for (let round = 0; round < 6; round++) {
        world.pass(4);
        world.compare();
      }
    },
    most: 16,
    runs: 60,
  });
});

/** Amid all troubles of the manager: who has to leave has left in the end, and who never had to, is there. */
class TroubledTaints extends TroubledManager {
  /** Pods on nodes that were tainted, with what they did not tolerate, at whatever time. */
  readonly #mayLeave = new Set<string>();
  /** Nodes, and taints that they ever had. */
  readonly #ever = new Set<string>();
  #made = 0;

  constructor() {
    super(['taint-eviction-controller']);
    for (const name of NODES) this.cluster.client.nodes.create({ metadata: { name } });
  }

  taint(name: string, keys: readonly string[]): void {
    const taints = taintsOf(keys);
    tryTo(() => this.cluster.client.nodes.patch(name, { type: 'merge', body: { spec: { taints } } }));
    this.#note();
  }

  /** It may be another by the time that somebody looks. */
  replace(name: string, keys: readonly string[]): void {
    tryTo(() => this.cluster.client.nodes.delete(name));
    tryTo(() => this.cluster.client.nodes.create({ metadata: { name }, spec: { taints: taintsOf(keys) } }));
    this.#note();
  }

  make(nodeName: string, patience: Patience): void {
    const name = `p${++this.#made}`;
    const tolerations = tolerationsOf(patience);
    const spec = {
      nodeName,
      terminationGracePeriodSeconds: 0,
      tolerations,
      containers: [{ name: 'c', image: 'i' }],
    };
    tryTo(() => this.cluster.client.pods.create({ metadata: { name }, spec }));
    this.#note();
  }

  end(): void {
    const before = this.of('Pod');
    this.calm();
    const left = new Set(this.of('Pod').map(({ metadata }) => metadata.name ?? ''));
    for (const pod of before) {
      const { name = '' } = pod.metadata;
      if (!this.#tolerates(pod)) expect(left, `${name} has to leave`).not.toContain(name);
      else if (!this.#mayLeave.has(name)) expect(left, `${name} may stay`).toContain(name);
    }
    this.expectStill();
  }

  /** Who hears late sends pods away for a taint that was there before them. */
  #note(): void {
    for (const { metadata, spec } of this.of('Node'))
      for (const { key } of spec?.taints ?? []) this.#ever.add(`${metadata.name ?? ''} ${key}`);
    for (const { metadata, spec } of this.of('Pod')) {
      const tolerated = (spec?.tolerations ?? []).filter((each) => each.tolerationSeconds === undefined);
      const isOpen = KEYS.every(
        (key) =>
          !this.#ever.has(`${spec?.nodeName ?? ''} ${key}`) || tolerated.some((each) => each.key === key),
      );
      if (!isOpen) this.#mayLeave.add(metadata.name ?? '');
    }
  }

  /** For ever. */
  #tolerates({ spec }: CorePod): boolean {
    const node = this.of('Node').find(({ metadata }) => metadata.name === spec?.nodeName);
    const tolerated = (spec?.tolerations ?? []).filter((each) => each.tolerationSeconds === undefined);
    return (node?.spec?.taints ?? [])
      .filter(({ effect }) => effect === 'NoExecute')
      .every(({ key }) => tolerated.some((each) => each.key === key));
  }
}

const taintsOf = (keys: readonly string[]): readonly Taint[] =>
  keys.map((key) => ({ key, effect: 'NoExecute' }));
const troubled = actsOn<TroubledTaints>();
const keys = fc.subarray([...KEYS]);

it('has nobody stay who has to leave, whatever came between', () => {
  holdsInAnyOrder({
    begin: () => new TroubledTaints(),
    acts: amidTroubles<TroubledTaints>([
      troubled('taint', fc.tuple(node, keys), (world, [of, given]) => world.taint(of, given)),
      troubled('replace', fc.tuple(node, keys), (world, [of, given]) => world.replace(of, given)),
      troubled('make', fc.tuple(node, patience), (world, [on, how]) => world.make(on, how)),
      troubled('make', fc.tuple(node, patience), (world, [on, how]) => world.make(on, how)),
    ]),
    compare: () => undefined,
    end: (world) => world.end(),
    most: 20,
    runs: 15,
  });
});

it('strikes nobody who has only the name of one that had to leave, however late it hears', () => {
  const world = new World();
  world.make('x', 'n1', { a: 4 });
  world.taint('n1', ['a']);
  world.cluster.faults.lag(CONTROLLER, seconds(30));
  world.make('x', 'n1', { a: Infinity });
  for (let round = 0; round < 12; round++) {
    world.pass(5);
    world.compare();
  }
});

it('has a pod leave in its own time that was made anew while nobody looked', () => {
  const world = new World();
  const { faults } = world.cluster;
  const blind = { actor: MANAGER, resource: 'pods', verb: ['list', 'watch'] } as const;
  world.make('x', 'n1', { a: 40 });
  world.taint('n1', ['a']);
  faults.failRequests(blind);
  faults.endWatches({ resource: 'pods', expired: true });
  world.make('x', 'n1', { a: 20 });
  faults.allowRequests(blind);
  // The former would have gone at 40 s; an informer is blind for some seconds more.
  world.cluster.advance(seconds(38));
  expect(world.cluster.client.pods.list().items).toEqual([]);
});
