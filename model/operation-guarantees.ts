/**
 * The documented guarantees of reads and writes of single objects, a checker for each, from what clients saw: when they
 * called, when they were answered and with what. An operation that was never answered has an unknown outcome: it may
 * have happened or not, at any time after its call. Specification: "Concurrency control and consistency".
 */
import type { ApiObject } from '../sim/api/object.ts';
import { isSame, violation, type History, type Violation } from './history.ts';

export interface ObservedOperation {
  readonly kind: 'read' | 'write';
  readonly key: string;
  /** In one unit for all clients. */
  readonly calledAt: number;
  /** Absent: the answer never came. */
  readonly answeredAt?: number;
  /** As it was answered; absent for "not found", for a deletion, and without an answer. */
  readonly object?: ApiObject;
  /** Of the write as it was answered, where the answer says it. */
  readonly revision?: number;
}

/** A write that was answered did happen, at the revision and with the object of the answer. */
export const durable = (operations: readonly ObservedOperation[], history: History): Violation[] =>
  operations.flatMap(({ kind, key, revision, object }) => {
    if (kind !== 'write' || revision === undefined) return [];
    const change = history.find((each) => each.key === key && each.revision === revision);
    if (!change) return [violation('durable', `the write of ${key} at ${revision} is lost`)];
    return isSame(change.after, object)
      ? []
      : [violation('durable', `${key} at ${revision} is not what was answered`)];
  });

/** A write that was called after another operation was answered comes after it. */
export const monotonic = (operations: readonly ObservedOperation[]): Violation[] =>
  operations.flatMap((operation) => {
    const { kind, key, revision } = operation;
    const floor = revisionKnownBefore(operations, operation);
    if (kind !== 'write' || revision === undefined || revision > floor) return [];
    return [
      violation('monotonic', `the write of ${key} at ${revision} was called after ${floor} was answered`),
    ];
  });

/**
 * A consistent read shows the object as it was at some moment between its call and its answer: no older than what any
 * client had been told by the call, and nothing that was only written after the answer.
 */
export const linearizable = (operations: readonly ObservedOperation[], history: History): Violation[] =>
  operations.flatMap((operation) => {
    const { kind, key, object, answeredAt } = operation;
    if (kind !== 'read' || answeredAt === undefined) return [];
    const from = revisionKnownBefore(operations, operation);
    const to = revisionCalledAfter(operations, answeredAt) - 1;
    const wasTrue = statesOf(history, key).some(
      (state) => state.first <= to && state.last >= from && isSame(state.object, object),
    );
    const shown = object ? `version ${object.metadata.resourceVersion ?? 'none'}` : 'nothing';
    const span = to === Infinity ? `at ${from} or later` : `within ${from}..${to}`;
    return wasTrue
      ? []
      : [violation('linearizable', `a read of ${key} showed ${shown}, not its state ${span}`)];
  });

/** The newest revision that any client had been told of before an operation was called; 0 if none. */
const revisionKnownBefore = (
  operations: readonly ObservedOperation[],
  { calledAt }: ObservedOperation,
): number =>
  operations
    .filter(({ answeredAt }) => answeredAt !== undefined && answeredAt < calledAt)
    .reduce((newest, each) => Math.max(newest, revisionOf(each)), 0);

/** The oldest revision among writes that were called after a moment: all later ones are newer still. */
const revisionCalledAfter = (operations: readonly ObservedOperation[], moment: number): number =>
  operations
    .filter(({ kind, calledAt, revision }) => kind === 'write' && revision !== undefined && calledAt > moment)
    .reduce((oldest, each) => Math.min(oldest, revisionOf(each)), Infinity);

const revisionOf = ({ revision, object }: ObservedOperation): number =>
  revision ?? Number(object?.metadata.resourceVersion ?? 0);

interface State {
  /** First and last revision at which the key was so. */
  readonly first: number;
  readonly last: number;
  readonly object: ApiObject | undefined;
}

function statesOf(history: History, key: string): State[] {
  const changes = history.filter((change) => change.key === key);
  const starts = [
    { first: 0, object: undefined },
    ...changes.map(({ revision, after }) => ({ first: revision, object: after })),
  ];
  return starts.map((start, index) => ({ ...start, last: (starts[index + 1]?.first ?? Infinity) - 1 }));
}
