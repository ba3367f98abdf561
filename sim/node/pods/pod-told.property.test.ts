/**
 * What the API says of pods while the requests of their agent come to grief: soon after the last of these it says what the
 * machine does, pods whose containers have ended, or whose grace is over, are gone, and what has started once stays started.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ContainerStatus, Pod } from '../../api/types/core-v1.ts';
import { isNotFound } from '../../client/api-failure.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { create } from '../../cluster/pod-world.fixture.ts';
import { type Act, actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const [NODE, AGENT] = ['worker-1', 'node/worker-1'];
/** An agent looks again after ten seconds, and has up to five tries to wait for. */
const SOON = seconds(60);

/** What an end takes once there is no grace left, refusals included. */
const HURRY_MS = 45_000;

const VERBS = ['get', 'patch', 'delete'] as const;
const NAMES = ['a', 'b'];

class World {
  readonly cluster: Cluster;
  /** Containers that were said to have started, by the uids of their pods. */
  readonly #started = new Map<string, string>();
  readonly wrong: string[] = [];
  /** An agent that has begun anew gives all their grace once more. */
  #restartedMs = 0;

  constructor() {
    this.cluster = createCluster({
      nodes: 1,
      controllers: [],
      disabledAdmissionPlugins: ['ServiceAccount'],
      scheduler: false,
      settled: true,
      isRecording: false,
    });
    this.cluster.storage.watch({
      prefix: '/registry/pods/',
      onEvents: (events) => {
        for (const event of events) if (event.kind === 'put') this.#look(event.entry.value);
      },
    });
  }

  #look({ metadata: { uid = '', name = '', annotations }, status }: Pod): void {
    const runsOn = annotations?.['behaviour.kubesim.dev/main']?.includes('"runsForSeconds":1000') === true;
    for (const { containerID, state, started } of status?.containerStatuses ?? []) {
      if (containerID === undefined || !state?.running || !runsOn) continue;
      const known = this.#started.get(uid);
      if (known === containerID && started !== true) this.wrong.push(`${name} is to start again`);
      if (known !== undefined && known !== containerID) this.wrong.push(`${name} was made to start again`);
      if (started === true) this.#started.set(uid, containerID);
    }
  }

  get #nowMs(): number {
    return this.cluster.userClient.context.wallMs();
  }

  restart(): void {
    this.cluster.faults.restart(AGENT);
    this.#restartedMs = this.#nowMs;
  }

  /** It was to be gone before, and everybody has had time to find out. */
  #isLate({ metadata: { deletionTimestamp, deletionGracePeriodSeconds: grace = 0 } }: Pod): boolean {
    if (deletionTimestamp === undefined) return false;
    const dueMs = Math.max(Date.parse(deletionTimestamp), this.#restartedMs + grace * 1_000);
    return this.#nowMs - dueMs > HURRY_MS;
  }

  /** Of whom nothing is told any more, an agent that comes back knows nothing. */
  forget(): void {
    this.#started.clear();
  }

  /** What the API says that its containers do, and what the machine says; both are to be empty of what is not in the other. */
  differences(): readonly string[] {
    const pods = this.cluster.client.pods.list().items;
    const { runtime } = this.cluster.machine(NODE);
    const lives = new Set(
      runtime.running(this.cluster.now / 1_000).map(({ podUid, name, id }) => `${podUid} ${name} ${id}`),
    );
    const told = new Set(
      pods.flatMap(({ metadata, status }) => runs(metadata.uid ?? '', status?.containerStatuses ?? [])),
    );
    return [
      ...this.wrong,
      ...[...lives].filter((each) => !told.has(each)).map((each) => `${each} runs, and nobody says so`),
      ...[...told].filter((each) => !lives.has(each)).map((each) => `${each} is said to run`),
      ...pods
        .filter((pod) => this.#isLate(pod))
        .map(({ metadata }) => `${metadata.name ?? ''} is still there`),
    ];
  }
}

const runs = (uid: string, statuses: readonly ContainerStatus[]): readonly string[] =>
  statuses.flatMap(({ name, state, containerID = '' }) =>
    state?.running ? [`${uid} ${name} ${containerID.replace(/^[a-z]+:\/\//, '')}`] : [],
  );

const act = actsOn<World>();
const anyPod = fc.constantFrom(...NAMES);
const isThere = ({ cluster }: World, name: string): boolean =>
  cluster.client.pods.list().items.some(({ metadata }) => metadata.name === name);
/** It may go at any time. */
function ifThere(change: () => unknown): void {
  try {
    change();
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

const STARTUP = { tcpSocket: { port: 80 }, periodSeconds: 2, failureThreshold: 5 };

const acts: readonly fc.Arbitrary<Act<World>>[] = [
  act(
    'create',
    fc.record({
      name: anyPod,
      runsForSeconds: fc.constantFrom(1_000, 1_000, 0, 3, 20),
      restartPolicy: fc.constantFrom('Always', 'OnFailure', 'Never'),
      exitCode: fc.constantFrom(0, 1),
      stop: fc.constantFrom({}, {}, { stopsAfterSeconds: 20 }, { ignoresTerm: true }),
      /** What asks whether it has started may ask in vain later on. */
      probe: fc.constantFrom('none', 'fails later'),
    }),
    (world, { name, runsForSeconds, restartPolicy, exitCode, stop, probe }) => {
      if (isThere(world, name)) return;
      const isProbed = probe !== 'none';
      create(world.cluster, name, {
        restartPolicy,
        containers: [{ name: 'main', ...(isProbed && { startupProbe: STARTUP }) }],
        behaviours: {
          main: {
            runsForSeconds,
            exitCode,
            ...stop,
            ...(isProbed && {
              readyAfterSeconds: 4,
              failsProbes: [{ probe: 'startup', fromSeconds: 10 }],
            }),
          },
        },
      });
      world.cluster.advance(seconds(2));
    },
  ),
  act(
    'delete',
    fc.record({ name: anyPod, gracePeriodSeconds: fc.constantFrom(300, 30, 0, 5) }),
    ({ cluster }, { name, gracePeriodSeconds }) => {
      ifThere(() => cluster.client.pods.delete(name, { gracePeriodSeconds }));
    },
  ),
  act(
    'hurry one that does not end by itself',
    fc.record({
      name: anyPod,
      graces: fc.array(fc.constantFrom(300, 300, 30, 5, 1), { minLength: 2, maxLength: 3 }),
      pauseSeconds: fc.constantFrom(0, 2, 9),
    }),
    ({ cluster }, { name, graces, pauseSeconds }) => {
      ifThere(() => cluster.client.pods.delete(name, { gracePeriodSeconds: 0 }));
      create(cluster, name, { behaviours: { main: { runsForSeconds: 1_000, ignoresTerm: true } } });
      cluster.advance(seconds(6));
      for (const gracePeriodSeconds of graces) {
        ifThere(() => cluster.client.pods.delete(name, { gracePeriodSeconds }));
        cluster.advance(seconds(pauseSeconds));
      }
    },
  ),
  act(
    'the agent is refused',
    fc.record({
      verb: fc.constantFrom(...VERBS),
      status: fc.constantFrom(409 as const, 409 as const, 500 as const, 429 as const, 503 as const),
      count: fc.integer({ min: 1, max: 3 }),
    }),
    ({ cluster }, refused) => cluster.faults.failRequests({ actor: AGENT, resource: 'pods', ...refused }),
  ),
  act(
    'the agent hears no answer',
    fc.constantFrom('patch' as const, 'delete' as const),
    ({ cluster }, verb) =>
      cluster.faults.loseAnswers({ actor: AGENT, resource: 'pods', verb, count: 1, resets: true }),
  ),
  act('the agent is away', fc.constantFrom(1, 30), (world, downSeconds) => {
    world.cluster.faults.crash(AGENT);
    world.cluster.advance(seconds(downSeconds));
    world.restart();
  }),
  act(
    'goes as the agent restarts',
    fc.record({ name: anyPod, refusals: fc.constantFrom(0, 2, 3), isTold: fc.boolean() }),
    (world, { name, refusals: count, isTold }) => {
      const { cluster } = world;
      if (count > 0) cluster.faults.failRequests({ actor: AGENT, resource: 'pods', verb: 'delete', count });
      if (!isTold) cluster.faults.crash(AGENT);
      ifThere(() => cluster.client.pods.delete(name));
      cluster.advance(seconds(2));
      if (isTold) cluster.faults.crash(AGENT);
      cluster.advance(seconds(1));
      world.restart();
    },
  ),
  act('somebody writes over the status', anyPod, (world, name) => {
    const body = { status: { containerStatuses: null } };
    world.forget();
    ifThere(() => world.cluster.client.pods.patch(name, { type: 'merge', body }, { subresource: 'status' }));
  }),
  act('wait', fc.constantFrom(1, 4, 15, 15), ({ cluster }, length) => cluster.advance(seconds(length))),
];

it('says in the end what the machine does', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts,
    compare: ({ wrong }) => expect(wrong).toEqual([]),
    end: (world) => {
      for (const verb of VERBS) world.cluster.faults.allowRequests({ actor: AGENT, resource: 'pods', verb });
      world.cluster.advance(SOON);
      // Between an end and the next start a container is said to do what it did.
      const settled = (): boolean => world.differences().length === 0;
      for (let tries = 0; tries < 8 && !settled(); tries++) world.cluster.advance(seconds(3));
      expect(world.differences()).toEqual([]);
    },
    most: 20,
    runs: 120,
  });
});
