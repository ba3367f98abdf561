/** Who a process is beyond its number, which another process has after a while. */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface ProcessIdentity {
  readonly pid: number;
  /** When it started, in words of the system; empty where the system does not say. */
  readonly startedAt: string;
  /** Of the run of the machine that it lives in. */
  readonly bootId: string;
}

let knownBootId: string | undefined;

export function bootId(): string {
  knownBootId ??=
    process.platform === 'linux'
      ? fileText('/proc/sys/kernel/random/boot_id').trim()
      : commandText('sysctl', ['-n', 'kern.boottime']);
  return knownBootId;
}

export const ownIdentity = (): ProcessIdentity => ({
  pid: process.pid,
  startedAt: startOf(process.pid),
  bootId: bootId(),
});

/** Whether this very process still runs. */
export function isRunning({ pid, startedAt, bootId: itsBootId }: ProcessIdentity): boolean {
  return itsBootId === bootId() && exists(pid) && startOf(pid) === startedAt;
}

function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user may not be asked, but it is there.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

/** The 22nd field of the line of the process; its name, in parentheses, may hold spaces. */
const START_FIELD_AFTER_NAME = 19;

function startOf(pid: number): string {
  if (process.platform !== 'linux') return commandText('ps', ['-o', 'lstart=', '-p', String(pid)]);
  const line = fileText(`/proc/${pid}/stat`);
  return line.slice(line.lastIndexOf(')') + 2).split(' ')[START_FIELD_AFTER_NAME] ?? '';
}

function fileText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

function commandText(command: string, words: readonly string[]): string {
  try {
    return execFileSync(command, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
  } catch {
    return '';
  }
}
