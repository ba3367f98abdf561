/** Findings as people, programs and CI systems read them, and manifests as they should be. */
import { stringify } from 'yaml';
import { migrated } from '../../api/life-cycle/migrate.ts';
import type { ReleaseName } from '../../api/life-cycle/release-name.ts';
import { lifeCycleOf, stageAt } from '../../api/life-cycle/life-cycles.ts';
import type { Parts } from '../../api/life-cycle/migrations/migration.ts';
import { printable } from '../../../reports/printable.ts';
import type { Source } from './read-sources.ts';
import { type Finding, merged, type Scan } from './scan.ts';

export const FORMATS = ['text', 'json', 'junit'] as const;
export type Format = (typeof FORMATS)[number];

export const FORMATTERS: Readonly<Record<Format, (scan: Scan) => string>> = { text, json, junit };

function text({ target, looked, findings }: Scan): string {
  const lines = merged(findings).flatMap((finding) => [
    `${placeOf(finding)}${printable(whatOf(finding))}: ${verdictOf(finding, target)}${finding.times > 1 ? ` (${finding.times} times)` : ''}`,
    ...finding.notes.map((note) => `    ${note}`),
  ]);
  const count = (stage: Finding['stage']): number => findings.filter((each) => each.stage === stage).length;
  const [removed, deprecated, early] = [count('removed'), count('deprecated'), count('not yet')];
  const summary =
    findings.length === 0
      ? `${looked} looked at: none of them is of a version that ${target} does not serve`
      : `${looked} looked at: ${removed} of versions that ${target} does not serve any more, ${early} not yet, ${deprecated} deprecated`;
  return `${[...lines, summary].join('\n')}\n`;
}

/** `batch/v1 Job default/x`, as far as it has a name. */
const whatOf = ({ apiVersion, kind, subject }: Finding): string =>
  [apiVersion, kind, subject].filter(Boolean).join(' ');

const placeOf = ({ file, line }: Finding): string => `${file}${line > 0 ? `:${line}` : ''}: `;

function verdictOf(
  { stage, introduced, deprecated, removed, replacement }: Finding,
  target: ReleaseName,
): string {
  if (stage === 'not yet') return `there is none before ${introduced}`;
  const instead = replacement
    ? `write ${replacement.apiVersion} ${replacement.kind}`
    : 'nothing takes its place';
  if (stage === 'removed')
    return `not served from ${removed} on; ${introduced === undefined ? 'see its owner' : instead}`;
  const until = removed === undefined ? '' : `, not served from ${removed} on`;
  return `deprecated${deprecated === undefined ? '' : ` since ${deprecated}`}${until}; ${replacement ? instead : `served in ${target}`}`;
}

function json(scan: Scan): string {
  return `${JSON.stringify({ ...scan, findings: merged(scan.findings) }, undefined, 2)}\n`;
}

/** One test for each finding: what is only deprecated passes. */
function junit({ target, findings }: Scan): string {
  const cases = merged(findings).map((finding) => {
    const name = whatOf(finding);
    const said = [verdictOf(finding, target), ...finding.notes].join('\n');
    const inside =
      finding.stage === 'deprecated'
        ? `<system-out>${escaped(said)}</system-out>`
        : `<failure message="${escaped(verdictOf(finding, target))}">${escaped(said)}</failure>`;
    return `    <testcase classname="${escaped(finding.file)}" name="${escaped(name)}" file="${escaped(finding.file)}" line="${finding.line}">${inside}</testcase>`;
  });
  const failures = merged(findings).filter(({ stage }) => stage !== 'deprecated').length;
  return `${[
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<testsuites>',
    `  <testsuite name="versions in ${target}" tests="${cases.length}" failures="${failures}">`,
    ...cases,
    '  </testsuite>',
    '</testsuites>',
  ].join('\n')}\n`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escaped = (value: string): string =>
  value
    .replace(/[&<>"]/g, (character) => ENTITIES[character] ?? '')
    // No form of XML can hold them.
    .replace(/[\0-\x08\x0B\x0C\x0E-\x1F\uFFFE\uFFFF]/g, '\uFFFD');

/** All manifests, those of old versions rewritten, with what has to be looked at as comments; the others as they stand. */
export function converted(sources: readonly Source[], target: ReleaseName): string {
  const documents = sources.flatMap((source) =>
    source.kind === 'manifest' ? [documentOf(source, target)] : [],
  );
  return documents.join('---\n');
}

function documentOf(source: Extract<Source, { kind: 'manifest' }>, target: ReleaseName): string {
  const results = source.objects.map((object) =>
    isOld(object, target) ? migrated(object, target) : undefined,
  );
  if (results.every((result) => result === undefined)) return unmarked(source.text);
  const objects = source.objects.map((object, index) => results[index]?.object ?? object);
  const notes = results.flatMap((result) => result?.notes ?? []).map((note) => `# ${note}\n`);
  const body = source.isList ? { apiVersion: 'v1', kind: 'List', items: objects } : objects[0];
  return `${notes.join('')}${stringify(body, { lineWidth: 0, aliasDuplicateObjects: false })}`;
}

function isOld({ apiVersion, kind }: Parts, target: ReleaseName): boolean {
  const life = lifeCycleOf({ apiVersion: String(apiVersion), kind: String(kind) });
  return life !== undefined && ['removed', 'deprecated'].includes(stageAt(life, target));
}

const unmarked = (whole: string): string => `${whole.replace(/^---[^\n]*\n/, '').trimEnd()}\n`;
