/**
 * What a node agent answers on its own endpoint: health, pods, logs, numbers, checkpoints, commands. It asks who calls
 * before it looks at what is wanted. Paths and texts are those of the kubelet; what is not modelled says so.
 * Specification: "Node-agent checkpoint endpoint".
 */
import type { Pod } from '../../api/types/core-v1.ts';
import type { Process } from '../../engine/process.ts';
import type { AgentAccess } from './agent-access.ts';
import { configurationOf } from '../agent-configuration.ts';
import { checksOf, healthOf, healthOfPart } from './agent-health.ts';
import {
  agentMetrics,
  containerMetrics,
  healthMetrics,
  probeMetrics,
  RequestCount,
  resourceMetrics,
} from './agent-metrics.ts';
import type { AgentAnswer, AgentCall } from './agent-port.ts';
import { type AgentService, type RouteMatch, routeOf } from './agent-routes.ts';
import { type AgentOutcome, gathered, isStream } from './agent-stream.ts';
import type { AgentView } from './agent-view.ts';
import { CheckpointEndpoint } from './checkpoint-endpoint.ts';
import { attachOf, execOf, runOf } from './exec-endpoint.ts';
import { logsOf } from './log-endpoint.ts';
import { summaryOf } from './stats-summary.ts';

export interface AgentEndpointOptions {
  readonly view: AgentView;
  readonly access: AgentAccess;
  readonly rootDirectory: string;
  /** The gate `ContainerCheckpoint`. */
  readonly servesCheckpoints: boolean;
}

/** Of a path that nothing is registered for: nobody asks who wants it. */
const NOTHING_THERE: AgentAnswer = { status: 404, body: '404 page not found\n' };
const NO_ROUTE: AgentAnswer = { status: 404, body: '404: Page Not Found' };
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** Services that are there and answer that they are not modelled. */
const UNMODELLED: Partial<Readonly<Record<AgentService, string>>> = {
  '/logs': 'the log files of the machine itself are not modelled: simulated nodes have none',
  '/portForward': 'port-forward is not modelled at the agent itself: ask the API server',
  '/debug/flags/v': 'the log level of the agent is not modelled: it writes no log',
  '/debug/pprof': 'profiles of the agent are not modelled: it is part of a simulation',
};

type Service = (route: RouteMatch, call: AgentCall) => AgentOutcome | Process<AgentOutcome>;

export class AgentEndpoint {
  readonly #options: AgentEndpointOptions;
  readonly #checkpoints: CheckpointEndpoint;
  readonly #requests = new RequestCount();

  constructor(options: AgentEndpointOptions) {
    this.#options = options;
    this.#checkpoints = new CheckpointEndpoint(options.view, options.rootDirectory);
  }

  /** One answer; what streams is gathered until it ends. */
  *answer(call: AgentCall): Process<AgentAnswer> {
    const outcome = yield* this.open(call);
    return isStream(outcome) ? yield* gathered(outcome) : outcome;
  }

  /** An answer, or a stream that is yet to run. */
  *open(call: AgentCall): Process<AgentOutcome> {
    const route = routeOf(call.path);
    if (!route || (route.service === '/checkpoint' && !this.#options.servesCheckpoints)) return NOTHING_THERE;
    this.#requests.note(call.method, call.path);
    const refusal = yield* this.#options.access.refusalOf(call);
    if (refusal) return refusal;
    const { methods, service } = route;
    if (methods?.length === 0) return NO_ROUTE;
    if (methods?.includes(call.method) === false)
      return { status: 405, body: '405: Method Not Allowed', allow: methods.join(', ') };
    const unmodelled = UNMODELLED[service];
    if (unmodelled !== undefined) return { status: 501, body: `${unmodelled}\n` };
    const outcome = this.#serve(route, call);
    return 'next' in outcome ? yield* outcome : outcome;
  }

  #serve({ service, segments }: RouteMatch, call: AgentCall): ReturnType<Service> {
    const { view, access, servesCheckpoints } = this.#options;
    switch (service) {
      case '/healthz':
        return healthOf(view, call.query['verbose'] !== undefined);
      case '/healthz/ping':
      case '/healthz/log':
      case '/healthz/syncloop':
        return healthOfPart(view, service.slice('/healthz/'.length));
      case '/metrics':
        return metrics(agentMetrics(view, this.#requests));
      case '/metrics/cadvisor':
        return metrics(containerMetrics(view));
      case '/metrics/resource':
        return metrics(resourceMetrics(view));
      case '/metrics/probes':
        return metrics(probeMetrics(view));
      case '/metrics/slis':
        return metrics(healthMetrics(checksOf(view)));
      case '/configz':
        return { status: 200, body: configurationOf(access.settings, { servesCheckpoints }) };
      case '/pods':
        return podList(view.workers().map(({ pod }) => pod));
      case '/runningpods':
        return podList(runningPods(view));
      case '/stats/summary':
        return { status: 200, body: summaryOf(view) };
      case '/containerLogs':
        return logsOf(view, segments, call.query);
      case '/run':
        return runOf(view, segments, call);
      case '/exec':
        return execOf(view, segments, call);
      case '/attach':
        return attachOf(view, segments, call);
      case '/checkpoint':
        return this.#checkpoints.answer(segments, call.query);
      default:
        return NO_ROUTE;
    }
  }
}

const metrics = (body: string): AgentAnswer => ({ status: 200, body, contentType: METRICS_TYPE });

const podList = (items: readonly Pod[]): AgentAnswer => ({
  status: 200,
  body: { kind: 'PodList', apiVersion: 'v1', metadata: {}, items },
});

/** As the runtime knows them: names and images, no more. */
function runningPods(view: AgentView): readonly Pod[] {
  const pods = new Map<
    string,
    { readonly pod: Pod; readonly containers: { name: string; image: string }[] }
  >();
  for (const { podUid, podName, podNamespace, name, image } of view.running()) {
    const containers = pods.get(podUid)?.containers ?? [];
    containers.push({ name, image });
    const metadata = { name: podName, namespace: podNamespace, uid: podUid };
    const pod: Pod = { kind: 'Pod', apiVersion: 'v1', metadata, spec: { containers }, status: {} };
    pods.set(podUid, { pod, containers });
  }
  return [...pods.values()].map(({ pod }) => pod);
}
