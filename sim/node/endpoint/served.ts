/** How a server of the test image that runs in a container answers a request: its log tells of it, and it may end of it. */
import type { Process } from '../../engine/process.ts';
import { seconds } from '../../engine/time.ts';
import { CollectedOutput } from '../runtime/collected-output.ts';
import { runProgram } from '../runtime/container-commands.ts';
import { fileAt } from '../runtime/file-programs.ts';
import type { CommandPlace } from '../runtime/command-place.ts';
import type { RuntimeContainer } from '../runtime/container-runtime.ts';
import type { ServerAnswer, ServerReach, TestServer } from '../runtime/agnhost/test-servers.ts';
import { writeServerLog } from '../runtime/server-log.ts';
import type { AgentView } from './agent-view.ts';
import { CONNECT, type PodAnswer, type PodCall } from './pod-port.ts';

const PLAIN_TEXT = 'text/plain; charset=utf-8';
/** Longer than that `netexec` waits for nobody. */
const PATIENCE = seconds(5);
const NOT_FOUND_EXIT = 127;
/** Somebody has come, and says nothing that a server understands. */
const UNHEARD: PodAnswer = { kind: 'answer', status: 400, body: '', contentType: PLAIN_TEXT };

export interface ServedCall {
  readonly container: RuntimeContainer;
  readonly server: TestServer;
  readonly call: PodCall;
}

export function served(view: AgentView, asked: ServedCall): PodAnswer | Process<PodAnswer> {
  const { call, container, server } = asked;
  if (call.method === CONNECT) return UNHEARD;
  const { protocol = 'TCP', port, method, path, query = {}, body } = call;
  const answer = server.answer({ protocol, port, method, path, query, body }, reachOf(view, container));
  return 'status' in answer ? told(view, container, answer) : later(view, container, answer);
}

function* later(
  view: AgentView,
  container: RuntimeContainer,
  answer: Process<ServerAnswer>,
): Process<PodAnswer> {
  return told(view, container, yield* answer);
}

function told(
  view: AgentView,
  container: RuntimeContainer,
  { status, body, contentType = PLAIN_TEXT, log, exitCode }: ServerAnswer,
): PodAnswer {
  if (log !== undefined) writeServerLog(view, container, log);
  if (exitCode !== undefined) view.runtime.exit(container, view.runtimeMs, exitCode);
  return { kind: 'answer', status, body, contentType };
}

const placeOf = (view: AgentView, container: RuntimeContainer): CommandPlace => {
  const { context, runtime, network } = view;
  return {
    context,
    container,
    runtime,
    network,
    process: () => runtime.processOf(container, view.runtimeMs),
  };
};

const reachOf = (view: AgentView, container: RuntimeContainer): ServerReach => ({
  file(path) {
    const bytes = fileAt(placeOf(view, container), path);
    return bytes && new TextDecoder().decode(bytes);
  },
  ranSeconds: (view.runtimeMs - container.startedAtMs) / 1_000,
  *ask({ host, port, protocol, path, query }) {
    const { podNamespace: namespace, podIP: from } = container;
    const request = { host, port, protocol, method: 'GET', path, query, namespace, from, timeout: PATIENCE };
    const outcome = yield* view.network.fetch(request);
    return outcome.kind === 'answer' ? outcome : undefined;
  },
  *run(words) {
    const output = new CollectedOutput();
    const exitCode = yield* runProgram(words, output.streams, placeOf(view, container));
    return { output: output.all, exitCode: exitCode ?? NOT_FOUND_EXIT };
  },
});
