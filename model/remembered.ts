/**
 * What is read off a text, which comes again and again: read once. Beyond so many texts it begins anew.
 */
const MOST = 10_000;

export function remembered<T>(read: (text: string) => T): (text: string) => T {
  const known = new Map<string, { readonly value: T }>();
  return (text) => {
    const before = known.get(text);
    if (before) return before.value;
    if (known.size >= MOST) known.clear();
    const value = read(text);
    known.set(text, { value });
    return value;
  };
}
