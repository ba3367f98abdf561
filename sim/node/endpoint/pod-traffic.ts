/**
 * How the containers of a node answer on the ports that their behaviour says they listen on. A container that does not run,
 * or not long enough, refuses; so does an address that no pod of this node has.
 */
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { hours, seconds } from '../../engine/time.ts';
import {
  BehaviourError,
  behaviourOf,
  type PortListener,
  type WorkloadBehaviour,
} from '../runtime/workload-behaviour.ts';
import { type ReviewAnswer, reviewServerOf } from '../runtime/agnhost/review-server.ts';
import { usualListeners } from '../runtime/known-programs.ts';
import type { RuntimeContainer } from '../runtime/container-runtime.ts';
import type { AgentView } from './agent-view.ts';
import { served } from './served.ts';
import type { PodAnswer, PodCall } from './pod-port.ts';

const REFUSED: PodAnswer = { kind: 'refused' };
const PLAIN_TEXT = 'text/plain; charset=utf-8';

export function podAnswer(view: AgentView, call: PodCall): PodAnswer | Process<PodAnswer> {
  // Pods in the network of their node have one address.
  const pods = view.workers().filter(({ record }) => record.podIPs.includes(call.ip));
  const running = pods.length === 0 ? [] : view.running();
  for (const container of running) {
    const worker = pods.find(({ pod }) => pod.metadata.uid === container.podUid);
    if (!worker) continue;
    const { metadata, spec } = worker.pod;
    const { server } = container;
    if (server?.listensOn(call.protocol ?? 'TCP', call.port))
      return served(view, { container, server, call });
    const { listens, readyAfterSeconds = 0 } = known(() => behaviourOf(metadata, container.name));
    const declared = spec?.containers.find(({ name }) => name === container.name);
    const reviews = declared && !listens ? reviewServerOf(declared) : undefined;
    if (reviews?.port === call.port) return reviewed(view.context, reviews.answer(call.path, call.body));
    const listeners = listens ?? (declared ? usualListeners(declared) : []);
    const listener = listeners.find(({ port }) => port === call.port);
    if (!listener || call.protocol === 'UDP') continue;
    if (secondsSince(view, container) < (listener.afterSeconds ?? readyAfterSeconds)) return REFUSED;
    return answerOf(listener, call.path, metadata.name ?? '');
  }
  return REFUSED;
}

/** Longer than anybody waits. */
const FOR_EVER = hours(1_000);

/** Some answers come late, so that one sees who waits for them. */
function reviewed(
  context: Context,
  { afterSeconds = 0, ...answer }: ReviewAnswer,
): PodAnswer | Process<PodAnswer> {
  const said: PodAnswer = { kind: 'answer', ...answer };
  return afterSeconds === 0 ? said : later(context, afterSeconds, said);
}

function* later(context: Context, afterSeconds: number, answer: PodAnswer): Process<PodAnswer> {
  yield* context.sleep(afterSeconds === Infinity ? FOR_EVER : seconds(afterSeconds));
  return answer;
}

const secondsSince = (view: AgentView, { startedAtMs }: RuntimeContainer): number =>
  (view.runtimeMs - startedAtMs) / 1_000;

/** Without a word it says its pod's name, so that one sees who has answered. */
function answerOf({ responds, paths = {} }: PortListener, path: string, podName: string): PodAnswer {
  const said = paths[path === '' ? '/' : path] ?? responds ?? podName;
  const { status = 200, body = podName } = typeof said === 'string' ? { body: said } : said;
  return { kind: 'answer', status, body, contentType: PLAIN_TEXT };
}

/** A behaviour that makes no sense is told where the container starts. */
function known(read: () => WorkloadBehaviour): WorkloadBehaviour {
  try {
    return read();
  } catch (error) {
    if (error instanceof BehaviourError) return {};
    throw error;
  }
}
