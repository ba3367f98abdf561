/** Counters, gauges and histograms by their labels. Label names are given in the order in which they are printed. */
import { byKey } from '../../api/go-text.ts';
import { type Labels, type MetricFamily, numberText, type Sample } from '../../api/exposition.ts';

export interface InstrumentOptions<Name extends string> {
  readonly name: string;
  /** With the stability in brackets, as Kubernetes writes it. */
  readonly help: string;
  readonly labels: readonly Name[];
}

export type LabelValues<Name extends string> = Readonly<Record<Name, string>>;

/** A number for each combination of labels: a counter, or a gauge that also goes down. */
export class Tally<Name extends string> {
  readonly #options: InstrumentOptions<Name>;
  readonly #type: 'counter' | 'gauge';
  readonly #values = new Map<string, { readonly labels: Labels; value: number }>();

  constructor(type: 'counter' | 'gauge', options: InstrumentOptions<Name>) {
    this.#type = type;
    this.#options = options;
  }

  add(values: LabelValues<Name>, amount = 1): void {
    const key = keyOf(this.#options.labels, values);
    const known = this.#values.get(key);
    if (known) known.value += amount;
    else this.#values.set(key, { labels: labelsOf(this.#options.labels, values), value: amount });
  }

  family(): MetricFamily {
    const { name, help } = this.#options;
    return {
      name,
      help,
      type: this.#type,
      samples: inOrder(this.#values).map(({ labels, value }) => ({ labels, value })),
    };
  }
}

interface Distribution {
  readonly labels: Labels;
  readonly counts: number[];
  sum: number;
}

export class Histogram<Name extends string> {
  readonly #options: InstrumentOptions<Name> & { readonly buckets: readonly number[] };
  readonly #values = new Map<string, Distribution>();

  /** `buckets`: upper bounds, ascending, without infinity. */
  constructor(options: InstrumentOptions<Name> & { readonly buckets: readonly number[] }) {
    this.#options = options;
  }

  observe(values: LabelValues<Name>, value: number): void {
    const { labels, buckets } = this.#options;
    const key = keyOf(labels, values);
    const distribution: Distribution = this.#values.get(key) ?? {
      labels: labelsOf(labels, values),
      counts: Array.from({ length: buckets.length + 1 }, () => 0),
      sum: 0,
    };
    this.#values.set(key, distribution);
    const bucket = buckets.findIndex((bound) => value <= bound);
    const index = bucket < 0 ? buckets.length : bucket;
    distribution.counts[index] = (distribution.counts[index] ?? 0) + 1;
    distribution.sum += value;
  }

  family(): MetricFamily {
    const { name, help, buckets } = this.#options;
    return {
      name,
      help,
      type: 'histogram',
      samples: inOrder(this.#values).flatMap((each) => samplesOf(each, buckets)),
    };
  }
}

/** As many of the last values count for quantiles. */
const REMEMBERED = 500;

interface Recent {
  readonly labels: Labels;
  readonly values: number[];
  sum: number;
  count: number;
}

/** Quantiles of what was observed last. */
export class Summary<Name extends string> {
  readonly #options: InstrumentOptions<Name> & { readonly quantiles: readonly number[] };
  readonly #values = new Map<string, Recent>();

  constructor(options: InstrumentOptions<Name> & { readonly quantiles: readonly number[] }) {
    this.#options = options;
  }

  observe(values: LabelValues<Name>, value: number): void {
    const { labels } = this.#options;
    const key = keyOf(labels, values);
    let recent = this.#values.get(key);
    if (!recent)
      this.#values.set(key, (recent = { labels: labelsOf(labels, values), values: [], sum: 0, count: 0 }));
    recent.values[recent.count % REMEMBERED] = value;
    recent.sum += value;
    recent.count += 1;
  }

  family(): MetricFamily {
    const { name, help, quantiles } = this.#options;
    const samples = inOrder(this.#values).flatMap(({ labels, values, sum, count }): readonly Sample[] => {
      const sorted = values.toSorted((a, b) => a - b);
      return [
        ...quantiles.map((quantile) => ({
          labels: { ...labels, quantile: String(quantile) },
          value: sorted[Math.ceil(quantile * sorted.length) - 1] ?? 0,
        })),
        { suffix: '_sum', labels, value: sum },
        { suffix: '_count', labels, value: count },
      ];
    });
    return { name, help, type: 'summary', samples };
  }
}

/** Buckets count everything up to their bound. */
function samplesOf({ labels, counts, sum }: Distribution, buckets: readonly number[]): readonly Sample[] {
  let total = 0;
  const samples: Sample[] = counts.map((count, index) => {
    total += count;
    const bound = buckets[index];
    return {
      suffix: '_bucket',
      labels: { ...labels, le: bound === undefined ? '+Inf' : numberText(bound) },
      value: total,
    };
  });
  return [...samples, { suffix: '_sum', labels, value: sum }, { suffix: '_count', labels, value: total }];
}

const keyOf = <Name extends string>(names: readonly Name[], values: LabelValues<Name>): string =>
  names.map((name) => values[name]).join('\0');

const labelsOf = <Name extends string>(names: readonly Name[], values: LabelValues<Name>): Labels =>
  Object.fromEntries(names.map((name) => [name, values[name]]));

const inOrder = <T>(values: ReadonlyMap<string, T>): readonly T[] =>
  [...values].sort(byKey).map(([, value]) => value);
