/**
 * The Deployment controller: it makes a ReplicaSet for each template and moves replicas from the old ones to the new
 * one, within what may be too many or missing. What it writes is planned in the files beside it. One reconciliation is
 * `deployment-sync.ts`. Specification: not shown: Kubernetes 1.31.
 */
import type { ApiObject } from '../../api/object.ts';
import { labelSelectorOf } from '../../api/selector/label-selector.ts';
import type { Deployment, ReplicaSet } from '../../api/types/apps-v1.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { Claimant } from '../../client/controller-ref/claimant.ts';
import { controllerOf } from '../../client/controller-ref/controller-of.ts';
import { EventRecorder } from '../../client/event-recorder.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { type ControllerContext, defineController, type SharedInformer } from '../manager/controller.ts';
import { isNamespaceEnding } from '../workload/pod-control.ts';
import { DeploymentSync } from './deployment-sync.ts';

const { deployments, replicaSets, pods } = BUILTIN_HANDLES;
const WORKERS = 5;
/** Then a Deployment is left alone until something changes. */
const MOST_FAILURES = 15;

export const DEPLOYMENT = defineController({
  name: 'deployment-controller',
  formerNames: ['deployment'],
  serviceAccount: 'deployment-controller',
  start: (world) => new DeploymentController(world).run(),
});

class DeploymentController {
  readonly #context: Context;
  readonly #client: ApiClient;
  readonly #deployments: SharedInformer<Deployment>;
  readonly #sets: SharedInformer<ReplicaSet>;
  readonly #pods: SharedInformer<Pod>;
  readonly #queue: WorkQueue;
  readonly #events: EventRecorder;

  constructor({ context, client, informerOf }: ControllerContext) {
    this.#context = context;
    this.#client = client;
    this.#deployments = informerOf(deployments);
    this.#sets = informerOf(replicaSets);
    this.#pods = informerOf(pods);
    this.#queue = new WorkQueue(context);
    this.#events = new EventRecorder(client, 'deployment-controller');
  }

  *run(): Process<void> {
    this.#listen();
    for (const informer of [this.#deployments, this.#sets, this.#pods]) yield* informer.waitUntilSynced();
    startWorkers(this.#context, this.#queue, { reconcile: (key) => this.#reconcile(key), workers: WORKERS });
  }

  #listen(): void {
    const note = (object: ApiObject): void => this.#queue.add(storeKeyOf(object));
    this.#deployments.addHandler({ added: note, changed: note, removed: note });
    this.#sets.addHandler({
      added: (set) => this.#setChanged(set, true),
      changed: (set, old) => {
        if (set.metadata.resourceVersion === old.metadata.resourceVersion) return;
        const isMoved = controllerOf(set)?.uid !== controllerOf(old)?.uid;
        if (isMoved) this.#noteOwner(old);
        const isRelabelled = JSON.stringify(set.metadata.labels) !== JSON.stringify(old.metadata.labels);
        this.#setChanged(set, isMoved || isRelabelled);
      },
      removed: (set) => this.#noteOwner(set),
    });
    this.#pods.addHandler({ removed: (pod) => this.#podRemoved(pod) });
  }

  #setChanged(set: ReplicaSet, tellsThoseWhoWant: boolean): void {
    if (controllerOf(set)) this.#noteOwner(set);
    else if (tellsThoseWhoWant && set.metadata.deletionTimestamp === undefined) this.#noteThoseWhoWant(set);
  }

  #noteOwner(set: ReplicaSet): void {
    const deployment = this.#ownerOf(set);
    if (deployment) this.#queue.add(storeKeyOf(deployment));
  }

  #ownerOf(set: ReplicaSet): Deployment | undefined {
    const owner = controllerOf(set);
    if (owner?.kind !== deployments.kind) return undefined;
    const deployment = this.#deployments.store.get(`${set.metadata.namespace ?? ''}/${owner.name}`);
    return deployment?.metadata.uid === owner.uid ? deployment : undefined;
  }

  #noteThoseWhoWant(set: ReplicaSet): void {
    for (const deployment of this.#deployments.store.byIndex('namespace', set.metadata.namespace ?? '')) {
      const selector = labelSelectorOf(deployment.spec?.selector);
      if (!selector.isEverything && selector.matches(set.metadata.labels))
        this.#queue.add(storeKeyOf(deployment));
    }
  }

  /** Only who waits for all old pods to go wants to know of pods. */
  #podRemoved(pod: Pod): void {
    const owner = controllerOf(pod);
    if (owner?.kind !== replicaSets.kind) return;
    const set = this.#sets.store.get(`${pod.metadata.namespace ?? ''}/${owner.name}`);
    if (set?.metadata.uid !== owner.uid) return;
    const deployment = this.#ownerOf(set);
    if (deployment?.spec?.strategy?.type !== 'Recreate') return;
    if (this.#podsOf(deployment).length === 0) this.#queue.add(storeKeyOf(deployment));
  }

  #podsOf(deployment: Deployment): readonly Pod[] {
    return this.#sets.store
      .byIndex('controller', deployment.metadata.uid ?? '')
      .flatMap((set) => this.#pods.store.byIndex('controller', set.metadata.uid ?? ''));
  }

  *#reconcile(key: string): Process<undefined> {
    try {
      yield* this.#sync(key);
    } catch (error) {
      const isHopeless = isNamespaceEnding(error) || this.#queue.failuresOf(key) >= MOST_FAILURES;
      if (!isCallFailure(error) || !isHopeless) throw error;
    }
    return undefined;
  }

  *#sync(key: string): Process<void> {
    const cached = this.#deployments.store.get(key);
    if (!cached) return;
    const deployment: Deployment = { ...cached, apiVersion: 'apps/v1', kind: deployments.kind };
    const sync = new DeploymentSync({
      context: this.#context,
      client: this.#client,
      events: this.#events,
      deployment,
      setCalled: (name) => this.#sets.store.get(`${deployment.metadata.namespace ?? ''}/${name}`),
      podsOf: (set) => this.#pods.store.byIndex('controller', set.metadata.uid ?? ''),
      lookAgain: {
        after: (pause) => this.#queue.addAfter(key, pause),
        rateLimited: () => this.#queue.addRateLimited(key),
      },
    });
    yield* sync.run(yield* this.#claim(deployment));
  }

  #claim(deployment: Deployment): Process<readonly ReplicaSet[]> {
    const { namespace = '', uid = '' } = deployment.metadata;
    const selector = labelSelectorOf(deployment.spec?.selector);
    const orphans = this.#sets.store
      .byIndex('controller', '')
      .filter(({ metadata }) => metadata.namespace === namespace && selector.matches(metadata.labels));
    return new Claimant({
      client: this.#client,
      controllerHandle: deployments,
      controller: deployment,
      handle: replicaSets,
      isSelected: ({ metadata }) => selector.matches(metadata.labels),
    }).claim([...this.#sets.store.byIndex('controller', uid), ...orphans]);
  }
}
