/** The bugs that are kept as data, `model/mutants/*.yaml`: small changes of the kinds that real clusters had. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';
import type { Planted } from './planting.ts';

export interface PlantedBug extends Planted {
  readonly name: string;
  readonly about: string;
  /** The rule that has to catch it: what else does not hold counts for nothing. */
  readonly caughtBy?: string;
  /** It is like one that was told of in public. */
  readonly published?: {
    /** Such as `owner/repository#12`. */
    readonly thread: string;
    /** Finds it, and knows of no bug. */
    readonly property: string;
  };
}

const FOLDER = resolve(import.meta.dirname, '../../../model/mutants');

/** Names of the files. */
export const PLANTED_LISTS: readonly string[] = readdirSync(FOLDER)
  .filter((name) => name.endsWith('.yaml'))
  .sort();

export const plantedIn = (list: string): readonly PlantedBug[] =>
  parse(readFileSync(join(FOLDER, list), 'utf8')) as readonly PlantedBug[];

export const plantedBugs = (): readonly PlantedBug[] => PLANTED_LISTS.flatMap(plantedIn);
