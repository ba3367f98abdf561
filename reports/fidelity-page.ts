/** The ledger of fidelity as one page: recorded cases of each area, what agrees among drawn requests, what differs. */
import { STYLE } from './html-style.ts';
import { escapeXml } from './junit-xml.ts';

interface Tally {
  readonly sequences: number;
  readonly sequencesEqual: number;
  readonly answers: number;
  readonly answersEqual: number;
}

/** What a verification with drawn requests counted. */
export interface Agreement {
  readonly tally: Readonly<Record<string, Tally>>;
  readonly rules: readonly { readonly rule: string; readonly count: number }[];
}

/** Cases with the answers of a real server. */
export interface Recorded {
  readonly area: string;
  readonly names: readonly string[];
  readonly steps: number;
}

export interface Ledger {
  readonly recorded: readonly Recorded[];
  readonly agreement: Readonly<Record<string, Agreement>>;
  /** Reasons, by the names of the recorded cases that differ. */
  readonly known: Readonly<Record<string, string>>;
  /** Why rules differ that drawn requests have met; the first counts whose text is part of the rule's. */
  readonly reasons: readonly Reason[];
}

export interface Reason {
  readonly rule: string;
  readonly why: string;
}

export function fidelityPage({ recorded, agreement, known, reasons }: Ledger): string {
  const cases = recorded.reduce((sum, { names }) => sum + names.length, 0);
  const steps = recorded.reduce((sum, one) => sum + one.steps, 0);
  const drawn = Object.values(agreement).map(({ tally }) => total(Object.values(tally)));
  const all = total(drawn);
  const body = [
    '<h1>How far the simulation answers as a real server does</h1>',
    '<div class="tiles">',
    tile(String(cases), `recorded cases, ${steps} steps`),
    tile(String(Object.keys(known).length), 'of them differ, with a reason'),
    tile(
      share(all.answersEqual, all.answers),
      `of ${all.answers} answers to drawn requests are the same throughout`,
    ),
    tile(
      share(all.sequencesEqual, all.sequences),
      `of ${all.sequences} drawn sequences are the same to the end`,
    ),
    '</div>',
    '<h2>Recorded cases</h2>',
    table(
      ['Area', 'Cases', 'Steps', 'Differ'],
      recorded.map((one) => recordedRow(one, known)),
    ),
    ...Object.entries(agreement).flatMap(([area, one]) => areaParts(area, one, reasons)),
  ].join('\n');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>kubesim: fidelity</title>
<style>${STYLE}</style>
</head>
<body><main>
${body}
</main></body>
</html>
`;
}

const tile = (value: string, text: string): string =>
  `<div class="tile"><b>${value}</b><span class="soft">${escapeXml(text)}</span></div>`;

const share = (part: number, whole: number): string =>
  whole === 0 ? '–' : `${((100 * part) / whole).toFixed(2)} %`;

function total(tallies: readonly Tally[]): Tally {
  const sum = (member: keyof Tally): number => tallies.reduce((whole, tally) => whole + tally[member], 0);
  return {
    sequences: sum('sequences'),
    sequencesEqual: sum('sequencesEqual'),
    answers: sum('answers'),
    answersEqual: sum('answersEqual'),
  };
}

function recordedRow({ area, names, steps }: Recorded, known: Ledger['known']): readonly string[] {
  const differing = names.filter((name) => known[name] !== undefined);
  const why = differing.map((name) => `${name}: ${known[name] ?? ''}`).join('\n');
  return [area, String(names.length), String(steps), why];
}

function areaParts(area: string, { tally, rules }: Agreement, reasons: readonly Reason[]): readonly string[] {
  const { sequences, sequencesEqual, answers, answersEqual } = total(Object.values(tally));
  const otherStatus = rules
    .filter(({ rule }) => rule.includes('| status '))
    .reduce((sum, { count }) => sum + count, 0);
  const rows = Object.entries(tally)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([kind, one]) => [
      kind,
      String(one.sequences),
      share(one.sequencesEqual, one.sequences),
      share(one.answersEqual, one.answers),
    ]);
  return [
    `<h2>Drawn requests: ${escapeXml(area)}</h2>`,
    `<p>${sequences} sequences, ${share(sequencesEqual, sequences)} the same to the end; ${answers} answers, ${share(answersEqual, answers)} the same throughout, ${share(answers - otherStatus, answers)} with the same status.</p>`,
    table(['Resource', 'Sequences', 'the same to the end', 'Answers that are the same'], rows),
    `<h2>Known differences: ${escapeXml(area)}</h2>`,
    rules.length === 0
      ? '<p class="soft">None.</p>'
      : table(
          ['Times', 'Rule', 'Why'],
          rules.map(({ rule, count }) => [String(count), rule, whyOf(rule, reasons)]),
        ),
  ];
}

const whyOf = (rule: string, reasons: readonly Reason[]): string =>
  reasons.find((reason) => rule.includes(reason.rule))?.why ?? 'Not understood yet.';

function table(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  const head = heads.map((text) => `<th>${escapeXml(text)}</th>`).join('');
  const body = rows.map((row) => `<tr>${row.map((text) => `<td>${escapeXml(text)}</td>`).join('')}</tr>`);
  return `<table><thead><tr>${head}</tr></thead><tbody>\n${body.join('\n')}\n</tbody></table>`;
}
