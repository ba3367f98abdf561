/**
 * A part of an actor: processes and timers that can be paused and ended apart from the rest of it, as one of several
 * programs' worth of work in one process. It shares the actor's clock, connections and fate: a pause of the actor
 * holds it too, a crash ends it. What comes due for a part that is paused happens when it resumes, in order.
 */

import { label, type Label } from './digest.ts';
import type { QueuedEvent, Standing } from './queued-event.ts';
import type { Kernel } from './kernel.ts';
import type { Life } from './life.ts';
import type { TaskHome } from './task.ts';

const PAUSE = label('pause');
const RESUME = label('resume');
const NOTHING = label('');

export class Part implements TaskHome {
  /** The actor's name, a slash, and its own. */
  readonly label: Label;
  readonly tasks = new Set<{ end(): void }>();
  readonly #life: Life;
  readonly #stub = { end: (): void => this.end() };
  #isPaused = false;
  #isEnded = false;
  /** What came due during its pause, in order. */
  #backlog: QueuedEvent[] = [];

  /** Made by `Context.part`. */
  constructor(life: Life, name: string) {
    this.#life = life;
    this.label = label(`${life.label.text}/${name}`);
    if (life.standing === 'ended') this.#isEnded = true;
    else life.tasks.add(this.#stub);
  }

  get kernel(): Kernel {
    return this.#life.kernel;
  }

  get standing(): Standing {
    const { standing } = this.#life;
    if (this.#isEnded || standing === 'ended') return 'ended';
    return this.#isPaused ? 'paused' : standing;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  pause(): void {
    if (this.#isPaused || this.standing === 'ended') return;
    this.kernel.note(this.label, PAUSE, NOTHING);
    this.#isPaused = true;
    this.#backlog = this.kernel.recall((event) => event.owner === this);
  }

  resume(): void {
    if (!this.#isPaused || this.standing === 'ended') return;
    this.kernel.note(this.label, RESUME, NOTHING);
    this.#isPaused = false;
    const backlog = this.#backlog;
    this.#backlog = [];
    for (const event of backlog) this.kernel.release(event);
  }

  /** Its processes end where they are, as in a crash. */
  end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#backlog = [];
    this.#life.tasks.delete(this.#stub);
    for (const task of this.tasks) task.end();
  }

  defer(event: QueuedEvent): void {
    if (this.#isPaused) this.#backlog.push(event);
    else this.#life.defer(event);
  }

  handleFailure(error: unknown, process: string): boolean {
    return this.#life.handleFailure(error, process);
  }
}
