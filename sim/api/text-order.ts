/** The order of texts wherever names are sorted: by code unit, the same in every locale. */
export const compareText = (left: string, right: string): number =>
  left < right ? -1 : left > right ? 1 : 0;

/** Orders the entries of a map by their keys. */
export const byKey = ([left]: readonly [string, unknown], [right]: readonly [string, unknown]): number =>
  compareText(left, right);
