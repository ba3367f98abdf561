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

/** The work, and what is done instead from where it fails. */
export const rescued = <T extends object | undefined>(
  work: () => Steps<T>,
  rescue: (error: unknown) => Steps<T>,
): Steps<T> => {
  try {
    const steps = work();
    return typeof steps === 'function' ? () => rescued(() => steps(), rescue) : steps;
  } catch (error) {
    return rescue(error);
  }
};
