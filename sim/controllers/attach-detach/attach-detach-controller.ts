/**
 * The attach-detach controller: volumes that have to be attached to a node are attached where pods want them, and detached
 * when the last pod has gone and the node has let go. It looks at everything a moment after something has changed, and
 * tells Nodes what is attached to them. Nothing happens here before there is such a volume.
 * Specification: not shown: Kubernetes 1.31.
 */
import type { ApiObject } from '../../api/object.ts';
import type { Node, Pod } from '../../api/types/core-v1.ts';
import type { CSIDriver, VolumeAttachment } from '../../api/types/storage-k8s-io-v1.ts';
import { attachableOf } from '../../api/volume/attachable.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { EventRecorder } from '../../client/event-recorder.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import type { Signal } from '../../engine/signal.ts';
import { milliseconds, minutes } from '../../engine/time.ts';
import { type ControllerContext, defineController, type SharedInformer } from '../manager/controller.ts';
import { AttachedVolumes } from './attached-volumes.ts';
import { type AttachmentStep, attachmentSteps, FORCED_DETACH_MS, type NodeState } from './attachment-plan.ts';
import { attach, type AttachmentWorld, detach, isAttached, showOn } from './attachment-writes.ts';
import { startDriver } from './simulated-driver.ts';
import { type Place, placeKey, type VolumeViews, type WantedPlace, wantedPlaces } from './wanted-volumes.ts';

const { csiDrivers, nodes, persistentVolumeClaims, persistentVolumes, pods, volumeAttachments } =
  BUILTIN_HANDLES;
const ROUND = milliseconds(100);
const VERIFICATION = minutes(1);
const OUT_OF_SERVICE = 'node.kubernetes.io/out-of-service';

export const ATTACH_DETACH = defineController({
  name: 'persistentvolume-attach-detach-controller',
  formerNames: ['attachdetach'],
  serviceAccount: 'attachdetach-controller',
  *start(world) {
    const { context, informerOf } = world;
    const changed: Signal = context.signal();
    const note = (): void => changed.fire();
    const volumes = informerOf(persistentVolumes);
    volumes.addHandler({ added: note, changed: note, removed: note });
    yield* volumes.waitUntilSynced();
    while (!volumes.store.list().some((volume) => attachableOf(volume))) yield* changed.wait();
    for (const handle of [nodes, persistentVolumeClaims, pods, csiDrivers, volumeAttachments]) {
      const informer = informerOf<ApiObject>(handle);
      informer.addHandler({ added: note, changed: note, removed: note });
      yield* informer.waitUntilSynced();
    }
    const drivers = informerOf<CSIDriver>(csiDrivers);
    const attachments = informerOf<VolumeAttachment>(volumeAttachments);
    startDriver({ client: world.client, attachments, volumes: volumes.store });
    yield* new AttachDetach(world, { attachments, drivers, changed }).run();
  },
});

interface Parts {
  readonly attachments: SharedInformer<VolumeAttachment>;
  readonly drivers: SharedInformer<CSIDriver>;
  readonly changed: Signal;
}

class AttachDetach {
  readonly #context: Context;
  readonly #client: ApiClient;
  readonly #recorder: EventRecorder;
  readonly #views: () => VolumeViews;
  readonly #nodeCalled: (name: string) => Node | undefined;
  readonly #known: AttachedVolumes;
  readonly #world: AttachmentWorld;
  readonly #changed: Parts['changed'];
  /** By place: it was told that another node has the volume. */
  readonly #told = new Set<string>();

  constructor({ context, client, informerOf }: ControllerContext, { attachments, drivers, changed }: Parts) {
    this.#context = context;
    this.#client = client;
    this.#changed = changed;
    this.#recorder = new EventRecorder(client, 'attachdetach-controller');
    const [known, claims, volumes] = [
      informerOf(nodes).store,
      informerOf(persistentVolumeClaims).store,
      informerOf(persistentVolumes).store,
    ];
    const nodeCalled: VolumeViews['nodeCalled'] = (name) => known.get(name);
    const volumeCalled: VolumeViews['volumeCalled'] = (name) => volumes.get(name);
    const views = (): VolumeViews => ({
      pods: informerOf(pods).store.list(),
      nodeCalled,
      claimCalled: (key) => claims.get(key),
      volumeCalled,
      skipsAttach: (driver) => drivers.store.get(driver)?.spec.attachRequired === false,
    });
    this.#nodeCalled = nodeCalled;
    this.#views = views;
    this.#world = { client, attachments: attachments.store, changed };
    this.#known = new AttachedVolumes({
      attachments: attachments.store.list(),
      nodeCalled,
      volumeCalled,
    });
  }

  *run(): Process<void> {
    this.#context.spawn('verify', this.#verify());
    for (;;) {
      this.#round();
      yield* this.#changed.wait();
      yield* this.#context.sleep(ROUND);
    }
  }

  /** What was attached may have been taken away by others: it is attached anew then. */
  *#verify(): Process<void> {
    for (;;) {
      yield* this.#context.sleep(VERIFICATION);
      for (const place of [...this.#known.places.values()]) {
        if (place.isUncertain || this.#known.isBusy(place, this.#nowMs)) continue;
        if (yield* isAttached(this.#client, place)) continue;
        if (this.#known.isBusy(place, this.#nowMs)) continue;
        this.#known.detached(place);
        this.#changed.fire();
        yield* this.#show(place.node);
      }
    }
  }

  get #nowMs(): number {
    return this.#context.now() / 1_000;
  }

  #round(): void {
    const wanted = wantedPlaces(this.#views());
    const nowMs = this.#nowMs;
    this.#known.noteWanted((key) => wanted.has(key), nowMs);
    for (const key of this.#told) if (!wanted.has(key)) this.#told.delete(key);
    const steps = attachmentSteps({
      wanted,
      attached: this.#known.places,
      isBusy: (place) => this.#known.isBusy(place, nowMs),
      nodeState: (name) => stateOf(this.#nodeCalled(name)),
      nowMs,
    });
    for (const step of steps) this.#take(step);
    this.#remindOfForced(nowMs);
  }

  /** A node that does not let go is given up later: nothing else would bring that to mind. */
  #remindOfForced(nowMs: number): void {
    for (const { unwantedSinceMs } of this.#known.places.values()) {
      if (unwantedSinceMs !== nowMs) continue;
      this.#lookAgainAfter(FORCED_DETACH_MS + 1);
    }
  }

  #lookAgainAfter(ms: number): void {
    const { context } = this.#client;
    const changed = this.#changed;
    context.spawn(
      'look again',
      (function* (): Process<void> {
        yield* context.sleep(milliseconds(Math.ceil(ms)));
        changed.fire();
      })(),
    );
  }

  #take(step: AttachmentStep): void {
    if (step.kind === 'blocked') {
      this.#tellBlocked(step.place, step.messageFor);
      return;
    }
    // Only one of two nodes may begin with a volume that both want.
    if (this.#known.isBusy(step.place, this.#nowMs)) return;
    this.#known.begin(step.place);
    const work = step.kind === 'attach' ? this.#attach(step.place) : this.#detach(step.place);
    this.#context.spawn(`${step.kind} ${step.place.name}`, this.#operation(step.place, work));
  }

  *#operation(place: Place, work: Process<boolean>): Process<void> {
    let isDone = false;
    try {
      isDone = yield* work;
    } catch (error) {
      if (!isCallFailure(error)) throw error;
    }
    const pauseMs = this.#known.end(place, !isDone, this.#nowMs);
    if (pauseMs === undefined) this.#changed.fire();
    else this.#lookAgainAfter(pauseMs);
  }

  *#attach(place: WantedPlace): Process<boolean> {
    let problem: string | undefined;
    try {
      problem = yield* attach(this.#world, place);
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      problem = error.message;
    }
    this.#known.attached(place, problem !== undefined);
    if (problem !== undefined) {
      const message = `AttachVolume.Attach failed for volume "${place.name}" : ${problem}`;
      this.#tell(place, { type: 'Warning', reason: 'FailedAttachVolume', message });
      return false;
    }
    const message = `AttachVolume.Attach succeeded for volume "${place.name}" `;
    this.#tell(place, { type: 'Normal', reason: 'SuccessfulAttachVolume', message });
    yield* this.#show(place.node);
    return true;
  }

  *#detach(place: Place): Process<boolean> {
    this.#known.leaves(place);
    try {
      yield* showOn(this.#client, place.node, this.#known.shownOn(place.node));
      if ((yield* detach(this.#world, place)) === undefined) {
        this.#known.detached(place);
        return true;
      }
    } catch (error) {
      if (!isCallFailure(error)) throw error;
    }
    // It may still be there: the Node says so again.
    this.#known.stays(place);
    yield* this.#show(place.node);
    return false;
  }

  /** Without end tried again: an agent waits for it. */
  *#show(node: string): Process<void> {
    for (; ; yield* this.#context.sleep(ROUND)) {
      try {
        return yield* showOn(this.#client, node, this.#known.shownOn(node));
      } catch (error) {
        if (!isCallFailure(error)) throw error;
      }
    }
  }

  /** Once for each place that waits. */
  #tellBlocked(place: WantedPlace, messageFor: (pod: Pod) => string): void {
    const key = placeKey(place);
    if (this.#told.has(key)) return;
    this.#told.add(key);
    for (const pod of place.pods)
      this.#recorder.record(
        { ...pod, kind: 'Pod', apiVersion: 'v1' },
        { type: 'Warning', reason: 'FailedAttachVolume', message: messageFor(pod) },
      );
  }

  #tell({ pods: users }: WantedPlace, facts: Parameters<EventRecorder['record']>[1]): void {
    for (const pod of users) this.#recorder.record({ ...pod, kind: 'Pod', apiVersion: 'v1' }, facts);
  }
}

function stateOf(node: Node | undefined): NodeState | undefined {
  if (!node) return undefined;
  const { conditions = [], volumesInUse = [] } = node.status ?? {};
  return {
    isReady: conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
    isOutOfService: (node.spec?.taints ?? []).some(({ key }) => key === OUT_OF_SERVICE),
    inUse: volumesInUse,
  };
}
