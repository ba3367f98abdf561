/**
 * What can be seen of a running cluster from outside, without asking anybody in it: the input of the rules about nodes
 * in this folder. Whoever records a run writes these plain values, in the order in which things happen. Times are
 * virtual microseconds: `at` is true time, `clock` the reading of somebody's own monotone clock.
 */
import type { ApiObject } from '../../sim/api/object.ts';

export interface ObservedContainer {
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  readonly podName: string;
  readonly podUid: string;
}

export type Observation = { readonly at: number } & (
  | {
      /** An object was written to the storage, or deleted from it. */
      readonly kind: 'stored';
      readonly revision: number;
      readonly before: ApiObject | undefined;
      readonly after: ApiObject | undefined;
    }
  /** Objects have reached somebody, in an answer or as events of a watch. */
  | {
      readonly kind: 'objects-heard';
      readonly by: string;
      readonly clock: number;
      readonly objects: readonly ApiObject[];
      /** They are all of a kind that there were at a revision. */
      readonly listed?: { readonly kind: string; readonly revision: number };
      /** Somebody has asked for just this one. */
      readonly isAnswer?: boolean;
    }
  /** Somebody has sent a request. */
  | {
      readonly kind: 'request-sent';
      readonly by: string;
      readonly clock: number;
      readonly method: string;
      readonly path: string;
      readonly body: unknown;
    }
  /** A request has reached an API server. */
  | {
      readonly kind: 'request-heard';
      readonly user: string;
      readonly method: string;
      readonly path: string;
      readonly body?: unknown;
    }
  /** Somebody has ended, and will remember nothing when it begins anew. */
  | { readonly kind: 'crashed'; readonly actor: string }
  /** The wall clock of a node's machine was set back. */
  | { readonly kind: 'clock-turned-back'; readonly node: string; readonly by: number }
  | { readonly kind: 'container-started'; readonly machine: string; readonly container: ObservedContainer }
  | {
      readonly kind: 'container-stopped';
      readonly machine: string;
      readonly container: ObservedContainer;
      /** When it ended, in true time as far as the machine knows it; undefined: that is not known any more. */
      readonly endedAt?: number;
    }
  /** The agent of a node is up and reaches all API servers, or something hinders it. */
  | { readonly kind: 'agent'; readonly node: string; readonly isFine: boolean }
  /** All schedulers can do their work, or a fault hinders one. First: nothing has hindered any so far. */
  | { readonly kind: 'schedulers'; readonly areFine: boolean; readonly isFirst: boolean }
  /** API servers and controllers can do their work, or a fault hinders them. */
  | { readonly kind: 'control-plane'; readonly isWhole: boolean }
);

/** One of a kind. */
export type ObservationOf<K extends Observation['kind']> = Extract<Observation, { readonly kind: K }>;

/** A rule that watches a whole run. What it finds it reports once. */
export interface NodeRule {
  observe(observation: Observation): void;
  /** So much time has gone by, whether anything has happened or not. Called every second or so. */
  look(at: number): void;
}

export interface RuleSettings {
  readonly report: (at: number, message: string) => void;
  /** What a healthy control plane may need to react, besides the times of the specification. */
  readonly slack: number;
}

export const SECOND = 1_000_000;

/** `12.5s`. */
export const inSeconds = (micros: number): string => `${Math.round(micros / 1_000) / 1_000}s`;

/** After a fault of the control plane a request may take its whole timeout, and a broken watch is opened again after up to a minute. */
export const CONVALESCENCE = 150 * SECOND;

/** From when on nothing has hindered the control plane, so that it can be judged; undefined: something does. */
export const wellSince = ({ at, isWhole }: ObservationOf<'control-plane'>): number | undefined =>
  isWhole ? at + CONVALESCENCE : undefined;

/** Whether an actor may be one that runs the life-cycle controller: a manager, or that controller alone. */
export const isController = (actor: string): boolean => /^controller(-manager)?\//.test(actor);
