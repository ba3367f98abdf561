/**
 * A report as one page that needs nothing else: the verdict and what is new, then for each failure the command that
 * reproduces it, the story, the time line, what changed, the last records; then all scenarios.
 */
import { SCRIPT, STYLE } from './html-style.ts';
import { escapeXml } from './junit-xml.ts';
import { patchesBetween, type ObjectPatch, type PatchOperation } from './object-patches.ts';
import type { Choice, FailureRecord, RunRecord, StepRecord } from './run-record.ts';
import {
  countsOf,
  failureGroupsOf,
  formatVirtual,
  groupsOf,
  type FailureGroup,
  type RunSummary,
  type ScenarioGroup,
} from './run-summary.ts';
import { choicesText, seedList } from './summary-text.ts';
import { timelineSvg } from './timeline-svg.ts';

/** A page with thousands of failures helps nobody; the JSON report has them all. */
const MOST_FAILURES = 20;
const MOST_STORY_STEPS = 25;
const MOST_OBJECTS = 12;

export function htmlReport(summary: RunSummary): string {
  const failures = failureGroupsOf(summary.records);
  const body = [
    verdict(summary),
    failures.length > 0 ? '<h2>What failed</h2>' : '',
    ...failures.slice(0, MOST_FAILURES).map((group) => failureCard(group, summary)),
    failures.length > MOST_FAILURES
      ? `<p class="soft">… and ${failures.length - MOST_FAILURES} other failures; report.json has them all.</p>`
      : '',
    '<h2>All scenarios</h2>',
    scenarioTable(groupsOf(summary.records)),
  ].join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeXml(titleOf(summary))}</title>
<style>${STYLE}</style>
</head>
<body><main>
${body}
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

function titleOf({ records }: RunSummary): string {
  const { runs, passed } = countsOf(records);
  return `kubesim: ${passed} of ${runs} runs passed`;
}

function verdict(summary: RunSummary): string {
  const { records, changes, startedAt, realMs, command, interrupted } = summary;
  const { runs, passed } = countsOf(records);
  const isGood = passed === runs;
  const virtual = records.reduce((sum, { virtualMicros }) => sum + virtualMicros, 0);
  const checked = records.filter(({ isDeterminismChecked }) => isDeterminismChecked).length;
  const title = isGood
    ? runs === 1
      ? 'The run passed'
      : `All ${runs} runs passed`
    : `${runs - passed} of ${runs} ${runs === 1 ? 'run' : 'runs'} failed`;
  const cut = interrupted ? ` (interrupted, ${interrupted.planned - runs} not made)` : '';
  const news =
    changes.since === undefined
      ? 'The first report here: there is nothing to compare with.'
      : newsText(summary);
  return `<header class="verdict ${isGood ? 'good' : 'bad'}"><div class="sign">${isGood ? '✓' : '✗'}</div><div><h1>${title}${cut}</h1><p>${news}</p><p class="soft mono">${escapeXml(command)}</p></div></header>
<div class="tiles">${[
    tile('scenarios', String(groupsOf(records).length)),
    tile('runs passed', `${passed} of ${runs}`, isGood ? 'good' : 'bad'),
    tile('virtual time', formatVirtual(virtual)),
    tile('real time', `${(realMs / 1_000).toFixed(2)}s`),
    tile(
      'run twice, equal',
      checked === 0
        ? '–'
        : `${checked - records.filter(({ failure }) => failure?.kind === 'nondeterminism').length} of ${checked}`,
    ),
    tile(`started ${escapeXml(startedAt.slice(0, 10))}`, `${escapeXml(startedAt.slice(11, 16))} UTC`),
  ].join('')}</div>`;
}

function newsText({ changes }: RunSummary): string {
  const { newFailures, fixed, stillFailing, since = '' } = changes;
  const parts = [
    newFailures.length > 0 ? `<span class="chip new">${newFailures.length} new</span>` : '',
    fixed.length > 0
      ? `<span class="chip fixed">${fixed.length} fixed</span> ${escapeXml(fixed.slice(0, 4).join(', '))}`
      : '',
    stillFailing.length > 0 ? `<span class="chip">${stillFailing.length} still failing</span>` : '',
  ].join(' ');
  const when = `<span class="soft">since ${escapeXml(since.replace('T', ' ').slice(0, 16))}</span>`;
  return parts.trim() === '' ? `Nothing has changed ${when}` : `${parts} ${when}`;
}

const tile = (label: string, value: string, tone = ''): string =>
  `<div class="tile ${tone}"><b>${value}</b><span class="soft">${label}</span></div>`;

function failureCard({ first: record, others }: FailureGroup, { changes }: RunSummary): string {
  const { failure, scenario, seed, key, verdict: word } = record;
  if (!failure) return '';
  const { property, kind, at, details, file, line, column, trace, excerpt, command } = failure;
  const isNew = changes.newFailures.includes(key);
  const parts = [
    `<span class="chip ${word}">${word === 'defect' ? 'bug of the simulator' : word}</span>${isNew ? '<span class="chip new">new</span>' : '<span class="chip">still failing</span>'}<span class="chip">${kind}</span>`,
    `<div class="property">${escapeXml(property)}</div>`,
    `<div class="soft"><b>${escapeXml(scenario)}</b>, seed ${seed}, at ${formatVirtual(at)} of virtual time; <span class="mono">${escapeXml(file)}:${line}:${column}</span></div>`,
    `<ul class="details mono">${details.map((detail) => `<li>${folded(detail)}</li>`).join('')}</ul>`,
    command === undefined
      ? ''
      : `<h4>Reproduce</h4><div class="command"><code>${escapeXml(command)}</code><button data-copy="${escapeXml(command)}">copy</button></div>`,
    others.length === 0
      ? ''
      : `<p class="soft">The same with ${others.length} more ${others.length === 1 ? 'seed' : 'seeds'}: ${seedList(others)}.</p>`,
    `<h4>The story</h4>${story(record.steps, failure)}`,
    record.timeline ? `<h4>Time line</h4>${timelines(record, at)}` : '',
    smallestStory(failure),
    stateDiff(failure),
    excerpt === '' ? '' : `<h4>In the scenario</h4><pre>${escapeXml(excerpt)}</pre>`,
    failure.answer === undefined
      ? ''
      : `<details class="more"><summary>the whole answer</summary><pre>${escapeXml(JSON.stringify(failure.answer, undefined, 2))}</pre></details>`,
    trace.length === 0 ? '' : `<h4>The last records</h4><pre>${trace.map(escapeXml).join('\n')}</pre>`,
  ];
  return `<section class="card failure">${parts.join('\n')}</section>`;
}

const LONG_TEXT = 300;

/** What is long opens on demand. */
function folded(text: string): string {
  if (text.length <= LONG_TEXT) return escapeXml(text);
  return `<details><summary>${escapeXml(text.slice(0, LONG_TEXT / 2))}…</summary>${escapeXml(text)}</details>`;
}

/** The steps up to the failing one, and the decisions of chance that it takes. */
function story(steps: readonly StepRecord[], { choices, allChoices }: FailureRecord): string {
  const isLong = steps.length > MOST_STORY_STEPS;
  const shown = isLong ? [...steps.slice(0, 8), ...steps.slice(8 - MOST_STORY_STEPS)] : steps;
  const items = shown.map(stepItem);
  if (isLong)
    items.splice(
      8,
      0,
      `<li class="more soft"><span class="at"></span>… ${steps.length - shown.length} more steps</li>`,
    );
  const chance =
    allChoices === 0
      ? '<p class="soft">No decision of chance takes part: it fails with every seed.</p>'
      : `<p class="soft">${choices.length === 0 ? 'None' : choices.length} of ${allChoices} decisions of chance ${choices.length === 1 ? 'is' : 'are'} needed${choices.length === 0 ? ': it fails with the defaults as well' : ''}.</p>${choiceList(choices)}`;
  return `<ol class="story">${items.join('')}</ol>${chance}`;
}

function stepItem({ from, title, status, outcome }: StepRecord): string {
  const answer =
    status === undefined
      ? ''
      : `<span class="status mono soft">${status === 0 ? 'no answer' : status}</span>`;
  return `<li class="${outcome}"><span class="at">${formatVirtual(from)}</span><span>${escapeXml(title)}</span>${answer}</li>`;
}

function choiceList(choices: readonly Choice[]): string {
  if (choices.length === 0) return '';
  const lines = choices
    .slice(0, 12)
    .map(({ site, occurrence, answer }) => `${site}, asked for the ${occurrence + 1}. time: ${answer}`);
  return `<pre>${lines.map(escapeXml).join('\n')}${choices.length > 12 ? `\n… ${choices.length - 12} more` : ''}</pre>`;
}

const LEGEND = `<div class="legend"><i style="background:var(--accent)"></i>requests and answers<i style="background:#12a594"></i>messages<i style="background:#9b7fd1"></i>timers<i style="background:var(--bad)"></i>faults<i style="background:#8f98a8"></i>other</div>`;

function timelines({ timeline, steps }: RunRecord, failedAt: number | undefined): string {
  if (!timeline) return '';
  const omitted =
    timeline.omitted > 0 ? `<p class="soft">${timeline.omitted} earlier records are not shown.</p>` : '';
  const byTime = `${timelineSvg({ timeline, steps, failedAt, scale: 'time' })}${LEGEND}${omitted}`;
  if (failedAt === undefined) return byTime;
  return `${byTime}<details class="more"><summary>in order of events</summary>${timelineSvg({ timeline, steps, failedAt, scale: 'order' })}</details>`;
}

/** The scenario that is left when all that is not needed is gone, and its causes. */
function smallestStory({ smallest, explanation = [] }: FailureRecord): string {
  if (!smallest) return '';
  const causes = explanation.map((line) => `<p>${escapeXml(line)}</p>`).join('');
  return `<h4>The smallest scenario that fails alike: ${smallest.steps} of ${smallest.allSteps} steps, ${smallest.faults} of ${smallest.allFaults} faults${choicesText(smallest.choices)}</h4>${causes}<pre>${escapeXml(smallest.text)}</pre>`;
}

function stateDiff({ before, after }: FailureRecord): string {
  if (!before || !after) return '';
  const diffs = patchesBetween(before, after);
  if (diffs.length === 0)
    return '<h4>What the failing step changed</h4><p class="soft">No object has changed.</p>';
  const rest =
    diffs.length > MOST_OBJECTS
      ? `<p class="soft">… and ${diffs.length - MOST_OBJECTS} more objects</p>`
      : '';
  return `<h4>What the failing step changed, as JSON Patches</h4>${diffs.slice(0, MOST_OBJECTS).map(objectDiff).join('')}${rest}`;
}

/** A patch of more is told by its beginning; report.json has the objects. */
const MOST_OPERATIONS = 40;

function objectDiff({ name, change, operations }: ObjectPatch): string {
  const rows = operations.slice(0, MOST_OPERATIONS).map(operationRow).join('');
  const rest =
    operations.length > MOST_OPERATIONS
      ? `<p class="soft">… and ${operations.length - MOST_OPERATIONS} more operations</p>`
      : '';
  return `<div class="diff-name">${escapeXml(name)} <span class="chip">${change}</span></div><div class="patch mono">${rows}</div>${rest}`;
}

const SHORT_VALUE = 60;

/** As an operation of JSON Patch, and what was there before. */
function operationRow({ op, path, value, old }: PatchOperation): string {
  const was =
    old === undefined || op === 'remove'
      ? ''
      : ` <span class="soft">was ${escapeXml(JSON.stringify(old))}</span>`;
  const text = value === undefined ? (old === undefined ? '' : JSON.stringify(old)) : JSON.stringify(value);
  const isLong = text.length > SHORT_VALUE;
  const shown = isLong
    ? `<details><summary>${escapeXml(text.slice(0, SHORT_VALUE))}…</summary><pre>${escapeXml(JSON.stringify(value ?? old, undefined, 2))}</pre></details>`
    : escapeXml(text);
  return `<div class="op ${op}"><b>${op}</b> <span class="path">${path === '' ? '(the whole object)' : escapeXml(path)}</span> <span class="value">${shown}${isLong ? '' : was}</span></div>`;
}

function scenarioTable(groups: readonly ScenarioGroup[]): string {
  return `<table><thead><tr><th>Scenario</th><th class="number">Runs</th><th class="number">Virtual time</th><th class="number">Real time</th></tr></thead><tbody>${groups.map(scenarioRow).join('')}</tbody></table>`;
}

function scenarioRow({ scenario, file, description, records, counts }: ScenarioGroup): string {
  const isGood = counts.passed === counts.runs;
  const shown = records.find(({ timeline, verdict: word }) => timeline && (isGood || word !== 'passed'));
  const found = records.find((record) => record.found)?.found;
  const proof = found
    ? `<details class="more"><summary>what it has found, as it was to: ${escapeXml(found.property)}</summary>${smallestStory(found)}</details>`
    : '';
  const more = shown
    ? `<details class="more"><summary>what happened (seed ${shown.seed})</summary><ol class="story">${shown.steps.slice(0, MOST_STORY_STEPS).map(stepItem).join('')}</ol>${timelines(shown, shown.failure?.at)}</details>`
    : '';
  const longest = Math.max(...records.map(({ virtualMicros }) => virtualMicros));
  const real = records.reduce((sum, { realMs }) => sum + realMs, 0);
  const share = (counts.passed / counts.runs) * 100;
  return `<tr><td><span class="chip ${isGood ? 'passed' : 'failed'}">${isGood ? 'passed' : 'failed'}</span> <b>${escapeXml(scenario)}</b> <span class="soft mono">${escapeXml(file)}</span>${description === undefined ? '' : `<div class="soft">${escapeXml(description)}</div>`}${proof}${more}</td><td class="number">${counts.passed} of ${counts.runs}<div class="bar"><i style="width:${share}%"></i><i class="bad" style="width:${100 - share}%"></i></div></td><td class="number">${formatVirtual(longest)}</td><td class="number">${real.toFixed(0)} ms</td></tr>`;
}
