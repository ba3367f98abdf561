/**
 * Server-side apply, by its documentation: who applies owns what he has applied, what nobody else owns goes when he leaves
 * it out, and nobody takes what another has set to something else without force. Only members of plain mappings (labels,
 * annotations, data) are followed: there each field has one name.
 */
import type { ApiObject } from '../../sim/api/object.ts';
import { type Exchange, isDryRun } from './exchange.ts';
import { at, isEqual, isMapping, textAt } from './json.ts';
import type { Past } from './past.ts';
import { type ApiRule, changeBy } from './writes.ts';

const FOLLOWED: readonly (readonly string[])[] = [
  ['data'],
  ['metadata', 'labels'],
  ['metadata', 'annotations'],
];

interface Entry {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly fieldsV1?: unknown;
}

const entriesOf = (object: ApiObject | undefined): readonly Entry[] =>
  (at(object, 'metadata', 'managedFields') as readonly Entry[] | undefined) ?? [];

const isApply = ({ method, contentType, place }: Exchange): boolean =>
  method === 'PATCH' && contentType.startsWith('application/apply-patch') && place.subresource === '';

const owns = ({ fieldsV1 }: Entry, path: readonly string[], name: string): boolean =>
  at(fieldsV1, ...path.map((part) => `f:${part}`), `f:${name}`) !== undefined;

const namesOwned = ({ fieldsV1 }: Entry, path: readonly string[]): readonly string[] => {
  const fields = at(fieldsV1, ...path.map((part) => `f:${part}`));
  return isMapping(fields)
    ? Object.keys(fields).flatMap((name) => (name.startsWith('f:') ? [name.slice(2)] : []))
    : [];
};

const namesIn = (value: unknown): readonly string[] => (isMapping(value) ? Object.keys(value) : []);

export const appliesByOwners: ApiRule = (exchange, past) => {
  const { query, sent } = exchange;
  if (!isApply(exchange)) return undefined;
  const manager = query['fieldManager'] ?? '';
  const isMine = (entry: Entry): boolean =>
    entry.manager === manager && entry.operation === 'Apply' && !entry.subresource;
  if (exchange.status === 409) return unjustConflict(exchange, past, isMine);
  const change = changeBy(exchange, past);
  if (!change?.after || isDryRun(exchange)) return undefined;
  const mine = entriesOf(change.after).filter(isMine);
  const isEmpty = FOLLOWED.every((path) => namesIn(at(sent, ...path)).length === 0);
  if (mine.length > 1 || (mine.length === 0 && !isEmpty))
    return `${manager} has ${mine.length} entries among the managed fields`;
  const [own] = mine;
  for (const path of FOLLOWED) {
    const wanted = at(sent, ...path);
    const where = path.join('.');
    const lost = namesIn(wanted).find((name) => !isEqual(at(change.after, ...path, name), at(wanted, name)));
    if (lost !== undefined) return `has not set ${where}.${lost}`;
    const owned = own ? namesOwned(own, path) : [];
    if (!isEqual([...owned].sort(), [...namesIn(wanted)].sort()))
      return `${manager} owns ${where} ${owned.join(', ') || 'nothing'} and has applied ${namesIn(wanted).join(', ') || 'nothing'}`;
    const taken = query['force'] === 'true' ? undefined : contested(change.before, sent, path, isMine);
    if (taken !== undefined) return `took ${where}.${taken} from another without force`;
    const left = leftBehind(change, path, wanted, isMine);
    if (left !== undefined) return `left ${where}.${left}, which nobody owns any more`;
  }
  return undefined;
};

/** A field that another owns and that has another value. */
const contested = (
  before: ApiObject | undefined,
  sent: unknown,
  path: readonly string[],
  isMine: (entry: Entry) => boolean,
): string | undefined =>
  namesIn(at(sent, ...path)).find(
    (name) =>
      !isEqual(at(before, ...path, name), at(sent, ...path, name)) &&
      // What nobody tracks belongs to whoever wrote it before the first apply.
      (entriesOf(before).length === 0
        ? at(before, ...path, name) !== undefined
        : entriesOf(before).some((entry) => !isMine(entry) && owns(entry, path, name))),
  );

function leftBehind(
  { before, after }: { readonly before: ApiObject | undefined; readonly after: ApiObject | undefined },
  path: readonly string[],
  wanted: unknown,
  isMine: (entry: Entry) => boolean,
): string | undefined {
  const entries = entriesOf(before);
  const own = entries.find(isMine);
  if (!own) return undefined;
  const others = entries.filter((entry) => !isMine(entry));
  return namesOwned(own, path).find(
    (name) =>
      at(wanted, name) === undefined &&
      !others.some((entry) => owns(entry, path, name)) &&
      at(after, ...path, name) !== undefined,
  );
}

function unjustConflict(
  { key, query, sent, answer, revisionBefore, revisionAfter }: Exchange,
  past: Past,
  isMine: (entry: Entry) => boolean,
): string | undefined {
  if (key === undefined || at(answer, 'reason') !== 'Conflict') return undefined;
  const causes = at(answer, 'details', 'causes');
  const isOfFields =
    Array.isArray(causes) &&
    causes.every(
      (cause: unknown) =>
        at(cause, 'reason') === 'FieldManagerConflict' &&
        // Of a whole mapping it may be that it is there or not, empty as it is.
        /^\.(data|metadata\.(labels|annotations))\./.test(textAt(cause, 'field')),
    );
  if (!isOfFields) return undefined;
  if (query['force'] === 'true') return 'was refused for a conflict although it was forced';
  const isOnlyPlain = namesIn(sent).every((name) =>
    ['apiVersion', 'kind', 'metadata', 'data'].includes(name),
  );
  if (!isOnlyPlain) return undefined;
  const isJust = past.between(key, revisionBefore, revisionAfter).some(
    (state) =>
      // What nobody tracks belongs to whoever wrote it before, empty containers too.
      entriesOf(state).length === 0 ||
      FOLLOWED.some((path) => contested(state, sent, path, isMine) !== undefined),
  );
  return isJust ? undefined : 'was refused for a conflict that there was not';
}

/** Every field that somebody manages is there, and nobody has two entries for one thing. */
export const managedFieldsAreTrue: ApiRule = (exchange, past) => {
  const { after } = changeBy(exchange, past) ?? {};
  if (!after) return undefined;
  const entries = entriesOf(after);
  // A write through a Scale sets the owner of the replicas apart, in an entry without a time.
  const keys = entries.map((entry) => {
    const isOfScale = at(entry, 'time') === undefined;
    return [entry.manager, entry.operation, entry.subresource, at(entry, 'apiVersion'), isOfScale].join(' ');
  });
  if (new Set(keys).size < keys.length) return 'has two entries of one manager among the managed fields';
  const idle = entries.find(({ fieldsV1 }) => isMapping(fieldsV1) && Object.keys(fieldsV1).length === 0);
  if (idle) return `keeps an entry of ${idle.manager ?? ''} among the managed fields that manages nothing`;
  for (const entry of entries) {
    for (const path of FOLLOWED) {
      const gone = namesOwned(entry, path).find((name) => at(after, ...path, name) === undefined);
      if (gone !== undefined)
        return `${entry.manager ?? ''} manages ${path.join('.')}.${gone}, which is not there`;
    }
  }
  return undefined;
};
