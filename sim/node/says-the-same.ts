/** Whether two values of a status say the same: members that are absent and members that are null do. Pure. */
export function saysTheSame(a: unknown, b: unknown): boolean {
  if (a === b || ((a ?? undefined) === undefined && (b ?? undefined) === undefined)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const members = new Set([...Object.keys(a), ...Object.keys(b)]);
  for (const member of members)
    if (!saysTheSame(Reflect.get(a, member), Reflect.get(b, member))) return false;
  return true;
}
