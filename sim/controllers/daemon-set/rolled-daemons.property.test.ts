/**
 * DaemonSets whose templates and ways of renewal change, on nodes that close and open, with pods that fail or never become
 * ready, amid whatever comes between: an old pod that serves goes only when a new one does, where that was promised. In the
 * end each node has its pod, soon after each of a row of failures, too, and the set says so and remembers what it is to.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ControllerRevision, DaemonSet } from '../../api/types/apps-v1.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, TroubledManager } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { minutes, seconds } from '../../engine/time.ts';
import { targetOf } from './daemon-pod.ts';

const NAME = 'd';
const PATH = `/registry/daemonsets/default/${NAME}`;
const LABELS = { app: NAME };
const HASH = 'controller-revision-hash';
const NODES = ['n1', 'n2', 'n3'] as const;
/** Its pods never become ready. */
const BAD = 'bad';
const IMAGES = ['a', 'b', 'c', BAD] as const;
const EPOCH = '1970-01-01T00:00:00Z';
const LATE_MS = 60_000;
/** Of failures, for whoever waits ever longer. */
const FORGOTTEN = minutes(31);
const ROUNDS = 8;
const MIN_READY = 6;
const WAYS = {
  'on delete': { type: 'OnDelete', rollingUpdate: null },
  'one by one': { type: 'RollingUpdate', rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
  surging: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
} as const;
type Way = keyof typeof WAYS;
type Effect = 'NoSchedule' | 'NoExecute';

class World extends TroubledManager {
  readonly #wrong: string[] = [];
  /** Pods that somebody else has taken away. */
  readonly #taken = new Set<string>();
  #way: Way = 'surging';
  #changedMs = 0;
  #limitedMs = 0;

  constructor() {
    super(['daemonset-controller', 'garbage-collector-controller']);
    for (const name of NODES) this.#join(name);
    this.cluster.client.daemonSets.create({
      metadata: { name: NAME },
      spec: {
        selector: { matchLabels: LABELS },
        minReadySeconds: MIN_READY,
        revisionHistoryLimit: 1,
        updateStrategy: WAYS.surging,
        template: templateOf('a'),
      },
    });
    this.eachWrite<Pod>('/registry/pods/', (now, before) => now && before && this.#lookAtPod(now, before));
    this.eachWrite<ControllerRevision>('/registry/controllerrevisions/', (now, before) => {
      if (!now && before) this.#lookAtForgotten(before);
    });
    this.settle(4);
  }

  #join(name: string): void {
    this.cluster.client.nodes.create({ metadata: { name } });
    const status = { conditions: [{ type: 'Ready', status: 'True' }] };
    this.cluster.client.nodes.patch(name, { type: 'merge', body: { status } }, { subresource: 'status' });
    this.taint(name, undefined);
  }

  get #set(): DaemonSet {
    return this.stored(PATH)[0] as DaemonSet;
  }

  get #pods(): readonly Pod[] {
    return this.stored('/registry/pods/') as readonly Pod[];
  }

  get #revisions(): readonly ControllerRevision[] {
    return this.stored('/registry/controllerrevisions/') as readonly ControllerRevision[];
  }

  /** Where the set may surge. */
  #lookAtPod(now: Pod, before: Pod): void {
    const { name = '', deletionTimestamp } = now.metadata;
    if (deletionTimestamp === undefined || before.metadata.deletionTimestamp !== undefined) return;
    if (this.#taken.has(name) || this.#way !== 'surging' || this.nowMs - this.#changedMs < LATE_MS) return;
    if (imageOf(before) === imageOf(this.#set.spec?.template) || !this.#serves(before)) return;
    const others = this.#pods.filter((pod) => targetOf(pod) === targetOf(now) && pod.metadata.name !== name);
    // Of more than two only the oldest are kept, whether they serve or not.
    if (others.length < 2 && !others.some((pod) => this.#serves(pod)))
      this.#wrong.push(`${name} goes, and nobody serves instead`);
  }

  #serves(pod: Pod): boolean {
    const { status } = pod;
    const ready = status?.conditions?.find(({ type }) => type === 'Ready');
    const sinceMs = this.nowMs - Date.parse(ready?.lastTransitionTime ?? EPOCH);
    return !hasEnded(pod) && ready?.status === 'True' && sinceMs >= (MIN_READY - 1) * 1_000;
  }

  #lookAtForgotten({ metadata, revision }: ControllerRevision): void {
    const hash = metadata.labels?.[HASH];
    const users = this.#pods.filter((pod) => pod.metadata.labels?.[HASH] === hash);
    const isOld = (pod: Pod): boolean =>
      this.nowMs - Date.parse(pod.metadata.creationTimestamp ?? EPOCH) > LATE_MS &&
      pod.metadata.deletionTimestamp === undefined;
    if (users.some(isOld)) this.#wrong.push(`revision ${revision} goes, which pods are of`);
  }

  change(spec: object): void {
    tryTo(() => this.cluster.client.daemonSets.patch(NAME, { type: 'merge', body: { spec } }));
  }

  renew(way: Way): void {
    this.#way = way;
    this.#changedMs = this.nowMs;
    this.change({ updateStrategy: WAYS[way] });
  }

  remember(revisionHistoryLimit: number): void {
    this.#limitedMs = this.nowMs;
    this.change({ revisionHistoryLimit });
  }

  taint(node: string, effect: Effect | undefined): void {
    this.#changedMs = this.nowMs;
    const taints = effect ? [{ key: 'closed', effect }] : [];
    tryTo(() => this.cluster.client.nodes.patch(node, { type: 'merge', body: { spec: { taints } } }));
  }

  removePod(node: string): void {
    for (const { metadata } of this.#on(node)) {
      this.#taken.add(metadata.name ?? '');
      tryTo(() => this.cluster.client.pods.delete(metadata.name ?? ''));
    }
  }

  failPod(node: string): void {
    const [pod] = this.#on(node);
    if (pod?.spec?.nodeName) this.#say(pod, { phase: 'Failed' });
  }

  #on(node: string): readonly Pod[] {
    return this.#pods.filter(
      (pod) => targetOf(pod) === node && pod.metadata.deletionTimestamp === undefined && !hasEnded(pod),
    );
  }

  override live(): void {
    for (const pod of this.#pods) {
      const { name = '', deletionTimestamp } = pod.metadata;
      if (deletionTimestamp !== undefined)
        tryTo(() => this.cluster.client.pods.delete(name, { gracePeriodSeconds: 0 }));
      else if (!pod.spec?.nodeName) this.#bind(name, targetOf(pod) ?? '');
      else if (!hasEnded(pod) && pod.status?.phase !== 'Running' && imageOf(pod) !== BAD)
        this.#ready(pod, true);
    }
  }

  #bind(name: string, node: string): void {
    const path = `/api/v1/namespaces/default/pods/${name}/binding`;
    const target = { apiVersion: 'v1', kind: 'Node', name: node };
    const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target };
    tryTo(() => this.cluster.finish(this.cluster.userClient.raw('POST', path, { body })));
  }

  #ready(pod: Pod, isReady: boolean): void {
    const lastTransitionTime = new Date(this.nowMs).toISOString().replace(/\.\d+Z/, 'Z');
    const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False', lastTransitionTime }];
    this.#say(pod, { phase: 'Running', conditions });
  }

  #say({ metadata: { name = '' } }: Pod, status: object): void {
    const body = { status };
    tryTo(() => this.cluster.client.pods.patch(name, { type: 'merge', body }, { subresource: 'status' }));
  }

  end(): void {
    this.endAllTroubles();
    for (const node of NODES) this.taint(node, undefined);
    this.settle(ROUNDS);
    this.calm();
    this.settle(3 * ROUNDS);
    this.#touch();
    this.#expectRight();
    this.#expectSickOldGone();
    this.change({ template: templateOf('b') });
    this.renew('one by one');
    this.settle(4 * ROUNDS);
    this.#touch();
    this.#expectRight();
    this.#expectLeavesClosed('n3');
    this.#expectFound('n2');
    this.cluster.advance(FORGOTTEN);
    this.#expectReplaced('n1', [2, 3, 5, 9, 17]);
    this.#expectReplaced('n2', [2]);
    this.settle(4);
    this.#expectAwaited('n3');
    this.#expectRight();
  }

  /**
   * Whoever looks again sooner anyway forgets that it wanted to when a pod has been ready for long enough; if it is too
   * soon then, nobody looks before something happens: here as in real clusters.
   */
  #touch(): void {
    const metadata = { annotations: { touched: String(this.nowMs) } };
    tryTo(() => this.cluster.client.daemonSets.patch(NAME, { type: 'merge', body: { metadata } }));
    this.settle(ROUNDS);
  }

  /** Where two are on a node, an old one that does not serve any more has nothing to wait for. */
  #expectSickOldGone(): void {
    if (this.#way !== 'surging') return;
    this.change({ template: templateOf(BAD) });
    this.settle(2);
    const isOld = (pod: Pod): boolean => imageOf(pod) !== BAD;
    const old = NODES.flatMap((node) => (this.#on(node).length > 1 ? this.#on(node).filter(isOld) : []));
    const [first] = old;
    if (!first) return;
    this.#ready(first, false);
    this.settle(2);
    const names = this.#pods.map(({ metadata }) => metadata.name);
    expect(names, 'an old pod that is not ready').not.toContain(first.metadata.name);
  }

  #expectLeavesClosed(node: string): void {
    this.taint(node, 'NoSchedule');
    this.settle(2);
    expect(this.#on(node), 'pods that may stay').toHaveLength(1);
    this.taint(node, 'NoExecute');
    this.settle(2);
    expect(this.#on(node), 'pods on a closed node').toEqual([]);
    this.taint(node, undefined);
    this.settle(4);
  }

  /** A node that is made anew has its pod, and if it is not heard of before it is open. */
  #expectFound(node: string): void {
    tryTo(() => this.cluster.client.nodes.delete(node));
    this.removePod(node);
    this.settle(2);
    const lists = { actor: this.actor.name, verb: 'list', resource: 'nodes' } as const;
    this.cluster.faults.failRequests({ ...lists, status: 500 });
    this.cluster.faults.endWatches({ expired: true });
    this.cluster.advance(seconds(1));
    this.#join(node);
    this.cluster.faults.allowRequests(lists);
    this.settle(8);
    expect(this.#on(node), 'pods on a node that was found').toHaveLength(1);
  }

  /** Each time a second pod is there after so many seconds: longer and longer, but of one node alone. */
  #expectReplaced(node: string, spans: readonly number[]): void {
    for (const span of spans) {
      const [former] = this.#on(node);
      this.failPod(node);
      for (let second = 0; second < span + 2 && this.#on(node).length === 0; second++) {
        this.live();
        this.cluster.advance(seconds(1));
      }
      const [present] = this.#on(node);
      expect(present, `a pod on ${node} after ${span} s`).toBeDefined();
      expect(present?.metadata.uid).not.toBe(former?.metadata.uid);
      this.live();
      this.cluster.advance(seconds(1));
    }
  }

  /** Whoever is ready is available some time after that, though its controller has begun anew meanwhile. */
  #expectAwaited(node: string): void {
    this.removePod(node);
    this.settle(2);
    this.live();
    this.cluster.advance(seconds(1));
    this.bounce();
    this.cluster.advance(seconds(60));
    expect(this.#set.status?.numberAvailable, 'pods that have been ready for long enough').toBe(NODES.length);
  }

  #expectRight(): void {
    expect(this.#wrong.join()).toBe('');
    const { spec, status, metadata } = this.#set;
    const image = imageOf(spec?.template);
    const isRolling = spec?.updateStrategy?.type === 'RollingUpdate';
    for (const node of NODES) {
      const there = this.#on(node);
      if (image === BAD) expect(there.length, `pods on ${node}`).toBeGreaterThan(0);
      else expect(there, `pods on ${node}`).toHaveLength(1);
      if (isRolling && image !== BAD) expect(imageOf(there[0]), `of ${node}`).toBe(image);
    }
    expect(status?.observedGeneration).toBe(metadata.generation);
    const told = { desired: status?.desiredNumberScheduled, current: status?.currentNumberScheduled };
    expect(told).toEqual({ desired: NODES.length, current: NODES.length });
    const newest = this.#revisions.toSorted((one, other) => other.revision - one.revision)[0];
    expect(
      imageOf((newest?.data as DaemonSet['spec'])?.template ?? newestTemplate(newest)),
      'the newest',
    ).toBe(image);
    const used = new Set(this.#pods.map((pod) => pod.metadata.labels?.[HASH]));
    const unused = this.#revisions.filter(
      (each) => each !== newest && !used.has(each.metadata.labels?.[HASH]),
    );
    if (this.nowMs - this.#limitedMs > LATE_MS)
      expect(unused.length, 'former revisions').toBeLessThanOrEqual(spec?.revisionHistoryLimit ?? 10);
    if (image === BAD || !isRolling) return;
    const serving = { available: status?.numberAvailable, updated: status?.updatedNumberScheduled };
    expect(serving).toEqual({ available: NODES.length, updated: NODES.length });
  }
}

const templateOf = (image: string) => ({
  metadata: { labels: LABELS },
  spec: { terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image }] },
});
const imageOf = (of: Pick<Pod, 'spec'> | undefined): string | undefined => of?.spec?.containers[0]?.image;
/** A revision keeps of its set what a patch would write. */
const newestTemplate = (revision: ControllerRevision | undefined) =>
  (revision?.data as { readonly spec?: { readonly template?: Pick<Pod, 'spec'> } } | undefined)?.spec
    ?.template;
const hasEnded = ({ status }: Pod): boolean => status?.phase === 'Failed' || status?.phase === 'Succeeded';

const act = actsOn<World>();
const node = fc.constantFrom(...NODES);
const settle = act('settle', fc.constantFrom(1, 3, 8, 22), (world, rounds) => world.settle(rounds));
const set = act('set', fc.constantFrom(...IMAGES), (world, image) =>
  world.change({ template: templateOf(image) }),
);
const ways = fc.constantFrom<Way[]>('on delete', 'one by one', 'surging', 'surging');

it('serve as they promise, and have what they ask for in the end', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: amidTroubles<World>([
      settle,
      settle,
      settle,
      set,
      set,
      act('renew', ways, (world, way) => world.renew(way)),
      act('remember', fc.nat(2), (world, limit) => world.remember(limit)),
      act(
        'taint',
        fc.tuple(node, fc.constantFrom('NoSchedule' as const, 'NoExecute' as const, undefined)),
        (world, drawn) => world.taint(...drawn),
      ),
      act('remove pod', node, (world, of) => world.removePod(of)),
      act('fail pod', node, (world, of) => world.failPod(of)),
      act('live', NOTHING, (world) => world.live()),
    ]),
    compare: () => undefined,
    end: (world) => world.end(),
    most: 16,
    runs: 10,
    isDear: true,
  });
});
