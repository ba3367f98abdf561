/**
 * The lists of a run: each page as it comes, and the whole list once its last page has come. Pages go together by the
 * token that the one gave and the other was asked for with, by the same reader. A list whose pages nobody asks for to the
 * end says nothing about the state. Specification: "Resource-version semantics", "Chunking".
 */
import type { ObservedPage } from '../history.ts';
import { counted, sorted } from '../list-guarantees.ts';
import type { AnsweredList, ReadBound, Report } from './observation.ts';
import { showsSame } from './shown.ts';
import type { TrueHistory } from './true-history.ts';

export class ListMonitor {
  readonly #history: TrueHistory;
  readonly #report: Report;
  /** Pages so far of lists that go on, by reader and token. */
  readonly #unfinished = new Map<string, readonly ObservedPage[]>();

  constructor(history: TrueHistory, report: Report) {
    this.#history = history;
    this.#report = report;
  }

  listed(list: AnsweredList): void {
    const { reader, page, next, continues } = list;
    const earlier = continues === undefined ? [] : this.#unfinished.get(`${reader.client} ${continues}`);
    if (continues === undefined) this.#checkBound(list);
    // It goes on with what somebody else was given, or with a token that says it is not consistent.
    if (!earlier) return;
    const pages = [...earlier, page];
    if (next === undefined) this.#checkWhole(list, pages);
    else this.#unfinished.set(`${reader.client} ${next}`, pages);
  }

  #checkBound({ reader, bound, page }: AnsweredList): void {
    const wrong = outOfBound(bound, page.revision);
    if (wrong !== undefined) this.#say(reader, 'list-fresh', wrong);
  }

  #checkWhole({ reader, interest }: AnsweredList, pages: readonly ObservedPage[]): void {
    const list = { scope: interest.scope, pages };
    for (const { message } of sorted(list)) this.#say(reader, 'list-sorted', message);
    for (const { message } of counted(list)) this.#say(reader, 'list-counted', message);
    const revision = pages[0]?.revision ?? 0;
    const parted = pages.find((page) => page.revision !== revision);
    if (parted)
      this.#say(reader, 'list-snapshot', `a page is of ${parted.revision}, and the first of ${revision}`);
    const state = this.#history.stateAt(interest, revision);
    for (const { keys, objects } of pages) {
      keys.forEach((key, index) => {
        const [written, shown] = [state.get(key), objects[index]];
        if (!written) this.#say(reader, 'list-snapshot', `${key} was not there at ${revision}`);
        else if (shown && !showsSame(shown, written))
          this.#say(reader, 'list-snapshot', `${key} is not shown as it was at ${revision}`);
        state.delete(key);
      });
    }
    for (const key of state.keys()) this.#say(reader, 'list-snapshot', `${key} is missing at ${revision}`);
  }

  #say({ client, what }: AnsweredList['reader'], rule: Parameters<Report>[0], message: string): void {
    this.#report(rule, `${client} listing ${what}: ${message}`);
  }
}

function outOfBound(bound: ReadBound, revision: number): string | undefined {
  switch (bound.kind) {
    case 'any':
      return undefined;
    case 'exactly':
      return revision === bound.revision ? undefined : `it is of ${revision}, not of ${bound.revision}`;
    case 'at-least':
      return revision >= bound.revision ? undefined : `it is of ${revision}, older than ${bound.revision}`;
    case 'most-recent':
      return revision >= bound.revision
        ? undefined
        : `it is of ${revision}, but ${bound.revision} was written when it was asked for`;
    default:
      return bound satisfies never;
  }
}
