/**
 * The work of a scheduler in one life: it takes one pod after the other, decides, and lets the binding go on by itself, with
 * the pod assumed to be on its node meanwhile. Whatever fails puts the pod back into the queue.
 */
import { ApiError } from '../api/status.ts';
import { formatTime } from '../api/time-format.ts';
import type { Pod } from '../api/types/core-v1.ts';
import type { ApiClient } from '../client/api-client.ts';
import { type CallFailure, isCallFailure } from '../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../client/builtin-handles.ts';
import type { EventSeriesRecorder } from '../client/event-series-recorder.ts';
import type { Lister } from '../client/informer/object-store.ts';
import type { ResourceHandle } from '../client/resource-handle.ts';
import type { Context } from '../engine/context.ts';
import type { Process } from '../engine/process.ts';
import { milliseconds, type Micros } from '../engine/time.ts';
import { factsOf, shareFacts } from './cache/pod-facts.ts';
import type { NodeInfo } from './cache/node-info.ts';
import { fitErrorText, NO_NODES } from './framework/fit-error.ts';
import type { SchedulingWorld } from './framework/plugin.ts';
import type { Profile } from './framework/profile.ts';
import { SchedulerError } from './framework/rejection.ts';
import { type Placement, PodPlacer } from './place-pod.ts';
import { type Verdict, shortened, verdictPatch } from './pod-condition.ts';
import { Preemption, withKind } from './preemption/preemption.ts';
import { keyOf, type QueuedPod } from './queue/queued-pod.ts';
import type { SchedulingQueue } from './queue/scheduling-queue.ts';
import type { VolumeBinder } from './volumes/volume-binding.ts';

const { pods } = BUILTIN_HANDLES;
const BINDINGS: ResourceHandle = {
  group: '',
  version: 'v1',
  resource: 'pods',
  kind: 'Binding',
  isNamespaced: true,
};
/** What one decision takes. */
const DECISION = milliseconds(1);

export interface LoopParts {
  readonly client: ApiClient;
  readonly world: SchedulingWorld;
  readonly queue: SchedulingQueue;
  readonly profiles: ReadonlyMap<string, Profile>;
  readonly volumes: VolumeBinder;
  readonly events: EventSeriesRecorder;
  /** Pods as the informer has them. */
  readonly pods: Lister<Pod>;
  /** How long a pod stays assumed after its binding; undefined: until it is seen. */
  readonly assumedFor: Micros | undefined;
}

export class SchedulingLoop {
  readonly #parts: LoopParts;
  readonly #context: Context;
  readonly #placer: PodPlacer;
  readonly #preemption: Preemption;

  constructor(parts: LoopParts) {
    const { client, world, queue, events } = parts;
    const { nominations } = queue;
    this.#parts = parts;
    this.#context = client.context;
    this.#placer = new PodPlacer(world, nominations, client.context.site('equally good nodes'));
    const starts = client.context.site('first node of preemption');
    this.#preemption = new Preemption({ client, world, nominations, events, starts });
  }

  *run(): Process<void> {
    const { queue, world } = this.#parts;
    for (;;) {
      const queued = yield* queue.take();
      // It was queued again amid its own decision: while this one goes on, it may be seen to have its node.
      const isPlaced = world.cache.isAssumed(queued.pod);
      yield* this.#context.sleep(DECISION);
      this.#expire();
      if (!isPlaced) yield* this.#schedule(queued, queue.cycle);
    }
  }

  *#schedule(queued: QueuedPod, cycle: number): Process<void> {
    const { pod } = queued;
    const profile = this.#parts.profiles.get(pod.spec?.schedulerName ?? '');
    if (!profile || this.#isSkipped(pod, profile)) return;
    const placement = this.#placer.place({ pod, facts: factsOf(pod) }, profile);
    if (placement.kind === 'node') {
      const assumed = this.#assume(pod, placement.node);
      this.#context.spawn('binding', this.#bind({ ...queued, pod: assumed }, placement.node.name, cycle));
      return;
    }
    yield* this.#reject(queued, { placement, profile, cycle });
  }

  #isSkipped(pod: Pod, { schedulerName }: Profile): boolean {
    if (pod.metadata.deletionTimestamp !== undefined) {
      const note = `skip schedule deleting pod: ${keyOf(pod)}`;
      this.#tellOfFailure(pod, schedulerName, note);
      return true;
    }
    return this.#parts.world.cache.isAssumed(pod);
  }

  *#reject(queued: QueuedPod, { placement, profile, cycle }: Rejected): Process<void> {
    if (placement.kind === 'no-nodes') {
      yield* this.#fail(queued, { reason: 'Unschedulable', message: NO_NODES, nominated: '' }, cycle);
      return;
    }
    const { diagnosis, filters } = placement;
    const candidate = { pod: queued.pod, facts: factsOf(queued.pod) };
    const outcome = profile.preempts
      ? yield* this.#preemption.preempt(candidate, diagnosis, filters)
      : { message: '', nominated: '' };
    const verdict: Verdict = {
      reason: 'Unschedulable',
      message: fitErrorText(diagnosis, outcome.message),
      nominated: outcome.nominated,
    };
    yield* this.#fail({ ...queued, rejectedBy: diagnosis.plugins }, verdict, cycle);
  }

  #assume(pod: Pod, node: NodeInfo): Pod {
    const { world, volumes, queue } = this.#parts;
    const spec = { ...(pod.spec ?? { containers: [] }), nodeName: node.name };
    shareFacts(pod, spec);
    const assumed = { ...pod, spec };
    world.cache.assume(assumed);
    queue.nominations.remove(pod);
    volumes.reserve(assumed, node);
    return assumed;
  }

  *#bind(queued: QueuedPod, node: string, cycle: number): Process<void> {
    const { client, volumes, world, events, pods: seen, assumedFor } = this.#parts;
    const { pod } = queued;
    let step = 'PreBind plugin "VolumeBinding"';
    try {
      yield* volumes.bind(client, {
        pod,
        node,
        isPodThere: () => seen.get(keyOf(pod)) !== undefined,
        nodeNow: () => world.cache.node(node)?.node,
      });
      step = 'Bind plugin "DefaultBinder"';
      yield* client.create(BINDINGS, bindingOf(pod, node), { subresource: 'binding' });
    } catch (error) {
      if (!isCallFailure(error) && !(error instanceof SchedulerError)) throw error;
      yield* this.#unbind(queued, `running ${step}: ${textOf(error)}`, cycle);
      return;
    }
    volumes.unreserve(pod);
    const expiresAt = assumedFor === undefined ? undefined : ((this.#context.now() + assumedFor) as Micros);
    world.cache.finishBinding(pod, expiresAt);
    events.record(pod.spec?.schedulerName ?? '', withKind(pod), {
      type: 'Normal',
      reason: 'Scheduled',
      action: 'Binding',
      note: `Successfully assigned ${keyOf(pod)} to ${node}`,
    });
  }

  /** What was assumed is not so: that is as good for others as the end of a pod. */
  *#unbind(queued: QueuedPod, message: string, cycle: number): Process<void> {
    const { volumes, world, queue } = this.#parts;
    volumes.unreserve(queued.pod);
    if (world.cache.forget(queued.pod)) queue.moveAll({ resource: 'Pod', action: 'delete' });
    yield* this.#fail(
      { ...queued, rejectedBy: new Set() },
      { reason: 'SchedulerError', message, nominated: '' },
      cycle,
    );
  }

  /** The pod goes back into the queue as it is now, unless somebody else has placed or deleted it. */
  *#fail(queued: QueuedPod, verdict: Verdict, cycle: number): Process<void> {
    const { queue } = this.#parts;
    const { schedulerName = '' } = queued.pod.spec ?? {};
    const present = this.#parts.pods.get(queued.key);
    if (present && !present.spec?.nodeName) queue.giveBack({ ...queued, pod: present }, cycle);
    if (present && verdict.nominated !== undefined)
      queue.nominations.set(present, present.spec?.nodeName ? '' : verdict.nominated);
    const told = present ?? queued.pod;
    this.#tellOfFailure(told, schedulerName, shortened(verdict.message));
    const patch = verdictPatch(told, verdict, formatTime(this.#context.wallMs()));
    if (!patch) return;
    const { name = '', namespace = '' } = told.metadata;
    try {
      yield* this.#parts.client.patch(
        pods,
        { name, namespace },
        { type: 'strategic', body: patch },
        { subresource: 'status' },
      );
    } catch (error) {
      if (!isCallFailure(error)) throw error;
    }
  }

  #tellOfFailure(pod: Pod, schedulerName: string, note: string): void {
    this.#parts.events.record(schedulerName, withKind(pod), {
      type: 'Warning',
      reason: 'FailedScheduling',
      action: 'Scheduling',
      note,
    });
  }

  #expire(): void {
    if (this.#parts.assumedFor === undefined) return;
    const { world, queue } = this.#parts;
    const over = world.cache.expire(this.#context.now());
    if (over.length > 0) queue.moveAll({ resource: 'Pod', action: 'delete' });
  }
}

interface Rejected {
  readonly placement: Exclude<Placement, { readonly kind: 'node' }>;
  readonly profile: Profile;
  readonly cycle: number;
}

function bindingOf({ metadata: { name = '', namespace = '', uid = '' } }: Pod, node: string) {
  return {
    apiVersion: 'v1',
    kind: 'Binding',
    metadata: { name, namespace, uid },
    target: { kind: 'Node', name: node },
  };
}

const textOf = (error: CallFailure | SchedulerError): string =>
  error instanceof ApiError ? (error.status.message ?? '') : error.message;
