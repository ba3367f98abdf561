/**
 * Hunts one planted bug: first with the tests that hold its room against a model, then with scenarios and properties in a
 * program that has the bug built in. What is found on the right program, too, does not count.
 */
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import type { Hunted } from './hunt.ts';
import type { PlantedBug } from './planted-bugs.ts';
import type { Planted } from './planting.ts';

const ROOT = resolve(import.meta.dirname, '../../..');

/** How to hunt. `budget`: seconds of the processor for each. */
export interface HuntWays {
  readonly budget: number;
  readonly among: string;
  readonly shrink: boolean;
  readonly first: boolean;
}

/** Real time may be several times that of the processor, when others work too. */
const PATIENCE = 8;

/** Runs a program that says in its last line what it has found. */
export function hunted(args: readonly string[], budget: number): Promise<Hunted> {
  const timeout = (budget * PATIENCE + 60) * 1_000;
  return new Promise((settle) => {
    execFile(process.execPath, args, { cwd: ROOT, timeout, maxBuffer: 1 << 26 }, (error, stdout) => {
      const line = stdout.trim().split('\n').at(-1) ?? '';
      if (line.startsWith('{')) settle(JSON.parse(line) as Hunted);
      else
        settle({
          isFound: true,
          by: 'start',
          property: 'ends badly, or never',
          detail: error?.message.slice(0, 200) ?? '',
          cpuMs: budget * 1_000,
          runs: 0,
        });
    });
  });
}

const MODELS = join(ROOT, 'sim/cli/mutants/try-models.ts');

type Way = 'models' | 'tests' | 'shrunk';

const tryModels = (
  { file, find, replace }: Planted,
  budget: number,
  what: Way = 'models',
  ...only: readonly string[]
): Promise<Hunted> =>
  hunted(['--import', 'tsx', MODELS, JSON.stringify({ file, find, replace }), what, ...only], budget);

const onRight = new Map<string, Promise<Hunted>>();

/** What breaks on the right program, too, says nothing. Each test is asked once. */
async function breaksWhatIsRight(
  { file, find }: Planted,
  { by = '' }: Hunted,
  budget: number,
): Promise<boolean> {
  const asked = onRight.get(by) ?? tryModels({ file, find, replace: find }, budget, 'models', by);
  onRight.set(by, asked);
  return (await asked).isFound;
}

/** A bug, and what is made only where models do not find it. */
export interface Prey {
  readonly mutant: PlantedBug;
  /** The hunter with the bug; undefined: it cannot be built. */
  readonly program: () => Promise<string | undefined>;
  /** Where the runs that come by its place are listed. */
  readonly comeByFile: () => Promise<string>;
  /** The hunter without a bug. */
  readonly right: () => Promise<string>;
}

/** Whether the same run fails on the right program. */
async function isAlarm({ isFound, by, seed }: Hunted, right: string, among: string): Promise<boolean> {
  if (!isFound || by === undefined || seed === undefined) return false;
  return (await hunted([right, '1', `again:${by}:${seed}`, '', '', among], 60)).isFound;
}

const NOTHING: Hunted = { isFound: false, cpuMs: 0, runs: 0 };

async function huntByModels(mutant: PlantedBug, { budget, shrink }: HuntWays): Promise<Hunted> {
  const found = await tryModels(mutant, budget);
  if (!found.isFound) return found;
  if (!(await breaksWhatIsRight(mutant, found, budget)))
    return shrink ? await madeSmall(mutant, found, budget) : found;
  process.stderr.write(`an alarm: the right program fails in ${found.by ?? ''} too\n`);
  return { isFound: false, cpuMs: found.cpuMs, runs: found.runs };
}

async function madeSmall(mutant: PlantedBug, found: Hunted, budget: number): Promise<Hunted> {
  const { steps, explanation, cpuMs } = await tryModels(mutant, budget, 'shrunk', found.by ?? '');
  if (steps === undefined || !explanation) return found;
  return { ...found, steps, explanation, smallerMs: cpuMs };
}

/** Models first, as they take seconds; scenarios and properties have the rest of the budget. Undefined: it cannot be built. */
export async function huntEverywhere(prey: Prey, ways: HuntWays): Promise<Hunted | undefined> {
  const { mutant, program } = prey;
  const byModels = mutant.caughtBy === undefined ? await huntByModels(mutant, ways) : NOTHING;
  if (byModels.isFound) return byModels;
  const built = await program();
  if (built === undefined) return undefined;
  return await huntInBuild(built, byModels, prey, ways);
}

async function huntInBuild(
  program: string,
  byModels: Hunted,
  { mutant: { caughtBy }, ...prey }: Prey,
  { budget, among, shrink, first }: HuntWays,
): Promise<Hunted> {
  const [comeByFile, right] = [await prey.comeByFile(), await prey.right()];
  const ways = shrink ? 'shrink' : first ? 'first' : 'no';
  const mode = caughtBy === undefined ? ways : `rule:${caughtBy}`;
  const alarms: string[] = [];
  for (let cpuMs = byModels.cpuMs, runs = 0; ;) {
    const left = String(Math.max(1, budget - cpuMs / 1_000));
    const found = await hunted([program, left, mode, comeByFile, alarms.join(), among], budget);
    [cpuMs, runs] = [cpuMs + found.cpuMs, runs + found.runs];
    // A program that ends badly is caught by nobody's rule.
    if (caughtBy !== undefined && found.property !== `checker ${caughtBy}`)
      return { isFound: false, cpuMs, runs };
    if (!(await isAlarm(found, right, among))) return { ...found, cpuMs, runs };
    // The hunt goes on without it.
    const run = `${found.by ?? ''}:${found.seed ?? ''}`;
    process.stderr.write(`an alarm: the right program fails in ${run} too\n`);
    if (alarms.includes(run) || cpuMs >= budget * 1_000) return { isFound: false, cpuMs, runs };
    alarms.push(run);
  }
}

/** What breaks no promise may break examples beside the code. */
export async function byExamples(found: Hunted, mutant: PlantedBug, budget: number): Promise<Hunted> {
  if (found.isFound && !isByAccount(found)) return found;
  const broken = await tryModels(mutant, budget, 'tests');
  return broken.isFound ? { ...broken, cpuMs: found.cpuMs + broken.cpuMs } : found;
}

/** What came out otherwise than before, though no promise is broken by it. */
export const isByAccount = ({ property = '' }: Pick<Hunted, 'property'>): boolean =>
  property.startsWith('account ');
