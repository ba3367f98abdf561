/**
 * Faults of requests as the control path has them: a list of which requests come to grief and how. Who is left out of a
 * later list is ended; who stays in it goes on counting where it is.
 */
import type { Faults } from '../../cluster/faults.ts';
import {
  REFUSALS,
  REQUEST_VERBS,
  type FailedRequests,
  type FatalRequests,
  type LostAnswers,
} from '../../cluster/request-faults.ts';

const KINDS = ['fail', 'loseAnswer', 'crashBefore', 'crashAfter'] as const;

export type ControlledRequestFault = FailedRequests &
  LostAnswers &
  FatalRequests & { readonly kind: (typeof KINDS)[number] };

/** Where they are kept. */
interface RequestRoom {
  readonly cluster: { readonly faults: Faults };
  requestFaults: readonly ControlledRequestFault[];
}

const TEXTS = [
  'resource',
  'subresource',
  'namespace',
  'name',
  'user',
  'actor',
  'server',
  'userAgent',
  'crashes',
];
const COUNTS = ['nth', 'after', 'count', 'percent', 'retryAfterSeconds'];
const KNOWN = ['kind', 'verb', 'status', 'resets', ...TEXTS, ...COUNTS];

/** @throws RangeError for what is no such list */
export function requestFaultsFrom(value: unknown): readonly ControlledRequestFault[] {
  if (!Array.isArray(value)) throw new RangeError('requests: expected a list');
  const faults = value.map((each: unknown, index) => checked(each, `requests[${index}]`));
  const keys = faults.map(selectionText);
  const twin = keys.findIndex((key, index) => keys.indexOf(key) !== index);
  if (twin >= 0) throw new RangeError(`requests[${twin}]: another one chooses the same requests`);
  return faults;
}

function checked(value: unknown, path: string): ControlledRequestFault {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RangeError(`${path}: expected a mapping`);
  for (const [name, member] of Object.entries(value)) {
    if (!KNOWN.includes(name))
      throw new RangeError(`${path}: there is no ${name}; there are ${KNOWN.join(', ')}`);
    const wrong = expectationOf(name, member);
    if (wrong !== undefined) throw new RangeError(`${path}.${name}: expected ${wrong}`);
  }
  if (!('kind' in value)) throw new RangeError(`${path}.kind: expected one of ${KINDS.join(', ')}`);
  return value as ControlledRequestFault;
}

const among = (known: readonly unknown[], value: unknown): string | undefined =>
  known.includes(value) ? undefined : `one of ${known.join(', ')}`;

function expectationOf(name: string, value: unknown): string | undefined {
  if (name === 'kind') return among(KINDS, value);
  if (name === 'status') return among(REFUSALS, value);
  if (name === 'resets') return typeof value === 'boolean' ? undefined : 'a boolean';
  if (name === 'verb') {
    const wrong = (Array.isArray(value) ? value : [value]).find(
      (verb: unknown) => among(REQUEST_VERBS, verb) !== undefined,
    ) as unknown;
    return wrong === undefined ? undefined : among(REQUEST_VERBS, wrong);
  }
  if (TEXTS.includes(name)) return typeof value === 'string' ? undefined : 'a string';
  return Number.isSafeInteger(value) && Number(value) >= 0 ? undefined : 'a whole number from 0 on';
}

/** @throws RangeError for actors that there are not and counts that cannot be */
export function setRequestFaults(room: RequestRoom, wanted: readonly ControlledRequestFault[]): void {
  const { faults } = room.cluster;
  const [before, after] = [room.requestFaults, wanted].map(
    (list) => new Set(list.map((each) => JSON.stringify(each))),
  );
  for (const each of room.requestFaults) if (!after?.has(JSON.stringify(each))) faults.allowRequests(each);
  room.requestFaults = room.requestFaults.filter((each) => after?.has(JSON.stringify(each)));
  for (const each of wanted) {
    if (before?.has(JSON.stringify(each))) continue;
    begin(faults, each);
    room.requestFaults = [...room.requestFaults, each];
  }
}

function begin(faults: Faults, fault: ControlledRequestFault): void {
  switch (fault.kind) {
    case 'fail':
      faults.failRequests(fault);
      return;
    case 'loseAnswer':
      faults.loseAnswers(fault);
      return;
    case 'crashBefore':
      faults.crashBefore(fault);
      return;
    case 'crashAfter':
      faults.crashAfter(fault);
  }
}

const SELECTORS = [
  'verb',
  'resource',
  'subresource',
  'namespace',
  'name',
  'user',
  'actor',
  'server',
  'userAgent',
] as const;

const selectionText = (fault: ControlledRequestFault): string =>
  JSON.stringify(SELECTORS.map((name) => fault[name] ?? null));
