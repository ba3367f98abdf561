/**
 * What drawn requests are answered: the sequences of `kubesim verify`, which real servers were asked too, each with a
 * fingerprint of its answers (`model/golden/drawn.txt`, a line for each area). As with accounts of runs, a difference asks
 * whether it was meant; `kubesim verify` says what a real server answers.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { normalise } from '../../../model/golden/replay/normalise.ts';
import { runCase } from '../../../model/golden/replay/run-case.ts';
import { findRelease } from '../../api/release/releases.ts';
import { VirtualServer, type VirtualServerOptions } from '../golden/virtual-server.ts';
import { type Area, AREAS, drawCase } from '../verify/generate/draw-case.ts';

/** Of the sequences; fidelity was measured with others. */
const SEED = 51;
const DIGITS = 8;

interface Setting {
  readonly name: string;
  readonly count: number;
  readonly options: () => VirtualServerOptions;
}

const SETTINGS: readonly Setting[] = [
  { name: '1.31', count: 120, options: () => ({}) },
  { name: '1.21', count: 20, options: () => ({ release: findRelease('1.21') }) },
  { name: '1.29', count: 20, options: () => ({ release: findRelease('1.29') }) },
  { name: '1.36', count: 30, options: () => ({ release: findRelease('1.36') }) },
  {
    name: 'alpha',
    count: 30,
    options: () => ({ featureGates: 'AllAlpha=true,WatchList=true', runtimeConfig: 'api/all=true' }),
  },
];

export interface Asked extends Setting {
  readonly title: string;
  readonly area: Area;
}

export const ASKED: readonly Asked[] = SETTINGS.flatMap((setting) =>
  AREAS.filter((area) => area !== 'machinery').map((area) => ({
    ...setting,
    area,
    title: `${setting.name}/${area}`,
  })),
);

/** A fingerprint for each sequence; `onAnswers` is told what they are of. */
export function answersOf(
  { area, count, options }: Asked,
  onAnswers?: (name: string, answers: readonly unknown[]) => void,
): readonly string[] {
  const defects: unknown[] = [];
  const server = new VirtualServer({ ...options(), onDefect: (error) => defects.push(error) });
  return Array.from({ length: count }, (_, index) => {
    const golden = drawCase({ area, seed: SEED, index });
    const unique = `d${String(index).padStart(6, '0')}`;
    const answers = answered(() => normalise(golden, runCase(golden, server, unique)));
    // A server that fails itself is no matter of accounts.
    if (defects.length > 0) throw new Error(`a defect in ${golden.name}`, { cause: defects[0] });
    onAnswers?.(golden.name, answers);
    return createHash('sha256').update(JSON.stringify(answers)).digest('hex').slice(0, DIGITS);
  });
}

function answered(ask: () => readonly unknown[]): readonly unknown[] {
  try {
    return ask();
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

export const drawnFile = (root: string): string => join(root, 'model/golden/drawn.txt');

/** Fingerprints by title. */
export const readDrawn = (root: string): ReadonlyMap<string, readonly string[]> =>
  new Map(
    readFileSync(drawnFile(root), 'utf8')
      .trim()
      .split('\n')
      .map((line) => {
        const [title = '', ...prints] = line.split(' ');
        return [title, prints];
      }),
  );
