/**
 * A copy of an object that is going to get further members. V8 takes almost a microsecond for every member that is
 * added to what spreading made, and next to nothing here.
 */
export const copyMembers = <T extends object>(value: T): T =>
  // Assigning it would set the prototype.
  Object.hasOwn(value, '__proto__') ? { ...value } : Object.assign({}, value);
