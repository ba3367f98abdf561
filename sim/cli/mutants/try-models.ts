/**
 * Runs the tests that hold a room against its models (`*.property.test.ts`: any order of acts, drawn anew) with one bug
 * planted, and says in one line of JSON which broke. What stands beside the code as examples is left out: it would find
 * what it was written for. A test that holds other folders than its own names them: `@holds sim/controllers/endpoints`.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createVitest, type TestModule, type TestSpecification, type Vitest } from 'vitest/node';
import { type Counterexample, counterexampleIn } from './counterexample.ts';
import type { Hunted } from './hunt.ts';
import { planting, type Planted } from './planting.ts';
import { shortened } from './sentence.ts';

const MODEL = '.property.test.ts';
const TEST = '.test.ts';
const LONGEST_EXAMPLE_MS = 60_000;
/** All but the changed file is as it was for the bug before. */
const TRANSFORMED = 'reports/out/transformed';
/** The rooms that the models of `model/` speak of, and what real servers answered. */
const MODELLED = /^sim\/(storage|apiserver|api)\//;
const OF_MODELS = [`model/**/*${MODEL}`, 'model/golden/*.test.ts'];

/** Tests of the file's own folder and what is in it, and of the folders that it is in, up to its room. */
const placesOf = (file: string): readonly string[] => [
  ...ownModels(file),
  ...(MODELLED.test(file) ? OF_MODELS : []),
];

function ownModels(file: string): readonly string[] {
  return [...foldersAround(file).map((place) => `${place}${MODEL}`), ...holdersOf(file)];
}

function foldersAround(file: string): readonly string[] {
  const folders = file.split('/').slice(0, -1);
  const above = folders.slice(2).map((_, index) => `${folders.slice(0, index + 2).join('/')}/*`);
  return [...above, `${folders.join('/')}/**/*`];
}

/** Examples beside the code. */
const examplesOf = (file: string): readonly string[] => foldersAround(file).map((place) => `${place}${TEST}`);

/** Tests that name a folder of the file. */
const holdersOf = (file: string): readonly string[] =>
  readdirSync('sim', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(TEST))
    .map((name) => join('sim', name))
    .filter((test) => {
      const [, held = ''] = /@holds ([^*]+)/.exec(readFileSync(test, 'utf8')) ?? [];
      return held.split(/\s+/).some((folder) => folder !== '' && file.startsWith(`${folder}/`));
    });

const ways = {
  models: { word: 'model', of: placesOf },
  /** What breaks is made as small as it gets in its time. */
  shrunk: { word: 'model', of: placesOf },
  tests: { word: 'test', of: examplesOf },
} as const;

/** Whoever takes less time than that is quick. */
const QUICK_MS = 2_000;

interface Attempts {
  /** The first that broke; nobody is asked after it. */
  readonly broken: TestModule | undefined;
  readonly runs: number;
  readonly quick: readonly TestSpecification[];
}

async function attempts(vitest: Vitest, files: readonly TestSpecification[]): Promise<Attempts> {
  const quick: TestSpecification[] = [];
  for (const [at, file] of files.entries()) {
    const { testModules } = await vitest.runTestSpecifications([file]);
    const broken = testModules.find((each) => each.state() === 'failed');
    if (broken) return { broken, runs: at + 1, quick };
    if (testModules.every((each) => each.diagnostic().duration < QUICK_MS)) quick.push(file);
  }
  return { broken: undefined, runs: files.length, quick };
}

/** All as often as a campaign asks for, and then those that are quick for as long as there is time. */
async function modelAttempts(vitest: Vitest, files: readonly TestSpecification[]): Promise<Attempts> {
  const first = await attempts(vitest, files);
  if (first.broken) return first;
  process.env['HUNT'] = 'long';
  const second = await attempts(vitest, first.quick);
  return { ...second, runs: first.runs + second.runs };
}

/** Recorded answers take the longest. */
const isDear = ({ moduleId }: TestSpecification): boolean =>
  relative('.', moduleId).startsWith('model/golden/');

/** Who stands beside the changed place knows most of it. */
function nearestTo(file: string): (one: TestSpecification, other: TestSpecification) => number {
  const own = file.split('/');
  const shared = ({ moduleId }: TestSpecification): number => {
    const parts = relative('.', moduleId).split('/');
    return own.findIndex((part, index) => part !== parts[index]);
  };
  return (one, other) =>
    shared(other) - shared(one) ||
    Number(isDear(one)) - Number(isDear(other)) ||
    (one.moduleId < other.moduleId ? -1 : 1);
}

/** `only`: the one test, if not all that know of the place. */
async function tryModels(
  mutant: Planted,
  what: keyof typeof ways,
  only: string | undefined,
): Promise<Hunted> {
  const { word, of } = ways[what];
  const vitest = await createVitest(
    'test',
    {
      watch: false,
      include: only === undefined ? [...of(mutant.file)] : [only],
      ...(what === 'tests' && { exclude: [`**/*${MODEL}`] }),
      pool: 'threads',
      maxWorkers: 1,
      bail: 1,
      ...(word === 'model' && { setupFiles: ['sim/cli/mutants/campaign.ts'] }),
      // Whoever draws for long does not answer meanwhile.
      testTimeout: word === 'model' ? 0 : LONGEST_EXAMPLE_MS,
      reporters: [{}],
      experimental: { fsModuleCache: true, fsModuleCachePath: TRANSFORMED },
    },
    { plugins: [planting(mutant)], clearScreen: false, logLevel: 'silent' },
  );
  const files = (await vitest.globTestSpecifications()).toSorted(nearestTo(mutant.file));
  // A room without models is no failure.
  if (files.length === 0) return { isFound: false, cpuMs: 0, runs: 0 };
  const { broken, runs } = await (word === 'model' ? modelAttempts : attempts)(vitest, files);
  const failed = broken && [...broken.children.allTests('failed')][0];
  const { user, system } = process.cpuUsage();
  const errors = failed?.result().errors ?? broken?.errors();
  const message = errors?.[0]?.message ?? '';
  const example = what === 'shrunk' ? counterexampleIn(message) : undefined;
  return {
    isFound: broken !== undefined,
    ...(broken && {
      by: broken.relativeModuleId,
      property: `${word} ${failed?.name ?? 'cannot be loaded'}`,
      detail: message.slice(0, 200),
    }),
    ...(example && { steps: example.steps, explanation: [toldOf(example, errors?.[0]?.cause)] }),
    cpuMs: Math.round((user + system) / 1_000),
    runs,
  };
}

/** What went wrong, after what. */
function toldOf({ text }: Counterexample, cause: unknown): string {
  const why = typeof cause === 'object' && cause !== null ? String(Reflect.get(cause, 'message')) : '';
  return shortened(`${why.split('\n')[0] ?? ''} after ${text}`);
}

const [, , mutant = '{}', asked, only] = process.argv;
const way = asked === 'tests' || asked === 'shrunk' ? asked : 'models';
if (way === 'shrunk') process.env['HUNT_SHRINKS'] = 'yes';
const hunted = await tryModels(JSON.parse(mutant) as Planted, way, only);
process.stdout.write(`${JSON.stringify(hunted)}\n`);
process.exit(0);
