/**
 * A scheduler: one actor, `scheduler/<n>`, that gives pods their nodes. It knows what its informers tell it, and what it has
 * decided itself; a restart forgets all of that and begins from a list. With leader election it does nothing before it
 * leads; when it loses the leadership its process ends, and is started anew after a back-off.
 */
import { ApiClient } from '../client/api-client.ts';
import { BUILTIN_HANDLES } from '../client/builtin-handles.ts';
import { EventSeriesRecorder } from '../client/event-series-recorder.ts';
import { DeliveryQueue } from '../client/informer/delivery.ts';
import { Informer } from '../client/informer/informer.ts';
import { type AnyInformer, InformerFactory } from '../client/informer/informer-factory.ts';
import { candidacy } from '../client/leader-election/candidacy.ts';
import type { ResourceHandle } from '../client/resource-handle.ts';
import type { ApiObject } from '../api/object.ts';
import type { Actor } from '../engine/actor.ts';
import type { Context } from '../engine/context.ts';
import type { Process } from '../engine/process.ts';
import type { Simulation } from '../engine/simulation.ts';
import { Supervisor } from '../engine/supervisor.ts';
import { seconds, type Micros } from '../engine/time.ts';
import { SchedulerCache } from './cache/scheduler-cache.ts';
import {
  checkSchedulerConfiguration,
  makeProfiles,
  USUAL_CONFIGURATION,
} from './configuration/make-profiles.ts';
import type { SchedulerConfiguration } from './configuration/scheduler-configuration.ts';
import { concerns } from './framework/cluster-event.ts';
import type { Listers } from './framework/plugin.ts';
import { nodeNews, otherNews, podNews } from './news.ts';
import { SchedulingLoop } from './scheduling-loop.ts';
import { SchedulingQueue } from './queue/scheduling-queue.ts';
import { VolumeBinder } from './volumes/volume-binding.ts';

export const SCHEDULER_LEASE = { namespace: 'kube-system', name: 'kube-scheduler' } as const;
const USER = { name: 'system:kube-scheduler', groups: ['system:authenticated'] };
const USER_AGENT = 'kube-scheduler';
/** Pods that have ended take no room. */
const LIVE_PODS = 'status.phase!=Succeeded,status.phase!=Failed';

export interface SchedulerOptions {
  /** From 0. */
  readonly number: number;
  /** Names of the API servers. */
  readonly servers: readonly string[];
  /** Works only while it holds the lease `kube-system/kube-scheduler`. */
  readonly electsLeader: boolean;
  readonly configuration?: SchedulerConfiguration;
}

export class Scheduler {
  readonly actor: Actor;
  /** Keeps the process going. */
  readonly supervisor: Supervisor;
  readonly #options: SchedulerOptions;
  #news: DeliveryQueue | undefined;
  #copies: InformersOf | undefined;
  /** The life in which it works. */
  #workingIn = 0;
  #lag = 0 as Micros;

  /** Starts with the next step of the simulation. @throws SchedulerConfigurationError */
  constructor(simulation: Simulation, options: SchedulerOptions) {
    this.#options = options;
    checkSchedulerConfiguration(options.configuration ?? USUAL_CONFIGURATION);
    this.actor = simulation.actor(`scheduler/${options.number}`, { start: (context) => this.#run(context) });
    this.supervisor = new Supervisor(simulation, this.actor);
  }

  get name(): string {
    return this.actor.name;
  }

  /** As it stands in the lease, before the underscore. */
  get hostName(): string {
    return `scheduler-${this.#options.number}`;
  }

  /** The copies that it goes by; none while it does not lead. For checkers. */
  get informers(): readonly AnyInformer[] {
    const { state, context } = this.actor;
    return state !== 'crashed' && context.incarnation === this.#workingIn ? (this.#copies?.all ?? []) : [];
  }

  /** How much later than its informers it hears of everything. */
  get hearsLate(): Micros {
    return this.#lag;
  }

  /** From now on it hears of everything so much later; 0 undoes it. */
  lag(lag: Micros): void {
    this.#lag = lag;
    this.#news?.setLag(lag);
  }

  *#run(context: Context): Process<void> {
    const { servers, electsLeader } = this.#options;
    const client = new ApiClient({ context, servers, user: USER, userAgent: USER_AGENT });
    if (!electsLeader) {
      yield* this.#work(client);
      return;
    }
    const elector = candidacy({
      client,
      lease: SCHEDULER_LEASE,
      hostName: this.hostName,
      component: USER_AGENT,
    });
    yield* elector.acquire();
    context.spawn('work', this.#work(client));
    yield* elector.hold();
    this.supervisor.exit();
  }

  *#work(client: ApiClient): Process<void> {
    const { context } = client;
    const { configuration = USUAL_CONFIGURATION } = this.#options;
    const news = new DeliveryQueue({ context, isPaused: () => false });
    news.setLag(this.#lag);
    this.#news = news;
    const informers = new InformersOf(client, news);
    this.#copies = informers;
    this.#workingIn = context.incarnation;
    const volumes = new VolumeBinder(informers.listers);
    const profiles = makeProfiles(configuration, volumes.plugin);
    const { podInitialBackoffSeconds = 1, podMaxBackoffSeconds = 10, assumedPodSeconds } = configuration;
    const queue = new SchedulingQueue({
      context,
      firstPause: seconds(podInitialBackoffSeconds),
      longestPause: seconds(podMaxBackoffSeconds),
      gateOf: (pod) => profiles.get(pod.spec?.schedulerName ?? '')?.gateOf(pod),
      mayHelp: (event, { pod, rejectedBy }) => {
        const profile = profiles.get(pod.spec?.schedulerName ?? '');
        return [...rejectedBy].some((name) => {
          const interests = profile?.pluginCalled(name)?.events;
          return !interests || interests.some((interest) => concerns(interest, event));
        });
      },
    });
    const world = { cache: new SchedulerCache(), listers: informers.listers };
    const parts = { world, queue, isOwn: isAskedFor(profiles) };
    informers.tell(parts);
    yield* informers.waitUntilSynced();
    const loop = new SchedulingLoop({
      client,
      world,
      queue,
      profiles,
      volumes,
      events: new EventSeriesRecorder(client, this.hostName),
      pods: informers.pods,
      assumedFor: assumedPodSeconds === undefined ? undefined : seconds(assumedPodSeconds),
    });
    yield* loop.run();
  }
}

const isAskedFor =
  (
    profiles: ReadonlyMap<string, unknown>,
  ): ((pod: { readonly spec?: { readonly schedulerName?: string } }) => boolean) =>
  ({ spec }) =>
    profiles.has(spec?.schedulerName ?? '');

/** Everything that a scheduler watches. */
class InformersOf {
  readonly listers: Listers;
  readonly #news: DeliveryQueue;
  readonly #pods;
  readonly #factory: InformerFactory;
  readonly #all: { waitUntilSynced(): Process<void> }[] = [];

  constructor(client: ApiClient, news: DeliveryQueue) {
    this.#news = news;
    this.#factory = new InformerFactory({ client });
    this.#pods = new Informer({ client, handle: BUILTIN_HANDLES.pods, fieldSelector: LIVE_PODS });
    this.#pods.start();
    this.#all.push(this.#pods);
    this.listers = {
      namespaces: this.#of(BUILTIN_HANDLES.namespaces),
      services: this.#of(BUILTIN_HANDLES.services),
      replicationControllers: this.#of(BUILTIN_HANDLES.replicationControllers),
      replicaSets: this.#of(BUILTIN_HANDLES.replicaSets),
      statefulSets: this.#of(BUILTIN_HANDLES.statefulSets),
      budgets: this.#of(BUILTIN_HANDLES.podDisruptionBudgets),
      claims: this.#of(BUILTIN_HANDLES.persistentVolumeClaims),
      volumes: this.#of(BUILTIN_HANDLES.persistentVolumes),
      storageClasses: this.#of(BUILTIN_HANDLES.storageClasses),
      csiNodes: this.#of(BUILTIN_HANDLES.csiNodes),
    };
  }

  get pods() {
    return this.#pods.store;
  }

  get all(): readonly AnyInformer[] {
    return [...this.#factory.all, this.#pods];
  }

  tell(parts: Parameters<typeof podNews>[0]): void {
    const news = this.#news;
    const about = <T extends ApiObject>(handle: ResourceHandle<T>) => this.#factory.informerOf(handle);
    about(BUILTIN_HANDLES.nodes).addHandler(nodeNews(parts), news);
    this.#all.push(about(BUILTIN_HANDLES.nodes));
    this.#pods.addHandler(podNews(parts), news);
    const { persistentVolumes, persistentVolumeClaims, storageClasses, csiNodes, csiDrivers } =
      BUILTIN_HANDLES;
    about(persistentVolumes).addHandler(otherNews(parts, 'PersistentVolume'), news);
    about(persistentVolumeClaims).addHandler(otherNews(parts, 'PersistentVolumeClaim'), news);
    about(storageClasses).addHandler(otherNews(parts, 'StorageClass'), news);
    about(csiNodes).addHandler(otherNews(parts, 'CSINode'), news);
    about(csiDrivers).addHandler(otherNews(parts, 'CSIDriver'), news);
  }

  *waitUntilSynced(): Process<void> {
    for (const informer of this.#all) yield* informer.waitUntilSynced();
  }

  #of<T extends ApiObject>(handle: ResourceHandle<T>) {
    const informer = this.#factory.informerOf(handle);
    this.#all.push(informer);
    return informer.store;
  }
}
