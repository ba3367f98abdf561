/**
 * One watch, held against what was truly written, event by event. What it may be told next is known at any moment: the
 * next change of its interest after what it was told last. A watch that begins with the state does not say of which
 * revision that is: the events are kept until one comes that cannot belong to it, and then a revision is looked for at
 * which the state was just that. Specification: "Watch".
 */
import { type ExpectedItem, isInScope, type ObservedItem } from '../history.ts';
import type { OpenedWatch, ReadBound, Report } from './observation.ts';
import { showsSame } from './shown.ts';
import { initialState } from './initial-state.ts';
import type { TrueHistory } from './true-history.ts';

type Told = Extract<ObservedItem, { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' }>;

export class WatchMonitor {
  readonly opened: OpenedWatch;
  readonly #history: TrueHistory;
  readonly #report: Report;
  /** Goes on where an earlier stream of the same reader ended. */
  readonly #isResumed: boolean;
  /** What may be the initial state; undefined once that is over. */
  #initial: Map<string, Told> | undefined;
  /** Place in the history of what may come next. */
  #place = 0;
  /** Everything up to here was told, or is missed and was reported. */
  #newest = 0;
  #bookmark = -1;
  readonly #told = new Set<string>();

  constructor(opened: OpenedWatch, history: TrueHistory, report: Report, isResumed: boolean) {
    this.opened = opened;
    this.#history = history;
    this.#isResumed = isResumed;
    const { client, what } = opened.reader;
    const reportOfThis: Report = (rule, message) => report(rule, `${client} watching ${what}: ${message}`);
    this.#report = reportOfThis;
    if (opened.start.kind === 'after') this.#begin(opened.start.revision);
    else this.#initial = new Map();
  }

  /** The newest revision that the client was told of. */
  get revision(): number {
    return Math.max(this.#newest, this.#bookmark, newestOf([...(this.#initial?.values() ?? [])]));
  }

  tell(item: ObservedItem): void {
    if (item.type === 'DRAINED') return;
    if (this.#initial && item.type === 'ADDED' && !this.#initial.has(item.key)) {
      this.#initial.set(item.key, item);
      return;
    }
    if (this.#initial) this.#settle(item.revision - (item.type === 'BOOKMARK' ? 0 : 1));
    if (item.type === 'BOOKMARK') this.#mark(item.revision);
    else this.#event(item);
  }

  /** The state is over where nothing came for long. For the end of a run. */
  settle(): void {
    if (!this.#initial) return;
    const told = [...this.#initial.values()];
    this.#settle(this.#history.revision);
    // It may be the state of an earlier version as well, where nothing has changed since.
    this.#newest = newestOf(told);
  }

  /** The first event that is due by a revision and was not told. */
  overdue(revision: number): ExpectedItem | undefined {
    if (this.#initial) return undefined;
    const item = this.#next();
    return item && item.revision <= revision ? item : undefined;
  }

  /** Reports what is overdue, and expects it no longer. */
  miss(revision: number): void {
    for (let item = this.overdue(revision); item; item = this.overdue(revision)) this.#missed(item);
  }

  #begin(revision: number): void {
    this.#place = this.#history.firstAfter(this.opened.interest, revision);
    this.#newest = revision;
  }

  /** What was told first is the state at a revision up to `latest`, and then changes. */
  #settle(latest: number): void {
    const told = [...(this.#initial?.values() ?? [])];
    this.#initial = undefined;
    const { interest, start } = this.opened;
    const bound = start.kind === 'state' ? boundOf(start.bound) : 0;
    const found = initialState(this.#history, interest, told, Math.max(latest, newestOf(told)));
    if (found.kind === 'none') this.#report('watch-complete', found.message);
    else if (found.revision < bound)
      this.#report(
        'watch-fresh',
        `its first state is that of ${found.revision}, but ${bound} was known when it was asked for`,
      );
    for (const item of told.slice(0, found.count)) this.#told.add(identityOf(item));
    this.#begin(found.revision);
    for (const item of told.slice(found.count)) this.#event(item);
  }

  #event(item: Told): void {
    const { interest } = this.opened;
    if (this.#told.has(identityOf(item))) {
      this.#report('watch-unique', `${nameOf(item)} came twice`);
      return;
    }
    this.#told.add(identityOf(item));
    if (!isInScope(interest, item.key)) {
      this.#report('watch-filtered', `${nameOf(item)} is out of its scope`);
      return;
    }
    if (item.revision <= this.#bookmark)
      this.#report('watch-bookmarkable', `${nameOf(item)} came after bookmark ${this.#bookmark}`);
    else if (item.revision < this.#newest)
      this.#report('watch-ordered', `${nameOf(item)} came after revision ${this.#newest}`);
    else this.#expect(item);
    this.#newest = Math.max(this.#newest, item.revision);
  }

  #expect(item: Told): void {
    for (let next = this.#next(); next && next.revision <= item.revision; next = this.#next()) {
      if (next.key === item.key && next.revision === item.revision) {
        this.#place++;
        this.#compare(item, next);
        return;
      }
      this.#missed(next);
    }
    this.#report('watch-filtered', `${nameOf(item)} is no change of what it asked for`);
  }

  /** The next change of its interest; what is not is passed over for good. */
  #next(): ExpectedItem | undefined {
    const { interest, start } = this.opened;
    let { item, place } = this.#history.next(interest, this.#place);
    // Whoever asks for what comes after a version that there is not yet, does not ask for what comes until then.
    while (item && start.kind === 'after' && item.revision <= start.revision)
      ({ item, place } = this.#history.next(interest, place + 1));
    this.#place = place;
    return item;
  }

  #compare(item: Told, expected: ExpectedItem): void {
    if (item.type !== expected.type)
      this.#report('watch-filtered', `${nameOf(item)} should be ${expected.type}`);
    else if (!showsSame(item.object, expected.object))
      this.#report('watch-filtered', `${nameOf(item)} does not show the object as it was`);
  }

  #mark(revision: number): void {
    const known = Math.max(this.#newest, this.#bookmark);
    if (revision < known)
      this.#report('watch-bookmarkable', `bookmark ${revision} came after revision ${known}`);
    for (let item = this.overdue(revision); item; item = this.overdue(revision)) {
      const isParted = item.revision === this.#newest;
      this.#report(
        isParted ? 'watch-atomic' : 'watch-bookmarkable',
        isParted
          ? `bookmark ${revision} parted ${nameOf(item)} from what was written with it`
          : `bookmark ${revision} came before ${nameOf(item)}`,
      );
      this.#place++;
    }
    this.#bookmark = Math.max(this.#bookmark, revision);
  }

  #missed(item: ExpectedItem): void {
    const { start } = this.opened;
    const isFirst = start.kind === 'after' && this.#newest === start.revision;
    const rule = this.#isResumed && isFirst ? 'watch-resumable' : 'watch-complete';
    this.#report(rule, `${nameOf(item)} never came`);
    this.#place++;
  }
}

const boundOf = (bound: ReadBound): number => (bound.kind === 'any' ? 0 : bound.revision);

const newestOf = (items: readonly Told[]): number =>
  items.reduce((newest, { revision }) => Math.max(newest, revision), 0);

const identityOf = ({ key, revision }: Told): string => `${revision} ${key}`;
const nameOf = ({ type, key, revision }: ExpectedItem): string => `${type} ${key} at ${revision}`;
