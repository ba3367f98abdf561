/**
 * What can be seen of schedulers from outside: what they hear, what they ask for, and what they are answered. The input of
 * the rules in this folder. `at` is true virtual time in microseconds.
 */
import type { ApiObject } from '../../sim/api/object.ts';

export type SchedulingObservation = { readonly at: number; readonly by: string } &
  /** Objects have reached the scheduler, each with its kind. */
  (
    | { readonly kind: 'heard'; readonly objects: readonly ApiObject[] }
    | { readonly kind: 'heard-gone'; readonly object: ApiObject }
    /** A whole collection: what is not in it is gone. */
    | { readonly kind: 'heard-all'; readonly of: string; readonly objects: readonly ApiObject[] }
    /** It asks for a pod to be on a node. Not informed: it had not yet looked at what has reached it. */
    | {
        readonly kind: 'binds';
        readonly pod: string;
        readonly uid: string;
        readonly node: string;
        readonly isInformed: boolean;
        /** Faults strike requests just now. */
        readonly mayBeLost: boolean;
      }
    | { readonly kind: 'bind-answered'; readonly uid: string; readonly isBound: boolean }
    /** It deletes a pod. */
    | { readonly kind: 'deletes'; readonly pod: string; readonly isInformed: boolean }
    /** A fault may have lost what it asked and was answered; it may hear late. */
    | { readonly kind: 'disturbed' }
    /** It begins anew and knows nothing. */
    | { readonly kind: 'ended' }
  );

/** A rule that looks at a deed of a scheduler with what that one knew. */
export interface SchedulingRule {
  /** What is wrong with a binding, in words. */
  bindingProblem?(binding: Binding): string | undefined;
  /** What is wrong with a deletion. */
  deletionProblem?(deletion: Deletion): string | undefined;
}

export interface Binding {
  readonly pod: ApiObject;
  /** As it was heard of shortly before: any of these may be what the scheduler went by. */
  readonly nodes: readonly ApiObject[];
  /** Pods that the scheduler knew to be on the node for sure. */
  readonly there: readonly ApiObject[];
  /** Pods that it knew to be somewhere for sure, with the labels of their nodes. */
  readonly placed: readonly PlacedPod[];
  /** All that may have been somewhere. */
  readonly perhapsPlaced: readonly PlacedPod[];
}

export interface PlacedPod {
  readonly pod: ApiObject;
  readonly labels: Readonly<Record<string, string>>;
}

export interface Deletion {
  /** Whoever may be meant: what has the name, and who had it until now. */
  readonly victims: readonly [ApiObject, ...ApiObject[]];
  /** Pods without a node. */
  readonly waiting: readonly ApiObject[];
}
