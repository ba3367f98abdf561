/** Writes all forms of a report into a folder. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { htmlReport } from './html-report.ts';
import { junitXml } from './junit-xml.ts';
import type { RunSummary } from './run-summary.ts';
import { summaryText } from './summary-text.ts';

/** report.json, junit.xml, report.html and summary.txt. */
export async function writeReport(folder: string, summary: RunSummary): Promise<void> {
  await mkdir(folder, { recursive: true });
  const files: Readonly<Record<string, string>> = {
    'report.json': `${JSON.stringify(summary)}\n`,
    'junit.xml': junitXml(summary),
    'report.html': htmlReport(summary),
    'summary.txt': summaryText(summary, { isColoured: false, showsPassed: true }),
  };
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)));
}
