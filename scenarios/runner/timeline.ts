/** The last records of a run by actor, as reports draw them. */
import type { Lane, Mark, Timeline } from '../../reports/run-record.ts';
import type { WorldRecord } from '../world/world.ts';

/** What a run has left of itself. */
interface Ended {
  readonly tail: readonly WorldRecord[];
  /** So many there were in all. */
  readonly records: number;
  readonly now: number;
}

export function timelineOf({ tail, records, now }: Ended): Timeline {
  const lanes = new Map<string, Mark[]>();
  for (const { at, actor, kind, subject } of tail) {
    // What came before the story: the cluster came up.
    if (at < 0) continue;
    const name = actor === '' ? 'world' : actor;
    const marks = lanes.get(name) ?? [];
    marks.push({ at, kind, text: subject });
    lanes.set(name, marks);
  }
  return {
    from: tail.length === records ? 0 : Math.max(0, tail[0]?.at ?? 0),
    to: now,
    lanes: [...lanes].map(([actor, marks]): Lane => ({ actor, marks })),
    omitted: records - tail.length,
  };
}
