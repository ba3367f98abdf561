/** `/healthz` and its parts: whether the agent lives, and whether it looks after its pods. */
import type { AgentAnswer } from './agent-port.ts';
import type { AgentView } from './agent-view.ts';

interface Check {
  readonly name: string;
  readonly isHealthy: boolean;
  readonly problem?: string;
}

/** So long pods may go without being looked after. */
const MOST_STANDSTILL_MS = 5 * 60_000;

export function checksOf(view: AgentView): readonly Check[] {
  const isHealthy = view.standstillMs <= MOST_STANDSTILL_MS;
  return [
    { name: 'ping', isHealthy: true },
    { name: 'log', isHealthy: true },
    { name: 'syncloop', isHealthy, ...(!isHealthy && { problem: 'sync Loop took longer than expected' }) },
  ];
}

/** All checks together: a list where one fails, or where the caller wants one. */
export function healthOf(view: AgentView, isVerbose: boolean): AgentAnswer {
  const checks = checksOf(view);
  const isHealthy = checks.every((check) => check.isHealthy);
  if (isHealthy && !isVerbose) return { status: 200, body: 'ok' };
  const lines = checks.map((check) =>
    check.isHealthy ? `[+]${check.name} ok\n` : `[-]${check.name} failed: reason withheld\n`,
  );
  const end = `healthz check ${isHealthy ? 'passed' : 'failed'}\n`;
  return { status: isHealthy ? 200 : 500, body: lines.join('') + end };
}

export function healthOfPart(view: AgentView, name: string): AgentAnswer {
  const check = checksOf(view).find((each) => each.name === name);
  if (!check || check.isHealthy) return { status: 200, body: 'ok' };
  return { status: 500, body: `internal server error: ${check.problem ?? ''}\n` };
}
