/** What hunts of published bugs have come to, as data and as a table. */
import { STRATEGIES, type StrategyName } from '../../../scenarios/explore/strategies.ts';

export interface PublishedBug {
  readonly thread: string;
  readonly property: string;
  /** Undefined: it was not found within its budget. */
  readonly found?:
    | {
        readonly runs: number;
        readonly cpuSeconds: number;
        /** Of the smallest scenario: what happens, and what goes wrong. */
        readonly steps?: number;
        readonly faults?: number;
        /** Decisions of chance that it names; undefined: it has those of its seed. */
        readonly choices?: number;
        /** Of the processor, to make it small and to explain it. */
        readonly smallerSeconds?: number;
        readonly sentences: readonly string[];
      }
    | undefined;
  readonly mended: { readonly runs: number; readonly alarms: number };
}

/** What one way of looking came to. */
export interface StrategyOutcome {
  readonly isFound: boolean;
  readonly runs: number;
  readonly cpuSeconds: number;
}

export interface ComparedBug {
  readonly thread: string;
  readonly property: string;
  readonly strategies: Readonly<Partial<Record<StrategyName, StrategyOutcome>>>;
}

export function publishedTable(bugs: readonly PublishedBug[]): string {
  return tableOf([
    ['bug', 'property', 'runs', 'seconds', 'left of it', 'mended: green'],
    ...bugs.map(({ thread, property, found, mended }) => [
      thread,
      property,
      found ? `${found.runs}` : 'not found',
      found ? found.cpuSeconds.toFixed(1) : '',
      found?.steps === undefined ? '' : leftOf(found),
      `${mended.runs - mended.alarms} of ${mended.runs}`,
    ]),
  ]);
}

const leftOf = ({ steps = 0, faults = 0, choices }: NonNullable<PublishedBug['found']>): string =>
  `${steps} steps, ${faults} faults, ${choices === undefined ? 'a seed' : `${choices} choices`}`;

/** A row for each strategy: how many bugs it found, after how long, and which. */
export function strategiesTable(bugs: readonly ComparedBug[]): string {
  const rows = STRATEGIES.map((strategy) => {
    const found = bugs.filter(({ strategies }) => strategies[strategy]?.isFound);
    const seconds = found.reduce((sum, { strategies }) => sum + (strategies[strategy]?.cpuSeconds ?? 0), 0);
    const mean = found.length === 0 ? '' : (seconds / found.length).toFixed(1);
    return [
      strategy,
      `${found.length} of ${bugs.length}`,
      mean,
      found.map(({ property }) => property).join(', '),
    ];
  });
  return tableOf([['strategy', 'found', 'seconds', 'which'], ...rows]);
}

function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}
