/** A watch whose events are kept as they come, for whoever looks at a simulation from outside. */
import type { ApiObject } from '../api/object.ts';
import { type CallFailure, isCallFailure } from '../client/api-failure.ts';
import type { WatchEvent } from '../client/protocol.ts';
import type { Watch } from '../client/watch.ts';
import type { Process } from '../engine/process.ts';

export class WatchLog<T extends ApiObject = ApiObject> {
  /** So far, in order. */
  readonly events: WatchEvent<T>[] = [];
  /** The server has ended the watch, or it was closed, or its connection broke. */
  isEnded = false;
  /** Why it broke. */
  failure: CallFailure | undefined;
  readonly #watch: Watch<T>;

  constructor(watch: Watch<T>) {
    this.#watch = watch;
  }

  close(): void {
    this.isEnded = true;
    this.#watch.close();
  }

  /** Takes events until the end. */
  *record(): Process<void> {
    try {
      for (;;) {
        const event = yield* this.#watch.next();
        if (!event) break;
        this.events.push(event);
      }
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      this.failure = error;
    }
    this.isEnded = true;
  }
}
