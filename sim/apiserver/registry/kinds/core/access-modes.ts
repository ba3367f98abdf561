/** Access modes of volumes in short, as Tables show them. */
const SHORT: readonly (readonly [mode: string, short: string])[] = [
  ['ReadWriteOnce', 'RWO'],
  ['ReadOnlyMany', 'ROX'],
  ['ReadWriteMany', 'RWX'],
  ['ReadWriteOncePod', 'RWOP'],
];

/** `RWO,ROX`. */
export const accessModesText = (modes: readonly string[]): string =>
  SHORT.filter(([mode]) => modes.includes(mode))
    .map(([, short]) => short)
    .join(',');
