/** A text that two JSON values share just if they are equal; members may stand in any order. */
export function jsonKey(value: unknown): string {
  // A whole number of more than 53 bits.
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'undefined';
  if (Array.isArray(value)) return `[${value.map(jsonKey).join()}]`;
  const members = Object.keys(value).sort();
  return `{${members.map((name) => `${JSON.stringify(name)}:${jsonKey(Reflect.get(value, name))}`).join()}}`;
}
