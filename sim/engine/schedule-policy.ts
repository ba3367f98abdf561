/**
 * Who is next. Whenever several events are enabled, or several processes can go on, the kernel asks a policy. All
 * answers come from `Choices`, at sites named after the one that would be next if first come were first served,
 * and answer 0 is just that: so a choice log replays a schedule, and shrinking leads back to first-come.
 *
 * - `first-come`: no question is asked, and none costs anything.
 * - `random`: each of the enabled ones is equally likely.
 * - `priorities`: each actor and each kind of process has a rank, and the least goes first; at some points of the run
 *   (the change points) the one that would have gone is put behind all others for good. Few changes of order reach
 *   most defects of order (probabilistic concurrency testing).
 * - `delays`: first-come but for a few decisions, at which the first lets the next one go (delay-bounded search).
 */

import type { Choices, ChoiceSite } from './choices.ts';
import type { Label } from './digest.ts';
import { invariant } from './invariant.ts';
import type { Micros } from './time.ts';

/** What a policy sees of an event or a process. */
export interface Candidate {
  /** Number of an event. */
  readonly id?: number;
  /** Its actor; undefined for what comes from the world outside. */
  readonly owner: { readonly label: Label } | undefined;
}

export interface SchedulePolicy {
  /** Index of the candidate that is next; there are two at least, first come first. */
  nextEvent(candidates: readonly Candidate[]): number;
  nextProcess(candidates: readonly (Candidate & { readonly label: Label })[]): number;
}

/** A question that a `random` schedule has asked of chance: replayed at the same site and occurrence, another answer is another order. */
export interface Decision {
  readonly kind: 'event' | 'process';
  readonly site: string;
  readonly occurrence: number;
  /** Events by number, first come first; 0 for processes, which have none. */
  readonly candidates: readonly number[];
  /** Index of the one that is next. */
  readonly answer: number;
}

/** How the order of what could happen at about the same time is found; a name alone means its defaults. */
export type Schedule =
  | 'first-come'
  | 'random'
  | 'priorities'
  | 'delays'
  | { readonly policy: 'first-come' }
  | ({ readonly policy: 'random' } & ScheduleWindow)
  | ({
      readonly policy: 'priorities';
      /** How often an actor falls behind all others; default 3. */
      readonly changePoints?: number;
    } & ScheduleWindow)
  | ({
      readonly policy: 'delays';
      /** How often the one that would be next lets the others go first; default 2. */
      readonly delays?: number;
    } & ScheduleWindow);

interface ScheduleWindow {
  /**
   * Events due within so much of the first one are enabled together with it; default 0: those of the same instant.
   * An event that has to let others go first happens late, none happens early.
   */
  readonly window?: Micros;
}

/** Undefined: first come, first served. */
export function policyOf(
  schedule: Schedule,
  choices: Choices,
  onDecision?: (decision: Decision) => void,
): SchedulePolicy | undefined {
  const options = typeof schedule === 'string' ? { policy: schedule } : schedule;
  if (options.policy === 'first-come') return undefined;
  if (options.policy === 'random') return new RandomPolicy(choices, onDecision);
  if (options.policy === 'delays')
    return new DelayPolicy(choices, ('delays' in options ? options.delays : undefined) ?? DEFAULT_DELAYS);
  const { changePoints = DEFAULT_CHANGE_POINTS } = options as { readonly changePoints?: number };
  return new PriorityPolicy(choices, changePoints);
}

export const windowOf = (schedule: Schedule): number =>
  typeof schedule === 'string' || schedule.policy === 'first-come' ? 0 : (schedule.window ?? 0);

const DEFAULT_CHANGE_POINTS = 3;
const DEFAULT_DELAYS = 2;
const OUTSIDE = 'world';

const nameOf = ({ owner }: Candidate): string => owner?.label.text ?? OUTSIDE;

class RandomPolicy implements SchedulePolicy {
  readonly #choices: Choices;
  readonly #onDecision: ((decision: Decision) => void) | undefined;
  readonly #sites = { event: new Map<string, ChoiceSite>(), process: new Map<string, ChoiceSite>() };
  readonly #asked = new Map<string, number>();

  constructor(choices: Choices, onDecision: ((decision: Decision) => void) | undefined) {
    this.#choices = choices;
    this.#onDecision = onDecision;
  }

  nextEvent(candidates: readonly Candidate[]): number {
    return this.#pick('event', candidates);
  }

  nextProcess(candidates: readonly Candidate[]): number {
    return this.#pick('process', candidates);
  }

  #pick(kind: Decision['kind'], candidates: readonly Candidate[]): number {
    const [first] = candidates;
    invariant(first !== undefined, 'a schedule chooses among candidates');
    const name = nameOf(first);
    const sites = this.#sites[kind];
    let site = sites.get(name);
    if (!site) sites.set(name, (site = this.#choices.site(`${name}:${kind} instead`)));
    const answer = site.int(0, candidates.length - 1);
    if (this.#onDecision) this.#tell(this.#onDecision, { kind, site: site.name, answer }, candidates);
    return answer;
  }

  #tell(
    onDecision: (decision: Decision) => void,
    decision: Pick<Decision, 'kind' | 'site' | 'answer'>,
    candidates: readonly Candidate[],
  ): void {
    const occurrence = this.#asked.get(decision.site) ?? 0;
    this.#asked.set(decision.site, occurrence + 1);
    onDecision({ ...decision, occurrence, candidates: candidates.map(({ id = 0 }) => id) });
  }
}

/** Enough ranks that two are seldom equal; 0 is the default of all. */
const RANKS = 1_000_000;
/** Change points are drawn from so many decisions. */
const DECISIONS = 10_000;

class PriorityPolicy implements SchedulePolicy {
  readonly #choices: Choices;
  readonly #ranks = new Map<string, number>();
  /** Numbers of decisions, from 1; 0 is never. */
  readonly #changePoints: ReadonlySet<number>;
  #decisions = 0;

  constructor(choices: Choices, changePoints: number) {
    this.#choices = choices;
    this.#changePoints = new Set(
      Array.from({ length: changePoints }, (_, index) =>
        choices.site(`schedule:change point ${index + 1}`).int(0, DECISIONS),
      ),
    );
  }

  nextEvent(candidates: readonly Candidate[]): number {
    return this.#least(candidates.map(nameOf));
  }

  nextProcess(candidates: readonly (Candidate & { readonly label: Label })[]): number {
    return this.#least(candidates.map((candidate) => `${nameOf(candidate)}:${candidate.label.text}`));
  }

  #least(names: readonly string[]): number {
    const index = this.#indexOfLeast(names);
    if (!this.#changePoints.has(++this.#decisions)) return index;
    this.#ranks.set(names[index] ?? '', RANKS + this.#decisions);
    return this.#indexOfLeast(names);
  }

  #indexOfLeast(names: readonly string[]): number {
    const ranks = names.map((name) => this.#rankOf(name));
    return ranks.indexOf(Math.min(...ranks));
  }

  #rankOf(name: string): number {
    let rank = this.#ranks.get(name);
    if (rank === undefined) this.#ranks.set(name, (rank = this.#choices.site(`${name}:rank`).int(0, RANKS)));
    return rank;
  }
}

class DelayPolicy implements SchedulePolicy {
  /** Numbers of decisions, from 1; 0 is never. */
  readonly #delays: ReadonlySet<number>;
  #decisions = 0;

  constructor(choices: Choices, count: number) {
    this.#delays = new Set(
      Array.from({ length: count }, (_, index) =>
        choices.site(`schedule:delay ${index + 1}`).int(0, DECISIONS),
      ),
    );
  }

  nextEvent(): number {
    return this.#next();
  }

  nextProcess(): number {
    return this.#next();
  }

  #next(): number {
    return this.#delays.has(++this.#decisions) ? 1 : 0;
  }
}
