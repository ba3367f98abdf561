/** What comes of reading a file of the language: something that can be run, or what is wrong. */
import type { Position, Problem } from './problem.ts';
import type { Path } from './read-value.ts';
import type { Scenario } from './scenario-shape.ts';

/** A scenario that can be run. */
export interface LoadedScenario {
  readonly file: string;
  readonly text: string;
  readonly scenario: Scenario;
  /** Where something is written; the nearest parent's place when the path itself is not there. */
  locate(path: Path): Position;
  /** Of a property: the scenario that a seed draws. What stands here besides is empty of steps. */
  readonly draw?: (seed: number) => LoadedScenario;
  /** Of a property: it shows how something is found, and must. */
  readonly expectsFailure?: boolean;
}

export type LoadResult =
  | { readonly kind: 'loaded'; readonly loaded: LoadedScenario }
  | {
      readonly kind: 'invalid';
      readonly file: string;
      readonly text: string;
      readonly problems: readonly Problem[];
    };
