/**
 * The quota controller: it counts anew what quotas count when something goes, when what is limited changes, and every
 * 5 minutes; what is added is counted by the API server itself. It follows every kind that can be counted, and asks
 * every 30 s which there are. What is used is found in `quota-usage.ts`.
 */
import type { ApiObject } from '../../api/object.ts';
import { ruleOf } from '../../api/quota/usage-rules.ts';
import type { UsageRule } from '../../api/quota/usage-rule.ts';
import type { ResourceQuota } from '../../api/types/core-v1.ts';
import { isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { DiscoveredResource } from '../../client/discovery/discovery.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import { startWorkers, WorkQueue } from '../../client/work-queue.ts';
import type { Process } from '../../engine/process.ts';
import { minutes } from '../../engine/time.ts';
import { type ControllerContext, defineController, type SharedInformer } from '../manager/controller.ts';
import { type FollowedKind, FollowedKinds } from '../manager/followed-kinds.ts';
import { isSameAmounts, quotaStatus } from './quota-usage.ts';

const { resourceQuotas } = BUILTIN_HANDLES;
const COUNT_ALL = minutes(5);
const WORKERS = 5;
const NEEDED = ['create', 'delete', 'list', 'watch'];

export const RESOURCE_QUOTAS = defineController({
  name: 'resourcequota-controller',
  formerNames: ['resourcequota'],
  serviceAccount: 'resourcequota-controller',
  start: (world) => new ResourceQuotaController(world).run(),
});

class ResourceQuotaController {
  readonly #world: ControllerContext;
  readonly #queue: WorkQueue;
  readonly #quotas: SharedInformer<ResourceQuota>;
  readonly #kinds: FollowedKinds;

  constructor(world: ControllerContext) {
    this.#world = world;
    this.#queue = new WorkQueue(world.context);
    this.#quotas = world.informerOf(resourceQuotas);
    this.#kinds = new FollowedKinds(world, { wants: isCountable, onFollow: (kind) => this.#follow(kind) });
  }

  *run(): Process<void> {
    const { context } = this.#world;
    const note = (quota: ResourceQuota): void => this.#queue.add(storeKeyOf(quota));
    this.#quotas.addHandler({
      added: note,
      changed: (quota, old) => {
        // What the server counts up in the status is counted already, and the informers of pods may be late.
        if (!isSameAmounts(quota.spec?.hard, old.spec?.hard)) note(quota);
      },
    });
    yield* this.#kinds.begin();
    yield* this.#quotas.waitUntilSynced();
    startWorkers(context, this.#queue, { workers: WORKERS, reconcile: (key) => this.#count(key) });
    context.spawn('count all', this.#countAll());
    yield* this.#kinds.goOn();
  }

  *#countAll(): Process<void> {
    for (;;) {
      yield* this.#world.context.sleep(COUNT_ALL);
      for (const key of this.#quotas.store.keys()) this.#queue.add(key);
    }
  }

  #follow({ handle, informer }: FollowedKind): void {
    const rule = ruleOf(handle);
    informer.addHandler({
      changed: (object, old) => {
        if (rule.frees?.(object, old, this.#world.context.wallMs())) this.#noteQuotasOf(object, rule);
      },
      removed: (object) => this.#noteQuotasOf(object, rule),
    });
  }

  #noteQuotasOf({ metadata: { namespace = '' } }: ApiObject, rule: UsageRule): void {
    for (const quota of this.#quotas.store.byIndex('namespace', namespace)) {
      if (Object.keys(quota.spec?.hard ?? {}).some((name) => rule.tracks(name)))
        this.#queue.add(storeKeyOf(quota));
    }
  }

  *#count(key: string): Process<undefined> {
    const quota = this.#quotas.store.get(key);
    if (!quota) return undefined;
    const { namespace = '' } = quota.metadata;
    const kinds = this.#kinds.all.map(({ handle, informer }) => ({
      rule: ruleOf(handle),
      objects: () => informer.store.byIndex('namespace', namespace),
    }));
    const status = quotaStatus(quota, kinds, this.#world.context.wallMs());
    if (!status) return undefined;
    try {
      yield* this.#world.client.update(resourceQuotas, { ...quota, status }, { subresource: 'status' });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return undefined;
  }
}

/** Events are not counted. */
const isCountable = ({ handle, verbs }: DiscoveredResource): boolean =>
  handle.isNamespaced && handle.resource !== 'events' && NEEDED.every((verb) => verbs.includes(verb));
