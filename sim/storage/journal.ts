/**
 * The storage as a sequence of records. A snapshot and a log are the same thing: replaying the records of a
 * snapshot, then those that the store reported after it, gives the same store again, history and leases included.
 * Where and how records are kept (files, checksums, torn tails) is the host's affair.
 */
import { invariant } from '../engine/invariant.ts';
import { revision } from './revision.ts';
import type { Revision, StoredEntry } from './storage.ts';

export type JournalOperation<V> =
  | { readonly kind: 'put'; readonly key: string; readonly value: V; readonly leaseId?: number }
  | { readonly kind: 'delete'; readonly key: string };

export type JournalRecord<V> =
  /** The store at this revision; its entries follow. */
  | { readonly kind: 'base'; readonly revision: Revision }
  | { readonly kind: 'entry'; readonly entry: StoredEntry<V> }
  | { readonly kind: 'lease'; readonly id: number; readonly expiresAt: number }
  | { readonly kind: 'leaseEnd'; readonly id: number }
  | {
      readonly kind: 'commit';
      readonly revision: Revision;
      readonly operations: readonly JournalOperation<V>[];
    }
  | { readonly kind: 'compaction'; readonly revision: Revision }
  /** Revisions up to this one are left out, and the history before it is gone. */
  | { readonly kind: 'skip'; readonly revision: Revision };

/** A record as JSON: `["commit", 12, ["put", key, value, leaseId?], ["delete", key]]` and so on. */
export type JsonRecord = readonly unknown[];

/** @param encodeValue gives something that JSON can hold */
export function encodeRecord<V>(record: JournalRecord<V>, encodeValue: (value: V) => unknown): JsonRecord {
  switch (record.kind) {
    case 'base':
    case 'compaction':
    case 'skip':
      return [record.kind, record.revision];
    case 'lease':
      return [record.kind, record.id, record.expiresAt];
    case 'leaseEnd':
      return [record.kind, record.id];
    case 'entry': {
      const { key, value, createRevision, modRevision, version, leaseId } = record.entry;
      return [
        record.kind,
        key,
        encodeValue(value),
        createRevision,
        modRevision,
        version,
        ...optional(leaseId),
      ];
    }
    case 'commit':
      return [
        record.kind,
        record.revision,
        ...record.operations.map((each) => encodeOperation(each, encodeValue)),
      ];
  }
}

function encodeOperation<V>(operation: JournalOperation<V>, encodeValue: (value: V) => unknown): JsonRecord {
  return operation.kind === 'delete'
    ? ['delete', operation.key]
    : ['put', operation.key, encodeValue(operation.value), ...optional(operation.leaseId)];
}

const optional = (leaseId: number | undefined): readonly number[] => (leaseId === undefined ? [] : [leaseId]);

/** The opposite of `encodeRecord`. A record of another form is a broken file: it throws. */
export function decodeRecord<V>(json: JsonRecord, decodeValue: (value: unknown) => V): JournalRecord<V> {
  const [kind, first, second, ...rest] = json;
  switch (kind) {
    case 'base':
    case 'compaction':
    case 'skip':
      return { kind, revision: revision(integer(first)) };
    case 'lease':
      return { kind, id: integer(first), expiresAt: integer(second) };
    case 'leaseEnd':
      return { kind, id: integer(first) };
    case 'entry': {
      const [createRevision, modRevision, version, leaseId] = rest;
      const entry: StoredEntry<V> = {
        key: text(first),
        value: decodeValue(second),
        createRevision: revision(integer(createRevision)),
        modRevision: revision(integer(modRevision)),
        version: integer(version),
        ...leaseOf(leaseId),
      };
      return { kind, entry };
    }
    case 'commit':
      return {
        kind,
        revision: revision(integer(first)),
        operations: json.slice(2).map((operation) => decodeOperation(operation, decodeValue)),
      };
    default:
      invariant(false, 'a journal record has a known kind', { kind });
  }
}

function decodeOperation<V>(json: unknown, decodeValue: (value: unknown) => V): JournalOperation<V> {
  invariant(Array.isArray(json), 'a journal operation is an array', { json });
  const [kind, key, value, leaseId] = json as JsonRecord;
  invariant(kind === 'put' || kind === 'delete', 'a journal operation puts or deletes', { kind });
  return kind === 'delete'
    ? { kind, key: text(key) }
    : { kind, key: text(key), value: decodeValue(value), ...leaseOf(leaseId) };
}

const leaseOf = (leaseId: unknown): { leaseId?: number } =>
  leaseId === undefined ? {} : { leaseId: integer(leaseId) };

function integer(value: unknown): number {
  invariant(typeof value === 'number' && Number.isSafeInteger(value), 'a journal number is an integer', {
    value,
  });
  return value;
}

function text(value: unknown): string {
  invariant(typeof value === 'string', 'a journal key is a string', { value });
  return value;
}
