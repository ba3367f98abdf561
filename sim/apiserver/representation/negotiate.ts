/**
 * Content negotiation: which encoding and which view of the answer the `Accept` header asks for,
 * and which encoding a body has. Two different 406 texts exist, as on a real server: one when no
 * media type is known, one when a known type's parameters (`as`, `g`, `v`) cannot be met.
 * Specification: "Content negotiation".
 */
import { NoRoute } from './no-route.ts';
import { ApiError } from '../../api/status.ts';

export type Encoding = 'json' | 'yaml' | 'protobuf';

export const MEDIA_TYPE_OF: Readonly<Record<Encoding, string>> = {
  json: 'application/json',
  yaml: 'application/yaml',
  protobuf: 'application/vnd.kubernetes.protobuf',
};

/** A view of the answer other than the plain object. */
export interface View {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
}

export interface Negotiated {
  readonly encoding: Encoding;
  readonly view: View | undefined;
  /** `;stream=watch` was asked for. */
  readonly isStream: boolean;
  /** `;pretty=1` was asked for. */
  readonly isPretty?: boolean;
}

export interface Offer {
  readonly encodings: readonly Encoding[];
  /** Views that may be asked for with `as`, in this encoding. */
  allowsView(view: View, encoding: Encoding): boolean;
  /** Without a view there is no such encoding. */
  readonly viewsOnly?: Encoding;
  /** The path also serves watches, whose media types the first 406 text then lists. */
  readonly listsStreams: boolean;
  /** The answer may be plain text, which the first 406 text lists and the second does not know. */
  readonly isText?: boolean;
}

const ALL_ENCODINGS: readonly Encoding[] = ['json', 'yaml', 'protobuf'];

const OBJECT_VIEWS: ReadonlySet<string> = new Set([
  'Table',
  'PartialObjectMetadata',
  'PartialObjectMetadataList',
]);

/** Tables have no protobuf. */
const allowsObjectView = ({ kind, group, version }: View, encoding: Encoding): boolean =>
  group === 'meta.k8s.io' &&
  (version === 'v1' || version === 'v1beta1') &&
  OBJECT_VIEWS.has(kind) &&
  !(kind === 'Table' && encoding === 'protobuf');

export const OBJECT_OFFER: Offer = {
  encodings: ALL_ENCODINGS,
  allowsView: allowsObjectView,
  listsStreams: false,
};
export const COLLECTION_OFFER: Offer = { ...OBJECT_OFFER, listsStreams: true };
export const PLAIN_OFFER: Offer = { encodings: ALL_ENCODINGS, allowsView: () => false, listsStreams: false };

export const JSON_TYPES: readonly string[] = [MEDIA_TYPE_OF.json];

const PLAIN_JSON: Negotiated = { encoding: 'json', view: undefined, isStream: false };

interface Clause {
  readonly mediaType: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

/** What nobody hears the first text of 406 about, or where it was said before. @throws ApiError NotAcceptable */
export function negotiateParameters(accept: string | undefined, offer: Offer): Negotiated {
  if (accept === undefined || accept === '' || accept === 'application/json') return PLAIN_JSON;
  return acceptable(parseAccept(accept), offer) ?? refuse(offer);
}

/** @throws NoRoute, ApiError NotAcceptable */
export function negotiate(accept: string | undefined, offer: Offer): Negotiated {
  checkOffered(accept, offer);
  return negotiateParameters(accept, offer);
}

/** Whether there is a way to what is offered, whatever its parameters are. @throws NoRoute */
export function checkOffered(accept: string | undefined, offer: Offer): void {
  if (accept !== 'application/json') checkMediaType(accept, knownTypes(offer));
}

/** Whether one of the media types is known, whatever its parameters say. @throws NoRoute */
export function checkMediaType(accept: string | undefined, known: readonly string[]): void {
  if (accept === undefined || accept === '') return;
  const isKnown = parseAccept(accept).some(
    ({ mediaType }) => mediaType === '*/*' || known.includes(mediaType),
  );
  if (!isKnown) throw unknownMediaType(known);
}

/** As the router lists them. */
const knownTypes = ({ isText, encodings, listsStreams }: Offer): readonly string[] => {
  const types = encodings.map((encoding) => MEDIA_TYPE_OF[encoding]);
  const streams = types.filter((type) => type !== MEDIA_TYPE_OF.yaml).map((type) => `${type};stream=watch`);
  return [...(isText === true ? ['text/plain'] : []), ...types, ...(listsStreams ? streams : [])];
};

function acceptable(clauses: readonly Clause[], offer: Offer): Negotiated | undefined {
  const sorted = [...clauses].sort((a, b) => b.quality - a.quality);
  for (const clause of sorted) {
    for (const encoding of offer.encodings) {
      if (!matchesType(clause.mediaType, MEDIA_TYPE_OF[encoding])) continue;
      const choice = withParameters(encoding, clause.parameters, offer);
      if (choice) return choice;
    }
  }
  return undefined;
}

/** How a Status is to be shown, of which there are no views; undefined: in no way that there is. */
export function negotiatedForErrors(accept: string | undefined): Negotiated | undefined {
  if (accept === undefined || accept === '' || accept === 'application/json') return PLAIN_JSON;
  return acceptable(parseAccept(accept), PLAIN_OFFER);
}

function matchesType(wanted: string, offered: string): boolean {
  return wanted === offered || wanted === '*/*' || wanted === 'application/*';
}

function withParameters(
  encoding: Encoding,
  parameters: ReadonlyMap<string, string>,
  offer: Offer,
): Negotiated | undefined {
  const wishes = {
    isStream: parameters.get('stream') === 'watch',
    isPretty: parameters.get('pretty') === '1',
  };
  const kind = parameters.get('as');
  const group = parameters.get('g');
  const version = parameters.get('v');
  if (kind === undefined && group === undefined && version === undefined) {
    return encoding === offer.viewsOnly ? undefined : { encoding, view: undefined, ...wishes };
  }
  if (!kind || group === undefined || version === undefined) return undefined;
  const view: View = { kind, group, version };
  return offer.allowsView(view, encoding) ? { encoding, view, ...wishes } : undefined;
}

function parseAccept(accept: string): Clause[] {
  return accept.split(',').map((text) => {
    const [type = '', ...rest] = text.split(';');
    const parameters = new Map<string, string>();
    for (const part of rest) {
      const equals = part.indexOf('=');
      if (equals > 0) parameters.set(part.slice(0, equals).trim(), part.slice(equals + 1).trim());
    }
    const quality = Number(parameters.get('q') ?? '1');
    return { mediaType: type.trim(), parameters, quality: Number.isNaN(quality) ? 1 : quality };
  });
}

const unknownMediaType = (known: readonly string[]): NoRoute =>
  new NoRoute({
    reason: 'NotAcceptable',
    message: `406: Not Acceptable\n\nAvailable representations: ${known.join(', ')}`,
    details: {},
  });

function refuse(offer: Offer): never {
  throw refusal(offer.encodings.map((encoding) => MEDIA_TYPE_OF[encoding]));
}

const refusal = (mediaTypes: readonly string[]): ApiError =>
  new ApiError({
    reason: 'NotAcceptable',
    message: `only the following media types are accepted: ${mediaTypes.join(', ')}`,
  });

/** Watches have no YAML; without a negotiated form they are JSON. */
export function negotiateStream(accepted: Negotiated | undefined): Negotiated {
  if (!accepted) return PLAIN_JSON;
  if (accepted.encoding === 'yaml')
    throw refusal([`${MEDIA_TYPE_OF.json};stream=watch`, `${MEDIA_TYPE_OF.protobuf};stream=watch`]);
  return accepted;
}

/** Parameters as Go's `mime` package takes them: of one that has no value nothing is understood. */
const PARAMETERS =
  /^(?:\s*;\s*[\w!#$%&'*+.^`|~-]+\s*=\s*(?:[\w!#$%&'*+.^`|~-]+|"(?:[^"\\]|\\.)*"))*\s*;?\s*$/;

function namesTwice(parameters: string): boolean {
  const names = [...parameters.matchAll(/;\s*([^\s=;]+)\s*=/g)].map(([, name = '']) => name.toLowerCase());
  return new Set(names).size < names.length;
}

/** The encoding of a body of POST, PUT or DELETE; undefined: none that the API knows. */
export function encodingOfBody(contentType: string | undefined): Encoding | undefined {
  if (contentType === undefined || contentType === '') return 'json';
  const [, base = '', parameters = ''] = /^([^;]*)(.*)$/s.exec(contentType) ?? [];
  if (!PARAMETERS.test(parameters) || namesTwice(parameters)) return undefined;
  const type = base.trim().toLowerCase();
  return ALL_ENCODINGS.find((encoding) => MEDIA_TYPE_OF[encoding] === type);
}

export const unsupportedBody = (
  offered: readonly string[] = ALL_ENCODINGS.map((e) => MEDIA_TYPE_OF[e]),
): ApiError =>
  new ApiError({
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${offered.join(', ')}`,
  });
