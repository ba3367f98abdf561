/**
 * Pods that wait for a node. Those whose turn may come lie in order of priority, then of time; those that failed wait out
 * a pause that doubles from 1 s to 10 s; those that fit nowhere wait for an event that may help them, five minutes at the
 * most; gated ones wait for their gates. An event that happens while a pod is being tried counts for it too.
 * Kubernetes 1.31, without queueing hints, as is its default.
 */
import type { Pod } from '../../api/types/core-v1.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import type { Signal } from '../../engine/signal.ts';
import { minutes, seconds, type Micros } from '../../engine/time.ts';
import { priorityOf } from '../cache/pod-facts.ts';
import { type ClusterEvent, TIMEOUT } from '../framework/cluster-event.ts';
import { Nominations } from './nominations.ts';
import { PodHeap } from './pod-heap.ts';
import { type QueuedPod, isChangeOfSpec, keyOf } from './queued-pod.ts';

/** Pauses are looked at once a second. */
const FLUSH_PAUSES_EVERY = seconds(1);
const FLUSH_LEFTOVERS_EVERY = seconds(30);
const LONGEST_STAY = minutes(5);

export interface QueueOptions {
  readonly context: Context;
  readonly firstPause: Micros;
  readonly longestPause: Micros;
  /** Name of the plugin that keeps the pod from waiting for its turn. */
  readonly gateOf: (pod: Pod) => string | undefined;
  /** Whether an event may help a pod that these plugins have rejected. */
  readonly mayHelp: (event: ClusterEvent, queued: QueuedPod) => boolean;
}

/** Which of those that wait an event is about at all. */
export type PreCheck = (pod: Pod) => boolean;

export class SchedulingQueue {
  readonly nominations = new Nominations();
  readonly #options: QueueOptions;
  readonly #active = new PodHeap<QueuedPod>(isBefore);
  readonly #pausing = new PodHeap<QueuedPod>((one, other) => this.#pauseEnds(one) < this.#pauseEnds(other));
  readonly #unschedulable = new Map<string, QueuedPod>();
  readonly #filled: Signal;
  #sequence = 0;
  /** Pods that were taken so far. */
  #cycle = 0;
  /** The cycle in which something happened last. */
  #movedIn = -1;
  #isFlushing = false;
  #isSweeping = false;

  constructor(options: QueueOptions) {
    this.#options = options;
    this.#filled = options.context.signal();
  }

  get size(): { readonly active: number; readonly pausing: number; readonly unschedulable: number } {
    return {
      active: this.#active.size,
      pausing: this.#pausing.size,
      unschedulable: this.#unschedulable.size,
    };
  }

  /** The cycle that the pod taken last belongs to. */
  get cycle(): number {
    return this.#cycle;
  }

  add(pod: Pod): void {
    this.nominations.update(undefined, pod);
    const now = this.#now();
    this.#enter({
      key: keyOf(pod),
      pod,
      since: now,
      sequence: this.#sequence++,
      attempts: 0,
      rejectedBy: NOBODY,
    });
  }

  update(old: Pod, pod: Pod): void {
    const key = keyOf(pod);
    this.nominations.update(old, pod);
    const active = this.#active.get(key);
    if (active) {
      this.#active.push({ ...active, pod });
      return;
    }
    const pausing = this.#pausing.get(key);
    if (pausing) {
      this.#pausing.push({ ...pausing, pod });
      return;
    }
    const waiting = this.#unschedulable.get(key);
    if (waiting && !isChangeOfSpec(old, pod)) this.#unschedulable.set(key, { ...waiting, pod });
    else if (waiting) {
      this.#unschedulable.delete(key);
      this.#requeue({ ...waiting, pod });
    } else this.add(pod);
  }

  remove(pod: Pod): void {
    const key = keyOf(pod);
    this.nominations.remove(pod);
    this.#active.remove(key);
    this.#pausing.remove(key);
    this.#unschedulable.delete(key);
  }

  /** The pod whose turn it is; waits for one. */
  *take(): Process<QueuedPod> {
    for (;;) {
      const first = this.#active.pop();
      if (first) {
        this.#cycle++;
        return { ...first, attempts: first.attempts + 1, rejectedBy: NOBODY };
      }
      yield* this.#filled.wait();
    }
  }

  /** The pod was tried in vain in that cycle. */
  giveBack(queued: QueuedPod, cycle: number): void {
    const { key } = queued;
    if (this.#active.get(key) || this.#pausing.get(key) || this.#unschedulable.has(key)) return;
    const again = { ...queued, since: this.#now() };
    // Who was rejected by nobody had bad luck: something went wrong that may be over soon.
    if (this.#movedIn >= cycle || queued.rejectedBy.size === 0) this.#pause(again);
    else this.#setAside(again);
  }

  /** Something has happened: those whom it may help are tried again. */
  moveAll(event: ClusterEvent, preCheck: PreCheck = () => true): void {
    for (const queued of this.#unschedulable.values())
      if (preCheck(queued.pod)) this.#moveIfHelped(event, queued);
    this.#movedIn = this.#cycle;
  }

  #moveIfHelped(event: ClusterEvent, queued: QueuedPod): void {
    if (!this.#options.mayHelp(event, queued)) return;
    this.#unschedulable.delete(queued.key);
    this.#requeue(queued);
  }

  #requeue(queued: QueuedPod): void {
    if (this.#pauseEnds(queued) > this.#now()) this.#pause(queued);
    else this.#enter(queued);
  }

  /** Into the active queue, unless a gate is shut. */
  #enter(queued: QueuedPod): void {
    const gate = this.#options.gateOf(queued.pod);
    if (gate !== undefined) {
      this.#setAside({ ...queued, rejectedBy: new Set([gate]), isGated: true });
      return;
    }
    const { isGated: _, ...free } = queued;
    this.#active.push(free);
    this.#filled.fire();
  }

  #pause(queued: QueuedPod): void {
    this.#pausing.push(queued);
    if (this.#isFlushing) return;
    this.#isFlushing = true;
    this.#options.context.spawn('flush of pauses', this.#flushPauses());
  }

  #setAside(queued: QueuedPod): void {
    this.#unschedulable.set(queued.key, queued);
    if (this.#isSweeping || queued.isGated) return;
    this.#isSweeping = true;
    this.#options.context.spawn('flush of leftovers', this.#flushLeftovers());
  }

  *#flushPauses(): Process<void> {
    while (this.#pausing.size > 0) {
      yield* this.#untilNext(FLUSH_PAUSES_EVERY);
      for (
        let next = this.#pausing.peek();
        next && this.#pauseEnds(next) <= this.#now();
        next = this.#pausing.peek()
      ) {
        this.#pausing.pop();
        this.#enter(next);
      }
    }
    this.#isFlushing = false;
  }

  *#flushLeftovers(): Process<void> {
    while ([...this.#unschedulable.values()].some(({ isGated }) => !isGated)) {
      yield* this.#untilNext(FLUSH_LEFTOVERS_EVERY);
      const now = this.#now();
      const over = [...this.#unschedulable.values()].filter(({ since }) => now - since > LONGEST_STAY);
      for (const queued of over) this.#moveIfHelped(TIMEOUT, queued);
    }
    this.#isSweeping = false;
  }

  /** Flushes happen at whole periods, whenever somebody came to wait. */
  *#untilNext(period: Micros): Process<void> {
    const now = this.#now();
    yield* this.#options.context.sleep((period - (now % period)) as Micros);
  }

  #pauseEnds({ since, attempts }: QueuedPod): number {
    const { firstPause, longestPause } = this.#options;
    return since + (attempts === 0 ? 0 : Math.min(longestPause, firstPause * 2 ** (attempts - 1)));
  }

  #now(): Micros {
    return this.#options.context.now();
  }
}

const NOBODY: ReadonlySet<string> = new Set();

function isBefore(one: QueuedPod, other: QueuedPod): boolean {
  const difference = priorityOf(one.pod) - priorityOf(other.pod);
  if (difference !== 0) return difference > 0;
  return one.since === other.since ? one.sequence < other.sequence : one.since < other.since;
}
