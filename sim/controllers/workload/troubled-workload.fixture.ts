/**
 * For properties of workloads of every kind, amid troubles of whoever keeps them: wishes that change, pods that are taken away,
 * fail, end, are given other labels or belong to nobody for a while, nodes that open and close, a manager that dies at its writes or hears late. Once all
 * trouble is over, and pods live as a machine lets them, each workload has what it asks for, says so, and nothing is left to do.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { RestRuleName } from '../../../model/rest/rest-rules.ts';
import type { JsonObject } from '../../api/object.ts';
import type { Job } from '../../api/types/batch-v1.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { targetOf } from '../daemon-set/daemon-pod.ts';
import { isTracked } from '../job/job-pods.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, TroubledManager } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const NOBODY = '00000000-0000-4000-8000-00000000dead';
const ABSENT_OWNER = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  name: 'nobody',
  uid: NOBODY,
  controller: true,
} as const;
const NODES = ['n1', 'n2', 'n3'] as const;
const EFFECTS = ['NoSchedule', 'NoExecute'] as const;
type Effect = (typeof EFFECTS)[number];
const COLLECTOR = 'garbage-collector-controller';
const SCHEDULED_AT = 'batch.kubernetes.io/cronjob-scheduled-timestamp';
/** A rollout goes pod by pod, and pods of a Job that fail are waited for ever longer. */
const ROUNDS = 16;
/** A start waits for the Job before it, which takes a while. */
const LATEST_START_MS = 130_000;

interface Kind {
  readonly resource: 'replicaSets' | 'deployments' | 'statefulSets' | 'daemonSets' | 'jobs' | 'cronJobs';
  readonly controllers: readonly string[];
  readonly rules: readonly RestRuleName[];
  readonly spec: (image: string, size: number, odd: boolean) => JsonObject;
}

const BACKGROUND = { propagationPolicy: 'Background' } as const;
const LABELS = { app: 'web' };
const podSpec = (image: string, more: JsonObject = {}): JsonObject => ({
  terminationGracePeriodSeconds: 1,
  containers: [{ name: 'main', image }],
  ...more,
});
const template = (image: string, more?: JsonObject): JsonObject => ({
  metadata: { labels: LABELS },
  spec: podSpec(image, more),
});
const selector = { matchLabels: LABELS };
const once = (image: string): JsonObject => ({ spec: podSpec(image, { restartPolicy: 'Never' }) });

const KINDS = {
  ReplicaSet: {
    resource: 'replicaSets',
    controllers: ['replicaset-controller'],
    rules: ['replica-sets-rest'],
    spec: (image, replicas) => ({ replicas, selector, template: template(image) }),
  },
  Deployment: {
    resource: 'deployments',
    controllers: ['replicaset-controller', 'deployment-controller'],
    rules: ['replica-sets-rest', 'deployments-rest'],
    spec: (image, replicas, odd) => ({
      replicas,
      selector,
      template: template(image),
      strategy: odd
        ? { type: 'Recreate', rollingUpdate: null }
        : { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
    }),
  },
  StatefulSet: {
    resource: 'statefulSets',
    controllers: ['statefulset-controller'],
    rules: ['stateful-sets-rest'],
    spec: (image, replicas) => ({ serviceName: 'none', replicas, selector, template: template(image) }),
  },
  DaemonSet: {
    resource: 'daemonSets',
    controllers: ['daemonset-controller'],
    rules: ['daemon-sets-rest'],
    spec: (image, most, odd) => ({
      selector,
      template: template(image),
      updateStrategy: odd
        ? { type: 'OnDelete', rollingUpdate: null }
        : { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: Math.max(1, most) } },
    }),
  },
  Job: {
    resource: 'jobs',
    controllers: ['job-controller'],
    rules: ['jobs-rest', 'finalizers-rest'],
    spec: (image, size, suspend) => ({
      parallelism: Math.max(1, size),
      completions: 2,
      backoffLimit: 3,
      suspend,
      template: once(image),
    }),
  },
  CronJob: {
    resource: 'cronJobs',
    controllers: ['job-controller', 'cronjob-controller'],
    rules: ['jobs-rest', 'cron-jobs-rest', 'finalizers-rest'],
    spec: (image, history, suspend) => ({
      schedule: '* * * * *',
      concurrencyPolicy: (['Allow', 'Forbid', 'Replace'] as const)[history] ?? 'Allow',
      successfulJobsHistoryLimit: Math.max(1, history),
      failedJobsHistoryLimit: 1,
      suspend,
      jobTemplate: { spec: { backoffLimit: 0, template: once(image) } },
    }),
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type WorkloadKind = keyof typeof KINDS;

export interface Wish {
  readonly image: string;
  readonly size: number;
  readonly odd: boolean;
}

export class WorkloadWorld extends TroubledManager {
  readonly #kind: Kind;
  /** Starts of schedules that Jobs were made for. */
  readonly #starts: string[] = [];
  #made = 0;
  #isNameTaken = false;
  /** A Job that was taken away is made again by whoever could not write down that it had been there. */
  #mayStartAgain = false;
  /** Pods of a Job that somebody else called over, which had been seen before. */
  #ofCalledOver: ReadonlySet<string> | undefined;
  #name = '';

  constructor(kind: WorkloadKind) {
    super([...KINDS[kind].controllers, COLLECTOR]);
    this.#kind = KINDS[kind];
    this.cluster.storage.watch({
      prefix: '/registry/jobs/',
      onEvents: (events) => {
        for (const event of events)
          if (event.kind === 'put' && !event.previous) this.#started(event.entry.value);
      },
    });
    for (const name of NODES) {
      this.cluster.client.nodes.create({ metadata: { name } });
      const status = { conditions: [{ type: 'Ready', status: 'True' }] };
      this.cluster.client.nodes.patch(name, { type: 'merge', body: { status } }, { subresource: 'status' });
    }
    // Nodes come with a taint for as long as nobody has called them ready.
    this.openNodes();
    this.make({ image: 'a', size: 2, odd: false });
  }

  /** Each under a name of its own: what was begun for one that is gone is waited for a while under its name. */
  make(wish: Wish): void {
    if (this.#name !== '') this.remove('Background');
    this.#name = `w${++this.#made}`;
    this.#ofCalledOver = undefined;
    this.#write(wish);
  }

  /** Another one under the same name, before anybody can have done anything about the former. */
  remake(wish: Wish): void {
    this.remove('Background');
    this.#write(wish);
  }

  /**
   * What a Job runs is said once. How a Deployment is rolled out, too: with two sets, and a size that changes together with
   * the way from one to the other, it is stuck, in a real cluster as well.
   */
  change(wish: Wish): void {
    const { template, strategy: _, ...rest } = this.#kind.spec(wish.image, wish.size, wish.odd);
    const spec = this.#kind.resource === 'jobs' ? rest : { template, ...rest };
    tryTo(() => this.#client.patch(this.#name, { type: 'merge', body: { spec } }));
  }

  /** It goes and leaves its pods behind, for another one of the name. */
  replace(wish: Wish): void {
    this.remove('Orphan');
    this.cluster.advance(seconds(1));
    this.#write(wish);
  }

  remove(propagationPolicy: 'Background' | 'Orphan'): void {
    tryTo(() => this.#client.delete(this.#name, { propagationPolicy }));
  }

  /** Somebody else's, under the name that the next Job would have. */
  takeName(): void {
    const minute = Math.floor(this.cluster.userClient.context.wallMs() / 60_000) + 1;
    const metadata = { name: `${this.#name}-${minute}` };
    const spec = { suspend: true, template: once('a') };
    this.#isNameTaken = true;
    tryTo(() => this.cluster.client.jobs.create({ metadata, spec }));
  }

  removeJob(index: number): void {
    this.#mayStartAgain = true;
    const jobs = this.objects.filter(({ kind }) => kind === 'Job');
    const { name } = jobs[index % Math.max(1, jobs.length)]?.metadata ?? {};
    if (name !== undefined) tryTo(() => this.cluster.client.jobs.delete(name, BACKGROUND));
  }

  callOver(): void {
    const conditions = [{ type: 'Complete', status: 'True', lastTransitionTime: '2025-01-01T00:00:00Z' }];
    const body = { status: { conditions } };
    this.endAllTroubles();
    this.cluster.advance(seconds(1));
    this.#ofCalledOver = new Set(this.of('Pod').map(({ metadata }) => metadata.name ?? ''));
    tryTo(() => this.#client.patch(this.#name, { type: 'merge', body }, { subresource: 'status' }));
  }

  removePod(index: number, isForced: boolean): void {
    this.#onPod(index, (name) =>
      this.cluster.client.pods.delete(name, isForced ? { gracePeriodSeconds: 0 } : {}),
    );
  }

  endPod(index: number, phase: 'Succeeded' | 'Failed'): void {
    this.#onPod(index, (name) => this.#say(name, { phase }));
  }

  relabel(index: number, app: string): void {
    this.#onPod(index, (name) =>
      this.cluster.client.pods.patch(name, { type: 'merge', body: { metadata: { labels: { app } } } }),
    );
  }

  disown(index: number): void {
    const body = { metadata: { ownerReferences: null } };
    this.#onPod(index, (name) => this.cluster.client.pods.patch(name, { type: 'merge', body }));
  }

  /** To somebody who is not there, with whom it goes. */
  givePodAway(index: number): void {
    const body = { metadata: { ownerReferences: [ABSENT_OWNER] } };
    this.#onPod(index, (name) => this.cluster.client.pods.patch(name, { type: 'merge', body }));
  }

  /** Somebody calls a pod of a set by another name, or by none. */
  misname(index: number, called: string | null): void {
    const body = { metadata: { labels: { 'statefulset.kubernetes.io/pod-name': called } } };
    this.#onPod(index, (name) => this.cluster.client.pods.patch(name, { type: 'merge', body }));
  }

  close(node: string, effects: readonly Effect[]): void {
    const taints = effects.map((effect) => ({ key: 'closed', effect }));
    tryTo(() => this.cluster.client.nodes.patch(node, { type: 'merge', body: { spec: { taints } } }));
  }

  /** A set of a Deployment is given to somebody who is not there. */
  giveAway(index: number): void {
    const sets = this.objects.filter(({ kind }) => kind === 'ReplicaSet');
    const { name = '' } = sets[index % Math.max(1, sets.length)]?.metadata ?? {};
    const body = { metadata: { ownerReferences: [ABSENT_OWNER] } };
    if (name !== '') tryTo(() => this.cluster.client.replicaSets.patch(name, { type: 'merge', body }));
  }

  openNodes(): void {
    for (const node of NODES) this.close(node, []);
  }

  remakeNode(node: string): void {
    tryTo(() => this.cluster.client.nodes.delete(node));
    tryTo(() => this.cluster.client.nodes.create({ metadata: { name: node } }));
  }

  /** What becomes of pods: they are given a node, those that are to go are gone, others run, and those of a schedule end. */
  override live(): void {
    for (const pod of this.of('Pod')) {
      const { metadata, status } = pod;
      const { name = '', deletionTimestamp } = metadata;
      if (pod.spec?.nodeName === undefined) this.#bind(name, targetOf(pod) ?? 'n1');
      if (deletionTimestamp !== undefined)
        tryTo(() => this.cluster.client.pods.delete(name, { gracePeriodSeconds: 0 }));
      else if (this.#kind.resource === 'cronJobs' && status?.phase === 'Running')
        this.#say(name, { phase: 'Succeeded' });
      else if (status?.phase !== 'Succeeded' && status?.phase !== 'Failed') this.#run(name);
    }
  }

  end(): void {
    this.endAllTroubles();
    this.cluster.advance(seconds(5));
    this.openNodes();
    // Nobody may have heard of it before.
    for (const { metadata } of this.#client.list().items)
      if (metadata.name !== this.#name) tryTo(() => this.#client.delete(metadata.name ?? '', BACKGROUND));
    const isCron = this.#kind.resource === 'cronJobs';
    if (isCron) this.change({ image: 'a', size: 1, odd: false });
    for (let round = 0; round < ROUNDS; round++) {
      this.live();
      this.cluster.advance(seconds(30));
    }
    if (isCron) this.#suspend();
    this.calm();
    this.live();
    this.cluster.advance(seconds(30));
    this.expectDone();
    this.expectStill();
    if (!this.#mayStartAgain)
      expect(new Set(this.#starts).size, `starts: ${this.#starts.join()}`).toBe(this.#starts.length);
  }

  /** A schedule that has gone on to the end, unless it met a Job of somebody else: there it stops, in a real cluster, too. */
  #suspend(): void {
    const now = this.cluster.userClient.context.wallMs();
    const { status } = this.cluster.client.cronJobs.get(this.#name);
    const last = Date.parse(status?.lastScheduleTime ?? '');
    if (!this.#isNameTaken) expect(now - last, 'the last start').toBeLessThan(LATEST_START_MS);
    this.change({ image: 'a', size: 1, odd: true });
  }

  expectDone(): void {
    const rules: readonly RestRuleName[] = [...this.#kind.rules, 'owners-rest'];
    const seen = this.#ofCalledOver;
    // Nobody takes away what runs for a Job that somebody else has called over; but nobody holds it.
    this.expectRest(seen ? rules.filter((rule) => rule !== 'jobs-rest') : rules);
    const held = this.of('Pod').filter((pod) => isTracked(pod) && seen?.has(pod.metadata.name ?? ''));
    expect(held, 'pods held by a Job that is over').toEqual([]);
  }

  get #client() {
    return this.cluster.client[this.#kind.resource];
  }

  #write({ image, size, odd }: Wish): void {
    const body = { metadata: { name: this.#name }, spec: this.#kind.spec(image, size, odd) };
    tryTo(() => this.#client.create(body as never));
  }

  #started({ metadata }: Job): void {
    const at = metadata.annotations?.[SCHEDULED_AT];
    if (at !== undefined) this.#starts.push(`${metadata.ownerReferences?.[0]?.uid} ${at}`);
  }

  #bind(name: string, node: string): void {
    const path = `/api/v1/namespaces/default/pods/${name}/binding`;
    const target = { apiVersion: 'v1', kind: 'Node', name: node };
    const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target };
    tryTo(() => this.cluster.finish(this.cluster.userClient.raw('POST', path, { body })));
  }

  #run(name: string): void {
    const conditions = [{ type: 'Ready', status: 'True' }];
    this.#say(name, { phase: 'Running', conditions });
  }

  #say(name: string, status: NonNullable<Pod['status']>): void {
    const body = { status } as unknown as JsonObject;
    tryTo(() => this.cluster.client.pods.patch(name, { type: 'merge', body }, { subresource: 'status' }));
  }

  #onPod(index: number, act: (name: string) => unknown): void {
    const pods = this.of('Pod');
    const { name = '' } = pods[index % Math.max(1, pods.length)]?.metadata ?? {};
    if (name !== '') tryTo(() => act(name));
  }
}

const act = actsOn<WorkloadWorld>();
const index = fc.nat(5);
const node = fc.constantFrom(...NODES);
const wish = fc.record<Wish>({
  image: fc.constantFrom('a', 'b', 'c'),
  size: fc.nat(3),
  odd: fc.boolean(),
});
const live = act('live', NOTHING, (world) => world.live());
export const changesOf = act('change', wish, (world, to) => world.change(to));
export const makesAnew = act('remake', wish, (world, to) => world.remake(to));
export const podsGo = act('remove pod', fc.tuple(index, fc.boolean()), (world, drawn) =>
  world.removePod(...drawn),
);
export const podsSucceed = act('end pod', index, (world, of) => world.endPod(of, 'Succeeded'));
export const podsEnd = act(
  'end pod',
  fc.tuple(index, fc.constantFrom('Succeeded', 'Failed')),
  (world, drawn) => world.endPod(...drawn),
);
const relabel = act('relabel', fc.tuple(index, fc.constantFrom('web', 'other')), (world, drawn) =>
  world.relabel(...drawn),
);
const disown = act('disown', index, (world, of) => world.disown(of));
const givePodAway = act('give pod away', index, (world, of) => world.givePodAway(of));
const misname = act('misname', fc.tuple(index, fc.constantFrom('other', null)), (world, drawn) =>
  world.misname(...drawn),
);
const replace = act('replace', wish, (world, to) => world.replace(to));
const ofNodes = [
  act('close', fc.tuple(node, fc.subarray([...EFFECTS])), (world, drawn) => world.close(...drawn)),
  act('close', fc.tuple(node, fc.subarray([...EFFECTS])), (world, drawn) => world.close(...drawn)),
  act('remake node', node, (world, name) => world.remakeNode(name)),
];
const ofCron = [
  act('take name', NOTHING, (world) => world.takeName()),
  act('remove job', index, (world, at) => world.removeJob(at)),
  act('a minute', NOTHING, ({ cluster }) => cluster.advance(seconds(61))),
  act('a minute', NOTHING, ({ cluster }) => cluster.advance(seconds(61))),
];
const make = act('make', wish, (world, to) => world.make(to));

/** What else happens to a workload of the kind. */
export const MORE: Readonly<Record<WorkloadKind, readonly (typeof podsGo)[]>> = {
  ReplicaSet: [relabel, disown],
  Deployment: [relabel, disown, act('give away', index, (world, at) => world.giveAway(at))],
  // A pod that is let go keeps its name, and the set waits for that.
  StatefulSet: [disown, misname],
  DaemonSet: [relabel, disown, ...ofNodes],
  Job: [givePodAway],
  CronJob: ofCron,
};

/** Who takes over what another one has left. */
const SUCCEEDED: Readonly<Record<WorkloadKind, readonly (typeof podsGo)[]>> = {
  ReplicaSet: [replace],
  Deployment: [replace],
  StatefulSet: [replace],
  DaemonSet: [replace],
  // Pods of a Job are its own by its uid.
  Job: [],
  CronJob: [],
};

/** @throws with the shortest list of acts after which something is not as it is to be */
export function isWhatItIsToBeInTheEnd(kind: WorkloadKind): void {
  holdsInAnyOrderAsBefore<WorkloadWorld>({
    begin: () => new WorkloadWorld(kind),
    acts: amidTroubles<WorkloadWorld>([
      live,
      live,
      changesOf,
      changesOf,
      make,
      podsGo,
      podsEnd,
      ...MORE[kind],
      ...SUCCEEDED[kind],
    ]),
    compare: () => undefined,
    end: (world) => world.end(),
    most: 16,
    runs: 10,
  });
}
