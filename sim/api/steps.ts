/** Work that can be paused between its steps: whoever does it decides whether others have a turn there. Pure. */

/** What work comes to, or what is to be done for it next. */
export type Steps<T extends object | undefined> = T | (() => Steps<T>);

/** The work, and then something with what it comes to. */
export const andThen = <T extends object | undefined, U extends object | undefined>(
  steps: Steps<T>,
  next: (result: T) => Steps<U>,
): Steps<U> => (typeof steps === 'function' ? () => andThen(steps(), next) : next(steps));

export function atOnce<T extends object | undefined>(steps: Steps<T>): T {
  while (typeof steps === 'function') steps = steps();
  return steps;
}
