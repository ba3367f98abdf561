/**
 * Back to an instant of a run, by running it again up to there: a run is a function of its seed and its choices, so what
 * stands there is what stood there. Nothing is kept between two looks but where they were.
 */
import { dirname } from 'node:path';
import type { Choice } from '../../reports/run-record.ts';
import type { LoadedScenario } from '../language/loaded-scenario.ts';
import type { Halt, MakeWorld, Seen, World, WorldRecord } from '../world/world.ts';
import { optionsOfRun } from './options-of-run.ts';
import { runScenario } from './run-scenario.ts';

export interface Past {
  readonly loaded: LoadedScenario;
  readonly seed: number;
  readonly replay: readonly Choice[] | undefined;
  readonly makeWorld: MakeWorld;
}

/** Where to stop: at the first of these. */
export interface Stop {
  /** Virtual microseconds: all that happens at that instant has happened. */
  readonly until?: number | undefined;
  /** Right after so many events. */
  readonly events?: number | undefined;
  /** Right after the first event past `after` events in which this was seen. */
  readonly when?: Moment | undefined;
  readonly after?: number | undefined;
  /** From an instant on another seed answers. */
  readonly branch?: { readonly at: number; readonly seed: number } | undefined;
}

/** Something that happens. */
export interface Moment {
  isChange(change: Seen): boolean;
  isRecord(record: WorldRecord): boolean;
}

/** The world as it stands there. Whoever has it closes it. */
export interface Reached {
  readonly world: World;
  /** Virtual microseconds: where it stands; nothing has happened since the last event. */
  readonly at: number;
  /** Events so far, counted from time 0. */
  readonly events: number;
  /** The run is over; there was no such moment before. */
  readonly isOver: boolean;
}

/** As many records as a look back may want. */
const KEPT = 5_000;

export async function reach({ loaded, seed, replay, makeWorld }: Past, stop: Stop): Promise<Reached> {
  const stopping = new Stopping(stop);
  const world = makeWorld({
    ...optionsOfRun(loaded, seed),
    directory: dirname(loaded.file),
    ...(replay && { replay }),
    keeps: KEPT,
    halt: stopping,
    branch: stop.branch,
    ...(stop.when && {
      observer: { recorded: (_: number, record: () => WorldRecord) => stopping.recorded(record) },
    }),
  });
  stopping.follow(world);
  await runScenario(loaded, world, { seed });
  return { world, at: stopping.at ?? world.now, events: stopping.events, isOver: !stopping.isThere };
}

class Stopping implements Halt {
  readonly #stop: Stop;
  events = 0;
  isThere = false;
  /** Undefined: where the last event was. */
  at: number | undefined;
  #isSeen = false;
  #world: Pick<World, 'recordCount'> | undefined;
  /** Of the last event that is counted: what happens writes a record, the clock and what was called off do not. */
  #recordCount = 0;

  constructor(stop: Stop) {
    this.#stop = stop;
  }

  follow(world: Pick<World, 'recordCount'>): void {
    this.#world = world;
    this.#recordCount = world.recordCount;
  }

  seen(change: Seen): void {
    if (this.#counts && this.#stop.when?.isChange(change) === true) this.#isSeen = true;
  }

  recorded(record: () => WorldRecord): void {
    if (this.#counts && this.#stop.when?.isRecord(record()) === true) this.#isSeen = true;
  }

  /** The event that happens now is the one after `events`. */
  get #counts(): boolean {
    return this.events >= (this.#stop.after ?? 0);
  }

  isEnough(next: number): boolean {
    const { until = Infinity, events = Infinity } = this.#stop;
    if (this.isThere) return true;
    const recordCount = this.#world?.recordCount ?? 0;
    if (recordCount > this.#recordCount) this.events++;
    this.#recordCount = recordCount;
    const isPast = next > until;
    this.isThere = this.#isSeen || isPast || this.events >= events;
    if (isPast && !this.#isSeen) this.at = until;
    return this.isThere;
  }
}
