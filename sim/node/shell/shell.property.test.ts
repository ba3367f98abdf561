/**
 * Drawn scripts (`script.arbitrary.ts`), beside the shell of the machine that the test runs on: they write the same and end alike. Where there is no `/bin/sh`, there is nothing to compare with.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { parseScript } from './parse-script.ts';
import { shellScript } from './script.arbitrary.ts';
import { Shell } from './shell.ts';
import type { ShellHost } from './shell-state.ts';
import { Output } from './streams.ts';

const REAL = '/bin/sh';
const NAME = 'a b';
/** Begins and ends with spaces. */
const PAD = ' p  q ';
const GIVEN = ['x', 'y z'];

interface Outcome {
  readonly text: string;
  readonly code: number;
}

function realOutcome(script: string): Outcome {
  const cwd = mkdtempSync(join(tmpdir(), 'shell-'));
  try {
    const { stdout, status } = spawnSync(REAL, ['-c', script, REAL, ...GIVEN], {
      cwd,
      env: { NAME, PAD, PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      encoding: 'utf8',
      timeout: 10_000,
    });
    return { text: stdout, code: status ?? -1 };
  } finally {
    rmSync(cwd, { recursive: true });
  }
}

/** Undefined: something in it is not modelled. */
function ownOutcome(script: string): Outcome | undefined {
  const files = new Map<string, Uint8Array>();
  const host: ShellHost = {
    voice: { name: 'sh', isBusyBox: false },
    *run([name], streams) {
      if (name === 'true' || name === 'false') return name === 'true' ? 0 : 1;
      if (name !== 'cat') return undefined;
      for (let piece = yield* streams.read(); piece; piece = yield* streams.read()) streams.write(piece);
      return 0;
    },
    environment: (name) => ({ NAME, PAD })[name],
    readFile: (path) => files.get(path),
    writeFile: (path, bytes) => (files.set(path, bytes), undefined),
    nowMs: () => 0,
  };
  const output = new Output();
  const shell = Shell.at(host, GIVEN);
  const streams = {
    write: (piece: string | Uint8Array) => output.write(piece),
    writeError: () => undefined,
    *read() {
      return undefined;
    },
  };
  try {
    expect(shell.run(parseScript(script), streams).next().done).toBe(true);
  } catch (error) {
    if (error instanceof Error && error.message.includes('is not modelled')) return undefined;
    throw error;
  }
  return { text: output.text, code: shell.exitCode };
}

it.runIf(existsSync(REAL))('does what a shell does', () => {
  fc.assert(
    fc.property(shellScript, fc.boolean(), (drawn, isStrict) => {
      // What there is nothing of, shells count differently.
      const text = `${isStrict ? 'set -e; ' : ''}n=3; m=5\n${drawn}`;
      const own = ownOutcome(text);
      if (own) expect(own).toEqual(realOutcome(text));
    }),
    { seed: 7, numRuns: (fc.readConfigureGlobal()?.numRuns ?? 20) * 10 },
  );
});
