/** What a difference between two answers is about, without the names and numbers of the case: one rule, one name. */
import type { Recorded } from '../../../model/golden/replay/golden-case.ts';
import type { Difference } from '../../../model/golden/replay/compare.ts';

export interface Finding {
  /** Name of the rule. */
  readonly rule: string;
  readonly real: string;
  readonly simulated: string;
}

/** The same causes, but not the same texts. */
export const OTHERWISE_ORDERED = 'causes in another order or number, or values shown otherwise';

interface Status {
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly field?: string; readonly message?: string }[] };
}

/** The rules that one step's differences break; none if there are no differences. */
export function findingsOf(
  kind: string,
  { real, simulated }: { readonly real: Recorded; readonly simulated: Recorded },
  differences: readonly Difference[],
): readonly Finding[] {
  if (differences.length === 0) return [];
  const named = (what: string): Finding => ({
    rule: `${kind} | ${what}`,
    real: shown(real),
    simulated: shown(simulated),
  });
  if (real.status !== simulated.status) {
    const why = isRefused(real) ? messageOf(real) : messageOf(simulated);
    return [named(`status ${real.status ?? 'none'} / ${simulated.status ?? 'none'} | ${plain(why)}`)];
  }
  if (isRefused(real)) return refusalFindings(real, simulated).map(named);
  const headers = differences.filter(({ path }) => path.startsWith('/headers'));
  const rest = differences.filter(({ path }) => !path.startsWith('/headers'));
  const ofHeaders = headers.map(({ path }) => named(`header ${plain(path.slice('/headers/'.length))}`));
  const ofBody = rest.map(({ path, expected, got }) => named(`${plain(path)} | ${relation(expected, got)}`));
  return uniqueByRule([...ofHeaders, ...ofBody]);
}

const isRefused = ({ status = 0 }: Recorded): boolean => status >= 400;

const messageOf = ({ body }: Recorded): string => (body as Status | undefined)?.message ?? '';

function refusalFindings(real: Recorded, simulated: Recorded): readonly string[] {
  const [expected, got] = [causesOf(real), causesOf(simulated)];
  const missing = expected.filter((cause) => !got.includes(cause)).map((cause) => `error missing | ${cause}`);
  const extra = got.filter((cause) => !expected.includes(cause)).map((cause) => `error too much | ${cause}`);
  const found = [...new Set([...missing, ...extra])];
  if (found.length > 0) return found;
  if (expected.length > 0) return [OTHERWISE_ORDERED];
  return [`message | ${plain(messageOf(real))}`];
}

const causesOf = ({ body }: Recorded): readonly string[] =>
  ((body as Status | undefined)?.details?.causes ?? []).map(
    ({ field = '', message = '' }) => `${plain(field)} | ${plain(message)}`,
  );

const ABSENT = '<absent>';
const relation = (expected: unknown, got: unknown): string =>
  expected === ABSENT ? 'too much' : got === ABSENT ? 'missing' : 'differs';

/** Without what is the case's own: quoted texts, keys, numbers. */
const plain = (text: string): string =>
  text
    .replace(/\[[^\]]*\]/g, '[]')
    .replace(/"(?:[^"\\]|\\.)*"/g, '"…"')
    .replace(/'[^']*'/g, "'…'")
    .replace(/\/\d+(?=\/|$)/g, '/[]')
    .replace(/\d+/g, 'N')
    .slice(0, 300);

const MAX_SHOWN = 4000;

function shown({ status, body, bodyText, headers, problem }: Recorded): string {
  const warning = headers?.['warning'];
  const text = isRefused({ status: status ?? 0 })
    ? messageOf({ body })
    : JSON.stringify(body ?? bodyText ?? '');
  const parts = [
    String(status ?? problem ?? ''),
    text,
    warning === undefined ? '' : `warning ${String(warning)}`,
  ];
  return parts.filter(Boolean).join(' ').slice(0, MAX_SHOWN);
}

function uniqueByRule(findings: readonly Finding[]): readonly Finding[] {
  return [...new Map(findings.map((finding) => [finding.rule, finding])).values()];
}
