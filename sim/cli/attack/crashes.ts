/**
 * Kills a server with a data directory at random instants, while eight clients write and one watches, on a disk that
 * fails now and then; starts it again, and checks what clients were told by the model.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Fsync } from '../../host/data-directory/data-directory.ts';
import { drawing } from '../../host/data-directory/drawing.ts';
import { type Broken, CrashModel } from './crash-model.ts';
import { checkAfterRestart, watchUntilItEnds, writeUntilItEnds, type Written } from './crash-clients.ts';

export interface CrashOptions {
  readonly seed: number;
  readonly fsync: Fsync;
  /** Operations on files for each fault, on average; 0: none. */
  readonly oneIn: number;
  /** Longest life of a server, in milliseconds. */
  readonly lifeMs: number;
  /** Words that start `faulty-server.ts`. */
  readonly server?: readonly string[];
  readonly isOver: (figures: CrashFigures) => boolean;
}

export interface CrashFigures extends Written {
  /** Servers that ended, by a kill or by themselves. */
  kills: number;
  fileFaults: number;
  /** Starts that a failing disk prevented. */
  failedStarts: number;
  readonly broken: readonly Broken[];
}

const WRITERS = 8;
/** After so many a start is tried on a disk that works. */
const MAX_FAILED_STARTS = 3;
const FROM_SOURCES = ['--import', 'tsx', join(import.meta.dirname, 'faulty-server.ts')];

/** @throws Error if a server does not start on a disk that works, or answers nonsense */
export async function attackByCrashes(options: CrashOptions): Promise<CrashFigures> {
  const directory = await mkdtemp(join(tmpdir(), 'kubesim-crashes-'));
  const model = new CrashModel();
  const written: Written = { acknowledged: 0, refused: 0, unanswered: 0 };
  const figures: CrashFigures = Object.assign(written, {
    kills: 0,
    fileFaults: 0,
    failedStarts: 0,
    broken: model.broken,
  });
  const draw = drawing(options.seed);
  try {
    for (let round = 0, failed = 0; !options.isOver(figures); round += 1) {
      const oneIn = failed < MAX_FAILED_STARTS ? options.oneIn : 0;
      const life = new Life({ ...options, oneIn, seed: options.seed + round, directory });
      const url = await life.url;
      if (url !== undefined && (await checkAfterRestart(url, model))) {
        failed = 0;
        await live({ url, life, model, draw, written, lifeMs: options.lifeMs });
      } else {
        if (oneIn === 0) throw new Error(`no start on a disk that works: ${life.said}`);
        failed += 1;
        figures.failedStarts += 1;
      }
      await life.end();
      figures.kills += 1;
      figures.fileFaults += life.faults;
      if (life.said.includes('\ndefect ')) throw new Error(life.said);
    }
  } finally {
    await rm(directory, { recursive: true });
  }
  return figures;
}

interface Living {
  readonly url: string;
  readonly life: Life;
  readonly model: CrashModel;
  readonly draw: (limit: number) => number;
  readonly written: Written;
  readonly lifeMs: number;
}

async function live({ url, life, model, draw, written, lifeMs }: Living): Promise<void> {
  const watching = watchUntilItEnds(url, model);
  const writers = Array.from({ length: WRITERS }, (_, index) =>
    writeUntilItEnds({ url, name: `writer-${index}`, model, draw, written }),
  );
  await Promise.race([sleep(draw(lifeMs)), life.ended]);
  await life.end();
  await Promise.all([watching, ...writers]);
}

interface LifeOptions {
  readonly directory: string;
  readonly seed: number;
  readonly fsync: Fsync;
  readonly oneIn: number;
  readonly server?: readonly string[];
}

/** One process, from its start to its end. */
class Life {
  readonly ended: Promise<void>;
  /** Undefined: it ended before it served. */
  readonly url: Promise<string | undefined>;
  readonly #child: ChildProcess;
  said = '\n';

  constructor({ directory, seed, fsync, oneIn, server = FROM_SOURCES }: LifeOptions) {
    const child = spawn(process.execPath, [...server, directory, String(seed), fsync, String(oneIn)]);
    this.#child = child;
    this.ended = new Promise((resolve) => child.once('close', () => resolve()));
    child.stderr.on('data', (piece: Buffer) => (this.said += piece.toString()));
    this.url = new Promise((resolve) => {
      child.stdout.on('data', (piece: Buffer) => {
        this.said += piece.toString();
        const url = /serving on (\S+)\n/.exec(this.said)?.[1];
        if (url !== undefined) resolve(url);
      });
      void this.ended.then(() => resolve(undefined));
    });
  }

  get faults(): number {
    return this.said.split('\nfault ').length - 1;
  }

  end(): Promise<void> {
    this.#child.kill('SIGKILL');
    return this.ended;
  }
}
