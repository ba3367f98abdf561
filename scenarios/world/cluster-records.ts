/** What reports show of a cluster: its objects, and the records of its trace. */
import type { Snapshot } from '../../reports/run-record.ts';
import { formatRecord, type ApiObject, type Cluster, type TraceRecord } from '../../sim/index.ts';
import type { WorldRecord } from './world.ts';

/** All stored objects by `kind namespace/name`. */
export function objectsOf({ storage }: { readonly storage: Pick<Cluster['storage'], 'range'> }): Snapshot {
  const { entries } = storage.range({ prefix: '' });
  return Object.fromEntries(entries.map(({ value }) => [nameOf(value), value]));
}

function nameOf({ kind, metadata }: ApiObject): string {
  const { namespace, name } = metadata;
  return `${kind} ${namespace === undefined || namespace === '' ? '' : `${namespace}/`}${name ?? ''}`;
}

const LONGEST_LINE = 180;

/** A record of the trace as reports show it. */
export function recordOf(record: TraceRecord | undefined): WorldRecord {
  if (!record) return { at: 0, actor: '', kind: '', subject: '', text: '', event: 0, cause: 0, touches: [] };
  const { at, actor, kind, subject, event, cause, touches } = record;
  const text = formatRecord(record);
  return {
    at,
    actor,
    kind,
    subject,
    event,
    cause,
    touches,
    text: text.length <= LONGEST_LINE ? text : `${text.slice(0, LONGEST_LINE)}…`,
  };
}
