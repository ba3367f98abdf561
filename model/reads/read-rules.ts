/**
 * The rules about reads, over one stream of observations: every watch and every list of every client is held against
 * what was truly written. A steady reader is bound to resume where it was told to be last, by a watch or by a list.
 */
import { ListMonitor } from './list-monitor.ts';
import type { OpenedWatch, Reader, ReadObservation, ReadRuleName } from './observation.ts';
import { TrueHistory } from './true-history.ts';
import { WatchMonitor } from './watch-monitor.ts';

export interface ReadViolation {
  readonly rule: ReadRuleName;
  /** Virtual microseconds. */
  readonly at: number;
  readonly message: string;
}

/** So many are enough to know what is wrong. */
const MOST = 100;

export class ReadRules {
  readonly #names: ReadonlySet<ReadRuleName>;
  readonly #history = new TrueHistory();
  readonly #lists: ListMonitor;
  readonly #watches = new Map<number, WatchMonitor>();
  /** The newest revision that a reader was ever told of, by client and what it reads. */
  readonly #known = new Map<string, number>();
  readonly #violations: ReadViolation[] = [];
  #at = 0;

  constructor(names: readonly ReadRuleName[]) {
    this.#names = new Set(names);
    this.#lists = new ListMonitor(this.#history, this.#report);
  }

  /** So far, in the order in which they were found. */
  get violations(): readonly ReadViolation[] {
    return this.#violations;
  }

  observe(observation: ReadObservation): void {
    this.#at = observation.at;
    switch (observation.kind) {
      case 'written':
        this.#history.write(observation.change, observation.at);
        break;
      case 'watch-opened':
        this.#open(observation);
        break;
      case 'watch-told':
        this.#watches.get(observation.stream)?.tell(observation.item);
        break;
      case 'watch-ended':
        this.#end(observation.stream);
        break;
      case 'listed':
        this.#lists.listed(observation);
        if (observation.next === undefined) this.#learn(observation.reader, observation.page.revision);
        break;
      default:
        observation satisfies never;
    }
  }

  /** What was written until an instant should have come to this stream by now. */
  expect(stream: number, instant: number, now: number): void {
    const watch = this.#watches.get(stream);
    if (!watch) return;
    this.#at = now;
    watch.settle();
    watch.miss(this.#history.revisionAt(instant));
  }

  #open(opened: OpenedWatch): void {
    const { start, reader } = opened;
    const known = this.#known.get(nameOf(reader));
    const isResumed = start.kind === 'after' && known !== undefined;
    if (isResumed && reader.isSteady && start.revision > known)
      this.#report(
        'watch-resumable',
        `${reader.client} watching ${reader.what}: told of nothing after ${known}, it went on at ${start.revision}`,
      );
    this.#watches.set(opened.stream, new WatchMonitor(opened, this.#history, this.#report, isResumed));
  }

  #end(stream: number): void {
    const watch = this.#watches.get(stream);
    if (!watch) return;
    this.#watches.delete(stream);
    this.#learn(watch.opened.reader, watch.revision);
  }

  #learn(reader: Reader, revision: number): void {
    const name = nameOf(reader);
    this.#known.set(name, Math.max(revision, this.#known.get(name) ?? 0));
  }

  readonly #report = (rule: ReadRuleName, message: string): void => {
    if (this.#names.has(rule) && this.#violations.length < MOST)
      this.#violations.push({ rule, at: this.#at, message });
  };
}

const nameOf = ({ client, what }: Reader): string => `${client} ${what}`;
