/**
 * Documents of OpenAPI in the form that a client takes: JSON, or protobuf under either of its names. Whoever takes none of
 * them gets 406 without a word. A form is made when it is asked for the first time, and kept with its document.
 * Specification: "OpenAPI".
 */
import { encodeJson } from '../../api/codec/encode.ts';
import type { JsonObject } from '../../api/object.ts';
import { entityTag } from '../discovery/content-tag.ts';
import { documentOfVersion2 } from '../openapi/protobuf/version-2.ts';
import { documentOfVersion3 } from '../openapi/protobuf/version-3.ts';
import type { Exchange } from '../request/exchange.ts';

export type OpenApiVersion = 'v2' | 'v3';

type Form = 'json' | 'protobuf';

interface Written {
  readonly bytes: Uint8Array;
  readonly tag: string;
}

const WRITE: Readonly<Record<OpenApiVersion, (document: JsonObject) => Uint8Array>> = {
  v2: documentOfVersion2,
  v3: documentOfVersion3,
};

export interface DocumentAnswer {
  readonly version: OpenApiVersion;
  readonly document: () => JsonObject;
  /** Of the third version: where the document is, and what the index calls its content. */
  readonly listed?: { readonly path: string; readonly hash: string };
}

export function respondDocument(exchange: Exchange, { version, document, listed }: DocumentAnswer): void {
  const vary = (version === 'v2' ? ['Accept-Encoding', 'Accept'] : ['Accept']).map(
    (name) => ['vary', name] as const,
  );
  const form = formTaken(exchange.request.headers['accept'], version);
  if (!form) {
    exchange.respond(406, { kind: 'none' }, vary);
    return;
  }
  const type =
    form === 'json'
      ? 'application/json'
      : `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`;
  const contentType = ['content-type', type] as const;
  const asked = exchange.request.query.first('hash');
  if (listed && asked && asked !== listed.hash) {
    const headers = [contentType, ['etag', `"${listed.hash}"`], ...vary] as const;
    exchange.respond(301, { kind: 'none' }, [...headers, ['location', `${listed.path}?hash=${listed.hash}`]]);
    return;
  }
  const { bytes, tag: own } = written(document(), version, form);
  const tag = listed ? `"${listed.hash}"` : own;
  const lasting = listed && asked ? foreverFrom(exchange.receivedMs) : [];
  if (exchange.request.headers['if-none-match'] === tag) {
    exchange.respond(304, { kind: 'none' }, [['etag', tag], ...vary, ...lasting]);
    return;
  }
  exchange.respond(200, { kind: 'bytes', bytes }, [contentType, ['etag', tag], ...vary, ...lasting]);
}

/** What is called by its content never changes; a year is the longest that anybody may keep anything. */
function foreverFrom(nowMs: number): readonly (readonly [string, string])[] {
  const end = new Date(nowMs);
  end.setUTCFullYear(end.getUTCFullYear() + 1);
  return [
    ['cache-control', 'public, immutable'],
    ['expires', end.toUTCString().replace('GMT', 'UTC')],
  ];
}

const kept = new WeakMap<JsonObject, Map<Form, Written>>();

function written(document: JsonObject, version: OpenApiVersion, form: Form): Written {
  const forms = kept.get(document) ?? new Map<Form, Written>();
  kept.set(document, forms);
  const known = forms.get(form);
  if (known) return known;
  const text = encodeJson(document);
  const bytes = form === 'json' ? new TextEncoder().encode(text) : WRITE[version](document);
  const made = { bytes, tag: entityTag(text) };
  forms.set(form, made);
  return made;
}

interface Clause {
  readonly type: string;
  readonly subtype: string;
  readonly weight: number;
}

/** The first form of the clause that is liked best, and of those the most exact one. */
function formTaken(accept: string | undefined, version: OpenApiVersion): Form | undefined {
  const protobuf = `com.github.proto-openapi.spec.${version}`;
  const forms: readonly (readonly [string, Form])[] = [
    ['json', 'json'],
    [`${protobuf}@v1.0+protobuf`, 'protobuf'],
    [`${protobuf}.v1.0+protobuf`, 'protobuf'],
  ];
  for (const { type, subtype } of clausesOf(accept || '*/*')) {
    if (type !== 'application' && type !== '*') continue;
    const found = forms.find(([name]) => subtype === name || subtype === '*');
    if (found) return found[1];
  }
  return undefined;
}

const clausesOf = (accept: string): readonly Clause[] =>
  accept
    .split(',')
    .map(clauseOf)
    .sort(
      (a, b) =>
        b.weight - a.weight ||
        Number(a.type === '*') - Number(b.type === '*') ||
        Number(a.subtype === '*') - Number(b.subtype === '*'),
    );

function clauseOf(text: string): Clause {
  const [media = '', ...parameters] = text.split(';').map((part) => part.trim());
  const [type = '', subtype = ''] = media === '*' ? ['*', '*'] : media.split('/');
  const weight = parameters.map((each) => /^q=([\d.]+)$/.exec(each)?.[1]).find((each) => each !== undefined);
  return { type, subtype, weight: weight === undefined ? 1 : Number(weight) };
}
