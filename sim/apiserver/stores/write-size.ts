/**
 * How large a write may be: what etcd takes in one request, of which the stored form of the object is nearly all.
 * Exact where it matters, and free where it cannot: only what could be that large is encoded to be measured. Small
 * changes of small objects are looked at every few writes, so that they cannot add up to much unseen.
 * It refuses to know who writes, and how.
 */
import { encodeJson } from '../../api/codec/encode.ts';
import { envelopeHead, ENVELOPE_END } from '../../api/codec/envelope.ts';
import { encodeProtobuf } from '../../api/codec/protobuf.ts';
import type { ApiObject, ManagedFieldsEntry } from '../../api/object.ts';
import { type ApiError, plainError } from '../../api/status.ts';
import type { StoredEntry } from '../../storage/storage.ts';
import type { Resource } from '../registry/resource.ts';
import type { ApiRequest } from '../request/request.ts';
import type { StoredObject } from './stored-object.ts';

/** What etcd takes, and what its client sends. */
const MAX_REQUEST_BYTES = 1536 * 1024;
const MAX_MESSAGE_BYTES = 2 * 1024 * 1024;

/** Far below the limits: what a field of a few bytes adds to `managedFields` and by its defaults is several times more. */
const LARGE_BODY_BYTES = 32 * 1024;
const LARGE_OBJECT_BYTES = 256 * 1024;
const LOOKS_EVERY = 8;

/** Stored objects that were found to be large. What replaces them is always measured. */
const large = new WeakSet<ApiObject>();

export interface Write {
  readonly resource: Resource;
  readonly key: string;
  /** As it will be stored. */
  readonly object: () => ApiObject;
  /** What it replaces. */
  readonly entry: StoredEntry<StoredObject> | undefined;
  readonly request: ApiRequest;
}

/** `bare`: it fits only without its managed fields, and is to be written so. */
export type WriteSize = 'small' | 'large' | 'bare';

/** `noteLarge` wants to know what is not small, once it is stored. @throws ApiError with the words of etcd or of its client */
export function sizeOfWrite(write: Write): WriteSize {
  if (!couldBeLarge(write)) return 'small';
  const object = write.object();
  if (isSurelySmall(object)) return 'small';
  const { managedFields, ...metadata } = object.metadata;
  // Whose fields they are is what an apply is about.
  const isApply = write.request.headers['content-type']?.startsWith('application/apply-patch') ?? false;
  if (managedFields === undefined || isApply) {
    const bytes = bytesOf(write, object);
    if (isTooLarge(bytes)) throw refusalOf(bytes);
    return 'large';
  }
  const bareBytes = bytesOf(write, { ...object, metadata });
  if (isTooLarge(bareBytes)) throw refusalOf(bareBytes);
  const { least, most } = textBounds(managedFields, MAX_REQUEST_BYTES - bareBytes);
  if (isTooLarge(bareBytes + least)) return 'bare';
  const isLarge = !isTooLarge(bareBytes + most) || !isTooLarge(bytesOf(write, object));
  return isLarge ? 'large' : 'bare';
}

const bytesOf = (write: Write, object: ApiObject): number =>
  messageBytes(write, storedBytes(write.resource, object));

const isTooLarge = (bytes: number): boolean => bytes + sizeOfLength(bytes) + RAFT_BYTES > MAX_REQUEST_BYTES;

const refusalOf = (bytes: number): ApiError =>
  bytes > MAX_MESSAGE_BYTES
    ? plainError(
        `rpc error: code = ResourceExhausted desc = trying to send message larger than max (${bytes} vs. ${MAX_MESSAGE_BYTES})`,
      )
    : plainError('etcdserver: request is too large');

/** What lies around the fields of a manager, and the lengths before it. */
const MAX_AROUND_BYTES = 4096;
/** An escaped character. */
const MAX_CHARACTER_BYTES = 6;

/** Of a name: two quotes, a colon and two braces. */
const NAME_BYTES = 5;

/** Between which sizes their text lies, in bytes. Counts no further than to what has no room. */
function textBounds(managedFields: readonly ManagedFieldsEntry[], room: number): Bounds {
  let least = 0;
  let most = MAX_AROUND_BYTES * managedFields.length;
  const pending: object[] = managedFields.map(({ fieldsV1 = {} }) => fieldsV1);
  for (let next = pending.pop(); next && least <= room; next = pending.pop()) {
    for (const name in next) {
      least += name.length + NAME_BYTES;
      most += name.length * MAX_CHARACTER_BYTES + NAME_BYTES + 1;
      pending.push((next as Readonly<Record<string, object>>)[name] ?? NOTHING);
      if (least > room) break;
    }
  }
  return { least, most };
}

interface Bounds {
  readonly least: number;
  readonly most: number;
}

const NOTHING: object = {};

export const noteLarge = (object: ApiObject): void => void large.add(object);

function couldBeLarge({ entry, request: { body, headers } }: Write): boolean {
  if (body?.kind === 'bytes' && body.bytes.length > LARGE_BODY_BYTES) return true;
  // What it copies is in no body.
  if (headers['content-type']?.startsWith('application/json-patch+json')) return true;
  if (!entry) return body?.kind === 'object';
  return entry.version % LOOKS_EVERY === 0 || large.has(entry.value);
}

const NODE_BYTES = 32;

/** Counts no further than to what is large. */
/** Whether neither it nor what differs from it in a few characters can be large. */
export function isSurelySmall(object: ApiObject): boolean {
  let size = 0;
  const pending: object[] = [object];
  for (let next = pending.pop(); next; next = pending.pop()) {
    for (const name in next) {
      const member: unknown = (next as Readonly<Record<string, unknown>>)[name];
      size += NODE_BYTES + name.length;
      if (typeof member === 'string') size += member.length * 3;
      else if (typeof member === 'object' && member !== null) pending.push(member);
      if (size > LARGE_OBJECT_BYTES) return false;
    }
  }
  return true;
}

/**
 * Whether it is too large for sure, whoever is noted for its fields: who notes them need not begin. Its status is not
 * counted, which a main resource puts back.
 */
export function neverFits(
  { isCustom }: Resource,
  { status: _, metadata, ...object }: Sized,
  request: ApiRequest,
): boolean {
  if (request.body?.kind !== 'bytes' || request.body.bytes.length < MAX_REQUEST_BYTES) return false;
  const { managedFields: __, ...counted } = metadata;
  let least = 0;
  const pending: object[] = [object, counted];
  for (let next = pending.pop(); next; next = pending.pop()) {
    for (const name in next) {
      const member: unknown = (next as Readonly<Record<string, unknown>>)[name];
      least += isCustom ? leastJson(next, name, member) : leastProtobuf(member);
      if (typeof member === 'object' && member !== null) pending.push(member);
      if (least > MAX_REQUEST_BYTES) return true;
    }
  }
  return false;
}

interface Sized {
  readonly status?: unknown;
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** A value, or what is around its members, and a comma. */
const leastJson = (of: object, name: string, value: unknown): number =>
  (Array.isArray(of) ? 0 : name.length + 3) + (typeof value === 'string' ? value.length + 3 : 2);

/** A tag, and a length or a number; empty lists are left out. */
const leastProtobuf = (value: unknown): number => {
  if (typeof value !== 'string') return Array.isArray(value) ? 0 : 2;
  return 2 + Math.floor(value.length * (value.length < LONGEST_TIME ? SHARE_OF_TIME : SHARE_OF_BASE64));
};

/** Times are written as a number of seconds, and bytes as they are. */
const LONGEST_TIME = 40;
const SHARE_OF_TIME = 0.3;
const SHARE_OF_BASE64 = 0.74;

const UTF8 = new TextEncoder();

/** Stored objects do not carry the version that the store gives them. */
function storedBytes({ isCustom, storageSchema }: Resource, object: ApiObject): number {
  const { resourceVersion: _, ...metadata } = object.metadata;
  const value = { ...object, metadata };
  if (isCustom) return UTF8.encode(encodeJson(value)).length + 1;
  const { length } = encodeProtobuf(storageSchema, value);
  return envelopeHead(value.apiVersion, value.kind, length).length + length + ENVELOPE_END.length;
}

/** A tag, and the identity of the request twice. */
const RAFT_BYTES = 14;

/** Of the transaction: a comparison, the write, and for what is replaced the read of it if it has changed meanwhile. */
function messageBytes({ key, entry }: Write, value: number): number {
  const named = field(UTF8.encode(key).length);
  const comparison = 2 + named + 1 + sizeOfLength(entry?.modRevision ?? 0);
  const put = field(field(named + field(value)));
  const read = entry ? field(field(named)) : 0;
  return field(comparison) + put + read;
}

/** Of a member with a tag of one byte and its length before it. */
const field = (length: number): number => 1 + sizeOfLength(length) + length;

const sizeOfLength = (value: number): number => {
  let size = 1;
  for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) size++;
  return size;
};
