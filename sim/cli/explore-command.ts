/** `kubesim explore`: looks for what breaks, until the time is over, and keeps what it finds. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, InvalidArgumentError, Option } from 'commander';
import { printable } from '../../reports/printable.ts';
import { choicesText } from '../../reports/summary-text.ts';
import { explore, type Found } from '../../scenarios/explore/explore.ts';
import { STRATEGIES, type StrategyName } from '../../scenarios/explore/strategies.ts';
import { parseDuration } from '../../scenarios/language/duration.ts';
import { createClusterWorld } from '../../scenarios/world/cluster-world.ts';
import { positiveNumber, regularExpression, shardText, type Shard } from './command-options.ts';
import { findScenarios } from './run/find-scenarios.ts';
import { shardOf } from './run/run-all.ts';

interface ExploreFlags {
  readonly for: number;
  readonly runs?: number;
  readonly strategy: StrategyName;
  readonly corpus?: string;
  readonly filter?: RegExp;
  readonly shard?: Shard;
}

const BAD_INPUT = 2;
const SHRINK_ATTEMPTS = 400;

export function exploreCommand(): Command {
  return new Command('explore')
    .description(
      'Look for what breaks scenarios and properties: other schedules, other chance, faults at every write.',
    )
    .argument('[paths...]', 'scenario files, or folders of them', ['scenarios'])
    .option('--for <duration>', 'real time, such as 90s or 10m', realTime, 60_000)
    .option('--runs <number>', 'at most so many runs', positiveNumber)
    .addOption(new Option('--strategy <name>', 'how to look').choices([...STRATEGIES]).default('random'))
    .option('--corpus <folder>', 'where to keep how far it came and what it found, to go on from there')
    .option('--filter <expression>', 'only scenarios whose name matches', regularExpression)
    .option('--shard <i/n>', 'only the i-th of n equal parts of the scenarios', shardText)
    .addHelpText(
      'after',
      '\nStrategies: random (schedules by chance), pct (priorities that change a few times), delay-bounded (first-come but for a few delays), coverage (keeps what reached something new, and crosses it), perturb (learns from one good run who writes what, and strikes at each of these writes), exhaustive (for small scopes: every order of events that may matter, nearest to first-come first; what is independent stays as it is).\nExit codes: 0 nothing found, 1 something does not hold, 2 bad input.',
    )
    .action(async (paths: string[], flags: ExploreFlags) => {
      process.exitCode = await run(paths, flags);
    });
}

export function realTime(text: string): number {
  const micros = parseDuration(text);
  if (micros === undefined) throw new InvalidArgumentError('expected a duration such as 90s or 10m');
  return micros / 1_000;
}

async function run(paths: readonly string[], flags: ExploreFlags): Promise<number> {
  const { scenarios, problems } = await findScenarios(paths);
  if (problems.length > 0) {
    process.stderr.write(`${printable(problems.join('\n\n'))}\n`);
    return BAD_INPUT;
  }
  const chosen = scenarios.filter(({ scenario }) => flags.filter?.test(scenario.metadata.name) ?? true);
  const progress = new Progress(flags);
  const end = performance.now() + flags.for;
  let runs = 0;
  await explore(shardOf(chosen, flags.shard), {
    strategy: flags.strategy,
    makeWorld: createClusterWorld,
    done: progress.done,
    shrinkAttempts: SHRINK_ATTEMPTS,
    mayGoOn: () => performance.now() < end && runs < (flags.runs ?? Infinity),
    onAttempt: (scenario, count) => {
      runs++;
      progress.made(scenario, count);
    },
    onFound: (found) => progress.found(found),
    onRemark: (scenario, remark) => process.stdout.write(`${scenario}: ${remark}\n`),
  });
  progress.save();
  process.stdout.write(`${runs} runs with ${flags.strategy}: ${progress.count} found\n`);
  return progress.count > 0 ? 1 : 0;
}

/** How far each scenario has come with the strategy, kept in a file where there is a corpus. */
class Progress {
  readonly done: Map<string, number>;
  readonly #now: Map<string, number>;
  readonly #corpus: string | undefined;
  readonly #strategy: StrategyName;
  count = 0;

  constructor({ corpus, strategy }: ExploreFlags) {
    this.#corpus = corpus;
    this.#strategy = strategy;
    if (corpus !== undefined) mkdirSync(corpus, { recursive: true });
    this.done = new Map(Object.entries(this.#read()));
    this.#now = new Map(this.done);
  }

  made(scenario: string, count: number): void {
    this.#now.set(scenario, Math.max(count, this.#now.get(scenario) ?? 0));
  }

  found({ scenario, index, seed, failure, smallest }: Found): void {
    this.count++;
    const { property, kind, details } = failure;
    const lines = [
      `✗ ${scenario} (attempt ${index}, seed ${seed}): ${kind} ${property}`,
      `    ${details[0] ?? ''}`,
    ];
    if (smallest) {
      const { steps, allSteps, faults, choices, allFaults, text } = smallest.smallest;
      lines.push(
        `  ${steps} of ${allSteps} steps and ${faults} of ${allFaults} faults are left${choicesText(choices)}`,
      );
      lines.push(...smallest.explanation.map((line) => `  ${line}`));
      if (this.#corpus !== undefined) {
        const file = join(this.#corpus, `${scenario}.${property.replaceAll(/[^a-z0-9]+/gi, '-')}.yaml`);
        writeFileSync(file, text);
        lines.push(`  kubesim run ${file}`);
      } else lines.push(text.replaceAll(/^/gm, '    '));
    }
    process.stdout.write(`${printable(lines.join('\n'))}\n`);
  }

  save(): void {
    if (this.#corpus === undefined) return;
    writeFileSync(this.#file, `${JSON.stringify(Object.fromEntries(this.#now), undefined, 1)}\n`);
  }

  get #file(): string {
    return join(this.#corpus ?? '', `progress-${this.#strategy}.json`);
  }

  #read(): Record<string, number> {
    if (this.#corpus === undefined) return {};
    try {
      return JSON.parse(readFileSync(this.#file, 'utf8')) as Record<string, number>;
    } catch {
      return {};
    }
  }
}
