/** Are two canonical JSON values equal? Object members may stand in any order. */
export function isEqualJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let index = 0; index < a.length; index += 1) if (!isEqualJson(a[index], b[index])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  const names = Object.keys(a);
  if (names.length !== Object.keys(b).length) return false;
  for (const name of names) {
    if (!Object.hasOwn(b, name) || !isEqualJson(Reflect.get(a, name), Reflect.get(b, name))) return false;
  }
  return true;
}

/** As the server compares what counts generations: a list without items is like none, and so are labels that name nothing. */
export function isSemanticallyEqual(a: unknown, b: unknown): boolean {
  if (a === b || (isNothing(a) && isNothing(b))) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  if (Array.isArray(a) && a.length !== (b as readonly unknown[]).length) return false;
  return (
    Object.keys(a).every((name) => isSameMember(name, Reflect.get(a, name), memberOf(b, name))) &&
    Object.keys(b).every(
      (name) => Object.hasOwn(a, name) || isSameMember(name, undefined, Reflect.get(b, name)),
    )
  );
}

const isSameMember = (name: string, a: unknown, b: unknown): boolean =>
  name === 'labels' ? isSemanticallyEqual(a ?? {}, b ?? {}) : isSemanticallyEqual(a, b);

const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0);

const memberOf = (owner: object, name: string): unknown =>
  Object.hasOwn(owner, name) ? Reflect.get(owner, name) : undefined;
