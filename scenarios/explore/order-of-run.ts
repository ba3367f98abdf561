/**
 * The order of a run as a partial one: which events have to come after which (one led to the other, or both touch the same
 * thing), and so which runs are the same but for the order of what has nothing to do with one another. Two that touch the
 * same thing, and of which no third keeps the order, are a race: it could have come the other way round.
 */
import { createHash } from 'node:crypto';
import type { Decision } from '../../sim/index.ts';
import type { WorldRecord } from '../world/world.ts';
import { type Footprint, footprintOf, hasQuota } from './footprint.ts';

/** What a run has shown, complete: its records from the first one, and what was asked of its schedule. */
export interface OrderedRun {
  readonly records: readonly WorldRecord[];
  readonly decisions: readonly Decision[];
}

/** At this decision, that candidate first. */
export interface Reversal {
  readonly decision: number;
  readonly answer: number;
  /** Names all that happens up to then, and then, but for the order of what is independent. */
  readonly prefix: string;
}

interface Happened extends Footprint {
  readonly id: number;
  readonly cause: number;
  readonly at: number;
}

export class OrderOfRun {
  readonly #events: readonly Happened[];
  readonly #decisions: readonly Decision[];
  /** By number of the event. */
  readonly #places = new Map<number, number>();
  /** Places of what each event comes right after. */
  readonly #after: (readonly number[])[] = [];
  readonly #hashes: bigint[] = [];
  /** Where each thing was changed, and where it was read. */
  readonly #uses = new Map<string, { readonly changed: number[]; readonly read: number[] }>();
  /** After so many events. */
  readonly #prefixes: bigint[] = [0n];

  constructor({ records, decisions }: OrderedRun) {
    this.#events = happenedIn(records);
    this.#decisions = decisions;
    for (const [place, { id }] of this.#events.entries()) this.#places.set(id, place);
    this.#relate();
  }

  /** Names of all the beginnings of the run. */
  get prefixes(): readonly string[] {
    return this.#prefixes.map(textOf);
  }

  /** What would bring the two of a race into the other order, begun as late as it can be. */
  reversals(): readonly Reversal[] {
    return this.#decisions.flatMap((decision, index) => this.#reversalsAt(decision, index));
  }

  #relate(): void {
    for (const [place, event] of this.#events.entries()) {
      const after = this.#dependences(event, place);
      this.#after.push(after);
      const hash = this.#hashOf(event, after);
      this.#hashes.push(hash);
      this.#prefixes.push(sumOf(this.#prefixes[place] ?? 0n, hash));
      for (const { what, changes } of event.uses) {
        const uses = this.#uses.get(what) ?? { changed: [], read: [] };
        this.#uses.set(what, uses);
        (changes ? uses.changed : uses.read).push(place);
      }
    }
  }

  /** What an event would come right after, if it happened at a place. */
  #dependences({ cause, uses }: Happened, place: number): readonly number[] {
    const before = new Set<number>();
    const caused = this.#places.get(cause);
    if (caused !== undefined && caused < place) before.add(caused);
    for (const { what, changes } of uses) {
      const { changed = [], read = [] } = this.#uses.get(what) ?? {};
      const last = changed.findLast((each) => each < place) ?? -1;
      if (last >= 0) before.add(last);
      if (!changes) continue;
      for (let index = read.length - 1; index >= 0 && (read[index] ?? 0) > last; index--)
        if ((read[index] ?? 0) < place) before.add(read[index] ?? 0);
    }
    return [...before].sort((a, b) => a - b);
  }

  #hashOf({ label }: Happened, after: readonly number[]): bigint {
    const before = after
      .map((place) => this.#hashes[place] ?? 0n)
      .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    const hash = createHash('sha1').update([label, ...before.map(textOf)].join());
    return hash.digest().readBigUInt64LE();
  }

  #reversalsAt({ kind, candidates, answer }: Decision, decision: number): readonly Reversal[] {
    const place = kind === 'event' ? this.#places.get(candidates[answer] ?? 0) : undefined;
    // What was before the story stays as it is.
    if (place === undefined || (this.#events[place]?.at ?? -1) < 0) return [];
    const others = new Set(candidates.map((id) => this.#places.get(id) ?? -1).filter((each) => each > place));
    if (others.size === 0) return [];
    const firsts = new Set<number>();
    for (const later of this.#rivalsOf(place, Math.max(...others))) {
      const first = this.#firstsOf(later, place).find((each) => others.has(each));
      if (first !== undefined) firsts.add(first);
    }
    return [...firsts].flatMap((first) => {
      const event = this.#events[first];
      if (!event) return [];
      const hash = this.#hashOf(event, this.#dependences(event, place));
      const prefix = textOf(sumOf(this.#prefixes[place] ?? 0n, hash));
      return [{ decision, answer: candidates.indexOf(event.id), prefix }];
    });
  }

  /** Those up to a place that are in a race with the event at `place`. */
  #rivalsOf(place: number, last: number): readonly number[] {
    const rivals: number[] = [];
    // Places between that come after it.
    const followers = new Set<number>([place]);
    for (let later = place + 1; later <= last + LOOKAHEAD && later < this.#events.length; later++) {
      const after = this.#after[later] ?? [];
      const following = after.filter((each) => followers.has(each));
      if (following.length === 0) continue;
      const isCaused = this.#places.get(this.#events[later]?.cause ?? 0) === place;
      if (following.length === 1 && following[0] === place && !isCaused) rivals.push(later);
      followers.add(later);
    }
    return rivals;
  }

  /** What has to come before `later`, or it itself, of all after `place`, and has to come after none of these. */
  #firstsOf(later: number, place: number): readonly number[] {
    const seen = new Set<number>();
    const firsts: number[] = [];
    const visit = (each: number): void => {
      if (seen.has(each)) return;
      seen.add(each);
      const earlier = (this.#after[each] ?? []).filter((one) => one > place);
      if (earlier.length === 0) firsts.push(each);
      for (const one of earlier) visit(one);
    };
    visit(later);
    return firsts;
  }
}

/** A rival may come after all that could have come first, where these lead to it. */
const LOOKAHEAD = 200;

function happenedIn(records: readonly WorldRecord[]): readonly Happened[] {
  const countsAcross = hasQuota(records);
  const byEvent = new Map<number, WorldRecord[]>();
  for (const record of records) {
    if (record.event === 0) continue;
    const known = byEvent.get(record.event);
    if (known) known.push(record);
    else byEvent.set(record.event, [record]);
  }
  return [...byEvent].map(([id, own]) => ({
    id,
    cause: own[0]?.cause ?? 0,
    at: own[0]?.at ?? 0,
    ...footprintOf(own, countsAcross),
  }));
}

const WIDTH = 64;
const sumOf = (one: bigint, other: bigint): bigint => BigInt.asUintN(WIDTH, one + other);
const textOf = (hash: bigint): string => hash.toString(36);
