/**
 * Tries every order of a run that may matter, and none twice: dynamic partial-order reduction (Flanagan and Godefroid, 2005),
 * which looks for races in runs that were made and turns each round, with the beginnings of runs remembered up to the order of
 * what is independent (happens-before caching, Musuvathi and Qadeer, 2007). Orders that differ from first-come in one
 * race come first, then those that differ in two, and so on, so that a budget is spent on the simplest ones.
 *
 * It promises: two events that are not independent (`footprint.ts`), and could change places within the window, are tried
 * in both orders, in every surrounding that the same search comes to; and no run is made whose beginning another has had
 * already. It refuses to tell runs apart by instants within a window and by numbers of revisions alone, and leaves alone
 * the order of processes that one event wakes, what was before the story, and all other chance, which has its usual answers.
 */
import type { Choice } from '../../reports/run-record.ts';
import { type OrderedRun, OrderOfRun } from './order-of-run.ts';

export class OrderSearch {
  /** Beginnings that have been seen, each with what comes of it when all goes on as it comes. */
  readonly #known = new Set<string>();
  readonly #waiting: (readonly Choice[])[] = [[]];
  #next = 0;
  #skipped = 0;

  /** The next order to try, as answers of chance; undefined: there is no other. */
  next(): readonly Choice[] | undefined {
    const order = this.#waiting[this.#next];
    // What has been tried is not needed any more.
    if (order) this.#waiting[this.#next++] = [];
    return order;
  }

  /** What came of an order. */
  learn(run: OrderedRun): void {
    const order = new OrderOfRun(run);
    for (const prefix of order.prefixes) this.#known.add(prefix);
    for (const { decision, answer, prefix } of order.reversals()) {
      if (this.#known.has(prefix)) {
        this.#skipped++;
        continue;
      }
      this.#known.add(prefix);
      this.#waiting.push([...answersBefore(run, decision), answerAt(run, decision, answer)]);
    }
  }

  /** Orders that were tried, those that wait for it, and races whose other order another run has had. */
  get counts(): { readonly tried: number; readonly waiting: number; readonly skipped: number } {
    return { tried: this.#next, waiting: this.#waiting.length - this.#next, skipped: this.#skipped };
  }
}

const answersBefore = ({ decisions }: OrderedRun, count: number): readonly Choice[] =>
  decisions
    .slice(0, count)
    .flatMap(({ site, occurrence, answer }) => (answer === 0 ? [] : [{ site, occurrence, answer }]));

function answerAt({ decisions }: OrderedRun, index: number, answer: number): Choice {
  const { site = '', occurrence = 0 } = decisions[index] ?? {};
  return { site, occurrence, answer };
}
