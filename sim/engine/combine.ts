/**
 * Waiting for several processes: `race` for the first, `all` for every one. Processes that are single waits
 * are waited for directly, others run as tasks of their own. Branches begin in order, and the earlier branch
 * wins when two are settled at once. Whatever is not needed any more is cancelled.
 */

import { label } from './digest.ts';
import { Pending, type Process, type Source, type Wait, type Waiter } from './process.ts';
import { Task, type TaskHome } from './task.ts';

export type Outcome<P> = P extends Process<infer T> ? T : never;

/** Which branch was first, and its value: a union that `index` tells apart. */
export type RaceResult<P extends readonly Process<unknown>[]> = {
  [I in keyof P]: {
    readonly index: I extends `${infer N extends number}` ? N : number;
    readonly value: Outcome<P[I]>;
  };
}[number];

export type AllResult<P extends readonly Process<unknown>[]> = { -readonly [I in keyof P]: Outcome<P[I]> };

/** The first branch to end, by value or by failure; the others are cancelled. */
export const race = <const P extends readonly Process<unknown>[]>(
  home: TaskHome,
  processes: P,
): Pending<RaceResult<P>> => new Pending<RaceResult<P>>(new Race(home, processes));

/** The values of all branches in order; the first failure cancels the others and is thrown. */
export const all = <const P extends readonly Process<unknown>[]>(
  home: TaskHome,
  processes: P,
): Pending<AllResult<P>> => new Pending<AllResult<P>>(new All(home, processes));

const BRANCH = label('branch');

/** The branches of one combination: begins them, hears from them, lets go of them. */
class Branches implements Waiter {
  readonly #home: TaskHome;
  readonly #settled: (index: number, wait: Wait) => void;
  #waits: (Wait | undefined)[] = [];
  #tasks: (Task<unknown> | undefined)[] = [];
  #isClosed = false;

  constructor(home: TaskHome, settled: (index: number, wait: Wait) => void) {
    this.#home = home;
    this.#settled = settled;
  }

  begin(processes: readonly Process<unknown>[]): void {
    // Room for just so many: growing lists take room for many more, and there are two for every wait with a limit.
    this.#waits = processes.map(() => undefined);
    this.#tasks = processes.map(() => undefined);
    for (let index = 0; index < processes.length && !this.#isClosed; index++) {
      const wait = this.#add(index, processes[index] as Process<unknown>);
      // What a branch does while it begins may settle an earlier one, and with it the combination.
      if (this.#isClosed) this.#leave(index);
      else if (wait.begin()) this.#settled(index, wait);
      else wait.waiter = this;
    }
  }

  wake(wait: Wait): void {
    if (!this.#isClosed) this.#settled(this.#waits.indexOf(wait), wait);
  }

  /** Lets go of all branches that are not settled. */
  close(): void {
    this.#isClosed = true;
    for (let index = 0; index < this.#waits.length; index++) this.#leave(index);
  }

  #add(index: number, process: Process<unknown>): Wait {
    if (process instanceof Pending) return (this.#waits[index] = process);
    const task = new Task(this.#home, BRANCH, process);
    const join = task.join();
    this.#waits[index] = join;
    this.#tasks[index] = task;
    join.begin();
    task.start();
    return join;
  }

  #leave(index: number): void {
    this.#waits[index]?.abandon();
    this.#tasks[index]?.cancel();
  }
}

class Race<P extends readonly Process<unknown>[]> implements Source<RaceResult<P>> {
  readonly #home: TaskHome;
  readonly #processes: P;
  #branches: Branches | undefined;

  constructor(home: TaskHome, processes: P) {
    this.#home = home;
    this.#processes = processes;
  }

  begin(pending: Pending<RaceResult<P>>): void {
    const branches = new Branches(this.#home, (index, wait) => {
      branches.close();
      settle(pending, () => ({ index, value: wait.outcome() }) as RaceResult<P>);
    });
    this.#branches = branches;
    branches.begin(this.#processes);
  }

  abandon(): void {
    this.#branches?.close();
  }
}

class All<P extends readonly Process<unknown>[]> implements Source<AllResult<P>> {
  readonly #home: TaskHome;
  readonly #processes: P;
  #branches: Branches | undefined;

  constructor(home: TaskHome, processes: P) {
    this.#home = home;
    this.#processes = processes;
  }

  begin(pending: Pending<AllResult<P>>): void {
    const values: unknown[] = this.#processes.map(() => undefined);
    let missing = values.length;
    const branches = new Branches(this.#home, (index, wait) => {
      try {
        values[index] = wait.outcome();
      } catch (error) {
        branches.close();
        pending.fail(error);
        return;
      }
      if (--missing === 0) pending.fulfil(values as AllResult<P>);
    });
    this.#branches = branches;
    if (missing === 0) pending.fulfil(values as AllResult<P>);
    else branches.begin(this.#processes);
  }

  abandon(): void {
    this.#branches?.close();
  }
}

function settle<T>(pending: Pending<T>, outcome: () => T): void {
  let value: T;
  try {
    value = outcome();
  } catch (error) {
    pending.fail(error);
    return;
  }
  pending.fulfil(value);
}
