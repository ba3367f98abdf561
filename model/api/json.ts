/** Plain JSON values, compared and looked into. */
export type Mapping = Readonly<Record<string, unknown>>;

export const isMapping = (value: unknown): value is Mapping =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function isEqual(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, index) => isEqual(item, right[index]));
  if (!isMapping(left) || !isMapping(right)) return false;
  const names = namesOf(left);
  return names.length === namesOf(right).length && names.every((name) => isEqual(left[name], right[name]));
}

/** An empty mapping, an empty list and none at all say the same in Kubernetes. */
export const isAlike = (left: unknown, right: unknown): boolean => isEqual(bare(left), bare(right));

const bare = (value: unknown): unknown =>
  value === null || (typeof value === 'object' && Object.keys(value).length === 0) ? undefined : value;

const namesOf = (mapping: Mapping): readonly string[] =>
  Object.keys(mapping).filter((name) => mapping[name] !== undefined);

/** The value at a path of members; undefined where there is none. */
export const at = (value: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((inner, name) => (isMapping(inner) ? inner[name] : undefined), value);

/** The text at a path; empty where there is none. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** RFC 7396. */
export function merged(target: unknown, patch: unknown): unknown {
  if (!isMapping(patch)) return patch;
  const result: Record<string, unknown> = isMapping(target) ? { ...target } : {};
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = merged(result[name], value);
  }
  return result;
}

export interface PatchOperation {
  readonly op: string;
  readonly path: string;
  readonly value?: unknown;
}

/** RFC 6902, of members of mappings; undefined: it cannot be said here what comes of it. */
export function patched(target: unknown, operations: readonly PatchOperation[]): unknown {
  let result = target;
  for (const { op, path, value } of operations) {
    const parts = path
      .split('/')
      .slice(1)
      .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'));
    if (op === 'test') continue;
    if (op !== 'add' && op !== 'replace' && op !== 'remove') return undefined;
    const next = withMember(result, parts, op === 'remove' ? undefined : value);
    if (next === undefined) return undefined;
    result = next;
  }
  return result;
}

function withMember(target: unknown, [first, ...rest]: readonly string[], value: unknown): unknown {
  if (first === undefined) return value;
  if (!isMapping(target)) return undefined;
  if (rest.length === 0) {
    const { [first]: _, ...others } = target;
    return value === undefined ? others : { ...others, [first]: value };
  }
  const inner = withMember(target[first], rest, value);
  return inner === undefined ? undefined : { ...target, [first]: inner };
}
