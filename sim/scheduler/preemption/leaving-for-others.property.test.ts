/**
 * Pods of several priorities that come and go on nodes that open and close, while requests of their scheduler are refused,
 * lost or late and it begins anew: nobody leaves for a pod that does not matter more, nobody takes what was promised to one
 * that matters as much, or is promised it on beside one that matters more, and in the end nobody waits for whom there is
 * room, or would be if lesser pods left.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Node, Pod } from '../../api/types/core-v1.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { milliseconds, minutes, seconds } from '../../engine/time.ts';
import { addNode, addPod, addPriority, world } from '../scheduling.fixture.ts';

const SCHEDULER = 'scheduler/0';
const NODES = ['n1', 'n2'] as const;
const PODS = ['a', 'b', 'c', 'd', 'e'] as const;
const PRIORITIES = { low: 10, mid: 100, high: 1_000 } as const;
type Priority = keyof typeof PRIORITIES;
const ROOM = { cpu: 2, pods: 3 } as const;
/** Who was tried in vain is looked at again so often, and there may be as many tries. */
const REST = minutes(6);
const TRIES = 4;
/** Longer than a decision and its writes take, or than anybody hears late. */
const SURPRISE_MS = 5_000;
const CALM_MS = 15_000;

interface Wish {
  readonly priority: Priority;
  readonly cpu: '1' | '2';
  readonly never: boolean;
  /** It ends when somebody says so, once it is told to. */
  readonly lingers: boolean;
  /** Whoever names a node asks no scheduler, and may take what was cleared for another. */
  readonly nodeName: (typeof NODES)[number] | null;
}

class World {
  readonly cluster = world();
  /** By uid: who is to go by what somebody else has done. */
  readonly #removed = new Set<string>();
  /** When the last one of a name went. */
  readonly #goneAtMs = new Map<string, number>();
  readonly #wrong: string[] = [];
  /** When anything last came between the scheduler and what it should know or do. */
  #troubledMs = 0;
  #isLate = false;
  /** When somebody who asks no scheduler last took a node. */
  #intrudedMs = 0;
  /** By uid: which node a pod is promised, and since when. */
  readonly #promises = new Map<string, { readonly node: string; readonly sinceMs: number }>();
  /** The last who waited and was taken away. */
  #gone = { priority: 0, atMs: 0 };

  constructor() {
    for (const [name, value] of Object.entries(PRIORITIES)) {
      addPriority(this.cluster, name, value);
      this.cluster.client.priorityClasses.create({
        metadata: { name: `${name}-never` },
        ...{ value, preemptionPolicy: 'Never' },
      });
    }
    for (const name of NODES) addNode(this.cluster, name, { cpu: String(ROOM.cpu), pods: String(ROOM.pods) });
    this.cluster.storage.watch({
      prefix: '/registry/pods/',
      onEvents: (events) => {
        for (const event of events) {
          const before: Pod | undefined = event.previous?.value;
          const isToGo =
            event.kind === 'delete' || event.entry.value.metadata.deletionTimestamp !== undefined;
          if (before && isToGo && before.metadata.deletionTimestamp === undefined) this.#look(before);
          if (event.kind === 'delete') this.#goneAtMs.set(before?.metadata.name ?? '', this.#nowMs);
          if (event.kind === 'put') this.#lookAtPromise(event.entry.value, before);
          if (event.kind === 'put') this.#lookAtPlace(event.entry.value, before);
        }
      },
    });
    this.cluster.advance(seconds(1));
  }

  /** A pod is told to go. */
  #look({ metadata: { uid = '', name = '' }, spec }: Pod): void {
    if (this.#removed.has(uid)) return;
    const waiting = this.#stored.filter((each) => !each.spec?.nodeName && !mayNot(each));
    const greater = waiting.filter((each) => priorityOf(each) > (spec?.priority ?? 0));
    const { priority, atMs } = this.#gone;
    // As in a real cluster whoever is to leave is told by his name, whoever has that by now.
    if (this.#nowMs - (this.#goneAtMs.get(name) ?? -Infinity) < SURPRISE_MS) return;
    // Who decides a moment before somebody goes has decided for him.
    if (priority > (spec?.priority ?? 0) && this.#nowMs - atMs < SURPRISE_MS) return;
    if (greater.length === 0) this.#wrong.push(`${name} leaves for nobody who matters more`);
    else if (this.#isCalm && greater.every((each) => this.#isBeingCleared(each, uid)))
      this.#wrong.push(`${name} leaves for somebody for whom others leave already`);
  }

  /** Who is promised a node would fit there, if those who are told to go were gone. */
  #lookAtPromise(pod: Pod, before: Pod | undefined): void {
    const promised = pod.status?.nominatedNodeName;
    if (!promised || promised === before?.status?.nominatedNodeName || pod.spec?.nodeName) return;
    const isSurprised = this.#isLate || this.#nowMs - this.#intrudedMs < SURPRISE_MS;
    const staying = this.#on(promised).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    if (!isSurprised && !fits(pod, staying))
      this.#wrong.push(`${pod.metadata.name} is promised ${promised}, where others stay`);
  }

  /** Who is given a node would fit there beside those who are promised it and matter as much. */
  #lookAtPlace(pod: Pod, before: Pod | undefined): void {
    const { uid = '', name } = pod.metadata;
    const promised = pod.status?.nominatedNodeName;
    if (!promised || pod.spec?.nodeName) this.#promises.delete(uid);
    else if (this.#promises.get(uid)?.node !== promised)
      this.#promises.set(uid, { node: promised, sinceMs: this.#nowMs });
    const node = pod.spec?.nodeName;
    if (!before || before.spec?.nodeName || !node) return;
    // What could not be told is not what the scheduler goes by, and what was told a moment ago may be news to it.
    if (this.#isLate || this.#troubledMs === Infinity || this.#nowMs - this.#intrudedMs < SURPRISE_MS) return;
    const awaited = this.#stored.filter((each) => {
      const known = this.#promises.get(each.metadata.uid ?? '');
      return known?.node === node && this.#nowMs - known.sinceMs > SURPRISE_MS;
    });
    const greater = awaited.filter((each) => priorityOf(each) >= priorityOf(pod));
    const others = this.#on(node).filter(({ metadata }) => metadata.uid !== uid);
    if (!fits(pod, [...others, ...greater])) this.#wrong.push(`${name} takes what was promised to others`);
  }

  /** For a pod, by others than this one. */
  #isBeingCleared(pod: Pod, besides: string): boolean {
    const promised = pod.status?.nominatedNodeName;
    const node = this.#storedNode(promised ?? '');
    if (!promised || !node || node.spec?.unschedulable === true) return false;
    return this.#on(promised).some(
      (each) =>
        each.metadata.uid !== besides &&
        priorityOf(each) < priorityOf(pod) &&
        each.metadata.deletionTimestamp !== undefined &&
        !this.#removed.has(each.metadata.uid ?? ''),
    );
  }

  #on(node: string): readonly Pod[] {
    return this.#stored.filter(({ spec }) => spec?.nodeName === node);
  }

  #storedNode(name: string): Node | undefined {
    return this.cluster.storage.range({ prefix: `/registry/minions/${name}` }).entries[0]?.value;
  }

  get #nowMs(): number {
    return this.cluster.userClient.context.wallMs();
  }

  get #isCalm(): boolean {
    return !this.#isLate && this.#nowMs - this.#troubledMs > CALM_MS;
  }

  /** Whoever hears late does not know for a while. */
  lag(span: number): void {
    this.cluster.lagWatchCaches(seconds(span));
    this.#isLate = span > 0;
    this.#troubledMs = this.#nowMs;
    this.#intrudedMs = this.#nowMs;
  }

  /** Somebody takes the node that was cleared for another. */
  intrude(name: string, priority: Priority): void {
    const [node] = this.#stored.flatMap(({ spec, status }) =>
      spec?.nodeName ? [] : (status?.nominatedNodeName ?? []),
    );
    if (node !== 'n1' && node !== 'n2') return;
    this.end();
    this.remove(name);
    this.add(name, { priority, cpu: '2', never: false, lingers: false, nodeName: node });
  }

  /** The one node that can be cleared for somebody is taken by another, who can be sent away, too, or cannot. */
  forestall(priority: Priority): void {
    for (const [name, wish] of [
      ['a', { priority: 'low', lingers: true, nodeName: 'n1' }],
      ['b', { priority: 'high', lingers: false, nodeName: 'n2' }],
      ['c', { priority: 'mid', lingers: false, nodeName: null }],
    ] as const) {
      this.remove(name);
      this.add(name, { cpu: '2', never: false, ...wish });
    }
    this.cluster.advance(seconds(2));
    this.intrude('d', priority);
    this.cluster.advance(seconds(2));
  }

  /** While one leaves for somebody, the other node comes to be held by one who would be missed less. */
  tempt(cpu: Wish['cpu']): void {
    for (const [name, wish] of [
      ['a', { priority: 'mid', lingers: true, nodeName: 'n1' }],
      ['b', { priority: 'high', lingers: false, nodeName: 'n2' }],
      ['c', { priority: 'high', lingers: false, nodeName: null }],
    ] as const) {
      this.remove(name);
      this.add(name, { cpu: '2', never: false, ...wish });
    }
    this.cluster.advance(milliseconds(CALM_MS + SURPRISE_MS));
    this.remove('d');
    this.add('d', { priority: 'low', cpu, never: false, lingers: false, nodeName: 'n2' });
    this.remove('b');
    this.cluster.advance(seconds(2));
  }

  /** There is room for one beside whoever leaves, on the node that is promised to another. */
  compete(priority: Priority, restarts: boolean): void {
    for (const [name, wish] of [
      ['a', { priority: 'low', cpu: '1', lingers: true, nodeName: 'n1' }],
      ['b', { priority: 'high', cpu: '2', lingers: false, nodeName: 'n2' }],
      ['c', { priority: 'mid', cpu: '2', lingers: false, nodeName: null }],
    ] as const) {
      this.remove(name);
      this.add(name, { never: false, ...wish });
    }
    this.cluster.advance(seconds(1));
    // Whoever has tried twice has told all that he has to tell.
    this.remove('e');
    this.add('e', { priority: 'high', cpu: '1', never: false, lingers: false, nodeName: 'n2' });
    this.cluster.advance(milliseconds(CALM_MS));
    this.remove('e');
    this.cluster.advance(milliseconds(SURPRISE_MS));
    if (restarts) this.restart();
    this.remove('d');
    this.add('d', { priority, cpu: '1', never: true, lingers: false, nodeName: null });
    this.cluster.advance(seconds(2));
  }

  /** Somebody who matters more comes while another waits for the node that is cleared for him. */
  overtake(waiting: Wish['cpu'], coming: Wish['cpu']): void {
    for (const [name, wish] of [
      ['a', { priority: 'low', cpu: '2', lingers: true, nodeName: 'n1' }],
      ['b', { priority: 'high', cpu: '2', lingers: false, nodeName: 'n2' }],
      ['c', { priority: 'mid', cpu: waiting, lingers: false, nodeName: null }],
    ] as const) {
      this.remove(name);
      this.add(name, { never: false, ...wish });
    }
    this.cluster.advance(milliseconds(CALM_MS + SURPRISE_MS));
    this.remove('d');
    this.add('d', { priority: 'high', cpu: coming, never: false, lingers: false, nodeName: null });
    this.cluster.advance(milliseconds(2 * SURPRISE_MS));
  }

  get #stored(): readonly Pod[] {
    return this.cluster.storage.range({ prefix: '/registry/pods/' }).entries.map(({ value }) => value);
  }

  get #nodes(): readonly Node[] {
    return this.cluster.client.nodes.list().items;
  }

  add(name: string, { priority, cpu, never, lingers, nodeName }: Wish): void {
    if (nodeName !== null) this.#intrudedMs = this.#nowMs;
    tryTo(() =>
      addPod(this.cluster, name, {
        cpu,
        priorityClassName: never ? `${priority}-never` : priority,
        terminationGracePeriodSeconds: lingers ? 3_000 : 0,
        ...(nodeName !== null && { nodeName }),
      }),
    );
  }

  remove(name: string): void {
    const found = this.#stored.find(({ metadata }) => metadata.name === name);
    if (!found) return;
    this.#removed.add(found.metadata.uid ?? '');
    if (!found.spec?.nodeName) this.#gone = { priority: priorityOf(found), atMs: this.#nowMs };
    tryTo(() => this.cluster.client.pods.delete(name, { gracePeriodSeconds: 0 }));
  }

  /** Whoever was told to go is gone. */
  end(): void {
    for (const { metadata } of this.#stored) if (metadata.deletionTimestamp) this.remove(metadata.name ?? '');
  }

  close(name: string, unschedulable: boolean): void {
    this.#troubledMs = this.#nowMs;
    tryTo(() => this.cluster.client.nodes.patch(name, { type: 'merge', body: { spec: { unschedulable } } }));
  }

  refuse(verb: 'patch' | 'delete' | 'create', status: 409 | 500, after: number): void {
    this.#troubledMs = Infinity;
    this.cluster.faults.failRequests({ actor: SCHEDULER, resource: 'pods', verb, status, after, count: 1 });
  }

  /** Who matters most comes, and whoever is to leave for him is not told at the first try. */
  press(name: string, cpu: Wish['cpu'], after: number): void {
    this.remove(name);
    this.refuse('delete', 500, after);
    this.add(name, { priority: 'high', cpu, never: false, lingers: false, nodeName: null });
    this.cluster.advance(seconds(2));
  }

  loseAnswer(): void {
    this.#troubledMs = Infinity;
    this.cluster.faults.loseAnswers({ actor: SCHEDULER, resource: 'pods', count: 1, resets: true });
  }

  restart(): void {
    this.#troubledMs = Math.max(this.#troubledMs, this.#nowMs);
    this.cluster.faults.crash(SCHEDULER);
    this.cluster.faults.restart(SCHEDULER);
  }

  compare(): void {
    if (this.#isCalm) this.#lookAtPromises();
    expect(this.#wrong).toEqual([]);
  }

  /** Nobody is promised a node on who has no room there beside greater ones that are promised it. */
  #lookAtPromises(): void {
    const promised = this.#stored.filter(({ status, spec }) => status?.nominatedNodeName && !spec?.nodeName);
    for (const pod of promised) {
      const node = pod.status?.nominatedNodeName;
      const greater = promised.filter((other) => {
        const known = this.#promises.get(other.metadata.uid ?? '');
        const isOld = known?.node === node && this.#nowMs - (known?.sinceMs ?? Infinity) > SURPRISE_MS;
        return isOld && priorityOf(other) > priorityOf(pod);
      });
      if (!fits(pod, greater))
        this.#wrong.push(`${pod.metadata.name} is promised ${node}, as greater ones are`);
    }
  }

  expectRest(): void {
    const { faults } = this.cluster;
    for (const verb of VERBS) while (faults.allowRequests({ actor: SCHEDULER, resource: 'pods', verb }));
    this.lag(0);
    for (let time = 0; time < TRIES; time++) {
      this.end();
      this.cluster.advance(REST);
    }
    this.compare();
    const all = this.#stored;
    for (const { metadata, spec, status } of all)
      if (!spec?.nodeName) expect(status?.nominatedNodeName, `${metadata.name} is promised`).toBeUndefined();
    for (const pod of all.filter(({ spec }) => !spec?.nodeName))
      for (const { metadata, spec } of this.#nodes) {
        if (spec?.unschedulable === true) continue;
        const there = all.filter((each) => each.spec?.nodeName === metadata.name);
        const staying = mayNot(pod) ? there : there.filter((each) => priorityOf(each) >= priorityOf(pod));
        const what = `${pod.metadata.name ?? ''} of ${priorityOf(pod)} could be on ${metadata.name ?? ''}`;
        expect(fits(pod, staying), what).toBe(false);
      }
  }
}

const VERBS = ['patch', 'delete', 'create'] as const;

const priorityOf = ({ spec }: Pod): number => spec?.priority ?? 0;
const mayNot = ({ spec }: Pod): boolean => spec?.preemptionPolicy === 'Never';
const cpuOf = ({ spec }: Pod): number => Number(spec?.containers[0]?.resources?.requests?.['cpu'] ?? 0);
const fits = (pod: Pod, others: readonly Pod[]): boolean =>
  others.length < ROOM.pods && others.reduce((sum, each) => sum + cpuOf(each), cpuOf(pod)) <= ROOM.cpu;

const act = actsOn<World>();
const name = fc.constantFrom(...PODS);
const priority = fc.constantFrom<Priority[]>('low', 'high');
const wish: fc.Arbitrary<Wish> = fc.record({
  priority: fc.constantFrom<Priority[]>('low', 'low', 'mid', 'high'),
  cpu: fc.constantFrom('1', '1', '2'),
  never: fc.constantFrom(false, false, false, true),
  lingers: fc.boolean(),
  nodeName: fc.constantFrom(null, null, null, ...NODES),
});
const add = act('add', fc.tuple(name, wish), (subject, drawn) => subject.add(...drawn));
const pass = act('pass', fc.constantFrom(5, 300, 2_000, 12_000), ({ cluster }, span) =>
  cluster.advance(milliseconds(span)),
);

it('is for those who matter more, and then they come', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[add, add, add, pass, pass],
      act('remove', name, (subject, of) => subject.remove(of)),
      act('end', NOTHING, (subject) => subject.end()),
      act('close', fc.tuple(fc.constantFrom(...NODES), fc.boolean()), (subject, drawn) =>
        subject.close(...drawn),
      ),
      act(
        'refuse',
        fc.tuple(fc.constantFrom(...VERBS, 'delete'), fc.constantFrom(409, 500), fc.constantFrom(0, 0, 1)),
        (subject, drawn) => subject.refuse(...drawn),
      ),
      act('press', fc.tuple(name, fc.constantFrom('1', '2'), fc.constantFrom(0, 1)), (subject, drawn) =>
        subject.press(...drawn),
      ),
      act('lose an answer', NOTHING, (subject) => subject.loseAnswer()),
      act('restart', NOTHING, (subject) => subject.restart()),
      act('lag', fc.constantFrom(0, 2), (subject, span) => subject.lag(span)),
      act('intrude', fc.tuple(name, priority), (subject, drawn) => subject.intrude(...drawn)),
      act('tempt', fc.constantFrom('1', '2', '2'), (subject, cpu) => subject.tempt(cpu)),
      act('overtake', fc.tuple(fc.constantFrom('1', '2'), fc.constantFrom('1', '2')), (subject, drawn) =>
        subject.overtake(...drawn),
      ),
      act('forestall', priority, (subject, drawn) => subject.forestall(drawn)),
      act('compete', fc.tuple(fc.constantFrom<Priority[]>('low', 'mid'), fc.boolean()), (subject, drawn) =>
        subject.compete(...drawn),
      ),
    ],
    compare: (subject) => subject.compare(),
    end: (subject) => subject.expectRest(),
    most: 24,
    runs: 24,
  });
});
