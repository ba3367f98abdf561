/**
 * Watches what a node has left, tells its pressures, and gives up pods for it: at most one at each look, ten seconds
 * apart. Nobody looks while nothing can have changed: containers started or ended, a disk written,
 * something from outside. Kubernetes 1.31: node-pressure eviction.
 */
import type { EventFacts } from '../../client/event-facts.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { microseconds, seconds } from '../../engine/time.ts';
import type { Machine } from '../machine/machine.ts';
import type { PodWorker } from '../pods/pod-worker.ts';
import { evictionMessage, storageLimitMessage } from './eviction-message.ts';
import { ranked } from './eviction-ranking.ts';
import type { PodUsage } from './pod-usage.ts';
import { PressureMemory } from './pressure-memory.ts';
import {
  DEFAULT_HARD,
  type EvictionSettings,
  metSignals,
  pressureOf,
  resourceOf,
  type Signal,
} from './thresholds.ts';

export interface EvictionLoopOptions {
  readonly context: Context;
  readonly machine: Machine;
  readonly settings: EvictionSettings;
  readonly workers: () => readonly PodWorker[];
  readonly tellOfNode: (facts: EventFacts) => void;
}

const LOOK_AFTER = seconds(10);
const TRANSITION_SECONDS = 300;
/** What a pod has that goes at once; its containers always have a little more. */
const GRACE_SECONDS = 1;

interface Candidate extends PodUsage {
  readonly worker: PodWorker;
}

export class EvictionLoop {
  readonly #options: EvictionLoopOptions;
  readonly #memory: PressureMemory;
  #met: ReadonlySet<Signal> = new Set();

  constructor(options: EvictionLoopOptions) {
    this.#options = options;
    const { pressureTransitionSeconds = TRANSITION_SECONDS } = options.settings;
    this.#memory = new PressureMemory(pressureTransitionSeconds * 1_000);
  }

  /** Without end. */
  *run(): Process<void> {
    for (;;) {
      this.#look();
      yield* this.#untilNews();
    }
  }

  *#untilNews(): Process<void> {
    const { context, machine } = this.#options;
    if (this.#met.size === 0 && !this.#grows()) {
      const news = [machine.usageChanged.wait(), machine.disk.changed.wait()] as const;
      const endMs = this.#memory.nextEndMs(this.#nowMs);
      if (endMs === undefined) yield* context.race(news);
      else {
        // Rounded up: a moment before the end nothing would have changed, again and again.
        const end = context.sleep(microseconds(Math.max(1, Math.ceil((endMs - this.#nowMs) * 1_000))));
        if ((yield* context.race([end, ...news])).index === 0) return;
      }
    }
    yield* context.sleep(LOOK_AFTER);
  }

  #grows(): boolean {
    const running = this.#options.machine.runtime.running(this.#nowMs);
    return running.some(({ behaviour }) => (behaviour.memoryGrowthBytes ?? 0) > 0);
  }

  #look(): void {
    const { machine, settings, tellOfNode } = this.#options;
    const met = this.#observe();
    const candidates = this.#candidates();
    if (this.#evictOverLimit(candidates)) return;
    const [first] = met;
    if (!first) return;
    tellOfNode({
      type: 'Warning',
      reason: 'EvictionThresholdMet',
      message: `Attempting to reclaim ${resourceOf(first)}`,
    });
    const pressure = pressureOf(first);
    if (pressure === 'disk' && this.#removeImages() > 0 && !this.#observe().includes(first)) return;
    const threshold = (settings.hard ?? DEFAULT_HARD)[first] ?? '0';
    const observation = machine.observations(this.#nowMs)[first];
    const victim = ranked(candidates, pressure).find(({ worker }) => !worker.isCritical);
    if (victim) this.#evict(victim.worker, evictionMessage(victim, first, threshold, observation), true);
  }

  /** The signals that are met now; the machine is told how it feels. */
  #observe(): readonly Signal[] {
    const { machine, settings } = this.#options;
    const met = metSignals(settings, machine.observations(this.#nowMs), this.#met);
    this.#met = new Set(met);
    this.#memory.feel(met.map(pressureOf), this.#nowMs);
    machine.feel(this.#memory.present(this.#nowMs));
    return met;
  }

  #removeImages(): number {
    const { runtime } = this.#options.machine;
    return runtime.images.removeUnused(runtime.running(this.#nowMs).map(({ image }) => image));
  }

  /** A pod that takes more of the disk than it may goes whatever the node has left. */
  #evictOverLimit(candidates: readonly Candidate[]): boolean {
    let hasEvicted = false;
    for (const candidate of candidates) {
      const message = candidate.worker.isCritical ? undefined : storageLimitMessage(candidate);
      if (message === undefined) continue;
      this.#evict(candidate.worker, message, false);
      hasEvicted = true;
    }
    return hasEvicted;
  }

  #candidates(): readonly Candidate[] {
    const { machine, workers } = this.#options;
    const nowMs = this.#nowMs;
    return workers()
      .filter(({ isOver, isTerminating }) => !isOver && !isTerminating)
      .map((worker) => ({ worker, pod: worker.pod, containers: machine.usageOf(worker.uid, nowMs) }));
  }

  #evict(worker: PodWorker, message: string, isDisruption: boolean): void {
    worker.evict({
      reason: 'Evicted',
      message,
      graceSeconds: GRACE_SECONDS,
      eventType: 'Warning',
      ...(isDisruption && { disruption: { reason: 'TerminationByKubelet', message } }),
    });
  }

  get #nowMs(): number {
    return this.#options.context.now() / 1_000;
  }
}
