/** Sends hostile requests to a server in this process, on virtual time, and makes smaller what does harm. */
import type { Call } from '../../../model/golden/replay/server-under-test.ts';
import type { Fsync } from '../../host/data-directory/data-directory.ts';
import { VirtualServer } from '../golden/virtual-server.ts';
import { commandFor, headline, type Tally } from './finding.ts';
import { mutated } from './mutate.ts';
import { Random } from './random.ts';
import { recordedCalls } from './recorded-calls.ts';

/** Longest that a request may hold everybody else up, in milliseconds of this process. */
export const LONGEST_MS = 250;
/** A world that has been attacked for long is full of rubbish. */
const CALLS_PER_WORLD = 3_000;
const MICROS_PER_MS = 1_000;

/** What a request did to a server; undefined: nothing but an answer. */
type Harm = { readonly kind: 'defect' | 'hang'; readonly text: string } | undefined;

class Target {
  #defect: unknown;
  readonly #server = new VirtualServer({ onDefect: (error) => (this.#defect = error) });

  send(call: Call): Harm {
    this.#defect = undefined;
    const startedAt = performance.now();
    const cpu = process.cpuUsage();
    try {
      this.#server.stream(call).stream?.close();
    } catch (error) {
      this.#defect = error;
    }
    if (this.#defect !== undefined) return { kind: 'defect', text: headline(this.#defect) };
    if (performance.now() - startedAt < LONGEST_MS) return undefined;
    // Whether it was this process or another one that took the time.
    const { user, system } = process.cpuUsage(cpu);
    const ms = Math.round((user + system) / MICROS_PER_MS);
    return ms < LONGEST_MS ? undefined : { kind: 'hang', text: `${ms} ms` };
  }
}

/** Several times, as compiling and collecting garbage take their time as well. */
export function harmOf(call: Call): Harm {
  const target = new Target();
  let last: Harm;
  for (let round = 0; round < 3; round++) {
    const harm = target.send(call);
    if (harm?.kind === 'defect') return harm;
    last = round === 0 ? harm : last && harm;
  }
  return last;
}

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
  for (let count = 1; !isOver(tally); count++) {
    if (count % CALLS_PER_WORLD === 0) {
      target = new Target();
      at = random.below(calls.length);
      onProgress(tally);
    }
    const call = mutated(calls[at++ % calls.length] ?? random.pick(calls), random);
    tally.requests++;
    const harm = target.send(call);
    if (!harm) continue;
    // A world full of rubbish is slow at times, and so is a machine: a request that hangs does so by itself.
    if (harm.kind === 'hang' && harmOf(call)?.kind !== 'hang') continue;
    if (harm.kind === 'defect') tally.defects++;
    else tally.hangs++;
    const what = `${harm.kind}: ${harm.text}`;
    const key = harm.kind === 'defect' ? what : `hang ${call.method} ${call.headers['content-type'] ?? ''}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const alone = harmOf(call)?.kind === harm.kind ? smallest(call, harm.kind) : undefined;
    const command = alone
      ? commandFor(alone)
      : `npm run attack -- --only fuzz --seed ${seed} --count ${tally.requests}`;
    tally.findings.push({ what, call: alone, command });
    target = new Target();
  }
}

/** Leaves out whatever the harm does without: headers, parameters, and ever smaller pieces of the body. */
function smallest(call: Call, kind: 'defect' | 'hang'): Call {
  const doesHarm = (candidate: Call): boolean => harmOf(candidate)?.kind === kind;
  let least = call;
  for (const name of Object.keys(call.headers)) {
    const { [name]: _left, ...headers } = least.headers;
    if (doesHarm({ ...least, headers })) least = { ...least, headers };
  }
  const [path = '', query] = least.path.split('?', 2);
  if (query !== undefined && doesHarm({ ...least, path })) least = { ...least, path };
  let body = Buffer.from(least.body ?? []);
  for (
    let piece = Math.ceil(body.length / 2);
    piece >= 4 && kind === 'defect';
    piece = Math.floor(piece / 2)
  ) {
    for (let at = 0; at < body.length;) {
      const rest = Buffer.concat([body.subarray(0, at), body.subarray(at + piece)]);
      if (doesHarm({ ...least, body: rest })) body = rest;
      else at += piece;
    }
  }
  return body.length === 0 ? least : { ...least, body };
}
