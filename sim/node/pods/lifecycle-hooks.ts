/**
 * The hooks of a container: `postStart` after its start, `preStop` before it is stopped. How long a
 * command or a request takes, and whether it fails, is the workload's behaviour.
 */
import type { Process } from '../../engine/process.ts';
import { seconds } from '../../engine/time.ts';
import type { HookBehaviour, WorkloadBehaviour } from '../runtime/workload-behaviour.ts';
import { podText, type PodContainer } from './pod-containers.ts';
import type { PodScope } from './pod-scope.ts';

export type HookName = 'postStart' | 'preStop';

/** Why it failed, as the container's status says it; undefined when it went well. */
export function* runHook(
  scope: PodScope,
  { spec }: PodContainer,
  behaviour: WorkloadBehaviour,
  hook: HookName,
): Process<string | undefined> {
  const handler = spec.lifecycle?.[hook];
  if (!handler) return undefined;
  const how: HookBehaviour = behaviour[hook] ?? {};
  const about = `for Container ${JSON.stringify(spec.name)} in Pod ${JSON.stringify(podText(scope.pod))} failed - error: `;
  if (handler.exec) {
    const words = handler.exec.command ?? [];
    const { takesSeconds, exitCode, output } = commandOutcome(words, behaviour, how);
    yield* scope.context.sleep(seconds(takesSeconds));
    const command = words.join(' ');
    if (exitCode === 0) return undefined;
    return `Exec lifecycle hook ([${command}]) ${about}command '${command}' exited with ${exitCode}: ${output}, message: ${JSON.stringify(output)}`;
  }
  if (handler.httpGet) {
    yield* scope.context.sleep(seconds(how.takesSeconds ?? 0));
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

/** A command that has an answer of its own gives that. */
function commandOutcome(words: readonly string[], behaviour: WorkloadBehaviour, how: HookBehaviour) {
  const answer = behaviour.exec?.[words.join(' ')];
  if (!answer) {
    const { takesSeconds = 0, fails = false, exitCode = 1 } = how;
    return { takesSeconds, exitCode: fails ? exitCode : 0, output: '' };
  }
  const { seconds: takesSeconds = 0, exitCode = 0, stdout = '', stderr = '' } = answer;
  return { takesSeconds, exitCode, output: stdout + stderr };
}
