/**
 * The hooks of a container: `postStart` after its start, `preStop` before it is stopped. How long a
 * command or a request takes, and whether it fails, is the workload's behaviour; where that says nothing, a command is run
 * and a request is sent, as far as it is known what comes of them. Whether somebody answers a request does not matter then.
 */
import type { Process } from '../../engine/process.ts';
import { seconds } from '../../engine/time.ts';
import type { Container, HTTPGetAction } from '../../api/types/core-v1.ts';
import type { RuntimeContainer } from '../runtime/container-runtime.ts';
import type { HookBehaviour } from '../runtime/workload-behaviour.ts';
import { runOwnCommand } from './own-command.ts';
import { podText, type PodContainer } from './pod-containers.ts';
import { targetOf } from '../network/container-network.ts';
import type { PodScope } from './pod-scope.ts';
import { portNumber } from './probe-finding-text.ts';

export type HookName = 'postStart' | 'preStop';

/** Why it failed, as the container's status says it; undefined when it went well. */
export function* runHook(
  scope: PodScope,
  { spec }: PodContainer,
  running: RuntimeContainer,
  hook: HookName,
): Process<string | undefined> {
  const { behaviour } = running;
  const handler = spec.lifecycle?.[hook];
  if (!handler) return undefined;
  const how: HookBehaviour = behaviour[hook] ?? {};
  const about = `for Container ${JSON.stringify(spec.name)} in Pod ${JSON.stringify(podText(scope.pod))} failed - error: `;
  if (handler.exec) {
    const words = handler.exec.command ?? [];
    const { exitCode, output } = yield* commandOutcome(scope, words, { hook, running });
    const command = words.join(' ');
    if (exitCode === 0) return undefined;
    return `Exec lifecycle hook ([${command}]) ${about}command '${command}' exited with ${exitCode}: ${output}, message: ${JSON.stringify(output)}`;
  }
  if (handler.httpGet) {
    yield* scope.context.sleep(seconds(how.takesSeconds ?? 0));
    if (!behaviour[hook]) yield* request(scope, spec, handler.httpGet);
    if (how.fails !== true) return undefined;
    return `HTTP lifecycle hook (${handler.httpGet.path ?? ''}) ${about}HTTP probe failed with statuscode: 500`;
  }
  if (handler.sleep) {
    yield* scope.context.sleep(seconds(handler.sleep.seconds));
    return undefined;
  }
  // Agents never could do `tcpSocket`: such a hook is accepted, and fails.
  return `Cannot run handler: invalid handler: ${JSON.stringify(handler)}`;
}

interface HookOutcome {
  readonly exitCode: number;
  readonly output: string;
}

/** A command that has an answer of its own gives that, whatever the hook is said to do. */
function* commandOutcome(
  scope: PodScope,
  words: readonly string[],
  { hook, running }: { readonly hook: HookName; readonly running: RuntimeContainer },
): Process<HookOutcome> {
  const { behaviour } = running;
  const how = behaviour.exec?.[words.join(' ')] ? undefined : behaviour[hook];
  if (how) {
    yield* scope.context.sleep(seconds(how.takesSeconds ?? 0));
    return { exitCode: how.fails === true ? (how.exitCode ?? 1) : 0, output: '' };
  }
  const outcome = yield* runOwnCommand(scope, { words, running });
  const { exitCode = 0, stdout = '', stderr = '' } = outcome ?? {};
  return { exitCode, output: stdout + stderr };
}

const HTTP_PORT = 80;
const LONGEST_WAIT = seconds(60);

function* request(scope: PodScope, spec: Container, asked: HTTPGetAction): Process<void> {
  const { host = scope.options.podIP, path = '/' } = asked;
  const port = portNumber(asked.port, spec) ?? HTTP_PORT;
  const namespace = scope.pod.metadata.namespace ?? '';
  const { network } = scope.options;
  const from = scope.options.podIP;
  const target = { host, port, method: 'GET', ...targetOf(path) };
  yield* network.fetch({ ...target, namespace, from, timeout: LONGEST_WAIT });
}
