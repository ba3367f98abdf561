/**
 * What the containers of a node reach: pods and Services, as the node's proxy has last been told to. It follows Services
 * from the first request on, and what changes takes effect a moment later: how much later is a choice of the run.
 */
import type { Pod } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { Informer } from '../../client/informer/informer.ts';
import type { Process } from '../../engine/process.ts';
import { Caller } from '../../engine/request-reply.ts';
import { milliseconds, type Micros } from '../../engine/time.ts';
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
import { type Backend, ServiceRoutes } from './service-routes.ts';

const { endpointSlices, pods, services } = BUILTIN_HANDLES;
const PROXY = { name: 'system:kube-proxy', groups: ['system:authenticated'] };
/** A proxy gathers what changes for a second at most. */
const PROGRAMMING_MS = { min: 0, nominal: 50, max: 1_000 };
const ADDRESS = /^[0-9.]+$|:/;

export class NodeNetwork implements ContainerNetwork {
  readonly #client: ApiClient;
  readonly #callers = new Map<string, Caller<PodCall, PodAnswer>>();
  #routes: ServiceRoutes | undefined;

  constructor(client: ApiClient) {
    this.#client = client;
  }

  *fetch({ host, port, namespace, timeout, ...asked }: NetworkRequest): Process<NetworkOutcome> {
    const { context } = this.#client;
    const until = context.now() + timeout;
    const routes = (this.#routes ??= yield* this.#follow());
    const route = routes.to({ host, port, protocol: asked.protocol ?? 'TCP' }, namespace);
    const backends = route.kind === 'backends' ? route.backends : yield* this.#podAt(host, port);
    if (!backends) return { kind: ADDRESS.test(host) ? 'timeout' : 'unknown host' };
    const chosen =
      backends[backends.length < 2 ? 0 : context.site('service backend').int(0, backends.length - 1)];
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

  /** Of a pod that no Service has; undefined: nobody has that address. */
  *#podAt(ip: string, port: number): Process<readonly Backend[] | undefined> {
    if (!ADDRESS.test(ip)) return undefined;
    let found: readonly Pod[];
    try {
      found = (yield* this.#client.list(pods, { fieldSelector: `status.podIP=${ip}` })).items;
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      return undefined;
    }
    const node = found.find(({ spec }) => spec?.nodeName)?.spec?.nodeName;
    return node === undefined ? undefined : [{ node, ip, port }];
  }

  #callerTo(node: string): Caller<PodCall, PodAnswer> {
    const known = this.#callers.get(node);
    if (known) return known;
    const caller = new Caller(this.#client.context, { actor: agentActorOf(node), port: POD_PORT });
    this.#callers.set(node, caller);
    return caller;
  }
}
