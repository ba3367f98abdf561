/**
 * Says what causes a failure, from what runs show and nothing else: which faults it needs and which alone are enough,
 * from when on it is decided (runs with the same past and other futures), and which writes led to what is broken.
 */
import type { FailureRecord } from '../../reports/run-record.ts';
import type { JsonMap } from '../language/shape.ts';
import type { DeedOnOldView, OldView, WorldRecord } from '../world/world.ts';
import { faultText } from './fault-text.ts';

export interface Trial {
  readonly failure: FailureRecord | undefined;
  readonly tail: readonly WorldRecord[];
  /** How many there were in all. */
  readonly records: number;
  readonly deedsOnOldViews?: readonly DeedOnOldView[] | undefined;
}

export interface ExplainOptions {
  /** The smallest scenario. */
  readonly scenario: JsonMap;
  readonly failure: FailureRecord;
  readonly isAlike: (failure: FailureRecord | undefined) => boolean;
  readonly run: (
    scenario: JsonMap,
    options?: { readonly branch?: { readonly at: number; readonly seed: number }; readonly keeps?: number },
  ) => Promise<Trial>;
}

const BRANCH_POINTS = 6;
const BRANCHES = 3;
const KEPT = 4_000;
const LONGEST_CHAIN = 6;

export async function explain(options: ExplainOptions): Promise<readonly string[]> {
  return [...(await aboutFaults(options)), ...(await aboutTime(options)), ...(await aboutWrites(options))];
}

const stepsOf = ({ spec }: JsonMap): readonly JsonMap[] =>
  ((spec as JsonMap)['steps'] ?? []) as readonly JsonMap[];

const withSteps = (scenario: JsonMap, steps: readonly JsonMap[]): JsonMap => ({
  ...scenario,
  spec: { ...(scenario['spec'] as JsonMap), steps },
});

async function aboutFaults({ scenario, isAlike, run }: ExplainOptions): Promise<readonly string[]> {
  const steps = stepsOf(scenario);
  const faults = steps.filter((step) => step['fault'] !== undefined);
  if (faults.length === 0) return ['it needs no fault: it fails where nothing goes wrong'];
  const lines: string[] = [];
  for (const fault of faults) {
    const without = await run(
      withSteps(
        scenario,
        steps.filter((step) => step !== fault),
      ),
    );
    const others = steps.filter((step) => step === fault || step['fault'] === undefined);
    const isEnough = faults.length === 1 || isAlike((await run(withSteps(scenario, others))).failure);
    const needed = isAlike(without.failure) ? 'is not needed' : 'is needed';
    const alike = faults.filter((other) => textOf(other) === textOf(fault));
    const which = alike.length > 1 ? ` (${alike.indexOf(fault) + 1} of ${alike.length})` : '';
    lines.push(`${textOf(fault)}${which} ${needed}${isEnough ? ', and is enough by itself' : ''}`);
  }
  return lines;
}

function textOf({ fault, for: length }: JsonMap): string {
  const lasting = typeof length === 'string' ? ` for ${length}` : '';
  return `the fault ${faultText(fault as JsonMap)}${lasting}`;
}

/** From when on it is decided: the share of failures among runs that part from this one at an instant. */
async function aboutTime({ scenario, failure, isAlike, run }: ExplainOptions): Promise<readonly string[]> {
  const shares: { readonly at: number; readonly failing: number }[] = [];
  for (let point = 0; point < BRANCH_POINTS; point++) {
    const at = Math.floor((Math.max(0, failure.at) * point) / BRANCH_POINTS);
    let failing = 0;
    for (let seed = 1; seed <= BRANCHES; seed++)
      if (isAlike((await run(scenario, { branch: { at, seed: 1_000 + seed } })).failure)) failing++;
    shares.push({ at, failing });
  }
  if (shares.every(({ failing }) => failing === BRANCHES))
    return ['chance has no part in it: runs with other answers of chance fail as well'];
  const curve = shares.map(({ at, failing }) => `${inSeconds(at)}: ${failing} of ${BRANCHES}`).join(', ');
  const decided = shares.find((_, index) => shares.slice(index).every(({ failing }) => failing === BRANCHES));
  return [
    `runs that go another way from an instant on fail so often: ${curve}`,
    ...(decided ? [`from ${inSeconds(decided.at)} on it is decided`] : []),
  ];
}

/** The last writes to what is broken, and on which old view of things they were made. */
export async function aboutWrites({
  scenario,
  failure,
  run,
}: Pick<ExplainOptions, 'scenario' | 'failure' | 'run'>): Promise<readonly string[]> {
  const { tail, deedsOnOldViews = [] } = await run(scenario, { keeps: KEPT });
  const names = namesIn(failure.details);
  const before = deedsOnOldViews.filter(({ at }) => at <= failure.at);
  return [...chainOf(tail, names), ...oldViewOf(before, names)];
}

/** Who was refused changed nothing; what is done again and again is told once. */
function chainOf(tail: readonly WorldRecord[], names: readonly string[]): readonly string[] {
  const writes = tail
    .filter(
      ({ kind, subject }) => WRITES.has(kind) && names.some((name) => subject.split('/').includes(name)),
    )
    .map((record) => ({ at: record.at, ...deedOf(record) }));
  const done = writes.filter(({ status }) => status < REFUSED);
  const told: { readonly at: number; readonly text: string; times: number }[] = [];
  for (const { at, text } of done.length > 0 ? done : writes) {
    const last = told.at(-1);
    if (last?.text === text) last.times++;
    else told.push({ at, text, times: 1 });
  }
  if (told.length === 0) return [];
  const story = told
    .slice(-LONGEST_CHAIN)
    .map(({ at, text, times }) => `at ${inSeconds(at)} ${text}${times > 1 ? `, ${times} times` : ''}`);
  return [`before that, ${story.join('; ')}`];
}

/** The last deed of somebody who knew things as they had been. What is younger than a message on its way is no old view. */
function oldViewOf(deeds: readonly DeedOnOldView[], names: readonly string[]): readonly string[] {
  const deed = deeds.findLast(({ name, views }) => names.includes(name) && views.some(isOld));
  if (!deed) return [];
  const { at, client, did, created, views } = deed;
  const read = views
    .filter(isOld)
    .map(
      ({ title, revision, server, lag, stood }) =>
        `${title} at revision ${revision} from ${server}, which lagged by ${inSeconds(lag)} (it was ${stood})`,
    );
  const made = created === undefined ? '' : `, created at ${created}`;
  return [`${client} had read ${read.join(' and ')}, and at ${inSeconds(at)} ${did}${made}`];
}

const ON_ITS_WAY = 10_000;
const isOld = ({ lag }: OldView): boolean => lag > ON_ITS_WAY;

const WRITES: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const REFUSED = 400;

/** What was done for whom: the record says so itself. */
function deedOf({ actor, kind, subject, text }: WorldRecord): {
  readonly text: string;
  readonly status: number;
} {
  const by = /"by":"([^"]+)"/.exec(text)?.[1];
  const [, status = '0'] = /"status":(\d+)/.exec(text) ?? /"refused":(\d+)/.exec(text) ?? [];
  const outcome = status === '0' ? '' : ` (${status})`;
  return {
    text: `${actor} did ${kind} ${subject}${by === undefined ? '' : ` for ${by}${outcome}`}`,
    status: Number(status),
  };
}

/** Names of objects: what stands behind a slash. */
const namesIn = (details: readonly string[]): readonly string[] => [
  ...new Set(
    details.flatMap((detail) =>
      [...detail.matchAll(/[a-z0-9]\/([a-z0-9][-a-z0-9.]*)/g)].map(([, name = '']) => name),
    ),
  ),
];

const inSeconds = (micros: number): string => `${Math.round(micros / 1_000) / 1_000}s`;
