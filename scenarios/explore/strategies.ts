/**
 * Ways to look for what breaks a scenario: each turns what is known so far into the next run to make. A run is the
 * scenario with something done to it: another schedule, other answers of chance, a fault at some request. Strategies
 * know scenarios as values and what runs have shown; they run nothing. The same number of an attempt is always the same run.
 */
import { formatDuration } from '../language/duration.ts';
import type { Json, JsonMap } from '../language/shape.ts';
import type { Decision } from '../../sim/index.ts';
import type { WorldRecord } from '../world/world.ts';
import { OrderSearch } from './order-search.ts';

export interface Attempt {
  readonly scenario: JsonMap;
  readonly seed: number;
  /** Later attempts come of what it has shown: whoever goes on with a search makes it again. */
  readonly isLearnt?: boolean;
  /** It is `base` with so many faults before its steps. */
  readonly strikes?: { readonly base: JsonMap; readonly count: number };
}

/** What a run has shown. */
export interface Seen {
  readonly records: readonly WorldRecord[];
  /** What was asked of its schedule; only for who `seesAll`. */
  readonly decisions: readonly Decision[];
}

export interface Subject {
  /** The scenario, or the one that a property draws with a seed. */
  readonly scenarioOf: (seed: number) => JsonMap;
  readonly isProperty: boolean;
}

export interface Strategy {
  /** It needs all records from the first on, and all decisions. */
  readonly seesAll?: boolean;
  /** The attempt of a number, from 0; undefined: there are no more. */
  attempt(index: number): Attempt | undefined;
  /** What came of it; told for each attempt, in order. */
  learn(attempt: Attempt, seen: Seen): void;
  /** How far it has come, for who reads the end of a search. */
  readonly remark?: string | undefined;
}

export const STRATEGIES = ['random', 'pct', 'delay-bounded', 'coverage', 'perturb', 'exhaustive'] as const;
export type StrategyName = (typeof STRATEGIES)[number];

export const strategyOf = (name: StrategyName, subject: Subject): Strategy => MAKERS[name](subject);

const MAKERS: Readonly<Record<StrategyName, (subject: Subject) => Strategy>> = {
  random: (subject) => scheduled(subject, () => ({ policy: 'random', window: '1ms' })),
  pct: (subject) =>
    scheduled(subject, (seed) => ({
      policy: 'priorities',
      changePoints: 1 + (seed % 5),
      window: WINDOWS[seed % WINDOWS.length] ?? '1ms',
    })),
  'delay-bounded': (subject) =>
    scheduled(subject, (seed) => ({
      policy: 'delays',
      delays: 1 + (seed % 4),
      window: WINDOWS[seed % WINDOWS.length] ?? '1ms',
    })),
  coverage: (subject) => new Coverage(subject),
  perturb: (subject) => new Perturbation(subject),
  exhaustive: (subject) => new Exhaustion(subject),
};

const WINDOWS = ['1ms', '5ms', '200us', '20ms'];
const FIRST_SEED = 1;

const specOf = (scenario: JsonMap): JsonMap => (scenario['spec'] ?? {}) as JsonMap;
const stepsOf = (scenario: JsonMap): readonly JsonMap[] =>
  (specOf(scenario)['steps'] ?? []) as readonly JsonMap[];
const withSpec = (scenario: JsonMap, members: JsonMap): JsonMap => ({
  ...scenario,
  spec: { ...specOf(scenario), ...members },
});
const withSchedule = (scenario: JsonMap, schedule: Json): JsonMap =>
  withSpec(scenario, { cluster: { ...((specOf(scenario)['cluster'] ?? {}) as JsonMap), schedule } });

/** A seed after the other, each with a schedule. */
function scheduled({ scenarioOf }: Subject, scheduleOf: (seed: number) => Json): Strategy {
  return {
    attempt: (index) => {
      const seed = FIRST_SEED + index;
      return { seed, scenario: withSchedule(scenarioOf(seed), scheduleOf(seed)) };
    },
    learn: () => undefined,
  };
}

/** Keeps what has reached something new, and crosses it with others: the beginning of one, the end of another. */
class Coverage implements Strategy {
  readonly #subject: Subject;
  readonly #known = new Set<string>();
  readonly #corpus: Attempt[] = [];

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  attempt(index: number): Attempt {
    const seed = FIRST_SEED + index;
    const fresh = this.#subject.scenarioOf(seed);
    const former = this.#corpus[index % Math.max(1, this.#corpus.length)];
    // Every other run is one that nothing has shaped.
    if (index % 2 === 0 || !former || !this.#subject.isProperty) return { seed, scenario: fresh };
    const [head, tail] = [stepsOf(former.scenario), stepsOf(fresh)];
    const steps = [...head.slice(0, Math.ceil(head.length / 2)), ...tail.slice(Math.floor(tail.length / 3))];
    return { seed, scenario: withSpec(former.scenario, { steps }) };
  }

  learn(attempt: Attempt, { records }: Seen): void {
    const before = this.#known.size;
    let last = '';
    for (const { kind, subject, text } of records) {
      const status = /"status":(\d+)/.exec(text)?.[1] ?? '';
      const feature = `${kind} ${resourceIn(subject)} ${status}`;
      // What follows on what, too.
      this.#known.add(feature).add(`${last} > ${feature}`);
      last = feature;
    }
    if (this.#known.size > before) this.#corpus.push(attempt);
  }
}

/**
 * Learns from a good run who writes what, and then strikes at these writes: before one, after one, at its answer; programs
 * also travel in time. What a scenario is, is struck everywhere; of what a property draws, a part is struck, spread over all
 * that could be, before the next story is drawn.
 */
class Perturbation implements Strategy {
  readonly #subject: Subject;
  #seed = FIRST_SEED;
  #base: JsonMap | undefined;
  /** Not struck yet; undefined: nobody knows yet who writes. */
  #strikes: Steps[] | undefined;

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  attempt(index: number): Attempt | undefined {
    const strike = this.#strikes?.shift();
    if (strike && this.#base) {
      const steps = [...strike, ...stepsOf(this.#base)];
      const scenario = withSpec(this.#base, { steps });
      return { seed: this.#seed, scenario, strikes: { base: this.#base, count: strike.length } };
    }
    if (index > 0 && !this.#subject.isProperty) return undefined;
    if (index > 0) this.#seed++;
    this.#strikes = undefined;
    this.#base = this.#subject.scenarioOf(this.#seed);
    return { seed: this.#seed, scenario: this.#base, isLearnt: true };
  }

  learn({ scenario, isLearnt }: Attempt, { records }: Seen): void {
    if (isLearnt !== true) return;
    const kinds = [
      strikesAt(records).map((strike): Steps => [strike]),
      ...pastsOf(records, hasOtherServer(scenario)),
    ];
    const chosen = this.#subject.isProperty
      ? kinds.map((all) => spread(all, Math.ceil(OF_A_STORY / kinds.length), this.#seed))
      : kinds;
    this.#strikes = inTurns(chosen);
  }
}

/** A part of all, other ones for other seeds. */
function spread<T>(all: readonly T[], count: number, seed: number): readonly T[] {
  const parts = Math.ceil(all.length / count);
  return all.filter((_, index) => index % parts === seed % parts);
}

/** One of each, then one more of each. */
function inTurns<T>(lists: readonly (readonly T[])[]): T[] {
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  return Array.from({ length: longest }, (_, turn) =>
    lists.flatMap((list) => list.slice(turn, turn + 1)),
  ).flat();
}

/** So many strikes are made at what one seed draws. */
const OF_A_STORY = 24;

const VERBS: Readonly<Record<string, string>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};
/** Of one writer and kind of write, the first so many are struck. */
const MOST_OF_A_KIND = 6;

function strikesAt(records: readonly WorldRecord[]): readonly JsonMap[] {
  const counts = new Map<string, number>();
  const senders = new Map<number, string>();
  return records.flatMap(({ at, kind, subject, text, event }) => {
    if (kind === 'message') senders.set(event, subject.split('>')[0] ?? '');
    const verb = VERBS[kind];
    const user = /"by":"([^"]+)"/.exec(text)?.[1];
    const resource = resourceIn(subject);
    if (verb === undefined || user === undefined || at < 0 || resource === 'events') return [];
    const key = `${user} ${verb} ${resource}`;
    const nth = (counts.get(key) ?? 0) + 1;
    counts.set(key, nth);
    if (nth > MOST_OF_A_KIND) return [];
    return strikesOf(
      { user, verb, resource, nth },
      { at, sender: isPerson(user) ? undefined : senders.get(event) },
    );
  });
}

type Steps = readonly JsonMap[];

/** Programs hear late; or they are begun anew after some write and find a server that has heard of nothing since an earlier one. */
function pastsOf(
  records: readonly WorldRecord[],
  canTravel: boolean,
): readonly [late: readonly Steps[], travels: readonly Steps[]] {
  const writes = records.filter(({ at, kind, actor }) => at > 0 && kind in VERBS && actor === SERVER);
  const programs = new Set(records.flatMap(({ text }) => /"by":"guest:([^"]+)"/.exec(text)?.[1] ?? []));
  const times = [...new Set(writes.map(({ at }) => at + 1))].slice(0, MOST_INSTANTS);
  const late = programs.size === 0 ? [] : times.map(lateFrom);
  const travels = [...programs].flatMap((name) =>
    times.flatMap((since, first) => times.slice(first + 1).map((at) => travelOf(name, since, at))),
  );
  return [late, canTravel ? travels : []];
}

const lateFrom = (at: number): Steps => [
  { fault: { lagWatchCache: { by: '1s' } }, delay: formatDuration(at), for: '30s' },
];

const travelOf = (name: string, since: number, at: number): Steps => [
  {
    fault: { lagWatchCache: { by: '1h', server: OTHER_SERVER } },
    delay: formatDuration(since),
    for: formatDuration(at - since + LATE),
  },
  { fault: { crash: { actor: `guest/${name}` } }, delay: formatDuration(at), for: '1s' },
];

function hasOtherServer(scenario: JsonMap): boolean {
  const { apiServers = 1 } = (specOf(scenario)['cluster'] ?? {}) as JsonMap;
  return Array.isArray(apiServers) ? apiServers.length > 1 : Number(apiServers) > 1;
}

const SERVER = 'apiserver/0';
const OTHER_SERVER = 'apiserver/1';
const MOST_INSTANTS = 24;
const LATE = 30_000_000;

/** Components and programs can crash; whoever drives the run does not. */
const isPerson = (user: string): boolean => !/^(system|guest):/.test(user);

/** `sender`: who wrote, if it can crash; a second after that it begins anew. */
function strikesOf(
  chosen: JsonMap,
  { at, sender }: { readonly at: number; readonly sender: string | undefined },
): readonly JsonMap[] {
  const fatal = { ...chosen, ...(sender !== undefined && { actor: sender }) };
  const crashes = sender === undefined ? [] : ['crashBefore', 'crashAfter'];
  return [
    { fault: { failRequests: { ...chosen, status: 409 } }, for: '1h' },
    { fault: { failRequests: { ...chosen, status: 500 } }, for: '1h' },
    { fault: { loseAnswers: { ...chosen, resets: true } }, for: '1h' },
    ...crashes.map((verb) => ({ fault: { [verb]: fatal }, for: formatDuration(at + SECOND) })),
  ];
}

const SECOND = 1_000_000;

/** `/api/v1/namespaces/default/pods/a` is about pods. */
function resourceIn(path: string): string {
  const parts = path.replace(/^\/(api\/v1|apis\/[^/]+\/[^/]+)\//, '').split('/');
  return (parts[0] === 'namespaces' && parts.length > 2 ? parts[2] : parts[0]) ?? '';
}

/** Every order that may matter, those that differ least from first-come first: for small scopes. Of a property, what its first seed draws. */
class Exhaustion implements Strategy {
  readonly seesAll = true;
  readonly #subject: Subject;
  readonly #search = new OrderSearch();

  constructor(subject: Subject) {
    this.#subject = subject;
  }

  attempt(): Attempt | undefined {
    const choices = this.#search.next();
    if (!choices) return undefined;
    const scenario = withSchedule(this.#subject.scenarioOf(FIRST_SEED), { policy: 'random', window: '1ms' });
    return {
      seed: FIRST_SEED,
      scenario: withSpec(scenario, { choices: choices.map((each) => ({ ...each })) }),
    };
  }

  learn(_attempt: Attempt, seen: Seen): void {
    this.#search.learn(seen);
  }

  get remark(): string {
    const { tried, waiting, skipped } = this.#search.counts;
    const left = waiting === 0 ? 'these are all' : `${waiting} wait`;
    return `${tried} orders tried, ${left}; ${skipped} were left out, as they differ from others in nothing that matters`;
  }
}
