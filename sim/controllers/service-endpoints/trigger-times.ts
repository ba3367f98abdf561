/**
 * Since when a change of a service or of its pods waits to be seen in its endpoints: the earliest of all changes since the
 * last look, so that others can measure how long it took.
 */
import type { Pod, Service } from '../../api/types/core-v1.ts';

interface Known {
  readonly service: string;
  readonly pods: ReadonlyMap<string, string>;
}

export class TriggerTimes {
  readonly #known = new Map<string, Known>();

  /** Undefined: nothing has changed since the last time. Times of the API are in order as texts. */
  next(key: string, { metadata }: Service, pods: readonly Pod[]): string | undefined {
    const known = this.#known.get(key);
    const times = new Map<string, string>();
    let earliest: string | undefined;
    const consider = (time: string, before = ''): void => {
      if (time > before && (earliest === undefined || time < earliest)) earliest = time;
    };
    for (const {
      metadata: { name = '' },
      status,
    } of pods) {
      const time = status?.conditions?.find(({ type }) => type === 'Ready')?.lastTransitionTime;
      if (!time) continue;
      times.set(name, time);
      consider(time, known?.pods.get(name));
    }
    const created = metadata.creationTimestamp ?? '';
    consider(created, known?.service);
    this.#known.set(key, { service: created, pods: times });
    return earliest;
  }

  forget(key: string): void {
    this.#known.delete(key);
  }
}
