/** Numbers that may be given as a percentage of a whole. Pure. */

export function scaledValue(value: number | string, whole: number, rounding: 'up' | 'down'): number {
  if (typeof value === 'number') return value;
  const percent = /^(\d+)%$/.exec(value)?.[1];
  if (percent === undefined) return 0;
  const exact = (Number(percent) * whole) / 100;
  return rounding === 'up' ? Math.ceil(exact) : Math.floor(exact);
}
