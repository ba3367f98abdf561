/**
 * The Job controller: pods that run to their end, as often as the Job wants, each counted once. News of pods is gathered
 * for a second before a Job is looked at. What is to be done is planned in the files beside this one; `job-sync.ts` does it.
 * Specification: not shown: Kubernetes 1.31.
 */
import { labelSelectorOf } from '../../api/selector/label-selector.ts';
import type { Job } from '../../api/types/batch-v1.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { Claimant } from '../../client/controller-ref/claimant.ts';
import { controllerOf } from '../../client/controller-ref/controller-of.ts';
import { EventRecorder } from '../../client/event-recorder.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { ItemBackoff } from '../../client/rate-limit/rate-limiter.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { milliseconds, minutes, seconds } from '../../engine/time.ts';
import {
  type Controller,
  type ControllerContext,
  defineController,
  type SharedInformer,
} from '../manager/controller.ts';
import { type Expected, expectedBy, type WorkloadOptions } from '../workload/expected.ts';
import { PodControl } from '../workload/pod-control.ts';
import { timeMs } from '../workload/pods.ts';
import { type FailureRow, NO_FAILURES } from './job-backoff.ts';
import { isFinishedJob, isManagedByOthers, isTracked, TRACKING_FINALIZER } from './job-pods.ts';
import { JobSync } from './job-sync.ts';

const { jobs, pods } = BUILTIN_HANDLES;
const WORKERS = 5;
/** So long news of pods is gathered. */
const BATCH = seconds(1);

export const jobController = (options: WorkloadOptions = {}): Controller =>
  defineController({
    name: 'job-controller',
    formerNames: ['job'],
    serviceAccount: 'job-controller',
    start: (world) => new JobController(world, options).run(),
  });

export const JOB = jobController();

class JobController {
  readonly #context: Context;
  readonly #client: ApiClient;
  readonly #jobs: SharedInformer<Job>;
  readonly #pods: SharedInformer<Pod>;
  readonly #queue: WorkQueue;
  /** Keys of pods that have the finalizer and no Job. */
  readonly #orphans: WorkQueue;
  readonly #expected: Expected;
  readonly #released = new Map<string, Set<string>>();
  readonly #rows = new Map<string, FailureRow>();
  readonly #events: EventRecorder;
  readonly #podControl: PodControl;

  constructor({ context, client, informerOf }: ControllerContext, options: WorkloadOptions) {
    this.#context = context;
    this.#client = client;
    this.#jobs = informerOf(jobs);
    this.#pods = informerOf(pods);
    const limiter = (): ItemBackoff<string> => new ItemBackoff({ first: seconds(1), longest: minutes(1) });
    this.#queue = new WorkQueue(context, { limiter: limiter() });
    this.#orphans = new WorkQueue(context, { limiter: limiter() });
    this.#expected = expectedBy(context, options);
    this.#events = new EventRecorder(client, 'job-controller');
    this.#podControl = new PodControl({ client, events: this.#events });
  }

  *run(): Process<void> {
    this.#listen();
    for (const informer of [this.#jobs, this.#pods]) yield* informer.waitUntilSynced();
    startWorkers(this.#context, this.#queue, { reconcile: (key) => this.#reconcile(key), workers: WORKERS });
    startWorkers(this.#context, this.#orphans, { reconcile: (key) => this.#letGo(key) });
  }

  #listen(): void {
    this.#jobs.addHandler({
      added: (job) => this.#queue.add(storeKeyOf(job)),
      changed: (job, old) => this.#jobChanged(job, old),
      removed: (job) => {
        this.#queue.add(storeKeyOf(job));
        this.#noteTrackedPodsOf(job);
      },
    });
    this.#pods.addHandler({
      added: (pod) => this.#podAdded(pod),
      changed: (pod, old) => this.#podChanged(pod, old),
      removed: (pod) => this.#podRemoved(pod, true),
    });
  }

  #jobChanged(job: Job, old: Job): void {
    const key = storeKeyOf(job);
    if (job.metadata.generation === old.metadata.generation) this.#queue.addAfter(key, BATCH);
    else this.#queue.add(key);
    if (isFinishedJob(job)) this.#noteTrackedPodsOf(job);
    const started = timeMs(job.status?.startTime);
    const deadline = job.spec?.activeDeadlineSeconds;
    if (started === undefined || deadline === undefined || deadline === old.spec?.activeDeadlineSeconds)
      return;
    this.#queue.addAfter(key, milliseconds(Math.max(0, started + deadline * 1000 - this.#context.wallMs())));
  }

  #noteTrackedPodsOf({ metadata: { uid = '' } }: Job): void {
    for (const pod of this.#pods.store.byIndex('controller', uid))
      if (isTracked(pod)) this.#orphans.add(storeKeyOf(pod));
  }

  #podAdded(pod: Pod): void {
    if (pod.metadata.deletionTimestamp !== undefined) {
      this.#podRemoved(pod, false);
      return;
    }
    const job = this.#jobOf(pod);
    if (job) {
      this.#expected.creationObserved(storeKeyOf(job));
      this.#gather(job);
      return;
    }
    if (isTracked(pod)) this.#orphans.add(storeKeyOf(pod));
    if (!controllerOf(pod)) this.#gatherThoseWhoWant(pod);
  }

  #podChanged(pod: Pod, old: Pod): void {
    if (pod.metadata.resourceVersion === old.metadata.resourceVersion) return;
    if (pod.metadata.deletionTimestamp !== undefined) {
      this.#podRemoved(pod, false);
      return;
    }
    const [job, former] = [this.#jobOf(pod), this.#jobOf(old)];
    const { uid = '' } = pod.metadata;
    if (former && former !== job) {
      this.#seenReleased(former, uid);
      this.#gather(former);
    }
    if (job) {
      if (isTracked(old) && !isTracked(pod)) this.#seenReleased(job, uid);
      this.#gather(job);
      return;
    }
    if (isTracked(pod)) this.#orphans.add(storeKeyOf(pod));
    if (!controllerOf(pod)) this.#gatherThoseWhoWant(pod);
  }

  /** `isGone`: or about to. */
  #podRemoved(pod: Pod, isGone: boolean): void {
    const job = this.#jobOf(pod);
    if (!job || isFinishedJob(job)) {
      if (isTracked(pod) && !isGone) this.#orphans.add(storeKeyOf(pod));
      return;
    }
    this.#expected.deletionObserved(storeKeyOf(job), storeKeyOf(pod));
    if (isGone || !isTracked(pod)) this.#seenReleased(job, pod.metadata.uid ?? '');
    this.#gather(job);
  }

  #jobOf(pod: Pod): Job | undefined {
    const owner = controllerOf(pod);
    if (owner?.kind !== jobs.kind) return undefined;
    const job = this.#jobs.store.get(`${pod.metadata.namespace ?? ''}/${owner.name}`);
    return job?.metadata.uid === owner.uid && !isManagedByOthers(job) ? job : undefined;
  }

  #gather(job: Job): void {
    this.#queue.addAfter(storeKeyOf(job), BATCH);
  }

  #gatherThoseWhoWant(pod: Pod): void {
    for (const job of this.#jobs.store.byIndex('namespace', pod.metadata.namespace ?? '')) {
      const selector = labelSelectorOf(job.spec?.selector);
      if (!selector.isEverything && selector.matches(pod.metadata.labels)) this.#gather(job);
    }
  }

  #seenReleased(job: Job, uid: string): void {
    this.#released.get(storeKeyOf(job))?.delete(uid);
  }

  *#reconcile(key: string): Process<undefined> {
    const cached = this.#jobs.store.get(key);
    if (!cached) {
      this.#expected.forget(key);
      this.#released.delete(key);
      this.#rows.delete(key);
      return undefined;
    }
    if (isManagedByOthers(cached)) return undefined;
    if (isFinishedJob(cached)) {
      this.#rows.delete(key);
      return undefined;
    }
    const job: Job = { ...cached, apiVersion: 'batch/v1', kind: jobs.kind };
    const sync = new JobSync({
      context: this.#context,
      client: this.#client,
      events: this.#events,
      podControl: this.#podControl,
      expected: this.#expected,
      released: this.#released,
      job,
      pods: yield* this.#claim(job),
      row: this.#rows.get(key) ?? NO_FAILURES,
      keepRow: (row) => this.#rows.set(key, row),
      lookAgainAfter: (pause) => this.#queue.addAfter(key, pause),
    });
    yield* sync.run();
    return undefined;
  }

  /** What is adopted counts as having the finalizer at once. */
  *#claim(job: Job): Process<readonly Pod[]> {
    const { namespace = '', uid = '' } = job.metadata;
    const selector = labelSelectorOf(job.spec?.selector);
    const orphans = this.#pods.store
      .byIndex('controller', '')
      .filter(({ metadata }) => metadata.namespace === namespace && selector.matches(metadata.labels));
    const claimed = yield* new Claimant({
      client: this.#client,
      controllerHandle: jobs,
      controller: job,
      handle: pods,
      isSelected: ({ metadata }) => selector.matches(metadata.labels),
      finalizers: [TRACKING_FINALIZER],
    }).claim([...this.#pods.store.byIndex('controller', uid), ...orphans]);
    return claimed.map((pod) => (controllerOf(pod)?.uid === uid || isTracked(pod) ? pod : tracked(pod)));
  }

  *#letGo(key: string): Process<undefined> {
    const pod = this.#pods.store.get(key);
    if (!pod || !isTracked(pod)) return undefined;
    const job = this.#jobOf(pod);
    if (job && !isFinishedJob(job)) return undefined;
    const { namespace = '', name = '' } = pod.metadata;
    const body = { metadata: { '$deleteFromPrimitiveList/finalizers': [TRACKING_FINALIZER] } };
    try {
      yield* this.#client.patch(pods, { namespace, name }, { type: 'strategic', body });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return undefined;
  }
}

const tracked = (pod: Pod): Pod => {
  const finalizers = [...(pod.metadata.finalizers ?? []), TRACKING_FINALIZER];
  return { ...pod, metadata: { ...pod.metadata, finalizers } };
};
