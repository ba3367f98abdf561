/**
 * What a container writes, as a function of time: its behaviour says which line comes when, so that nobody has to run
 * for a line to be there. A process that goes on from a checkpoint does not write again what it has written.
 */
import type { RuntimeContainer } from './container-runtime.ts';
import type { LogEntry } from './workload-behaviour.ts';

export interface OutputLine {
  /** By the runtime's clock. */
  readonly atMs: number;
  readonly text: string;
  readonly stream: 'stdout' | 'stderr';
  /** Nothing ends it. */
  readonly isPartial?: true;
}

/** Of a line that is repeated so many are kept: the log file is rotated. */
const KEPT_REPEATS = 10_000;

type Writing = Pick<RuntimeContainer, 'behaviour' | 'startedAtMs' | 'restored' | 'written'>;

/** Lines written after `afterMs` (absent: from the start) until `untilMs`, in order. */
export function outputOf(
  container: Writing,
  { afterMs = -Infinity, untilMs }: { readonly afterMs?: number; readonly untilMs: number },
): readonly OutputLine[] {
  const lines = entriesOf(container).flatMap((entry) =>
    timesOf(container, entry, afterMs, untilMs).map((atMs): OutputLine => {
      const { text, stream = 'stdout', isPartial } = entry;
      return { atMs, text, stream, ...(isPartial && { isPartial }) };
    }),
  );
  return lines.sort((a, b) => a.atMs - b.atMs);
}

/** When the next line after an instant is written; Infinity: never. */
export function nextOutputMs(container: Writing, afterMs: number): number {
  return entriesOf(container).reduce((soonest, entry) => {
    const first = firstMs(container, entry);
    const everyMs = (entry.everySeconds ?? Infinity) * 1_000;
    const next = first > afterMs ? first : first + (Math.floor((afterMs - first) / everyMs) + 1) * everyMs;
    return next > container.startedAtMs ? Math.min(soonest, next) : soonest;
  }, Infinity);
}

/** With its end, if it has one. */
export const textOfLine = ({ text, isPartial }: Pick<OutputLine, 'text' | 'isPartial'>): string =>
  isPartial ? text : `${text}\n`;

const entriesOf = ({ behaviour, written }: Writing): readonly LogEntry[] =>
  written?.entries ??
  (behaviour.logs ?? []).map((entry) => (typeof entry === 'string' ? { text: entry } : entry));

/** When the process would have written the line first, had it always been here. */
const firstMs = ({ startedAtMs, restored }: Writing, { afterSeconds = 0 }: LogEntry): number =>
  startedAtMs + (afterSeconds - (restored?.ranSeconds ?? 0)) * 1_000;

function timesOf(container: Writing, entry: LogEntry, afterMs: number, untilMs: number): readonly number[] {
  const first = firstMs(container, entry);
  const from = container.restored ? Math.max(afterMs, container.startedAtMs) : afterMs;
  if (entry.everySeconds === undefined) return first > from && first <= untilMs ? [first] : [];
  const everyMs = entry.everySeconds * 1_000;
  const last = Math.floor((untilMs - first) / everyMs);
  const next = from < first ? 0 : Math.floor((from - first) / everyMs) + 1;
  const times: number[] = [];
  for (let round = Math.max(next, last - KEPT_REPEATS + 1); round <= last; round += 1)
    times.push(first + round * everyMs);
  return times;
}
