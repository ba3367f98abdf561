/**
 * Looks at a simulated cluster from outside and tells the rules about nodes what can be seen: writes to the storage,
 * what controllers and API servers hear and say, containers, clocks, and faults of the control plane. It changes
 * nothing in the cluster: a run with it has the digest of the run without.
 */
import {
  type ApiObject,
  type Cluster,
  type FaultEvent,
  microseconds,
  type NodeAgent,
  type RuntimeContainer,
} from '../../sim/index.ts';
import {
  isController,
  type Observation,
  type ObservationOf,
  type ObservedContainer,
} from '../../model/nodes/observation.ts';

type Observe = (observation: Observation) => void;

const WATCHED = '/registry/';
/** Many, and nobody's business. */
const UNWATCHED = ['/registry/events/', '/registry/masterleases/', '/registry/apiregistration.k8s.io/'];
const isWatched = (key: string): boolean => !UNWATCHED.some((prefix) => key.startsWith(prefix));
/** Slower links than this hinder controllers. */
export const SLOW_MICROS = 1_000_000;

/** From now on every observation goes to `observe`. */
export function observeNodes(cluster: Cluster, observe: Observe): void {
  observeStorage(cluster, observe);
  observeRequests(cluster, observe);
  observeControllers(cluster, observe);
  cluster.eachAgent(new Containers(cluster, observe).observe);
  new ControlPlane(cluster, observe).listen();
}

function observeStorage(cluster: Cluster, observe: Observe): void {
  cluster.storage.watch({
    prefix: WATCHED,
    onEvents: (events, revision) => {
      for (const event of events) {
        if (!isWatched(event.kind === 'put' ? event.entry.key : event.key)) continue;
        const before = event.previous?.value;
        const after = event.kind === 'put' ? event.entry.value : undefined;
        observe({ at: cluster.now, kind: 'stored', revision, before, after });
      }
    },
  });
}

/** Of a call as it goes over the network, what matters here. */
interface Call {
  readonly method: string;
  readonly path: string;
  readonly user: { readonly name: string };
  readonly body?: unknown;
}

function observeRequests(cluster: Cluster, observe: Observe): void {
  for (const { actor } of cluster.apiServers) {
    actor.overhear({
      received: (message) => {
        const call = callIn(message);
        if (!call || call.method === 'GET') return;
        const { method, path, user, body } = call;
        observe({ at: cluster.now, kind: 'request-heard', user: user.name, method, path, body });
      },
    });
  }
}

function observeControllers(cluster: Cluster, observe: Observe): void {
  for (const actor of cluster.simulation.actors)
    if (isController(actor.name)) observeController(actor, cluster, observe);
}

function observeController(actor: Cluster['user'], cluster: Cluster, observe: Observe): void {
  const by = actor.name;
  actor.overhear({
    sent: (message) => {
      const call = callIn(message);
      if (!call || call.method === 'GET') return;
      const { method, path, body } = call;
      observe({ at: cluster.now, kind: 'request-sent', by, clock: actor.context.now(), method, path, body });
    },
    received: (message) => {
      const news = newsIn(message);
      if (!news) return;
      observe({ at: cluster.now, kind: 'objects-heard', by, clock: actor.context.now(), ...news });
    },
  });
}

function callIn(message: unknown): Call | undefined {
  const { body } = message as { readonly body?: Partial<Call> };
  return body?.path === undefined || body.user === undefined ? undefined : (body as Call);
}

interface Heard {
  readonly event?: { readonly type: string; readonly object: ApiObject };
  /** The call that it answers. */
  readonly to?: Partial<Call>;
  readonly body?: { readonly body?: Partial<ApiObject> & { readonly items?: readonly ApiObject[] } };
}

type News = Pick<ObservationOf<'objects-heard'>, 'objects' | 'listed' | 'isAnswer'>;

/** Of what rules ask who knew it. */
const LISTED = /^(Node|Lease|Pod|ConfigMap|EndpointSlice|Endpoints|Deployment|ReplicaSet|CronJob|Job)List$/;

/**
 * What an informer learns from: lists, and events of watches; and what candidates for a leadership ask for, its lease.
 * Answers to writes tell nobody anything.
 */
function newsIn(message: unknown): News | undefined {
  const { event, body, to } = message as Heard;
  if (event)
    return event.type === 'ADDED' || event.type === 'MODIFIED' ? { objects: [event.object] } : undefined;
  const list = body?.body;
  if (list?.kind === 'Lease' && to?.method === 'GET') return { objects: [list as ApiObject], isAnswer: true };
  const kind = LISTED.exec(list?.kind ?? '')?.[1];
  if (kind === undefined) return undefined;
  const revision = Number(list?.metadata?.resourceVersion);
  // Items of a list do not say what they are.
  return { objects: (list?.items ?? []).map((item) => ({ ...item, kind })), listed: { kind, revision } };
}

/** Starts of containers as their machines report them, and before each the ends that have come about since. */
class Containers {
  readonly #cluster: Cluster;
  readonly #observe: Observe;
  /** Not known to have ended, by namespace and name of their pod. */
  readonly #live = new Map<string, { readonly agent: NodeAgent; readonly container: RuntimeContainer }[]>();

  constructor(cluster: Cluster, observe: Observe) {
    this.#cluster = cluster;
    this.#observe = observe;
  }

  readonly observe = (agent: NodeAgent): void => {
    const started = (container: RuntimeContainer): void => this.#started(agent, container);
    agent.machine.runtime.onStarted = started;
  };

  #started(agent: NodeAgent, container: RuntimeContainer): void {
    const at = this.#cluster.now;
    const identity = `${container.podNamespace}/${container.podName}`;
    const live = (this.#live.get(identity) ?? []).filter((other) => {
      if (isRunning(other.agent, other.container)) return true;
      const machine = other.agent.actor.name;
      const endedAt = endOf(other.agent, other.container, at);
      this.#observe({
        at,
        kind: 'container-stopped',
        machine,
        container: observed(other.container),
        ...(endedAt !== undefined && { endedAt }),
      });
      return false;
    });
    this.#live.set(identity, [...live, { agent, container }]);
    const machine = agent.actor.name;
    this.#observe({ at, kind: 'container-started', machine, container: observed(container) });
  }
}

/** By the clock of its machine, which is the agent's. */
const isRunning = ({ actor, machine: { runtime } }: NodeAgent, { id }: RuntimeContainer): boolean =>
  runtime.get(id) !== undefined && runtime.fateOf(id, actor.context.now() / 1_000).kind === 'running';

/** By true time, as far as its machine's clock is right. */
function endOf(
  { actor, machine: { runtime } }: NodeAgent,
  { id }: RuntimeContainer,
  now: number,
): number | undefined {
  if (runtime.get(id) === undefined) return undefined;
  const fate = runtime.fateOf(id, actor.context.now() / 1_000);
  return fate.kind === 'ended' ? now - Math.max(0, actor.context.now() - fate.atMs * 1_000) : undefined;
}

const observed = ({ id, name, podNamespace, podName, podUid }: RuntimeContainer): ObservedContainer => ({
  id,
  name,
  namespace: podNamespace,
  podName,
  podUid,
});

/** Follows the faults: who begins anew, whose clock goes back, and whether API servers and controllers can work. */
class ControlPlane {
  readonly #cluster: Cluster;
  readonly #observe: Observe;
  readonly #drifting = new Set<string>();

  constructor(cluster: Cluster, observe: Observe) {
    this.#cluster = cluster;
    this.#observe = observe;
  }

  listen(): void {
    this.#cluster.eachAgent(({ name, machine }) => {
      const tell = (): void => this.#tellOfAgent(this.#cluster.now, name);
      machine.runtime.onHanging = tell;
    });
    for (const { name } of this.#cluster.agents) this.#tellOfAgent(this.#cluster.now, name);
    this.#tellOfSchedulers(true);
    this.#cluster.faults.listen((event) => this.#hear(event));
  }

  #hear(event: FaultEvent): void {
    const at = this.#cluster.now;
    const { verb, actors, by = 0, ppm = 0 } = event;
    if (verb === 'clock-jump' && by < 0)
      for (const actor of actors) {
        const node = this.#cluster.agents.find((agent) => agent.actor.name === actor)?.name;
        if (node !== undefined) this.#observe({ at, kind: 'clock-turned-back', node, by: 0 - by });
      }
    if (verb === 'clock-drift')
      for (const actor of actors) {
        if (ppm === 0) this.#drifting.delete(actor);
        else this.#drifting.add(actor);
      }
    if (verb === 'life')
      for (const actor of actors)
        if (this.#cluster.faults.actor(actor).state === 'crashed')
          this.#observe({ at, kind: 'crashed', actor });
    for (const node of this.#nodesOf(actors)) this.#tellOfAgent(at, node);
    if (actors.every((actor) => !actor.startsWith('node/'))) this.#tellOfSchedulers(false);
    // Links are many when somebody is cut off from everybody: only those within matter.
    const isWithin = actors.every(isOfControlPlane);
    if (isWithin && verb !== 'clock-jump')
      this.#observe({ at, kind: 'control-plane', isWhole: this.#isWhole });
  }

  /** Faults of requests and servers may strike any. */
  #nodesOf(actors: readonly string[]): readonly string[] {
    const { nodeNames } = this.#cluster;
    if (actors.length === 0 || actors.some((name) => !name.startsWith('node/'))) return nodeNames;
    const meant = new Set(actors.map((name) => name.replace(/^node\//, '').replace(/~twin$/, '')));
    return nodeNames.filter((name) => meant.has(name));
  }

  #tellOfAgent(at: number, node: string): void {
    const { agents, apiServers } = this.#cluster;
    const own = agents.filter(({ name }) => name === node);
    const areFine = own.every(
      ({ actor, machine }) =>
        actor.state === 'running' &&
        !this.#drifting.has(actor.name) &&
        !machine.runtime.isHung &&
        apiServers.every(({ name }) => isFine(this.#cluster, actor.name, name)),
    );
    const { requestFaults, watchCacheLag, isStorageWhole } = this.#cluster;
    const isHindered = requestFaults.hinderAnybody || watchCacheLag > SLOW_MICROS || !isStorageWhole;
    this.#observe({ at, kind: 'agent', node, isFine: areFine && own.length === 1 && !isHindered });
  }

  #tellOfSchedulers(isFirst: boolean): void {
    const { schedulers, apiServers, requestFaults, watchCacheLag, isStorageWhole, now: at } = this.#cluster;
    const isHindered = requestFaults.hinderAnybody || watchCacheLag > SLOW_MICROS || !isStorageWhole;
    const areFine = schedulers.every(
      ({ actor, name, hearsLate }) =>
        actor.state === 'running' &&
        hearsLate <= SLOW_MICROS &&
        !this.#drifting.has(name) &&
        apiServers.every(
          (server) => server.actor.state === 'running' && isFine(this.#cluster, name, server.name),
        ),
    );
    const isThere = schedulers.length > 0;
    this.#observe({ at, kind: 'schedulers', areFine: isThere && areFine && !isHindered, isFirst });
  }

  get #isWhole(): boolean {
    const { simulation, faults, watchCacheLag } = this.#cluster;
    if (faults.hindersControllers(microseconds(SLOW_MICROS)) || watchCacheLag > SLOW_MICROS) return false;
    const within = simulation.actors.filter(({ name }) => isOfControlPlane(name));
    if (within.some(({ name, state }) => state !== 'running' || this.#drifting.has(name))) return false;
    const servers = within.filter(({ name }) => name.startsWith('apiserver/'));
    return within.every((one) => servers.every((server) => isFine(this.#cluster, one.name, server.name)));
  }
}

export const isFine = ({ simulation: { network } }: Cluster, a: string, b: string): boolean =>
  a === b ||
  [network.linkBetween(a, b), network.linkBetween(b, a)].every(
    ({ state, latency }) => state === 'healthy' && latency.max <= SLOW_MICROS,
  );

const isOfControlPlane = (actor: string): boolean =>
  actor.startsWith('apiserver/') || actor.startsWith('etcd/') || isController(actor);
