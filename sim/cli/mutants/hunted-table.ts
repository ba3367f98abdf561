/**
 * What hunts have found: a line for each, the sum of all, and the table that is kept (`model/mutants/hunted.json`), in
 * which each planted bug stands as it was hunted last.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { STRATEGIES, type StrategyName } from '../../../scenarios/explore/strategies.ts';
import type { Hunted } from './hunt.ts';
import { isByAccount } from './hunt-everywhere.ts';
import type { PlantedBug } from './planted-bugs.ts';

export interface Row extends Hunted {
  readonly mutant: PlantedBug;
  readonly strategy?: StrategyName;
}

const counted = (count: number | undefined, what: string): string =>
  count === undefined ? '' : `${count} ${what}${count === 1 ? '' : 's'}`;

export function lineOf({ mutant, strategy, isFound, by, seed, property, cpuMs, steps, faults }: Row): string {
  const time = `${(cpuMs / 1_000).toFixed(1)}s${strategy ? ` ${strategy}` : ''}`.padStart(6);
  if (!isFound) return `missed ${time} ${mutant.name}: ${mutant.about}`;
  const size = [counted(steps, 'step'), counted(faults, 'fault')].filter((each) => each !== '').join(', ');
  return `found  ${time} ${mutant.name}: ${property ?? ''} (${by ?? ''} ${seed ?? ''})${size && ` [${size}]`}`;
}

/** How many of the same bugs each strategy has found, and how soon. */
export function comparisonOf(rows: readonly Row[]): string {
  const lines = STRATEGIES.map((strategy) => {
    const own = rows.filter((row) => row.strategy === strategy);
    const found = own.filter(({ isFound }) => isFound);
    const mean = found.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / Math.max(1, found.length) / 1_000;
    return `${strategy.padEnd(14)} ${found.length} of ${own.length} found; mean ${mean.toFixed(1)}s`;
  });
  return `\n${lines.join('\n')}\n`;
}

/** One bug as it was hunted last. */
export interface Kept {
  readonly name: string;
  readonly isFound: boolean;
  readonly cpuSeconds: number;
  readonly budgetSeconds: number;
  readonly by?: string;
  readonly property?: string;
  readonly steps?: number;
  readonly faults?: number;
  readonly explanation?: string;
}

export const keptOf = (
  { mutant, isFound, by, property, cpuMs, steps, faults, explanation }: Row,
  budgetSeconds: number,
): Kept => ({
  name: mutant.name,
  isFound,
  cpuSeconds: Math.round(cpuMs / 100) / 10,
  budgetSeconds,
  ...(by !== undefined && { by }),
  ...(property !== undefined && { property }),
  ...(steps !== undefined && { steps, ...(faults !== undefined && { faults }) }),
  ...(explanation?.[0] !== undefined && { explanation: explanation[0] }),
});

const TABLE = join(resolve(import.meta.dirname, '../../..'), 'model/mutants/hunted.json');

/** In the order of `bugs`; those that are no more are left out. */
export function readKept(bugs: readonly PlantedBug[]): readonly Kept[] {
  const { hunted } = JSON.parse(readFileSync(TABLE, 'utf8')) as { hunted: readonly Kept[] };
  const byName = new Map(hunted.map((row) => [row.name, row]));
  return bugs.flatMap(({ name }) => byName.get(name) ?? []);
}

/** What was found anew stands in the place of what was. */
export function keep(rows: readonly Kept[], bugs: readonly PlantedBug[]): void {
  const anew = new Map([...readKept(bugs), ...rows].map((row) => [row.name, row]));
  const hunted = bugs.flatMap(({ name }) => anew.get(name) ?? []);
  writeFileSync(TABLE, `${JSON.stringify({ hunted }, undefined, 2)}\n`);
}

export function summaryOf(rows: readonly Kept[]): string {
  const times = rows
    .filter(({ isFound }) => isFound)
    .map(({ cpuSeconds }) => cpuSeconds)
    .sort((a, b) => a - b);
  const mean = times.reduce((sum, each) => sum + each, 0) / Math.max(1, times.length);
  const median = times[Math.floor(times.length / 2)] ?? 0;
  const missed = rows.filter(({ isFound }) => !isFound).map(({ name }) => name);
  const only = rows.filter(isByAccount).length;
  const byTests = rows.filter(({ property = '' }) => property.startsWith('test ')).length;
  const ways = `${byTests > 0 ? `, ${byTests} by examples` : ''}${only > 0 ? `, ${only} by accounts alone` : ''}`;
  return `\n${times.length} of ${rows.length} found${ways}; median ${median.toFixed(1)}s, mean ${mean.toFixed(1)}s of processor time${missed.length > 0 ? `\nmissed: ${missed.join(', ')}` : ''}\n`;
}
