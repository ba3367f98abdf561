/**
 * Two ends of a story compared: what is stored, up to what differs between any two runs, such as uids, versions, times,
 * drawn names and addresses. Notes and heartbeats do not count.
 */
import type { Snapshot } from '../../reports/run-record.ts';
import { isMapping } from '../../model/api/json.ts';

const UNCOUNTED = /^(Event|Lease|CSINode|APIService|IPAddress) /;
/** What depends on how often something was written, or on where and when something ran. */
const UNTOLD: ReadonlySet<string> = new Set([
  'uid',
  'resourceVersion',
  'generation',
  'observedGeneration',
  'managedFields',
  'selfLink',
  'nodeName',
  'hostIP',
  'nodePort',
  'healthCheckNodePort',
  'containerID',
  'restartCount',
  'lastState',
  'collisionCount',
  'token',
  // Of the last change that a sync saw beside others, or of none.
  'endpoints.kubernetes.io/last-change-trigger-time',
]);
const TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+(Z|[+-][0-9:]+)$/;
/** `-----BEGIN ` in base 64: each has a number of its own. */
const CERTIFICATE = 'LS0tLS1CRUdJTi';
const ADDRESS = /^([0-9]{1,3}\.){3}[0-9]{1,3}$/;
const UID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** Names that admission draws. */
const TOKEN_VOLUME = /(kube-api-access-)[a-z0-9]{5}/g;

const MOST_TOLD = 8;
const LONGEST = 80;

/** Lines that say what differs; none: they are the same. */
export function endDifferences(first: Snapshot, second: Snapshot): readonly string[] {
  const [mine, theirs] = [canonical(first, second), canonical(second, first)];
  const lines: string[] = [];
  for (const [name, values] of mine) {
    const others = theirs.get(name) ?? [];
    if (values.length === others.length) lines.push(...differencesIn(name, values, others));
    else lines.push(countText(name, values.length, others.length));
  }
  for (const [name, values] of theirs) if (!mine.has(name)) lines.push(countText(name, 0, values.length));
  const more = lines.length - MOST_TOLD;
  return more > 0 ? [...lines.slice(0, MOST_TOLD), `and ${more} more differences`] : lines;
}

function countText(name: string, here: number, there: number): string {
  if (here === 0) return `${name} is there only at the end of the twin`;
  if (there === 0) return `${name} is not there at the end of the twin`;
  return `of ${name} there are ${here}, and ${there} at the end of the twin`;
}

function differencesIn(
  name: string,
  values: readonly unknown[],
  others: readonly unknown[],
): readonly string[] {
  return values.flatMap((value, index) => {
    const found = firstDifference(value, others[index], '');
    return found === undefined ? [] : [`${name} differs: ${found}`];
  });
}

function firstDifference(left: unknown, right: unknown, path: string): string | undefined {
  if (JSON.stringify(left) === JSON.stringify(right)) return undefined;
  if (isMapping(left) && isMapping(right)) {
    for (const name of new Set([...Object.keys(left), ...Object.keys(right)])) {
      const found = firstDifference(left[name], right[name], path === '' ? name : `${path}.${name}`);
      if (found !== undefined) return found;
    }
  }
  return `${path} is ${shown(left)}, and ${shown(right)} at the end of the twin`;
}

function shown(value: unknown): string {
  const text = value === undefined ? 'not there' : JSON.stringify(value);
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}

/**
 * By kind and name; objects with drawn names together, in the order of what they say. Without those that are the same in
 * the other to the letter: most are.
 */
function canonical(snapshot: Snapshot, other: Snapshot): ReadonlyMap<string, readonly unknown[]> {
  const drawn = drawnNames(snapshot);
  const byName = new Map<string, unknown[]>();
  for (const [title, object] of Object.entries(snapshot)) {
    if (UNCOUNTED.test(title)) continue;
    const name = renamed(title, drawn);
    if (name === title && JSON.stringify(object) === JSON.stringify(other[title])) continue;
    const values = byName.get(name) ?? [];
    values.push(plain(object, drawn));
    byName.set(name, values);
  }
  for (const values of byName.values()) values.sort(byText);
  return byName;
}

const byText = (left: unknown, right: unknown): number => {
  const [a, b] = [JSON.stringify(left), JSON.stringify(right)];
  return a < b ? -1 : a > b ? 1 : 0;
};

/** What each name that was drawn begins with. */
function drawnNames(snapshot: Snapshot): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  for (const object of Object.values(snapshot)) {
    const { metadata } = object as {
      readonly metadata?: { readonly name?: string; readonly generateName?: string };
    };
    const { name, generateName } = metadata ?? {};
    if (name !== undefined && generateName !== undefined && name.startsWith(generateName))
      names.set(name, `${generateName}*`);
  }
  return names;
}

function renamed(text: string, drawn: ReadonlyMap<string, string>): string {
  const known =
    drawn.size === 0
      ? text
      : text
          .split(/([/ ])/)
          .map((part) => drawn.get(part) ?? part)
          .join('');
  return known.replaceAll(UID, '<uid>').replaceAll(TOKEN_VOLUME, '$1*');
}

/** Which set it names depends on whether anybody looked while a rollout was under way. */
const isOfSomeRollout = ({ type, reason }: Readonly<Record<string, unknown>>): boolean =>
  type === 'Progressing' && reason === 'NewReplicaSetAvailable';

function plain(value: unknown, drawn: ReadonlyMap<string, string>): unknown {
  if (typeof value === 'string') {
    if (TIME.test(value)) return '<time>';
    if (value.startsWith(CERTIFICATE)) return '<certificate>';
    return ADDRESS.test(value) ? '<address>' : renamed(value, drawn);
  }
  if (Array.isArray(value)) return value.map((item) => plain(item, drawn)).toSorted(byText);
  if (!isMapping(value)) return value;
  const told = Object.keys(value).filter(
    (name) => !UNTOLD.has(name) && !(name === 'message' && isOfSomeRollout(value)),
  );
  return Object.fromEntries(
    told
      .toSorted()
      .map((name): readonly [string, unknown] => [name, plain(value[name], drawn)])
      .filter(([name, inner]) => name !== 'annotations' || Object.keys(inner as object).length > 0),
  );
}
