/**
 * What the containers of a node reach: pods and Services, as the node's proxy has last been told to. It follows Services
 * from the first request on, and what changes takes effect a moment later: how much later is a choice of the run.
 */
import type { ApiClient } from '../../client/api-client.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { Informer } from '../../client/informer/informer.ts';
import type { Process } from '../../engine/process.ts';
import { Caller } from '../../engine/request-reply.ts';
import { milliseconds, type Micros, seconds } from '../../engine/time.ts';
import { agentActorOf } from '../endpoint/agent-port.ts';
import { POD_PORT, type PodAnswer, type PodCall } from '../endpoint/pod-port.ts';
import type {
  ContainerNetwork,
  NameRecord,
  NetworkOutcome,
  NetworkRequest,
  ResolvedName,
} from './container-network.ts';
import { recordsOf } from './name-records.ts';
import { type OuterDestination, outerRoute } from './outer-routes.ts';
import { type Backend, type Route, ServiceRoutes } from './service-routes.ts';

const { endpointSlices, services } = BUILTIN_HANDLES;
const PROXY = { name: 'system:kube-proxy', groups: ['system:authenticated'] };
/** A proxy gathers what changes for a second at most. */
const PROGRAMMING_MS = { min: 0, nominal: 50, max: 1_000 };
const ADDRESS = /^[0-9.]+$|:|^localhost$/;

const UNKNOWN: Route = { kind: 'unknown' };
type KnownRoute = Extract<Route, { kind: 'backends' }>;

/** To which backend a Service keeps for somebody. */
interface Kept extends Pick<Backend, 'ip' | 'port'> {
  readonly until: number;
}

export class NodeNetwork implements ContainerNetwork {
  readonly #client: ApiClient;
  readonly #callers = new Map<string, Caller<PodCall, PodAnswer>>();
  readonly #kept = new Map<string, Kept>();
  #routes: ServiceRoutes | undefined;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  *fetch({ host, port, namespace, from, timeout, ...asked }: NetworkRequest): Process<NetworkOutcome> {
    const { context } = this.#client;
    const until = context.now() + timeout;
    const routes = (this.#routes ??= yield* this.#follow());
    const destination = { host, port, protocol: asked.protocol ?? ('TCP' as const) };
    const known = routes.to(destination, namespace);
    const route = known.kind === 'backends' ? known : yield* this.#outer(routes, { ...destination, from });
    if (route.kind === 'unknown') return { kind: ADDRESS.test(host) ? 'timeout' : 'unknown host' };
    const chosen = this.#backendOf(route, from);
    if (!chosen) return { kind: 'refused' };
    const left = Math.max(0, until - context.now()) as Micros;
    const { node, ip, port: target } = chosen;
    const outcome = yield* this.#callerTo(node).call({ ...asked, ip, port: target }, left);
    if (outcome.kind === 'reply') return outcome.reply;
    if (outcome.kind !== 'timeout') return { kind: 'refused' };
    return outcome;
  }

  *resolve(name: string, namespace: string): Process<ResolvedName | undefined> {
    const routes = (this.#routes ??= yield* this.#follow());
    return routes.addressesOf(name, namespace);
  }

  *look(name: string, type: string, namespace: string): Process<readonly NameRecord[]> {
    const routes = (this.#routes ??= yield* this.#follow());
    return recordsOf(routes, { name, type, namespace });
  }

  /** Nothing is known before the first lists. */
  *#follow(): Process<ServiceRoutes> {
    const client = this.#client.as({ user: PROXY });
    const { context } = client;
    const known = new Informer({ client, handle: services });
    const slices = new Informer({ client, handle: endpointSlices });
    const routes = (): ServiceRoutes => new ServiceRoutes(known.store.list(), slices.store.list());
    let isPlanned = true;
    const plan = (): void => {
      if (isPlanned) return;
      isPlanned = true;
      context.spawn('program routes', program());
    };
    const self = { set: (now: ServiceRoutes): void => void (this.#routes = now) };
    const { min, nominal, max } = PROGRAMMING_MS;
    const site = context.site('route programming');
    function* program(): Process<void> {
      yield* context.sleep(milliseconds(site.around(min, nominal, max)));
      isPlanned = false;
      self.set(routes());
    }
    for (const informer of [known, slices]) {
      informer.addHandler({ added: plan, changed: plan, removed: plan });
      informer.start();
      yield* informer.waitUntilSynced();
    }
    isPlanned = false;
    return routes();
  }

  *#outer(routes: ServiceRoutes, destination: OuterDestination): Process<Route> {
    if (!ADDRESS.test(destination.host)) return UNKNOWN;
    return yield* outerRoute(this.#client, routes, destination);
  }

  /** Any of them, but the same one again where a Service keeps to it. */
  #backendOf({ backends, affinity }: KnownRoute, from: string | undefined): Backend | undefined {
    const { context } = this.#client;
    const key = affinity && from !== undefined ? `${affinity.key} ${from}` : undefined;
    const kept = key === undefined ? undefined : this.#kept.get(key);
    const isKept = kept && context.now() < kept.until;
    const same = isKept ? backends.find(({ ip, port }) => ip === kept.ip && port === kept.port) : undefined;
    const last = backends.length - 1;
    const chosen = same ?? backends[last < 1 ? 0 : context.site('service backend').int(0, last)];
    if (chosen && affinity && key !== undefined) {
      const until = context.now() + seconds(affinity.timeoutSeconds);
      this.#kept.set(key, { ip: chosen.ip, port: chosen.port, until });
    }
    return chosen;
  }

  #callerTo(node: string): Caller<PodCall, PodAnswer> {
    const known = this.#callers.get(node);
    if (known) return known;
    const caller = new Caller(this.#client.context, { actor: agentActorOf(node), port: POD_PORT });
    this.#callers.set(node, caller);
    return caller;
  }
}
