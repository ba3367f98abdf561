/** What an attacker found, and how to see it again. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Call } from '../../../model/golden/replay/server-under-test.ts';

export interface Finding {
  /** `defect: TypeError …`, `hang of 300 ms`. */
  readonly what: string;
  /** The smallest request that does it by itself; undefined: it takes what came before. */
  readonly call: Call | undefined;
  /** The command that attacks in the same way. */
  readonly command: string;
}

/** What attackers have done so far. */
export interface Tally {
  requests: number;
  defects: number;
  hangs: number;
  readonly findings: Finding[];
  /** What else was measured, with its unit in the name. */
  readonly figures: Record<string, number>;
}

export const newTally = (): Tally => ({
  requests: 0,
  defects: 0,
  hangs: 0,
  findings: [],
  figures: {},
});

const DIRECTORY = 'reports/out';

/** Writes the request down; the command sends it again. */
let written = 0;

export function commandFor(call: Call): string {
  mkdirSync(DIRECTORY, { recursive: true });
  const file = join(DIRECTORY, `attack-${++written}.json`);
  const body = call.body && Buffer.from(call.body).toString('base64');
  writeFileSync(file, `${JSON.stringify({ ...call, body }, undefined, 2)}\n`);
  return `npm run attack -- --request ${file}`;
}

export function readCall(file: string): Call {
  const { body, ...rest } = JSON.parse(readFileSync(file, 'utf8')) as Omit<Call, 'body'> & {
    readonly body?: string;
  };
  return { ...rest, ...(body !== undefined && { body: Buffer.from(body, 'base64') }) };
}

/** The first line says enough to tell defects apart. */
export const headline = (error: unknown): string =>
  error instanceof Error
    ? `${error.message.split('\n', 1)[0] ?? ''} ${error.stack?.split('\n').find((line) => line.includes('    at ')) ?? ''}`.trim()
    : String(error);
