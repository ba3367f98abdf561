/** A member that an object has itself: clients choose names, and may choose one that every object has. */
export const ownMember = <Value>(of: Readonly<Record<string, Value>>, name: string): Value | undefined =>
  Object.hasOwn(of, name) ? of[name] : undefined;
