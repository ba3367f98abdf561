/** Sends hostile requests to a server in this process, on virtual time, and makes smaller what does harm. */
import type { Call } from '../../../model/golden/replay/server-under-test.ts';
import type { Fsync } from '../../host/data-directory/data-directory.ts';
import { commandFor, type Tally } from './finding.ts';
import { harmOf, Target } from './harm.ts';
import { mutated } from './mutate.ts';
import { Random } from './random.ts';
import { recordedCalls } from './recorded-calls.ts';
import { smallestCalls } from './smallest.ts';

/** A world that has been attacked for long is full of rubbish. */
const CALLS_PER_WORLD = 3_000;

export interface FuzzOptions {
  readonly seed: number;
  /** Asked before each request. */
  readonly isOver: (tally: Tally) => boolean;
  readonly onProgress: (tally: Tally) => void;
  /** Of servers that are killed: how often their writes are forced to disk. */
  readonly fsync?: Fsync;
  /** Of these: operations on files for each fault, on average; 0: none. */
  readonly oneFaultIn?: number;
}

export function fuzz({ seed, isOver, onProgress }: FuzzOptions, tally: Tally): void {
  const random = new Random(seed);
  const calls = recordedCalls();
  const seen = new Set<string>();
  let target = new Target();
  let at = random.below(calls.length);
  let before: Call[] = [];
  const begin = (): void => {
    target = new Target();
    before = [];
  };
  for (let count = 1; !isOver(tally); count++) {
    if (count % CALLS_PER_WORLD === 0) {
      begin();
      at = random.below(calls.length);
      onProgress(tally);
    }
    const call = mutated(calls[at++ % calls.length] ?? random.pick(calls), random);
    tally.requests++;
    const harm = target.send(call);
    if (!harm) {
      before.push(call);
      continue;
    }
    // A world full of rubbish is slow at times, and so is a machine: a request that hangs does so by itself.
    if (harm.kind === 'hang' && harmOf([call])?.kind !== 'hang') continue;
    if (harm.kind === 'defect') tally.defects++;
    else tally.hangs++;
    const what = `${harm.kind}: ${harm.text}`;
    const key = harm.kind === 'defect' ? what : `hang ${call.method} ${call.headers['content-type'] ?? ''}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const smallest = smallestCalls(before, call, harm.kind);
    const command = smallest
      ? commandFor(smallest)
      : `npm run attack -- --only fuzz --seed ${seed} --count ${tally.requests}`;
    tally.findings.push({ what, calls: smallest ?? [], command });
    begin();
  }
}
