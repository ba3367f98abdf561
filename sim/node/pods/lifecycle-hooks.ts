/**
 * The hooks of a container: `postStart` after its start, `preStop` before it is stopped. How long a
 * command or a request takes, and whether it fails, is the workload's behaviour.
 */
import type { LifecycleHandler } from '../../api/types/core-v1.ts';
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
  if (handler.exec ?? handler.httpGet) {
    yield* scope.context.sleep(seconds(how.takesSeconds ?? 0));
    return how.fails === true ? failureOf(handler, about, how.exitCode ?? 1) : undefined;
  }
  if (handler.sleep) {
    yield* scope.context.sleep(seconds(handler.sleep.seconds));
    return undefined;
  }
  // Agents never could do `tcpSocket`: such a hook is accepted, and fails.
  return `Cannot run handler: invalid handler: ${JSON.stringify(handler)}`;
}

function failureOf({ exec, httpGet }: LifecycleHandler, about: string, exitCode: number): string {
  if (exec) {
    const command = `[${(exec.command ?? []).join(' ')}]`;
    return `Exec lifecycle hook (${command}) ${about}command '${(exec.command ?? []).join(' ')}' exited with ${exitCode}: , message: ""`;
  }
  return `HTTP lifecycle hook (${httpGet?.path ?? ''}) ${about}HTTP probe failed with statuscode: 500`;
}
