/** How often files that configure access were read anew, under Kubernetes' own names. Specification: not shown (Kubernetes 1.31). */
import type { MetricFamily } from '../../api/exposition.ts';
import { hashOf } from './authentication-metrics.ts';
import { Tally } from './instruments.ts';

export type ReloadedPart = 'authentication' | 'authorization';

const LABELS = ['apiserver_id_hash', 'status'] as const;

interface Counted {
  readonly total: Tally<(typeof LABELS)[number]>;
  /** Seconds since 1970, by status. */
  readonly last: Map<string, number>;
}

const counted = (part: ReloadedPart): Counted => ({
  total: new Tally('counter', {
    name: `apiserver_${part}_config_controller_automatic_reloads_total`,
    help: `[ALPHA] Total number of automatic reloads of ${part} configuration split by status and apiserver identity.`,
    labels: LABELS,
  }),
  last: new Map(),
});

export class ReloadMetrics {
  readonly #hash: string;
  readonly #parts: Readonly<Record<ReloadedPart, Counted>> = {
    authentication: counted('authentication'),
    authorization: counted('authorization'),
  };

  constructor(identity: string) {
    this.#hash = hashOf(identity);
  }

  reloaded(part: ReloadedPart, isDone: boolean, nowMs: number): void {
    const status = isDone ? 'success' : 'failure';
    this.#parts[part].total.add({ apiserver_id_hash: this.#hash, status });
    this.#parts[part].last.set(status, nowMs / 1000);
  }

  families(): readonly MetricFamily[] {
    return (['authentication', 'authorization'] as const).flatMap((part) => {
      const { total, last } = this.#parts[part];
      if (last.size === 0) return [];
      const samples = [...last]
        .toSorted(([left], [right]) => (left < right ? -1 : 1))
        .map(([status, value]) => ({ labels: { apiserver_id_hash: this.#hash, status }, value }));
      const name = `apiserver_${part}_config_controller_automatic_reload_last_timestamp_seconds`;
      const help = `[ALPHA] Timestamp of the last automatic reload of ${part} configuration split by status and apiserver identity.`;
      return [{ name, help, type: 'gauge', samples }, total.family()];
    });
  }
}
