/**
 * Metamorphic twins: the same run once more with one thing more going wrong, at instants that matter, has to end in the
 * same state. Nobody has to say what that state is.
 */
import type { FailureRecord, Snapshot } from '../../reports/run-record.ts';
import { formatDuration } from '../language/duration.ts';
import { excerpt } from '../language/problem.ts';
import type { LoadedScenario } from '../language/loaded-scenario.ts';
import type { Path } from '../language/read-value.ts';
import type { Fault, Scenario } from '../language/scenario-shape.ts';
import type { RecordObserver } from '../world/world.ts';
import { faultText, writtenFault } from './fault-text.ts';
import { endDifferences } from './end-state.ts';

/** A fault that a twin has beside the others. */
export interface Strike {
  readonly fault: Fault;
  readonly at: number;
  readonly length: number | undefined;
}

export interface EndedRun {
  readonly failure: FailureRecord | undefined;
  /** Once nobody writes any more. */
  readonly end: Snapshot;
}

export type RunToEnd = (options: {
  readonly strikes?: readonly Strike[];
  readonly observer?: RecordObserver;
}) => Promise<EndedRun>;

interface Twin {
  readonly property: string;
  readonly path: Path;
  readonly fault: Fault;
  readonly length: number | undefined;
  readonly times: number;
  /** After whose writes it strikes; undefined: after anybody's. */
  readonly actor: string | undefined;
  /** It travels in time: before it strikes, a server ceases to hear of changes, and it finds that one when it is back. */
  readonly travels?: boolean;
  /** It strikes when the write is about to come to a server. */
  readonly isBefore?: boolean;
}

const SECOND = 1_000_000;
const TIMES = 3;
/** Of each of the twins that every program has. */
const TIMES_OF_PROGRAMS = 2;
const TIMES_OF_TRAVELS = 4;
/** Whom a program finds in its second life. */
const OTHER_SERVER = 'apiserver/1';
const LATE = 30 * SECOND;
/** A write has been sent by then, and has not come to a server yet. */
const SENT = 2;
/** As long as an API server takes that is begun anew. */
const REFUSED = 3 * SECOND;
const FOR_EVER = 3_600 * SECOND;
const ALIKE = 'twins end alike';
export const LEVEL_TRIGGERED = 'controllers-are-level-triggered';

/** A twin that does not end as the run does. */
export interface UnlikeTwin {
  readonly failure: FailureRecord;
  readonly strikes: readonly Strike[];
  /** It broke something by itself. */
  readonly broken: FailureRecord | undefined;
}

/** Undefined: all twins end as the run does, or there are none. `like`: only those that are struck as that one is. */
export async function unlikeTwin(
  loaded: LoadedScenario,
  seed: number,
  run: RunToEnd,
  like?: UnlikeTwin,
): Promise<UnlikeTwin | undefined> {
  const twins = twinsOf(loaded.scenario).filter((twin) => like === undefined || isStruckAlike(twin, like));
  if (twins.length === 0) return undefined;
  const writes = new Writes();
  const first = await run({ observer: writes });
  if (first.failure) return undefined;
  for (const twin of twins)
    for (const at of instants(writes.of(twin.actor), twin.times, seed)) {
      const strikes = [
        ...(twin.travels === true ? pastOf(writes.of(undefined), { at, seed }) : []),
        { fault: twin.fault, at: twin.isBefore === true ? Math.max(0, at - SENT) : at, length: twin.length },
      ];
      const second = await run({ strikes });
      const details = unlikeness(first, second);
      if (details.length > 0)
        return { failure: failureOf(loaded, twin, strikes, details), strikes, broken: second.failure };
    }
  return undefined;
}

function isStruckAlike({ fault, length }: Twin, { strikes }: UnlikeTwin): boolean {
  const struck = strikes.at(-1);
  return struck?.length === length && JSON.stringify(struck?.fault) === JSON.stringify(fault);
}

export const hasTwins = ({ scenario }: LoadedScenario): boolean => twinsOf(scenario).length > 0;

/** Undefined: with these strikes a run ends as it does without them. */
export function struckFailure(
  loaded: LoadedScenario,
  first: EndedRun,
  strikes: readonly Strike[],
  second: EndedRun,
): UnlikeTwin | undefined {
  const [twin] = twinsOf(loaded.scenario);
  const details = unlikeness(first, second);
  if (!twin || details.length === 0) return undefined;
  return { failure: failureOf(loaded, twin, strikes, details), strikes, broken: second.failure };
}

const unlikeness = (first: EndedRun, second: EndedRun): readonly string[] =>
  second.failure
    ? [`${second.failure.property}: ${second.failure.details.join('; ')}`]
    : endDifferences(first.end, second.end);

/** From one of the writes before an instant on the other server hears of no change. */
function pastOf(
  writes: readonly number[],
  { at, seed }: { readonly at: number; readonly seed: number },
): readonly Strike[] {
  const before = writes.filter((instant) => instant < at);
  const since = before[(seed * 7_919 + at) % Math.max(1, before.length)] ?? at;
  return [
    {
      fault: { lagWatchCache: { server: OTHER_SERVER, by: FOR_EVER } },
      at: since,
      length: at + LATE - since,
    },
  ];
}

export const hasFaultlessTwin = ({ scenario: { spec } }: LoadedScenario): boolean =>
  spec.twins?.some(({ faultless }) => faultless === true) === true;

const isFault = ({ fault }: Scenario['spec']['steps'][number]): boolean => fault !== undefined;

/** Its text stays as it was: it is made where somebody asks for it. */
function calmOf(loaded: LoadedScenario): LoadedScenario {
  const { file, scenario } = loaded;
  const steps = scenario.spec.steps.filter((step) => !isFault(step));
  return {
    file,
    scenario: { ...scenario, spec: { ...scenario.spec, steps } },
    get text() {
      return loaded.text;
    },
    locate: (path) => loaded.locate(path),
  };
}

/** Where nothing goes wrong all ends as it did where much went wrong. `end`: of the run that did. */
export async function faultlessFailure(
  loaded: LoadedScenario,
  end: Snapshot,
  run: (calm: LoadedScenario) => Promise<EndedRun>,
): Promise<FailureRecord | undefined> {
  if (!loaded.scenario.spec.steps.some(isFault)) return undefined;
  const { failure, end: calmEnd } = await run(calmOf(loaded));
  const differences = failure
    ? [`${failure.property}: ${failure.details.join('; ')}`]
    : endDifferences(calmEnd, end);
  if (differences.length === 0) return undefined;
  const [first = '', ...others] = differences;
  const details = [`the same run without its faults does not end alike: ${first}`, ...others];
  return notAlike(loaded, { path: ['spec', 'twins'], property: ALIKE, at: 0, details });
}

function twinsOf({ spec }: Scenario): readonly Twin[] {
  const { twins = [], checkers = [], cluster = {} } = spec;
  const struck = twins.filter(({ faultless }) => faultless !== true);
  const named = struck.map(({ restart, fault, for: length, times = TIMES }, index): Twin => {
    const place = { path: ['spec', 'twins', index], property: ALIKE, times } as const;
    if (restart === undefined) return { ...place, fault: fault ?? {}, length, actor: undefined };
    return { ...place, fault: { crash: { actor: restart } }, length: length ?? SECOND, actor: restart };
  });
  const index = checkers.indexOf(LEVEL_TRIGGERED);
  if (index < 0) return named;
  const place = {
    path: ['spec', 'checkers', index],
    property: LEVEL_TRIGGERED,
    times: TIMES_OF_PROGRAMS,
  } as const;
  const ofPrograms = (cluster.programs ?? []).flatMap(({ name }): readonly Twin[] => {
    const actor = `guest/${name}`;
    return [
      { ...place, fault: { crash: { actor } }, length: SECOND, actor },
      // Long enough for something to happen meanwhile.
      { ...place, fault: { crash: { actor } }, length: LATE, actor: undefined },
      { ...place, fault: { endWatches: { actor, expired: true } }, length: undefined, actor: undefined },
      { ...place, fault: { lagWatchCache: { by: SECOND } }, length: LATE, actor },
      // One of its writes, and what it does next: the rest is left for another try.
      ...ofAnswers(actor).map((fault) => ({
        ...place,
        fault,
        length: REFUSED,
        times: TIMES,
        actor,
        isBefore: true,
      })),
      ...travelsOf(actor, place, cluster.apiServers),
    ];
  });
  return [...named, ...ofPrograms];
}

const OF_WRITES = ['create', 'update', 'patch', 'delete'] as const;
const ofAnswers = (actor: string): readonly Fault[] => [
  { failRequests: { actor, verb: OF_WRITES, status: 503 } },
  { loseAnswers: { actor, verb: OF_WRITES, count: 1, resets: true } },
];

/** Where there is another server, a program that is begun anew may find itself in the past. */
const travelsOf = (
  actor: string,
  place: Pick<Twin, 'path' | 'property'>,
  servers: NonNullable<Scenario['spec']['cluster']>['apiServers'],
): readonly Twin[] =>
  (typeof servers === 'number' ? servers : (servers?.length ?? 1)) < 2
    ? []
    : [
        {
          ...place,
          times: TIMES_OF_TRAVELS,
          fault: { crash: { actor } },
          length: SECOND,
          actor: undefined,
          travels: true,
        },
      ];

/** A few of many, spread over them; which, depends on the seed. */
function instants(all: readonly number[], times: number, seed: number): readonly number[] {
  const few = Math.min(times, all.length);
  return Array.from({ length: few }, (_, index) => {
    const place = Math.floor((index * all.length + ((seed * 7_919) % all.length)) / few);
    return all[place] ?? 0;
  });
}

const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

/** When servers did what they were asked for, and by whom: then the answer is still under way. */
class Writes implements RecordObserver {
  readonly #all: { readonly at: number; readonly by: string }[] = [];
  #message: { readonly event: number; readonly by: string } | undefined;

  recorded(
    _: number,
    record: () => { at: number; actor: string; kind: string; subject: string; event: number },
  ): void {
    const { at, actor, kind, subject, event } = record();
    if (!actor.startsWith('apiserver/') || at < 0) return;
    if (kind === 'message') this.#message = { event, by: subject.split('>')[0] ?? '' };
    else if (WRITES.has(kind) && this.#message?.event === event && !subject.includes('/leases'))
      this.#all.push({ at: at + 1, by: this.#message.by });
  }

  of(actor: string | undefined): readonly number[] {
    return this.#all.filter(({ by }) => actor === undefined || by === actor).map(({ at }) => at);
  }
}

function failureOf(
  loaded: LoadedScenario,
  { property, path }: Twin,
  strikes: readonly Strike[],
  details: readonly string[],
): FailureRecord {
  const at = strikes.at(-1)?.at ?? 0;
  const what = `the same run with ${strikes.map(textOf).join(' and ')} does not end alike`;
  const [first = '', ...others] = details;
  return notAlike(loaded, { property, path, at, details: [`${what}: ${first}`, ...others] });
}

function textOf({ fault, at, length }: Strike): string {
  const lasting = length === undefined ? '' : ` for ${formatDuration(length)}`;
  return `${faultText(writtenFault(fault))}${lasting} at ${formatDuration(at)}`;
}

function notAlike(
  { file, text, locate }: LoadedScenario,
  { path, ...told }: Pick<FailureRecord, 'property' | 'at' | 'details'> & { readonly path: Path },
): FailureRecord {
  const position = locate(path);
  return {
    kind: 'checker',
    ...told,
    file,
    ...position,
    excerpt: excerpt(text, position),
    trace: [],
    choices: [],
    allChoices: 0,
  };
}
