/**
 * The control path `/kubesim/v1/…`: lets a test in any language steer time and failures of a served
 * world and look into it. Outside the Kubernetes API; described by `/kubesim/v1/openapi`.
 * With an authorizer other than AlwaysAllow only members of system:masters may use it.
 */
import { parseDuration } from '../../api/time-format.ts';
import { ALL_CHECKS } from '../../apiserver/surface/health.ts';
import { formatRecord } from '../../engine/trace.ts';
import { milliseconds } from '../../engine/time.ts';
import { restoreCheckpoint, type RestoreOutcome } from '../../cluster/restore-checkpoint.ts';
import { MAX_SPEED } from '../real-time-driver.ts';
import type { ClusterStart, ServedClusters } from '../served-clusters.ts';
import type { World } from '../world.ts';
import { type ActorFaults, actorFaultsOf, setActorFaults } from './actor-faults.ts';
import type { ClientName } from './client-ledger.ts';
import { fileOf, filesOf } from './disk-files.ts';
import { frozenScenario } from './frozen-scenario.ts';
import { machineFaultsFrom, setMachineFaults } from './machine-faults.ts';
import { requestFaultsFrom, setRequestFaults } from './request-faults.ts';
import { RESTART_MEMBERS, restartActor } from './restart.ts';
import { serverFaultsFrom, setServerFaults } from './server-faults.ts';
import { type WatchSelection, watchRulesFrom } from './watch-rules.ts';
import { CONTROL_OPENAPI } from './control-openapi.ts';

export const CONTROL_PREFIX = '/kubesim/v1/';

export interface ControlRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** The parsed body; undefined: none. */
  readonly body: unknown;
}

export interface ControlAnswer {
  readonly status: number;
  /** JSON, or the bytes of a file. */
  readonly body: unknown;
}

export interface ControlApiOptions {
  readonly world: () => World;
  /** Where the agents of nodes are reached, by the name of the node. */
  readonly nodeUrls: () => Readonly<Record<string, string>>;
  /** Throws the present world away and makes a new one; undefined: the world cannot be reset. */
  readonly reset: ((start: ClusterStart) => void) | undefined;
  /** Keeps what is stored now under a name. @throws RangeError */
  readonly freeze: (name: string) => void;
  /** All that the port serves. */
  readonly clusters: ServedClusters;
}

/** The request makes no sense; the message is for its author. */
class ControlError extends Error {
  override readonly name = 'ControlError';
}

/** What is answered later; whoever asked for it may give it up before. */
class Later {
  readonly begin: (finish: (body: unknown) => void) => () => void;

  constructor(begin: (finish: (body: unknown) => void) => () => void) {
    this.begin = begin;
  }
}

/** Comes to the body of the answer, or to a `Later`. */
type Operation = (request: ControlRequest, options: ControlApiOptions) => unknown;

const DEFAULT_TAIL = 100;
const MAX_ADVANCE_MS = 10 * 365 * 86_400_000;
const NANOS_PER_MS = 1_000_000n;

const START_MEMBERS = ['seed', 'snapshot'];
const NEW_CLUSTER_MEMBERS = ['name', ...START_MEMBERS];
const RESTORE_MEMBERS = ['archive', 'from', 'onto', 'namespace', 'pod', 'container'];
const FAULT_MEMBERS = [
  'failingChecks',
  'watchCacheLagMs',
  'crashed',
  'paused',
  'partitioned',
  'machines',
  'requests',
  'routes',
  'serverLagMs',
  'memberLagMs',
];

const OPERATIONS: Readonly<Record<string, Operation>> = {
  'GET openapi': () => CONTROL_OPENAPI,
  'GET clock': (_request, { world }) => clockOf(world()),
  'POST clock': steerClock,
  'GET state': (_request, options) => stateOf(options),
  'GET faults': (_request, { world }) => faultsOf(world()),
  'PUT faults': setFaults,
  'GET clients': (_request, { world }) => ({ items: world().clients.list() }),
  'GET record': recordOf,
  'GET scenario': ({ query }, { world }) => {
    const { clients, simulation, cluster } = world();
    return frozenScenario(clients.requestsOf(clientIn(query)), {
      seed: simulation.seed,
      nodes: cluster.nodeNames.length,
    });
  },
  'GET watches': (_request, { world }) => ({ rules: world().watchRules.list }),
  'PUT watches': setWatchRules,
  'POST watches/end': endWatches,
  'POST storage/leader': changeLeader,
  'POST restart': ({ body }, { world }) => {
    const { driver } = world();
    readable(() => driver.act(() => restartActor(world(), membersOf(body, RESTART_MEMBERS))));
    return faultsOf(world());
  },
  'POST restore': restore,
  'GET files': ({ query }, { world }) => readable(() => filesOf(world(), query)),
  'GET file': ({ query }, { world }) => readable(() => fileOf(world(), query)),
  'GET trace': ({ query }, { world }) => traceOf(world(), query.get('tail')),
  'GET choices': (_request, { world }) => ({ items: world().simulation.choices.log() }),
  'POST reset': (request, options) => {
    const { reset } = options;
    if (!reset) throw new ControlError('a world that is kept on disk cannot be reset');
    readable(() => reset(startOf(request.body, START_MEMBERS)));
    return stateOf(options);
  },
  'GET snapshots': (_request, { clusters }) => ({ items: clusters.snapshots }),
  'POST snapshots': ({ body }, { clusters, freeze }) => {
    readable(() => freeze(nameIn(body, ['name'])));
    return { items: clusters.snapshots };
  },
  'DELETE snapshots': ({ query }, { clusters }) => {
    readable(() => clusters.forget(query.get('name') ?? ''));
    return { items: clusters.snapshots };
  },
  'GET clusters': (_request, { clusters }) => ({ items: clusters.names }),
  'POST clusters': ({ body }, { clusters }) => {
    readable(() => clusters.create(nameIn(body, NEW_CLUSTER_MEMBERS), startOf(body, NEW_CLUSTER_MEMBERS)));
    return { items: clusters.names };
  },
  'DELETE clusters': ({ query }, { clusters }) => {
    readable(() => clusters.remove(query.get('name') ?? ''));
    return { items: clusters.names };
  },
};

/** Answers at once, or later; the function that comes back says that nobody waits for it any more. */
export function serveControl(
  request: ControlRequest,
  options: ControlApiOptions,
  deliver: (answer: ControlAnswer) => void,
): () => void {
  const answer = outcomeOf(request, options);
  if (!(answer.body instanceof Later)) {
    deliver(answer);
    return () => undefined;
  }
  return answer.body.begin((body) => deliver({ status: 200, body }));
}

function outcomeOf(request: ControlRequest, options: ControlApiOptions): ControlAnswer {
  const name = request.path.slice(CONTROL_PREFIX.length);
  const operation = OPERATIONS[`${request.method} ${name}`];
  if (!operation) {
    const isKnown = Object.keys(OPERATIONS).some((key) => key.endsWith(` ${name}`));
    return isKnown
      ? failure(405, `${request.method} is not possible here`)
      : failure(404, `there is no ${request.path}`);
  }
  try {
    return { status: 200, body: operation(request, options) };
  } catch (error) {
    if (error instanceof ControlError) return failure(400, error.message);
    throw error;
  }
}

export const failure = (status: number, message: string): ControlAnswer => ({ status, body: { message } });

function clockOf({ simulation, driver }: World): object {
  driver.stir();
  driver.act(() => undefined);
  return {
    now: new Date(simulation.epochMs + simulation.now / 1_000).toISOString(),
    elapsedMicros: simulation.now,
    speed: driver.speed,
  };
}

function steerClock({ body }: ControlRequest, { world }: ControlApiOptions): object {
  const { advance, speed } = membersOf(body, ['advance', 'speed']);
  const { driver } = world();
  if (advance === undefined && speed === undefined) throw new ControlError('expected advance, speed or both');
  if (speed !== undefined) {
    if (speed !== 'auto' && (typeof speed !== 'number' || !(speed >= 0) || speed > MAX_SPEED))
      throw new ControlError(`speed: expected a number from 0 to ${MAX_SPEED}, or auto`);
  }
  const span = advance === undefined ? undefined : milliseconds(durationMs(advance, 'advance'));
  if (speed !== undefined) driver.speed = speed;
  if (span === undefined) return clockOf(world());
  return new Later((finish) => driver.travel(span, () => finish(clockOf(world()))));
}

function durationMs(value: unknown, name: string): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return notTooLong(value, name);
  try {
    const ms = typeof value === 'string' ? Number(parseDuration(value) / NANOS_PER_MS) : -1;
    if (ms >= 0) return notTooLong(ms, name);
  } catch (error) {
    if (error instanceof ControlError) throw error;

    // Refused below like all that is no duration.
  }
  throw new ControlError(`${name}: expected a duration such as "90s", or milliseconds`);
}

function notTooLong(ms: number, name: string): number {
  if (ms <= MAX_ADVANCE_MS) return ms;
  throw new ControlError(`${name}: at most 10 years at once`);
}

function stateOf({ world, nodeUrls }: ControlApiOptions): object {
  const { simulation, storage, server } = world();
  const objects: Record<string, number> = {};
  for (const resource of server.registry.all()) {
    const { size } = server.storeOf(resource).cache;
    const name = resource.group === '' ? resource.resource : `${resource.resource}.${resource.group}`;
    if (size > 0) objects[name] = size;
  }
  return {
    seed: simulation.seed,
    revision: storage.revision,
    compactedRevision: storage.compactedRevision,
    pendingEvents: simulation.pendingCount,
    actors: simulation.actors.map(({ name }) => name),
    nodes: nodeUrls(),
    objects,
  };
}

function recordOf({ query }: ControlRequest, { world }: ControlApiOptions): object {
  return { items: world().clients.entriesOf(clientIn(query), countOf(query.get('tail'))) };
}

function clientIn(query: URLSearchParams): Partial<ClientName> {
  const [user, userAgent] = ['user', 'userAgent'].map((name) => query.get(name) ?? undefined);
  return { ...(user !== undefined && { user }), ...(userAgent !== undefined && { userAgent }) };
}

function setWatchRules({ body }: ControlRequest, { world }: ControlApiOptions): object {
  const { rules = [] } = membersOf(body, ['rules']);
  const wanted = readable(() => watchRulesFrom(rules));
  const { driver, watchRules } = world();
  driver.act(() => watchRules.replace(wanted));
  return { rules: watchRules.list };
}

/** Clients open them anew; where they count as expired, they list anew. */
function endWatches({ body }: ControlRequest, { world }: ControlApiOptions): object {
  const members = membersOf(body ?? {}, ['user', 'userAgent', 'resource', 'expired']);
  const { user, userAgent, resource, expired = false } = members;
  for (const [name, text] of Object.entries({ user, userAgent, resource }))
    if (text !== undefined && typeof text !== 'string') throw new ControlError(`${name}: expected a string`);
  if (typeof expired !== 'boolean') throw new ControlError('expired: expected a boolean');
  const { driver, watchRules } = world();
  let ended = 0;
  const chosen = { user, userAgent, resource } as WatchSelection;
  driver.act(() => (ended = watchRules.endWatches(chosen, expired)));
  return { ended };
}

/** The members of the storage choose another leader, and take no writes meanwhile. */
function changeLeader({ body }: ControlRequest, { world }: ControlApiOptions): object {
  const { takes } = membersOf(body ?? {}, ['takes']);
  const span = takes === undefined ? undefined : milliseconds(durationMs(takes, 'takes'));
  const { cluster, driver } = world();
  readable(() => driver.act(() => cluster.faults.changeStorageLeader(span)));
  return faultsOf(world());
}

/** A checkpoint goes from the disk of one node to where a container of another goes on from it. */
function restore({ body }: ControlRequest, { world }: ControlApiOptions): object {
  const { namespace = 'default', ...members } = membersOf(body, RESTORE_MEMBERS);
  const text = (name: string, value: unknown = members[name]): string => {
    if (typeof value !== 'string' || value === '') throw new ControlError(`${name}: expected a text`);
    return value;
  };
  const { cluster, driver } = world();
  const wanted = {
    archive: text('archive'),
    from: text('from'),
    onto: text('onto'),
    namespace: text('namespace', namespace),
    pod: text('pod'),
    container: text('container'),
  };
  const outcomes: RestoreOutcome[] = [];
  driver.act(() => void outcomes.push(restoreCheckpoint(cluster, wanted)));
  const [outcome] = outcomes;
  if (outcome?.kind !== 'ready') throw new ControlError(outcome?.message ?? 'the world has ended');
  return { container: outcome.container };
}

function faultsOf(world: World): object {
  const { failingChecks } = world.server;
  const { routes, serverLagMs, memberLagMs, watchCacheLagMs } = world.serverFaults;
  const machines = Object.fromEntries(world.machineFaults);
  const { requestFaults: requests } = world;
  return {
    failingChecks: [...failingChecks].sort(),
    watchCacheLagMs,
    ...actorFaultsOf(world),
    machines,
    requests,
    routes,
    serverLagMs: Object.fromEntries(serverLagMs),
    memberLagMs: Object.fromEntries(memberLagMs),
  };
}

function setFaults({ body }: ControlRequest, { world }: ControlApiOptions): object {
  const members = membersOf(body, FAULT_MEMBERS);
  const { watchCacheLagMs = 0, machines = {}, requests = [] } = members;
  const failingChecks = checksIn(members);
  if (typeof watchCacheLagMs !== 'number' || !Number.isSafeInteger(watchCacheLagMs) || watchCacheLagMs < 0) {
    throw new ControlError('watchCacheLagMs: expected a whole number from 0 on');
  }
  const { server, driver } = world();
  const serverFaults = readable(() => serverFaultsFrom({ ...members, watchCacheLagMs }, world()));
  const requestFaults = readable(() => requestFaultsFrom(requests));
  const machineFaults = readable(() => machineFaultsFrom(machines, world()));
  setActors(world(), {
    crashed: namesOf(members, 'crashed'),
    paused: namesOf(members, 'paused'),
    partitioned: namesOf(members, 'partitioned'),
  });
  readable(() => driver.act(() => setRequestFaults(world(), requestFaults)));
  driver.act(() => {
    setMachineFaults(world(), machineFaults);
    server.failingChecks.clear();
    for (const name of failingChecks) server.failingChecks.add(name);
    setServerFaults(world(), serverFaults);
  });
  return faultsOf(world());
}

function checksIn(members: Readonly<Record<string, unknown>>): readonly string[] {
  const names = namesOf(members, 'failingChecks');
  const stranger = names.find((name) => !ALL_CHECKS.some((check) => check.name === name));
  if (stranger === undefined) return names;
  throw new ControlError(`failingChecks: there is no check ${stranger}; /readyz?verbose names all of them`);
}

function namesOf(members: Readonly<Record<string, unknown>>, member: string): readonly string[] {
  const names = members[member] ?? [];
  if (!Array.isArray(names) || !names.every((name) => typeof name === 'string'))
    throw new ControlError(`${member}: expected a list of strings`);
  return names;
}

const setActors = (world: World, wanted: ActorFaults): void => readable(() => setActorFaults(world, wanted));

/** What is out of range is the author's mistake. */
function readable<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof RangeError) throw new ControlError(error.message);
    throw error;
  }
}

function traceOf({ simulation: { trace } }: World, tail: string | null): object {
  const count = countOf(tail);
  return { length: trace.length, digest: trace.digest, items: trace.records(count).map(formatRecord) };
}

function nameIn(body: unknown, known: readonly string[]): string {
  const { name } = membersOf(body, known);
  if (typeof name !== 'string' || name === '') throw new ControlError('name: expected a text');
  return name;
}

/** With what a cluster begins. */
function startOf(body: unknown, known: readonly string[]): ClusterStart {
  const { seed, snapshot } = membersOf(body ?? {}, known);
  if (seed !== undefined && !Number.isSafeInteger(seed))
    throw new ControlError('seed: expected a whole number');
  if (snapshot !== undefined && typeof snapshot !== 'string')
    throw new ControlError('snapshot: expected a text');
  return {
    ...(seed !== undefined && { seed: Number(seed) }),
    ...(snapshot !== undefined && { snapshot }),
  };
}

function countOf(tail: string | null): number {
  const count = tail === null ? DEFAULT_TAIL : Number(tail);
  if (!Number.isSafeInteger(count) || count < 0) throw new ControlError('tail: expected a whole number');
  return count;
}

/** What is misspelt is refused: a fault that nobody suffers from would make a test pass in vain. */
function membersOf(body: unknown, known: readonly string[]): Readonly<Record<string, unknown>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new ControlError('expected a JSON object');
  const stranger = Object.keys(body).find((name) => !known.includes(name));
  if (stranger !== undefined)
    throw new ControlError(`there is no ${stranger}; there are ${known.join(', ')}`);
  return body as Readonly<Record<string, unknown>>;
}
