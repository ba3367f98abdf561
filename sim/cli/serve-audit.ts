/** What `kubesim serve` audits, and where it goes. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { Auditor } from '../apiserver/audit/auditor.ts';
import { AuditPolicy } from '../apiserver/audit/policy.ts';
import { fileProblem } from './start-problem.ts';

export interface AuditFlags {
  readonly auditLogPath?: string;
  readonly auditPolicyFile?: string;
}

interface Audit {
  readonly auditor: Auditor;
  close(): void;
}

/** As with kube-apiserver, nothing is audited without a policy. */
export async function auditOf(
  { auditLogPath, auditPolicyFile }: AuditFlags,
  command: Command,
): Promise<Audit | undefined> {
  if (auditPolicyFile === undefined) {
    if (auditLogPath !== undefined) {
      process.stderr.write('No audit policy file provided, no events will be recorded for log backend\n');
    }
    return undefined;
  }
  // Also where nothing is written: kube-apiserver does not start with a policy that it cannot read.
  const policy = await readPolicy(auditPolicyFile, command);
  if (auditLogPath === undefined) return undefined;
  if (auditLogPath === '-') {
    return {
      auditor: new Auditor({ policy, write: (event) => process.stdout.write(`${JSON.stringify(event)}\n`) }),
      close: () => undefined,
    };
  }
  const log = openLog(auditLogPath, command);
  return {
    auditor: new Auditor({ policy, write: (event) => writeSync(log, `${JSON.stringify(event)}\n`) }),
    close: () => closeSync(log),
  };
}

function openLog(file: string, command: Command): number {
  try {
    return openSync(file, 'a', 0o600);
  } catch (error) {
    return command.error(`error: ${fileProblem('--audit-log-path', file, error)}`);
  }
}

async function readPolicy(file: string, command: Command): Promise<AuditPolicy> {
  try {
    return AuditPolicy.parse(await readFile(file, 'utf8'));
  } catch (error) {
    return command.error(`error: ${fileProblem('--audit-policy-file', file, error)}`);
  }
}
