/** A report as JUnit XML, which CI systems read: a suite for each scenario, a case for each seed. */
import type { RunRecord } from './run-record.ts';
import { failureText } from './summary-text.ts';
import { countsOf, groupsOf, type RunSummary } from './run-summary.ts';

export function junitXml({ records, realMs, startedAt }: RunSummary): string {
  const totals = countsOf(records);
  const suites = groupsOf(records).map(({ scenario, file, records: own, counts }) => {
    const time = own.reduce((sum, { realMs: each }) => sum + each, 0);
    const attributes = {
      name: scenario,
      file,
      tests: counts.runs,
      failures: counts.failed,
      errors: counts.invalid + counts.defects,
      time: secondsOf(time),
      timestamp: startedAt,
    };
    return `  <testsuite${attributesText(attributes)}>\n${own.map(testCase).join('')}  </testsuite>\n`;
  });
  const attributes = {
    name: 'kubesim',
    tests: totals.runs,
    failures: totals.failed,
    errors: totals.invalid + totals.defects,
    time: secondsOf(realMs),
  };
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${attributesText(attributes)}>\n${suites.join('')}</testsuites>\n`;
}

function testCase(record: RunRecord): string {
  const { scenario, seed, file, realMs, verdict, failure } = record;
  const head = `    <testcase${attributesText({ classname: scenario, name: `seed ${seed}`, file, time: secondsOf(realMs) })}`;
  if (!failure) return `${head}/>\n`;
  const element = verdict === 'failed' ? 'failure' : 'error';
  const attributes = attributesText({
    type: failure.kind,
    message: `${failure.property}: ${failure.details[0] ?? ''}`,
  });
  return `${head}>\n      <${element}${attributes}>${escapeXml(failureText(record))}</${element}>\n    </testcase>\n`;
}

const secondsOf = (ms: number): string => (ms / 1_000).toFixed(3);

const attributesText = (attributes: Readonly<Record<string, string | number>>): string =>
  Object.entries(attributes)
    .map(([name, value]) => ` ${name}="${escapeXml(String(value))}"`)
    .join('');

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** For XML and HTML, texts and attributes alike. Characters that XML cannot hold become a question mark. */
export function escapeXml(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '?')
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}
