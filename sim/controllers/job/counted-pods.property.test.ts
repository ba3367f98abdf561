/**
 * What Jobs say of the pods that have ended, at every moment and whatever is heard late, refused, lost or begun anew: no pod
 * is counted twice, none that has not ended, and in the end of a Job that goes on each that has. Documentation: "Jobs",
 * tracking with finalizers.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Job } from '../../api/types/batch-v1.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, TroubledManager } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { milliseconds, seconds } from '../../engine/time.ts';

const JOBS = ['plain', 'indexed'] as const;
type Name = (typeof JOBS)[number];
type Phase = 'Succeeded' | 'Failed';
const PHASES = ['Succeeded', 'Failed'] as const;
const COMPLETIONS = 6;

class World extends TroubledManager {
  /** By Job and what became of them: uids of pods, each once. */
  readonly #ended = new Map<string, Set<string>>();
  readonly #wrong: string[] = [];

  constructor() {
    super(['job-controller']);
    this.eachWrite<Pod>('/registry/pods/', (now) => this.#lookAtPod(now));
    this.eachWrite<Job>('/registry/jobs/', (now) => this.#lookAtJob(now));
    for (const name of JOBS) this.make(name);
    this.cluster.advance(seconds(3));
  }

  make(name: Name): void {
    const spec = {
      ...{ completions: COMPLETIONS, parallelism: 3, backoffLimit: 1_000 },
      ...(name === 'indexed' && { completionMode: 'Indexed' as const }),
      template: { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } },
    } as const;
    this.cluster.client.jobs.create({ metadata: { name }, spec });
  }

  /** Some of the pods that run end. */
  end(name: Name, phases: readonly Phase[]): void {
    const running = this.#podsOf(name).filter(({ status }) => !isOver(status?.phase));
    for (const [at, phase] of phases.entries()) {
      const pod = running[at]?.metadata.name;
      if (pod === undefined) continue;
      tryTo(() =>
        this.cluster.client.pods.patch(
          pod,
          { type: 'merge', body: { status: { phase } } },
          { subresource: 'status' },
        ),
      );
    }
  }

  remove(name: Name, at: number): void {
    const pods = this.#podsOf(name);
    const pod = pods[at % (pods.length || 1)]?.metadata.name;
    if (pod !== undefined) tryTo(() => this.cluster.client.pods.delete(pod, { gracePeriodSeconds: 0 }));
  }

  /** While servers tell late what becomes of pods. */
  endLate(name: Name, phases: readonly Phase[], ms: number): void {
    this.cluster.lagWatchCaches(milliseconds(ms));
    this.end(name, phases);
    this.cluster.advance(seconds(3));
  }

  /** And it is heard, but nothing of pods for a while thereafter: what becomes of the Job is. */
  endBeforeSilence(name: Name, phases: readonly Phase[], ms: number): void {
    const ofPods = { actor: this.actor.name, resource: 'pods', verb: ['list', 'watch'] } as const;
    const { faults } = this.cluster;
    this.end(name, phases);
    this.cluster.advance(milliseconds(ms));
    faults.failRequests(ofPods);
    faults.endWatches({ resource: 'pods' });
    this.cluster.advance(seconds(8));
    faults.allowRequests(ofPods);
  }

  #podsOf(name: string): readonly Pod[] {
    return this.of('Pod').filter(({ metadata }) => ownerOf(metadata) === name);
  }

  #lookAtPod(pod: Pod | undefined): void {
    const { metadata, status } = pod ?? {};
    if (!metadata) return;
    const phase = isOver(status?.phase) ? status?.phase : metadata.deletionTimestamp && 'Failed';
    if (phase) this.#endedOf(ownerOf(metadata), phase).add(metadata.uid ?? '');
  }

  #endedOf(name: string, phase: string): Set<string> {
    const key = `${name} ${phase}`;
    const known = this.#ended.get(key) ?? new Set();
    this.#ended.set(key, known);
    return known;
  }

  #lookAtJob(job: Job | undefined): void {
    if (!job) return;
    const { name = '' } = job.metadata;
    for (const phase of PHASES) {
      const most = this.#endedOf(name, phase).size;
      if (saidOf(job, phase) > most) this.#wrong.push(`${saidOf(job, phase)} of ${most} ${phase} of ${name}`);
    }
  }

  compare(): void {
    expect(this.#wrong).toEqual([]);
  }

  expectCounted(): void {
    this.calm();
    this.compare();
    for (const job of this.objects.filter(({ kind }) => kind === 'Job') as readonly Job[]) {
      const { name = '' } = job.metadata;
      if (job.status?.completionTime !== undefined) continue;
      expect(job.status?.uncountedTerminatedPods ?? {}, `not counted of ${name}`).toEqual({});
      const [succeeded, failed] = PHASES.map((phase) => this.#endedOf(name, phase));
      // Who was told to go before may count as failed.
      const least = [...(succeeded ?? [])].filter((uid) => failed?.has(uid) !== true).length;
      if (name === 'plain') expect(saidOf(job, 'Succeeded')).toBeGreaterThanOrEqual(least);
    }
  }
}

const isOver = (phase: string | undefined): boolean => phase === 'Succeeded' || phase === 'Failed';

const ownerOf = ({ ownerReferences = [] }: Pod['metadata']): string => ownerReferences[0]?.name ?? '';

function saidOf({ status = {} }: Job, phase: Phase): number {
  const { succeeded = [], failed = [] } = status.uncountedTerminatedPods ?? {};
  return phase === 'Failed'
    ? (status.failed ?? 0) + failed.length
    : (status.succeeded ?? 0) + succeeded.length;
}

const name = fc.constantFrom(...JOBS);
const phases = fc.array(fc.constantFrom<Phase>('Succeeded', 'Succeeded', 'Failed'), {
  minLength: 1,
  maxLength: 3,
});
const act = actsOn<World>();
const acts = [
  act('end', fc.tuple(name, phases), (world, drawn) => world.end(...drawn)),
  act('end late', fc.tuple(name, phases, fc.constantFrom(20, 300, 1_500)), (world, drawn) =>
    world.endLate(...drawn),
  ),
  act(
    'end before silence',
    fc.tuple(name, phases, fc.constantFrom(50, 300, 900, 1_010, 2_000)),
    (world, drawn) => world.endBeforeSilence(...drawn),
  ),
  act('remove', fc.tuple(name, fc.nat(5)), (world, drawn) => world.remove(...drawn)),
];

it('count each pod once that has ended', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: amidTroubles<World>(acts),
    compare: (world) => world.compare(),
    end: (world) => world.expectCounted(),
    most: 14,
    runs: 25,
  });
});
