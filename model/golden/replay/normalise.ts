/** Turns the raw answers of one run of a case into the form of its recording. */
import { describeBinary } from './binary-envelope.ts';
import { allocatedIn, BodyNormaliser } from './body-normaliser.ts';
import type { GoldenCase, RawResponse, Recorded, Step, Variables, WatchEvent } from './golden-case.ts';
import { filterList } from './item-filter.ts';
import { compareText, isObject } from './json-object.ts';
import { findAll, getAt, isWildcard, without } from './json-pointer.ts';
import { literalsOf } from './literals.ts';
import { PlaceholderNumbers, withoutMarks } from './placeholders.ts';
import { substitute } from './substitute.ts';
import { textNormaliser, type TextNormaliser } from './text-normaliser.ts';

/** One run of a case: a raw response, or nothing, for every step. */
export interface Transcript {
  readonly variables: Variables;
  readonly baseUrl: string;
  readonly responses: readonly (RawResponse | undefined)[];
}

const RECORDED_HEADERS = ['content-type', 'content-encoding', 'location', 'retry-after', 'warning'];
const REPEATED_HEADER = 'warning';

interface Tools {
  readonly variables: Variables;
  readonly text: TextNormaliser;
  readonly body: BodyNormaliser;
}

export function normalise(golden: GoldenCase, { variables, baseUrl, responses }: Transcript): readonly (Recorded | undefined)[] {
  const literals = literalsOf(golden);
  const allocated = allocatedIn(responses.flatMap((response) => [response?.body, response?.events]), literals);
  const text = textNormaliser({ variables, baseUrl, literals, allocated });
  const tools: Tools = { variables, text, body: new BodyNormaliser(text, literals) };
  const numbers = new PlaceholderNumbers();
  return golden.steps.map((step, index) => {
    const response = responses[index];
    return response && numbers.number(normaliseResponse(step, response, ignoredPointers(golden, step), tools));
  });
}

/** The pointers that do not count in a step; they address the body, or the object of each event. */
export const ignoredPointers = (golden: GoldenCase, step: Step): readonly string[] => [
  ...(golden.ignore ?? []),
  ...(step.ignore ?? []),
];

function normaliseResponse(step: Step, response: RawResponse, ignore: readonly string[], tools: Tools): Recorded {
  const { status, headers, body, bodyText, bodyBytes, events, closed, problem } = response;
  const counted = body === undefined ? undefined : comparedBody(step, body, ignore, tools);
  const isBodyIgnored = ignore.includes('');
  return {
    ...(status !== undefined && { status }),
    ...(headers && { headers: pickHeaders(step, headers, tools.text) }),
    ...(counted !== undefined && { body: counted }),
    ...(bodyText !== undefined && !isBodyIgnored && { bodyText: tools.text(bodyText) }),
    ...(bodyBytes !== undefined && !isBodyIgnored && { bodyBinary: describeBinary(bodyBytes) }),
    ...(events && { events: comparedEvents(step, events, ignore, tools) }),
    ...(closed && { closed }),
    ...(problem !== undefined && { problem: tools.text(problem) }),
  };
}

function pickHeaders(
  step: Step,
  headers: readonly (readonly [string, string])[],
  text: TextNormaliser,
): Record<string, string | string[]> {
  const picked: Record<string, string | string[]> = {};
  for (const wanted of [...RECORDED_HEADERS, ...(step.recordHeaders ?? [])]) {
    const name = wanted.toLowerCase();
    const values = headers.filter(([header]) => header === name).map(([, value]) => text(value));
    const [first] = values;
    if (first === undefined) continue;
    picked[name] = name === REPEATED_HEADER || values.length > 1 ? values : first;
  }
  return picked;
}

function comparedBody(step: Step, body: unknown, ignore: readonly string[], tools: Tools): unknown {
  const filter = step.filterItems && substitute(step.filterItems, tools.variables);
  const counted = without(filter ? filterList(body, filter) : body, ignore);
  if (counted === undefined) return undefined;
  const normalised = tools.body.normalise(counted);
  if (Array.isArray(step.unordered)) sortParts(normalised, step.unordered as readonly string[]);
  return step.select ? selectParts(normalised, step.select) : normalised;
}

function comparedEvents(step: Step, events: readonly WatchEvent[], ignore: readonly string[], tools: Tools): unknown[] {
  const normalised = events.map(({ type, object, bytes }) => ({
    ...(type !== undefined && { type }),
    ...(object !== undefined && { object: tools.body.normalise(without(object, ignore), type === 'BOOKMARK') }),
    ...(bytes !== undefined && { objectBinary: describeBinary(bytes) }),
  }));
  return step.unordered === true ? sortedByContent(normalised) : normalised;
}

/** Puts what is addressed (arrays, and enumerations inside strings) in an order that depends on its content alone. */
function sortParts(body: unknown, pointers: readonly string[]): void {
  for (const { parent, key, value } of pointers.flatMap((pointer) => findAll(body, pointer))) {
    if (Array.isArray(value)) Reflect.set(parent, key, sortedByContent(value));
    else if (typeof value === 'string') Reflect.set(parent, key, sortEnumeration(value));
  }
}

/** Messages enumerate errors as `…: [path: error, path: error]`, or one on a line after the first. */
function sortEnumeration(text: string): string {
  const brackets = /^(.*?\[)(.*)(\].*?)$/s.exec(text);
  if (brackets) {
    const [, before = '', list = '', after = ''] = brackets;
    return before + list.split(/, (?=\S+: )/).sort().join(', ') + after;
  }
  const [first, ...lines] = text.split('\n');
  return [first, ...lines.sort()].join('\n');
}

const sortedByContent = <T>(items: readonly T[]): T[] =>
  items
    .map((item) => ({ item, key: contentKey(item) }))
    .sort((a, b) => compareText(a.key, b.key))
    .map(({ item }) => item);

/** The same text for values that differ only in the order of members, in uids and in resourceVersions. */
function contentKey(value: unknown): string {
  const json: string | undefined = JSON.stringify(value, (_name, item: unknown) => {
    if (typeof item === 'string') return withoutMarks(item);
    if (!isObject(item)) return item;
    const members = Object.entries(item).map(([name, member]) => [withoutMarks(name), member] as const);
    return Object.fromEntries(members.sort(([a], [b]) => compareText(a, b)));
  });
  return json ?? '';
}

/** Parts by their pointers; of a pointer with `*`, all that it addresses. */
function selectParts(body: unknown, pointers: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(
    pointers.map((pointer) => {
      const value = isWildcard(pointer) ? findAll(body, pointer).map((place) => place.value) : getAt(body, pointer);
      return [pointer, value === undefined ? '<absent>' : value];
    }),
  );
}
