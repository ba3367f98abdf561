/**
 * What a scenario has read and written of single objects, and what truly happened to them, in the form in which the
 * guarantees of operations are checked. A write whose answer has an old version has changed nothing, or ended the object:
 * it says nothing.
 */
import type { Change, History } from '../../model/history.ts';
import type { ObservedOperation } from '../../model/operation-guarantees.ts';
import type { ApiObject } from '../../sim/index.ts';
import type { Step } from '../language/scenario-shape.ts';
import type { Json } from '../language/shape.ts';
import type { Answer } from '../world/world.ts';

export interface Asked {
  readonly step: Step;
  readonly answer: Answer;
  /** Virtual microseconds. */
  readonly calledAt: number;
  readonly answeredAt: number;
  /** Of the storage when the call was made. */
  readonly revisionBefore: number;
}

/** Undefined: it says nothing about one object, or makes no promise about how new it is. */
export function operationOf({
  step,
  answer,
  calledAt,
  answeredAt,
  revisionBefore,
}: Asked): ObservedOperation | undefined {
  const isPlain = step.subresource === undefined && Object.keys(step.query ?? {}).length === 0;
  const when = { calledAt, answeredAt };
  if (step.get && isPlain) {
    const { kind, namespace = 'default', name } = step.get;
    if (answer.status === 404) return { kind: 'read', key: `${kind} ${namespace}/${name}`, ...when };
    const object = objectIn(answer);
    return object && { kind: 'read', key: keyOf(object), object: sorted(object), ...when };
  }
  const isWrite = (step.create ?? step.update ?? step.patch) !== undefined;
  const object = isWrite && isPlain && answer.status < 300 ? objectIn(answer) : undefined;
  if (!object) return undefined;
  const revision = Number(object.metadata.resourceVersion);
  const key = keyOf(object);
  if (revision <= revisionBefore) return undefined;
  return { kind: 'write', key, object: sorted(object), revision, ...when };
}

/** One change as the storage tells it. */
export function changeOf(revision: number, before?: ApiObject, after?: ApiObject): Change | undefined {
  const object = after ?? before;
  if (!object) return undefined;
  return { revision, key: keyOf(object), before: before && sorted(before), after: after && sorted(after) };
}

/** Only what is answered in the version in which it is stored can be compared. */
export const comparable = (
  operations: readonly ObservedOperation[],
  history: History,
): readonly ObservedOperation[] =>
  operations.filter(
    ({ key, object }) =>
      object === undefined ||
      history.every((change) => change.key !== key || !change.after || isSameVersion(change.after, object)),
  );

const isSameVersion = (a: ApiObject, b: ApiObject): boolean => a.apiVersion === b.apiVersion;

function objectIn({ status, body }: Answer): ApiObject | undefined {
  if (status < 200 || status > 299 || typeof body !== 'object' || body === null) return undefined;
  const { metadata, kind } = body as Partial<ApiObject>;
  return metadata?.resourceVersion === undefined || kind === undefined
    ? undefined
    : (body as object as ApiObject);
}

/** Objects of no namespace are kept under `default` too: a name that is not there has no other way to say where. */
const keyOf = ({ kind = '', metadata: { namespace = 'default', name = '' } }: ApiObject): string =>
  `${kind} ${namespace}/${name}`;

/** With members in one order, so that equal objects are equal texts. */
const sorted = (object: ApiObject): ApiObject => sortedJson(object as object as Json) as object as ApiObject;

function sortedJson(value: Json): Json {
  if (Array.isArray(value)) return (value as readonly Json[]).map(sortedJson);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([name, member]): [string, Json] => [name, sortedJson(member)]);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
}
