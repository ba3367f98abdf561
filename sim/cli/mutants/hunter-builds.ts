/**
 * Bundles of the hunter, with a bug in it or without, and what is known before a hunt: which runs come by which lines. That
 * is recorded on the right program by the first hunt and kept (`reports/out/reach.json`) for those after it.
 */
import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'rolldown';
import { type Planted, planting } from './planting.ts';
import { type Reach, type RecordedRun, runsBy } from './reach.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const REACH = join(ROOT, 'reports/out/reach.json');

/** The path of the program. */
export const buildHunter = (dir: string, bug?: Planted): Promise<string> => buildProgram('hunt', dir, bug);

async function buildProgram(name: string, dir: string, bug?: Planted): Promise<string> {
  await build({
    input: { [name]: join(ROOT, `sim/cli/mutants/${name}.ts`) },
    platform: 'node',
    external: [/^node:/],
    logLevel: 'silent',
    plugins: bug ? [planting(bug)] : [],
    output: {
      dir,
      format: 'esm',
      sourcemap: name === RECORDER,
      entryFileNames: '[name].mjs',
      chunkFileNames: '[name]-[hash].mjs',
    },
  });
  return join(dir, `${name}.mjs`);
}

const RECORDER = 'record-reach';
const LONGEST_OUTPUT = 1 << 26;

/** `among`: the scenarios and properties that hunt. */
export async function readReach(among: string, dir: string): Promise<Reach> {
  if (!existsSync(REACH)) {
    process.stderr.write('recording which runs come by which lines: some minutes, once\n');
    mkdirSync(dirname(REACH), { recursive: true });
    const recorder = await buildProgram(RECORDER, dir);
    const options = { cwd: ROOT, maxBuffer: LONGEST_OUTPUT };
    await promisify(execFile)(process.execPath, [recorder, ROOT, REACH, among], options);
  }
  return JSON.parse(readFileSync(REACH, 'utf8')) as Reach;
}

/** Runs that come by the first line that a bug changes. */
export function comeBy(reach: Reach, { file, find, replace }: Planted): readonly RecordedRun[] | undefined {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const [was, is] = [find.split('\n'), replace.split('\n')];
  const first = was.findIndex((line, index) => line !== is[index]);
  const line = text.slice(0, text.indexOf(find)).split('\n').length + Math.max(0, first);
  return runsBy(reach, { file, line }, text);
}
