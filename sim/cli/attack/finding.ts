/** What an attacker found, and how to see it again. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Call } from '../../../model/golden/replay/server-under-test.ts';

export interface Finding {
  /** `defect: TypeError …`, `hang of 300 ms`. */
  readonly what: string;
  /** The fewest requests of which the last one does it; empty: it does not happen a second time. */
  readonly calls: readonly Call[];
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

let written = 0;

/** Writes the requests down; the command sends them again. */
export function commandFor(calls: readonly Call[]): string {
  mkdirSync(DIRECTORY, { recursive: true });
  const file = join(DIRECTORY, `attack-${process.pid}-${++written}.json`);
  const texts = calls.map((call) => ({
    ...call,
    body: call.body && Buffer.from(call.body).toString('base64'),
  }));
  writeFileSync(file, `${JSON.stringify(texts, undefined, 2)}\n`);
  return `npm run attack -- --requests ${file}`;
}

export function readCalls(file: string): readonly Call[] {
  const texts = JSON.parse(readFileSync(file, 'utf8')) as readonly (Omit<Call, 'body'> & {
    readonly body?: string;
  })[];
  return texts.map(({ body, ...rest }) => ({
    ...rest,
    ...(body !== undefined && { body: Buffer.from(body, 'base64') }),
  }));
}

/** The first line says enough to tell defects apart. */
export const headline = (error: unknown): string =>
  error instanceof Error
    ? `${error.message.split('\n', 1)[0] ?? ''} ${error.stack?.split('\n').find((line) => line.includes('    at ')) ?? ''}`.trim()
    : String(error);
