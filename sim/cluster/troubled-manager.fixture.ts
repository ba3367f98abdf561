/**
 * For properties of controllers: a manager that runs a few of them, and everything that may come between it and the API
 * servers, its own end amid a write among it. In the end all trouble is over, and what is stored has to be right.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import type { ApiObject } from '../api/object.ts';
import type {
  ConfigMap,
  Endpoints,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ResourceQuota,
  Secret,
  Service,
} from '../api/types/core-v1.ts';
import type { EndpointSlice } from '../api/types/discovery-k8s-io-v1.ts';
import type { VolumeAttachment } from '../api/types/storage-k8s-io-v1.ts';
import { type Act, actsOn, NOTHING } from '../engine/any-order.arbitrary.ts';
import { milliseconds, minutes, seconds } from '../engine/time.ts';
import { restProblems, type RestRuleName } from '../../model/rest/rest-rules.ts';
import type { ClusterOptions } from './cluster-options.ts';
import { createCluster } from './create-cluster.ts';
import { endTroubles, type Troubled, troublesOf } from './troubled-client.fixture.ts';

const MANAGER = 'controller-manager/0';
/** Written to be heard, and by the clock. */
const TOLD: ReadonlySet<string> = new Set(['Event', 'Lease', 'APIService']);
const WRITES = ['create', 'update', 'patch', 'delete'] as const;
/** Longer than anybody waits after so many failures in a row, and than controllers take to look at everything again. */
const PEACE_MINUTES = 12;

interface Kinds {
  readonly ConfigMap: ConfigMap;
  readonly Endpoints: Endpoints;
  readonly EndpointSlice: EndpointSlice;
  readonly Namespace: Namespace;
  readonly Node: Node;
  readonly PersistentVolume: PersistentVolume;
  readonly PersistentVolumeClaim: PersistentVolumeClaim;
  readonly Pod: Pod;
  readonly ResourceQuota: ResourceQuota;
  readonly Secret: Secret;
  readonly Service: Service;
  readonly VolumeAttachment: VolumeAttachment;
}

/** What an API server has answered, and to what. */
interface Answered {
  readonly to?: { readonly method: string; readonly path: string };
  readonly body?: { readonly status?: number };
}

export class TroubledManager implements Troubled {
  readonly cluster;
  readonly actor;
  /** Writes of the manager that a server has refused. */
  readonly #refused: string[] = [];

  constructor(controllers: readonly string[], options: ClusterOptions = {}) {
    this.cluster = createCluster({
      controllers,
      apiServers: 2,
      compactionInterval: minutes(1),
      // Nobody makes the accounts that pods would need.
      disabledAdmissionPlugins: ['ServiceAccount'],
      ...options,
    });
    this.actor = this.cluster.faults.actor(MANAGER);
    this.cluster.simulation.eachActor((actor) => {
      if (!actor.name.startsWith('apiserver/')) return;
      actor.overhear({
        received: () => undefined,
        sent: (message, { remote }) => remote === MANAGER && this.#heard(message as Answered),
      });
    });
    this.cluster.advance(seconds(2));
  }

  /** Everything that is stored, but for the heartbeats of servers. */
  get objects(): readonly ApiObject[] {
    return this.cluster.storage
      .range({ prefix: '/registry/' })
      .entries.filter(({ key }) => !key.startsWith('/registry/masterleases/'))
      .map(({ value }) => this.cluster.inOneForm(value));
  }

  of<K extends keyof Kinds>(kind: K): readonly Kinds[K][] {
    const found: readonly ApiObject[] = this.objects.filter((each) => each.kind === kind);
    return found as readonly Kinds[K][];
  }

  /** As it is in the storage, in the form that it is kept in. */
  stored(prefix: string): readonly unknown[] {
    return this.cluster.storage.range({ prefix }).entries.map(({ value }) => value);
  }

  /** Looks at each write from now on; undefined: it is not there. */
  eachWrite<T>(prefix: string, look: (now: T | undefined, before: T | undefined) => unknown): void {
    this.cluster.storage.watch({
      prefix,
      onEvents: (events) => {
        for (const event of events)
          look(
            (event.kind === 'put' ? event.entry.value : undefined) as T | undefined,
            event.previous?.value as T | undefined,
          );
      },
    });
  }

  get nowMs(): number {
    return this.cluster.userClient.context.wallMs();
  }

  /** What nodes do meanwhile about pods; by itself nothing. */
  live(): void {}

  /** Time goes by in rounds, so many seconds apart, of which each begins with what nodes do. */
  settle(rounds: number, apart = 3): void {
    for (let round = 0; round < rounds; round++) {
      this.live();
      this.cluster.advance(seconds(apart));
    }
  }

  isDown(): boolean {
    return this.actor.state === 'crashed';
  }

  bounce(): void {
    if (!this.isDown()) this.cluster.faults.crash(MANAGER);
    this.cluster.faults.restart(MANAGER);
  }

  /** The end of all troubles, and time for everybody to find out. */
  calm(): void {
    this.endAllTroubles();
    this.cluster.advance(minutes(PEACE_MINUTES));
  }

  endAllTroubles(): void {
    endTroubles(this);
    for (const { metadata } of this.objects)
      this.cluster.faults.allowRequests({ actor: MANAGER, verb: WRITES, name: metadata.name ?? '' });
    for (const verb of [WRITES, ...WRITES])
      while (this.cluster.faults.allowRequests({ actor: MANAGER, verb }));
    this.cluster.lagWatchCaches(seconds(0));
    if (this.isDown()) this.cluster.faults.restart(MANAGER);
  }

  /** From now on nobody is let write about what has this name, which is no affair of the others. */
  setAside(name: string): void {
    this.cluster.faults.failRequests({ actor: MANAGER, verb: WRITES, name });
  }

  /** Nothing is left to do by these rules. */
  expectRest(rules: readonly RestRuleName[]): void {
    const { nowMs } = this;
    expect(restProblems(this.objects, { nowMs }).filter(({ rule }) => rules.includes(rule))).toEqual([]);
  }

  /** Who has come to rest writes nothing more, and finds nothing to do when it begins anew. */
  expectStill(): void {
    const before = this.#versions();
    this.expectNothingInVain();
    expect(this.#versions()).toEqual(before);
  }

  /** Nobody who begins anew in peace tries what is refused, again and again for all that is known. */
  expectNothingInVain(): void {
    this.bounce();
    this.#refused.length = 0;
    this.cluster.advance(seconds(40));
    expect([...new Set(this.#refused)], 'writes in vain').toEqual([]);
  }

  #heard({ to, body: { status = 0 } = {} }: Answered): void {
    if (to && to.method !== 'GET' && status >= 400) this.#refused.push(`${to.method} ${to.path} ${status}`);
  }

  #versions(): readonly string[] {
    return this.objects
      .filter(({ kind = '' }) => !TOLD.has(kind))
      .map(({ kind, metadata: { name, namespace, resourceVersion } }) =>
        [kind, namespace, name, resourceVersion].join(' '),
      );
  }
}

/** What is done to a troubled manager: of three acts one is trouble, and after each of the others some time goes by. */
export function amidTroubles<Subject extends TroubledManager>(
  acts: readonly fc.Arbitrary<Act<Subject>>[],
): readonly fc.Arbitrary<Act<Subject>>[] {
  const weighed = fc.oneof(...acts).chain((done) =>
    fc.constantFrom(0, 0.02, 0.5, 4).map((span): Act<Subject> => {
      const name = span === 0 ? done.name : `${done.name}, ${span} s`;
      return {
        name,
        on: (subject) => {
          done.on(subject);
          if (span > 0) subject.cluster.advance(milliseconds(span * 1_000));
        },
        ...{ [fc.toStringMethod]: () => name },
      };
    }),
  );
  return [weighed, weighed, fc.oneof(...managerTroubles<Subject>())];
}

/** Of whatever kind, or of one alone: then no other uses them up. */
export const refusedWritesOf = <Subject extends TroubledManager>(): fc.Arbitrary<Act<Subject>> =>
  actsOn<Subject>()(
    'refuse writes',
    fc.record({
      status: fc.constantFrom(409 as const, 500 as const),
      verb: fc.constantFrom(WRITES, WRITES, ...WRITES),
      count: fc.constantFrom(1, 2, 2, 6),
    }),
    ({ cluster }, refused) => cluster.faults.failRequests({ actor: MANAGER, ...refused }),
  );

const managerTroubles = <Subject extends TroubledManager>(): readonly fc.Arbitrary<Act<Subject>>[] => {
  const act = actsOn<Subject>();
  return [
    ...troublesOf<Subject>(),
    act('bounce the manager', NOTHING, (world) => world.bounce()),
    act('end the manager', NOTHING, ({ cluster }) => cluster.faults.crash(MANAGER)),
    act('die at a write', fc.tuple(fc.boolean(), fc.constantFrom(...WRITES)), ({ cluster }, [isDone, verb]) =>
      cluster.faults[isDone ? 'crashAfter' : 'crashBefore']({ actor: MANAGER, verb, count: 1 }),
    ),
    refusedWritesOf<Subject>(),
    act('end watches', fc.boolean(), ({ cluster }, expired) => cluster.faults.endWatches({ expired })),
    act('lag', fc.constantFrom(0, 2, 20), ({ cluster }, span) => cluster.lagWatchCaches(seconds(span))),
  ];
};

/** Whose watches may end for good while others go on. */
const UNSEEN = [undefined, undefined, 'pods'] as const;

/** The same while nobody hears of anything; whoever listens to that can only look afterwards what there is. */
export const unseen = <Subject extends TroubledManager>(
  acts: readonly fc.Arbitrary<Act<Subject>>[],
): fc.Arbitrary<Act<Subject>> =>
  fc
    .tuple(fc.oneof(...acts), fc.constantFrom(0.5, 5, 20), fc.constantFrom(...UNSEEN))
    .map(([done, span, resource]): Act<Subject> => {
      const name = `unseen by those who watch ${resource ?? 'anything'}, for ${span} s: ${done.name}`;
      return {
        name,
        on: (subject) => {
          const { cluster } = subject;
          cluster.lagWatchCaches(minutes(1));
          done.on(subject);
          cluster.advance(milliseconds(span * 1_000));
          cluster.faults.endWatches({ expired: true, ...(resource !== undefined && { resource }) });
          cluster.lagWatchCaches(seconds(0));
        },
        ...{ [fc.toStringMethod]: () => name },
      };
    });

/** What some of the first tries of a manager come to, of each object alike. */
export interface Strike {
  readonly verb: 'get' | (typeof WRITES)[number];
  readonly status: 409 | 500;
  readonly after: number;
  readonly count: number;
}

export const strike: fc.Arbitrary<Strike> = fc.record({
  verb: fc.constantFrom('get', ...WRITES),
  status: fc.constantFrom(500, 409),
  after: fc.constantFrom(0, 0, 1),
  count: fc.constantFrom(1, 1, 2),
});

/** Does something, and what the manager does about it within two seconds is struck. */
export function struckBy({ cluster }: TroubledManager, by: Strike, work: () => void): void {
  const chosen = { actor: MANAGER, verb: by.verb };
  cluster.faults.failRequests({ ...by, ...chosen, each: 'object' });
  work();
  cluster.advance(seconds(2));
  cluster.faults.allowRequests(chosen);
}

/** The same, struck. */
export const struck = <Subject extends TroubledManager>(
  acts: readonly fc.Arbitrary<Act<Subject>>[],
): fc.Arbitrary<Act<Subject>> =>
  fc.tuple(fc.oneof(...acts), strike).map(([done, by]): Act<Subject> => {
    const name = `${done.name}, struck by ${fc.stringify(by)}`;
    return {
      name,
      on: (subject) => struckBy(subject, by, () => done.on(subject)),
      ...{ [fc.toStringMethod]: () => name },
    };
  });
