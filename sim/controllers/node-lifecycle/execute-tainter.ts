/**
 * NoExecute taints of nodes that are not ready: put on in turn, at the pace of their zones, and taken off at once.
 */
import type { Node } from '../../api/types/core-v1.ts';
import { isCallFailure } from '../../client/api-failure.ts';
import type { Lister } from '../../client/informer/object-store.ts';
import { storeKeyOf } from '../../client/informer/object-store.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import type { Signal } from '../../engine/signal.ts';
import { milliseconds, type Micros } from '../../engine/time.ts';
import { readyOf } from './node-health.ts';
import type { NodeMarks } from './node-marks.ts';
import { executeTaintOf, executeTaintsOn, withExecuteTaint } from './node-taints.ts';
import { TaintPace } from './taint-pace.ts';
import { zoneOf } from './zone-disruption.ts';

const LOOK_EVERY = milliseconds(100);

export interface ExecuteTainterOptions {
  readonly context: Context;
  readonly marks: NodeMarks;
  readonly nodes: Lister<Node>;
}

export class ExecuteTainter {
  readonly #context: Context;
  readonly #marks: NodeMarks;
  readonly #nodes: Lister<Node>;
  readonly #pace = new TaintPace();
  readonly #paceChanged: Signal;

  constructor({ context, marks, nodes }: ExecuteTainterOptions) {
    this.#context = context;
    this.#marks = marks;
    this.#nodes = nodes;
    this.#paceChanged = context.signal();
  }

  /** Does what a node of such readiness needs: the taint off or exchanged now, or a turn for it. @throws CallFailure */
  *follow(node: Node, readiness: string): Process<void> {
    const wanted = executeTaintOf(readiness);
    if (wanted === undefined) {
      this.drop(storeKeyOf(node));
      yield* this.#set(node, undefined);
    } else if (executeTaintsOn(node).length > 0) yield* this.#set(node, wanted);
    else {
      this.#pace.add(storeKeyOf(node), zoneOf(node));
      this.#paceChanged.fire();
    }
  }

  /** Without a taint, and without a turn. If that fails, the next round of the monitor will find it. */
  *callOff(node: Node): Process<void> {
    this.drop(storeKeyOf(node));
    try {
      yield* this.#set(node, undefined);
    } catch (error) {
      if (!isCallFailure(error)) throw error;
    }
  }

  /** It has no turn any more. */
  drop(node: string): void {
    this.#pace.drop(node);
  }

  setRates(rates: ReadonlyMap<string, number>): void {
    this.#pace.setRates(rates, this.#context.now());
    this.#paceChanged.fire();
  }

  /** Without end. */
  *run(): Process<void> {
    for (;;) {
      const dueAt = this.#pace.nextDueAt;
      if (dueAt === Infinity) yield* this.#paceChanged.wait();
      else if (dueAt > this.#context.now())
        yield* this.#context.race([this.#paceChanged.wait(), this.#context.sleepUntil(dueAt as Micros)]);
      yield* this.#context.sleep(LOOK_EVERY);
      for (const name of this.#pace.takeDue(this.#context.now())) yield* this.#taint(name);
    }
  }

  *#taint(name: string): Process<void> {
    const node = this.#nodes.get(name);
    const wanted = node && executeTaintOf(readyOf(node)?.status);
    if (!wanted) return;
    try {
      yield* this.#set(node, wanted);
    } catch (error) {
      // The next round of the monitor finds that the taint is missing.
      if (!isCallFailure(error)) throw error;
    }
  }

  #set(node: Node, key: string | undefined): Process<void> {
    return this.#marks.correctTaints(node, (present, nowMs) => withExecuteTaint(present, key, nowMs));
  }
}
