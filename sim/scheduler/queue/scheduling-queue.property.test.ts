/** The queue of a scheduler against a model of plain entries, in any order of tries, news, changes and time. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Pod } from '../../api/types/core-v1.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { Simulation } from '../../engine/simulation.ts';
import { seconds } from '../../engine/time.ts';
import type { ClusterEvent } from '../framework/cluster-event.ts';
import type { QueuedPod } from './queued-pod.ts';
import { SchedulingQueue } from './scheduling-queue.ts';

const NAMES = ['a', 'b', 'c'] as const;
type Name = (typeof NAMES)[number];
const NODE_ADDED: ClusterEvent = { resource: 'Node', action: 'add' };
const POD_DELETED: ClusterEvent = { resource: 'Pod', action: 'delete' };
const NOBODY: ReadonlySet<string> = new Set();
const FIT: ReadonlySet<string> = new Set(['NodeResourcesFit']);
const LONGEST_STAY = 300;
const SWEEP_EVERY = 30;

/** '': none. */
const NODES = ['', 'n1', 'n2'] as const;
type NodeName = (typeof NODES)[number];

interface Facts {
  readonly priority: number;
  readonly isGated: boolean;
  /** What its status says that it is promised. */
  readonly nominated: NodeName;
}

interface Entry extends Facts {
  readonly place: 'active' | 'pausing' | 'aside' | 'taken';
  readonly since: number;
  readonly order: number;
  readonly attempts: number;
  readonly isRejected: boolean;
}

const podOf = (name: Name, { priority, isGated, nominated }: Facts): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: name },
  spec: { containers: [], priority, ...(isGated && { schedulingGates: [{ name: 'gate' }] }) },
  status: { nominatedNodeName: nominated },
});

const pauseOf = (attempts: number): number => (attempts === 0 ? 0 : Math.min(10, 2 ** (attempts - 1)));

class Pair {
  #now = 0;
  #order = 0;
  #entries = new Map<Name, Entry>();
  /** Nodes that are promised to pods. */
  readonly #promised = new Map<Name, NodeName>();
  /** Taken, and not given back. */
  #inWork: { readonly name: Name; readonly queued: QueuedPod; readonly cycle: number } | undefined;
  /** Something that may help has happened since the pod was taken. */
  #hasNews = false;
  readonly #simulation = new Simulation({ seed: 1 });
  readonly #queue = new SchedulingQueue({
    context: this.#simulation.actor('scheduler/0').context,
    firstPause: seconds(1),
    longestPause: seconds(10),
    gateOf: ({ spec }) => (spec?.schedulingGates?.length ? 'SchedulingGates' : undefined),
    mayHelp: ({ resource }, { rejectedBy }) =>
      resource === '*' || (resource === 'Node' && rejectedBy.has('NodeResourcesFit')),
  });

  /** A pod that is there already is changed. */
  set(name: Name, facts: Facts): void {
    const known = this.#entries.get(name);
    if (!known) {
      this.#queue.add(podOf(name, facts));
      this.#promised.set(name, facts.nominated);
      this.#enter(name, { ...facts, since: this.#now, order: this.#order++, attempts: 0 });
      return;
    }
    if (known.place === 'taken') return;
    this.#queue.update(podOf(name, known), podOf(name, facts));
    // What was promised since somebody last said so stays.
    if (known.nominated !== facts.nominated || !this.#promised.get(name))
      this.#promised.set(name, facts.nominated);
    const isOther = known.priority !== facts.priority || known.isGated !== facts.isGated;
    const changed = { ...known, ...facts };
    if (known.place === 'aside' && isOther) this.#requeue(name, changed);
    else this.#entries.set(name, changed);
  }

  remove(name: Name): void {
    const known = this.#entries.get(name);
    if (!known || known.place === 'taken') return;
    this.#queue.remove(podOf(name, known));
    this.#entries.delete(name);
    this.#promised.delete(name);
  }

  promise(name: Name, node: NodeName): void {
    const known = this.#entries.get(name);
    if (!known) return;
    this.#queue.nominations.set(podOf(name, known), node);
    this.#promised.set(name, node);
  }

  take(): void {
    const [first] = this.#in('active').toSorted(
      ([, a], [, b]) => b.priority - a.priority || a.since - b.since || a.order - b.order,
    );
    if (!first || this.#inWork) return;
    const [name, entry] = first;
    const queued = this.#queue.take().next().value as unknown as QueuedPod;
    expect(queued).toMatchObject({ key: `default/${name}`, attempts: entry.attempts + 1 });
    this.#inWork = { name, queued, cycle: this.#queue.cycle };
    this.#hasNews = false;
    this.#entries.set(name, { ...entry, place: 'taken', attempts: entry.attempts + 1 });
  }

  giveBack(isRejected: boolean): void {
    if (!this.#inWork) return;
    const { name, queued, cycle } = this.#inWork;
    this.#inWork = undefined;
    const known = this.#entries.get(name);
    if (!known) return;
    this.#queue.giveBack({ ...queued, rejectedBy: isRejected ? FIT : NOBODY }, cycle);
    const place = this.#hasNews || !isRejected ? 'pausing' : 'aside';
    this.#entries.set(name, { ...known, place, since: this.#now, isRejected });
  }

  hear(event: ClusterEvent): void {
    this.#queue.moveAll(event);
    this.#hasNews = true;
    if (event.resource !== 'Node') return;
    for (const [name, entry] of this.#in('aside'))
      if (entry.isRejected && !entry.isGated) this.#requeue(name, entry);
  }

  pass(span: number): void {
    for (let second = 0; second < span; second++) {
      this.#simulation.runFor(seconds(1));
      this.#now++;
      for (const [name, entry] of this.#in('pausing'))
        if (entry.since + pauseOf(entry.attempts) <= this.#now) this.#enter(name, entry);
      if (this.#now % SWEEP_EVERY !== 0) continue;
      for (const [name, entry] of this.#in('aside'))
        if (!entry.isGated && this.#now - entry.since > LONGEST_STAY) this.#requeue(name, entry);
    }
  }

  compare(): void {
    for (const node of NODES.slice(1)) {
      const promised = [...this.#queue.nominations.of(node)].map(({ metadata }) => metadata.uid);
      const wanted = NAMES.filter((name) => this.#promised.get(name) === node);
      expect(new Set(promised), `who is promised ${node}`).toEqual(new Set(wanted));
    }
    expect(this.#queue.size).toEqual({
      active: this.#in('active').length,
      pausing: this.#in('pausing').length,
      unschedulable: this.#in('aside').length,
    });
  }

  #in(place: Entry['place']): readonly (readonly [Name, Entry])[] {
    return [...this.#entries].filter(([, entry]) => entry.place === place);
  }

  #enter(name: Name, entry: Omit<Entry, 'place' | 'isRejected'>): void {
    this.#entries.set(name, { ...entry, isRejected: false, place: entry.isGated ? 'aside' : 'active' });
  }

  #requeue(name: Name, entry: Entry): void {
    if (entry.since + pauseOf(entry.attempts) > this.#now)
      this.#entries.set(name, { ...entry, place: 'pausing' });
    else this.#enter(name, entry);
  }
}

const name = fc.constantFrom(...NAMES);
const facts = fc.record({
  priority: fc.constantFrom(0, 5),
  isGated: fc.boolean(),
  nominated: fc.constantFrom<NodeName[]>('', '', 'n1', 'n2'),
});
const act = actsOn<Pair>();

it('gives pods out in turn, and lets each come back when it may and not before', () => {
  holdsInAnyOrder({
    begin: () => new Pair(),
    acts: [
      act('set', fc.tuple(name, facts), (pair, [of, as]) => pair.set(of, as)),
      act('remove', name, (pair, of) => pair.remove(of)),
      act('promise', fc.tuple(name, fc.constantFrom(...NODES)), (pair, [of, node]) => pair.promise(of, node)),
      act('take', NOTHING, (pair) => pair.take()),
      act('take', NOTHING, (pair) => pair.take()),
      act('give back', fc.boolean(), (pair, isRejected) => pair.giveBack(isRejected)),
      act('give back', fc.boolean(), (pair, isRejected) => pair.giveBack(isRejected)),
      act('hear', fc.constantFrom(NODE_ADDED, POD_DELETED), (pair, event) => pair.hear(event)),
      act('pass', fc.constantFrom(1, 2, 4, 9, 310), (pair, span) => pair.pass(span)),
    ],
    compare: (pair) => pair.compare(),
    most: 40,
    runs: 200,
  });
});
