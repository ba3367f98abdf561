/** What a request sent and what it was answered, as far as it can be read as JSON. */
import { isNestedTooDeep, withoutDeepParts } from '../../api/codec/nesting.ts';
import { yamlToJson } from '../../api/codec/yaml.ts';
import type { Exchange } from '../request/exchange.ts';
import { MAX_READ_HERE_BYTES } from '../stages/read-large-yaml.ts';
import type { ApiResponse } from '../request/request.ts';

const UTF8 = new TextDecoder();
const sentContents = new WeakMap<Exchange, { readonly value: unknown }>();

/** The body of the request; undefined: none, or none that can be read. */
export function requestContent(exchange: Exchange): unknown {
  const known = sentContents.get(exchange);
  if (known) return known.value;
  const value = readRequest(exchange);
  sentContents.set(exchange, { value });
  return value;
}

function readRequest({ request, requestObject, readYaml, server }: Exchange): unknown {
  if (requestObject !== undefined) return requestObject;
  if (request.body?.kind === 'object') return request.body.object;
  if (request.body === undefined) return undefined;
  const { bytes } = request.body;
  const contentType = request.headers['content-type'] ?? 'application/json';
  if (readYaml) return readYaml.kind === 'value' ? readYaml.value : undefined;
  const isYaml = contentType.includes('yaml');
  // It was refused before anybody read it.
  if (isYaml && bytes.length > MAX_READ_HERE_BYTES && server.surroundings.readYaml) return undefined;
  return isYaml ? parsed(() => yamlToJson(UTF8.decode(bytes)).value) : json(bytes);
}

export function responseContent({ headers, body }: ApiResponse): unknown {
  if (body.kind === 'object') return body.object;
  if (body.kind !== 'bytes') return undefined;
  const contentType = headers.find(([name]) => name === 'content-type')?.[1] ?? '';
  if (!contentType.includes('json')) return undefined;
  const { head, bytes } = body;
  return head ? parsed(() => JSON.parse(UTF8.decode(head) + UTF8.decode(bytes)) as unknown) : json(bytes);
}

const json = (bytes: Uint8Array): unknown =>
  parsed(() => {
    const text = UTF8.decode(bytes);
    return JSON.parse(isNestedTooDeep(text) ? withoutDeepParts(text) : text) as unknown;
  });

/** A broken body was refused; there is nothing to keep of it. */
function parsed(parse: () => unknown): unknown {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

/** A copy of an object or of a list without the managed fields. */
export function withoutManagedFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { metadata, items, ...rest } = value as Readonly<Record<string, unknown>>;
  return {
    ...rest,
    ...(metadata !== undefined && { metadata: withoutMember(metadata) }),
    ...(items !== undefined && { items: Array.isArray(items) ? items.map(withoutManagedFields) : items }),
  };
}

function withoutMember(metadata: unknown): unknown {
  if (typeof metadata !== 'object' || metadata === null) return metadata;
  const { managedFields: _managedFields, ...rest } = metadata as Readonly<Record<string, unknown>>;
  return rest;
}
