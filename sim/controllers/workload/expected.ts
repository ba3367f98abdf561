/** What a controller may keep of what it has done and not seen yet; a test can do without. */
import { Expectations } from '../../client/expectations.ts';
import type { Context } from '../../engine/context.ts';

export type Expected = Pick<Expectations, keyof Expectations>;

export interface WorkloadOptions {
  /** Default true. Without, a controller acts on a view that may lack its own last writes. */
  readonly hasExpectations?: boolean;
}

export const expectedBy = (context: Context, { hasExpectations = true }: WorkloadOptions): Expected =>
  hasExpectations ? new Expectations(() => context.now()) : NOTHING;

const ignore = (): void => undefined;
const NOTHING: Expected = {
  areSatisfied: () => true,
  expectCreations: ignore,
  expectDeletions: ignore,
  expectChanges: ignore,
  creationObserved: ignore,
  deletionObserved: ignore,
  forget: ignore,
};
