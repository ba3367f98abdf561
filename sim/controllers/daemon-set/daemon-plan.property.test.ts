/**
 * A DaemonSet on a few nodes whose pods come, fail and go in any order, beside what the documentation promises: a pod on
 * each node that takes it and on no other, one old and one new side by side at the most, and no more of them missing in an
 * update than may be.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { DaemonSet, DaemonSetUpdateStrategy } from '../../api/types/apps-v1.ts';
import type { Node, Pod } from '../../api/types/core-v1.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import {
  type DaemonPlan,
  daemonStatus,
  type DaemonView,
  groupByNode,
  planRollout,
  planUpkeep,
} from './daemon-plan.ts';

const NODES = ['n1', 'n2', 'n3', 'n4'] as const;
const HASH = 'controller-revision-hash';
type Taint = 'none' | 'NoSchedule' | 'NoExecute' | 'PreferNoSchedule';
type State = 'waiting' | 'ready' | 'failed' | 'going';

interface Kept {
  readonly name: string;
  readonly node: string;
  readonly hash: string;
  readonly bornAt: number;
  state: State;
  readyAt: number;
}

class World {
  readonly strategy: DaemonSetUpdateStrategy;
  readonly minReady: number;
  readonly #taints = new Map<string, Taint>(NODES.map((name) => [name, 'none']));
  pods: Kept[] = [];
  #revision = 1;
  #made = 0;
  #now = 1_000;
  /** Nodes with two pods when it was last looked. */
  #doubled: readonly string[] = [];

  constructor(strategy: DaemonSetUpdateStrategy, minReady: number) {
    this.strategy = strategy;
    this.minReady = minReady;
  }

  get hash(): string {
    return `r${this.#revision}`;
  }

  revise(): void {
    this.#revision++;
  }

  taint(node: string, effect: Taint): void {
    this.#taints.set(node, effect);
  }

  pass(): void {
    this.#now++;
  }

  become(index: number, state: State): void {
    const pod = this.pods[index % Math.max(1, this.pods.length)];
    if (!pod || pod.state === 'going' || pod.state === 'failed' || pod.state === state) return;
    pod.state = state;
    pod.readyAt = this.#now;
  }

  /** The machine has ended what was to go. */
  leave(): void {
    this.pods = this.pods.filter(({ state }) => state !== 'going');
  }

  /** One round of the controller; `most`: so many of its writes are heard. */
  sync(most = Infinity): void {
    this.#act(planUpkeep(this.view), most, false);
    if (this.strategy.type === 'RollingUpdate') this.#act(planRollout(this.view), most, true);
  }

  #act({ create, remove, ended }: DaemonPlan, most: number, isUpdate: boolean): void {
    const missing = this.missing;
    const gone = [...new Set([...remove, ...ended])].slice(0, most).map(({ metadata }) => metadata.name);
    for (const pod of this.pods) if (gone.includes(pod.name)) pod.state = 'going';
    for (const node of create.slice(0, most)) this.#make(node);
    this.#checkSides();
    if (isUpdate && this.#surge === 0)
      expect(this.missing).toBeLessThanOrEqual(Math.max(this.#mayMiss, missing));
    // Whoever surges takes no pod that serves before another does.
    if (isUpdate && this.#surge > 0) expect(this.missing).toBe(missing);
  }

  #make(node: string): void {
    expect(this.takes(node), `${node} takes pods`).toBe(true);
    const there = this.living(node);
    expect(
      there.every(({ hash }) => this.#surge > 0 && hash !== this.hash),
      `${node} lacks a pod`,
    ).toBe(true);
    this.pods.push({
      name: `p${this.#made++}`,
      node,
      hash: this.hash,
      bornAt: this.#now,
      state: 'waiting',
      readyAt: 0,
    });
  }

  #checkSides(): void {
    const doubled = NODES.filter((node) => this.living(node).length > 1);
    for (const node of doubled) expect(this.living(node).length, `pods on ${node}`).toBeLessThanOrEqual(2);
    // Where nobody may surge any more, those that did may not be ready yet.
    if (this.#surge === 0) expect(this.#doubled).toEqual(expect.arrayContaining(doubled));
    this.#doubled = doubled;
  }

  takes(node: string): boolean {
    return ['none', 'PreferNoSchedule'].includes(this.#taints.get(node) ?? '');
  }

  keeps(node: string): boolean {
    return this.#taints.get(node) !== 'NoExecute';
  }

  living(node: string): readonly Kept[] {
    return this.pods.filter((pod) => pod.node === node && ['waiting', 'ready'].includes(pod.state));
  }

  /** Nodes that take a pod and have none that serves. */
  get missing(): number {
    return NODES.filter((node) => this.takes(node) && !this.living(node).some((pod) => this.serves(pod)))
      .length;
  }

  serves({ state, readyAt }: Kept): boolean {
    return state === 'ready' && (this.minReady === 0 || readyAt + this.minReady < this.#now);
  }

  get #wanted(): number {
    return NODES.filter((node) => this.takes(node)).length;
  }

  get #surge(): number {
    return this.strategy.type === 'RollingUpdate'
      ? share(this.strategy.rollingUpdate?.maxSurge ?? 0, this.#wanted)
      : 0;
  }

  get #mayMiss(): number {
    const most = share(this.strategy.rollingUpdate?.maxUnavailable ?? 1, this.#wanted);
    return Math.max(1, most);
  }

  get view(): DaemonView {
    const template = { spec: { containers: [] } };
    const daemonSet: DaemonSet = {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'd', namespace: 'default', uid: 'd' },
      spec: { selector: {}, template, updateStrategy: this.strategy, minReadySeconds: this.minReady },
    };
    return {
      daemonSet,
      hash: this.hash,
      nodes: NODES.map((name) => nodeOf(name, this.#taints.get(name) ?? 'none')),
      podsByNode: groupByNode(this.pods.map(podOf)),
      nowMs: this.#now * 1_000,
    };
  }
}

const share = (value: number | string, of: number): number =>
  typeof value === 'number' ? value : Math.ceil((Number.parseInt(value, 10) * of) / 100);

const timeOf = (second: number): string => new Date(second * 1_000).toISOString().replace('.000', '');

const nodeOf = (name: string, effect: Taint): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name },
  spec: effect === 'none' ? {} : { taints: [{ key: 'a', effect }] },
});

const podOf = ({ name, node, hash, bornAt, state, readyAt }: Kept): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name,
    namespace: 'default',
    creationTimestamp: timeOf(bornAt),
    labels: { [HASH]: hash },
    ...(state === 'going' && { deletionTimestamp: timeOf(bornAt) }),
  },
  spec: { nodeName: node, containers: [] },
  status: {
    phase: state === 'failed' ? 'Failed' : 'Running',
    conditions: [
      { type: 'Ready', status: state === 'ready' ? 'True' : 'False', lastTransitionTime: timeOf(readyAt) },
    ],
  },
});

function checkCounts(world: World): void {
  const status = daemonStatus(world.view);
  const wanted = NODES.filter((node) => world.takes(node));
  const onTaken = NODES.filter((node) => !world.takes(node) && world.pods.some((pod) => pod.node === node));
  expect(status).toMatchObject({ desiredNumberScheduled: wanted.length, numberMisscheduled: onTaken.length });
  expect((status.numberAvailable ?? 0) + (status.numberUnavailable ?? 0)).toBe(wanted.length);
  const single = wanted.every((node) => world.pods.filter((pod) => pod.node === node).length <= 1);
  if (!single) return;
  const onWanted = world.pods.filter(({ node }) => world.takes(node));
  expect(status).toMatchObject({
    currentNumberScheduled: onWanted.length,
    numberReady: onWanted.filter(({ state }) => state === 'ready').length,
    numberAvailable: onWanted.filter((pod) => world.serves(pod)).length,
    updatedNumberScheduled: onWanted.filter(({ hash }) => hash === world.hash).length,
  });
}

/** All pods become ready, all that is to go goes: round by round. */
function comesToRest(world: World): void {
  for (let round = 0; round < 40; round++) {
    world.leave();
    for (const index of world.pods.keys()) world.become(index, 'ready');
    for (let second = 0; second <= world.minReady + 1; second++) world.pass();
    world.sync();
  }
  for (const node of NODES) {
    const there = world.pods.filter((pod) => pod.node === node);
    if (world.takes(node)) expect(there, `pods on ${node}`).toHaveLength(1);
    if (!world.keeps(node)) expect(there, `pods on ${node}`).toEqual([]);
    if (world.strategy.type === 'RollingUpdate' && world.takes(node)) expect(there[0]?.hash).toBe(world.hash);
  }
  const before = JSON.stringify(world.pods);
  world.sync();
  expect(JSON.stringify(world.pods), 'at rest nothing is done').toBe(before);
}

const STRATEGIES: readonly DaemonSetUpdateStrategy[] = [
  { type: 'OnDelete' },
  { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 1 } },
  { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: '50%' } },
  { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
  { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: '50%' } },
];
const act = actsOn<World>();
const node = fc.constantFrom(...NODES);

it.each(STRATEGIES.flatMap((strategy) => [0, 3].map((minReady) => ({ strategy, minReady }))))(
  'has a pod on each node that takes one, however they come and go: %j',
  ({ strategy, minReady }) => {
    holdsInAnyOrder({
      begin: () => new World(strategy, minReady),
      acts: [
        act('sync', fc.constantFrom(1, 2, Infinity, Infinity), (world, most) => world.sync(most)),
        act('sync', NOTHING, (world) => world.sync()),
        act(
          'become',
          fc.tuple(fc.nat(7), fc.constantFrom('ready', 'ready', 'waiting', 'failed', 'going')),
          (world, [index, state]) => world.become(index, state),
        ),
        act('become ready', fc.nat(7), (world, index) => world.become(index, 'ready')),
        act('leave', NOTHING, (world) => world.leave()),
        act('revise', NOTHING, (world) => world.revise()),
        act('pass', NOTHING, (world) => world.pass()),
        act(
          'taint',
          fc.tuple(node, fc.constantFrom('none', 'NoSchedule', 'NoExecute', 'PreferNoSchedule')),
          (world, [of, effect]) => world.taint(of, effect),
        ),
      ],
      compare: checkCounts,
      end: comesToRest,
      most: 24,
      runs: 150,
    });
  },
);
