/**
 * Adds all items to a list. As arguments of `push` they would have to fit on the stack: a client that sends a list
 * with a hundred thousand mistakes would find out that they do not.
 */
export function append<T>(list: T[], items: Iterable<T>): void {
  for (const item of items) list.push(item);
}
