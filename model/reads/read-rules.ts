/**
 * The rules about reads, over one stream of observations: every watch and every list of every client is held against
 * what was truly written. A steady reader is bound to resume where it was told to be last, by a watch or by a list.
 */
import { ListMonitor } from './list-monitor.ts';
import type { AnsweredList, OpenedWatch, Reader, ReadObservation, ReadRuleName } from './observation.ts';
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
  /** Where steady readers are, in their present lives: the last that they were told of. */
  readonly #places = new Map<string, Place>();
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
        this.#checkList(observation);
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
    if (start.kind === 'after') this.#checkStart(reader, start.revision);
    this.#watches.set(opened.stream, new WatchMonitor(opened, this.#history, this.#report, isResumed));
  }

  #end(stream: number): void {
    const watch = this.#watches.get(stream);
    if (!watch) return;
    this.#watches.delete(stream);
    this.#learn(watch.opened.reader, watch.revision);
    this.#place(watch.opened.reader, watch.revision);
  }

  /** Who goes on, goes on where he is: whatever came before would come again, and may be gone by then. */
  #checkStart(reader: Reader, revision: number): void {
    const place = this.#placeOf(reader);
    if (place && revision < place.revision)
      this.#report(
        'watch-resumable',
        `${reader.client} watching ${reader.what}: it was told of ${place.revision}, and went on at ${revision}`,
      );
  }

  /** Who knows something already, does not ask for what may be older. */
  #checkList({ reader, bound, continues, page }: AnsweredList): void {
    const place = continues === undefined ? this.#placeOf(reader) : undefined;
    if (place && bound.kind === 'any')
      this.#report(
        'list-fresh',
        `${reader.client} listing ${reader.what}: it was told of ${place.revision}, and asked for anything, however old`,
      );
    // Who never watches, may ask for anything again and again.
    if (place) this.#place(reader, page.revision);
  }

  #placeOf(reader: Reader): Place | undefined {
    const place = reader.isSteady && isKindOfItsOwn(reader) ? this.#places.get(nameOf(reader)) : undefined;
    return place && place.life === reader.life ? place : undefined;
  }

  #place(reader: Reader, revision: number): void {
    if (reader.isSteady && reader.life !== undefined)
      this.#places.set(nameOf(reader), { life: reader.life, revision });
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

interface Place {
  readonly life: number;
  readonly revision: number;
}

/** Kinds that definitions bring come and go, and who follows them begins anew. */
const isKindOfItsOwn = ({ what }: Reader): boolean => /^\/(api|apis\/([a-z]+|[a-z.]+\.k8s\.io))\//.test(what);

const nameOf = ({ client, what }: Reader): string => `${client} ${what}`;
