/** What hunts of published bugs have come to, as data and as a table. */

export interface PublishedBug {
  readonly thread: string;
  readonly property: string;
  /** Undefined: it was not found within its budget. */
  readonly found?:
    | {
        readonly runs: number;
        readonly cpuSeconds: number;
        /** Of the smallest scenario: what happens, and what goes wrong. */
        readonly steps?: number;
        readonly faults?: number;
        readonly sentences: readonly string[];
      }
    | undefined;
  readonly mended: { readonly runs: number; readonly alarms: number };
}

export function publishedTable(bugs: readonly PublishedBug[]): string {
  const rows = bugs.map(({ thread, property, found, mended }) => [
    thread,
    property,
    found ? `${found.runs}` : 'not found',
    found ? found.cpuSeconds.toFixed(1) : '',
    found?.steps === undefined ? '' : `${found.steps} steps, ${found.faults ?? 0} faults`,
    `${mended.runs - mended.alarms} of ${mended.runs}`,
  ]);
  const all = [['bug', 'property', 'runs', 'seconds', 'left of it', 'mended: green'], ...rows];
  const widths = all[0]?.map((_, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  const lines = all.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return `${lines.join('\n')}\n`;
}
