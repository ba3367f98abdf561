/** How often the probes of a pod's containers have succeeded and failed, since its agent began. */
import type { ProbeFailure } from '../runtime/workload-behaviour.ts';

export interface ProbeResults {
  readonly container: string;
  readonly probe: ProbeFailure['probe'];
  readonly result: 'successful' | 'failed';
  readonly count: number;
}

export class ProbeCount {
  readonly #counts = new Map<string, ProbeResults>();

  note(container: string, probe: ProbeFailure['probe'], isFine: boolean): void {
    const result = isFine ? 'successful' : 'failed';
    const key = `${container}/${probe}/${result}`;
    const count = (this.#counts.get(key)?.count ?? 0) + 1;
    this.#counts.set(key, { container, probe, result, count });
  }

  get results(): readonly ProbeResults[] {
    return [...this.#counts.values()];
  }
}
