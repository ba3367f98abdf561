/** The Prometheus text format: families of samples with their help and type. */

export type Labels = Readonly<Record<string, string>>;

export interface Sample {
  /** Added to the family's name: `_bucket`, `_sum`, `_count`. */
  readonly suffix?: string;
  readonly labels: Labels;
  readonly value: number;
  /** When it was measured, in milliseconds since 1970; absent: now. */
  readonly atMs?: number;
}

export interface MetricFamily {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram' | 'summary';
  readonly samples: readonly Sample[];
}

export const EXPOSITION_CONTENT_TYPE = 'text/plain; version=0.0.4; charset=utf-8; escaping=values';

/** Families in the order of their names; those without samples are left out. */
export function expositionOf(families: readonly MetricFamily[]): string {
  const shown = families.filter(({ samples }) => samples.length > 0);
  return shown
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .map(familyText)
    .join('');
}

function familyText({ name, help, type, samples }: MetricFamily): string {
  const lines = samples.map(
    ({ suffix = '', labels, value, atMs }) =>
      `${name}${suffix}${labelText(labels)} ${numberText(value)}${atMs === undefined ? '' : ` ${atMs}`}\n`,
  );
  const escapedHelp = help.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
  return `# HELP ${name} ${escapedHelp}\n# TYPE ${name} ${type}\n${lines.join('')}`;
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

const escaped = (value: string): string =>
  value.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');

/** As Go prints floats: shortest form, with an exponent of two digits from 1e+06 on and below 1e-04. */
export function numberText(value: number): string {
  if (value === Infinity) return '+Inf';
  const size = Math.abs(value);
  if (value === 0 || (size < 1e6 && size >= 1e-4)) return String(value);
  const [digits = '', exponent = ''] = value.toExponential().split('e');
  const power = Number(exponent);
  const sign = power < 0 ? '-' : '+';
  return `${digits}e${sign}${String(Math.abs(power)).padStart(2, '0')}`;
}
