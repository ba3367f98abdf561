/**
 * Which representation a request asks for and which one its body is in. A server has two gates: the
 * route, which knows media types without their parameters and refuses with `406: Not Acceptable`, and
 * the serializers, which know parameters (`as`, `v`, `g`, `stream`) and list what they accept.
 * Specification: "Representations".
 */
import { protobufMediaType, outwardGroup, type Dialect } from './dialect.ts';
import { ApiError } from './status.ts';

export type Encoding = 'json' | 'yaml' | 'protobuf';

/** What the client wants instead of the object itself: `as=Table;g=meta.k8s.io;v=v1`. */
export interface Conversion {
  readonly kind: string;
  readonly group: string;
  readonly version: string;
}

export interface MediaChoice {
  readonly encoding: Encoding;
  /** Without parameters: `application/json`. */
  readonly mediaType: string;
  readonly conversion?: Conversion;
  /** `watch` */
  readonly stream?: string;
  readonly isPretty: boolean;
}

export interface Offer {
  readonly dialect: Dialect;
  readonly encodings: readonly Encoding[];
  /** Whether an encoding can carry the object as it is (no conversion) or converted. */
  readonly allows: (encoding: Encoding, conversion: Conversion | undefined) => boolean;
}

interface Clause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

/** All encodings of built-in kinds, in the order in which messages list them. */
export const ALL_ENCODINGS: readonly Encoding[] = ['json', 'yaml', 'protobuf'];

export const mediaTypeOf = (dialect: Dialect, encoding: Encoding): string =>
  encoding === 'protobuf' ? protobufMediaType(dialect) : `application/${encoding}`;

const parseClause = (text: string): Clause | undefined => {
  const [range = '', ...rest] = text.split(';');
  const [type = '', subtype, ...more] = range.trim().split('/');
  if (more.length > 0 || (subtype === undefined && type !== '*')) return undefined;
  const parameters = new Map<string, string>();
  let quality = 1;
  for (const parameter of rest) {
    const equals = parameter.indexOf('=');
    if (equals < 0) continue;
    const name = parameter.slice(0, equals).trim();
    const value = parameter.slice(equals + 1).trim();
    if (name === 'q') quality = Number(value) || 0;
    else parameters.set(name, value);
  }
  return { type: type.trim(), subtype: subtype?.trim() ?? '*', quality, parameters };
};

/** Wildcards come after what is named, at equal quality. */
const wildcards = ({ type, subtype }: Clause): number => (type === '*' ? 2 : subtype === '*' ? 1 : 0);

/** Clauses of an Accept header, best first. `q=0` only puts a clause last. */
const parseAccept = (header: string): readonly Clause[] =>
  header
    .split(',')
    .map(parseClause)
    .filter((clause) => clause !== undefined)
    .sort((left, right) => right.quality - left.quality || wildcards(left) - wildcards(right));

const conversionOf = (parameters: ReadonlyMap<string, string>): Conversion | undefined => {
  const kind = parameters.get('as');
  const group = parameters.get('g');
  const version = parameters.get('v');
  if (kind === undefined && group === undefined && version === undefined) return undefined;
  return { kind: kind ?? '', group: group ?? '', version: version ?? '' };
};

const matches = (clause: Clause, mediaType: string): boolean => {
  const [type, subtype] = mediaType.split('/');
  if (clause.type === '*' && clause.subtype === '*') return true;
  return clause.type === type && (clause.subtype === subtype || clause.subtype === '*');
};

const choose = (clause: Clause, encoding: Encoding, offer: Offer): MediaChoice | undefined => {
  const conversion = conversionOf(clause.parameters);
  const stream = clause.parameters.get('stream');
  if (!offer.allows(encoding, conversion)) return undefined;
  if (stream !== undefined && stream !== '' && stream !== 'watch') return undefined;
  return {
    encoding,
    mediaType: mediaTypeOf(offer.dialect, encoding),
    ...(conversion && { conversion }),
    ...(stream && { stream }),
    isPretty: clause.parameters.get('pretty') === '1',
  };
};

/** 406 of the serializers. */
const onlyAccepted = (mediaTypes: readonly string[]): ApiError =>
  new ApiError({
    reason: 'NotAcceptable',
    message: `only the following media types are accepted: ${mediaTypes.join(', ')}`,
  });

/**
 * The second gate: the representation that an Accept header asks for.
 * @throws ApiError 406 if none of its clauses can be served
 */
export const negotiate = (accept: string | undefined, offer: Offer): MediaChoice => {
  const [first = 'json'] = offer.encodings;
  if (!accept) return { encoding: first, mediaType: mediaTypeOf(offer.dialect, first), isPretty: false };
  for (const clause of parseAccept(accept)) {
    for (const encoding of offer.encodings) {
      if (!matches(clause, mediaTypeOf(offer.dialect, encoding))) continue;
      const choice = choose(clause, encoding, offer);
      if (choice) return choice;
    }
  }
  throw onlyAccepted(offer.encodings.map((encoding) => mediaTypeOf(offer.dialect, encoding)));
};

const streamTypes = (dialect: Dialect): readonly string[] =>
  (['json', 'protobuf'] as const).map((encoding) => `${mediaTypeOf(dialect, encoding)};stream=watch`);

/**
 * The representation of a watch: what has no form for streams (YAML) cannot be watched.
 * @throws ApiError 406
 */
export const negotiateStream = (accept: string | undefined, offer: Offer): MediaChoice => {
  const choice = negotiate(accept, offer);
  if (choice.encoding === 'yaml') throw onlyAccepted(streamTypes(offer.dialect));
  return choice;
};

export interface RouteOffer {
  readonly dialect: Dialect;
  readonly encodings: readonly Encoding[];
  /** Lists can be watched, and say so in what they offer. */
  readonly isList: boolean;
}

/** The first gate: the 406 of a route that produces none of the media types, or undefined. */
export const routeRefusal = (
  accept: string | undefined,
  { dialect, encodings, isList }: RouteOffer,
): ApiError | undefined => {
  const produced = encodings.map((encoding) => mediaTypeOf(dialect, encoding));
  const isAccepted = (clause: string): boolean => {
    const range = (clause.split(';')[0] ?? '').trim();
    return range === '*/*' || produced.includes(range);
  };
  if (!accept || accept.split(',').some(isAccepted)) return undefined;
  const offered = isList ? [...produced, ...streamTypes(dialect)] : produced;
  return new ApiError({
    reason: 'NotAcceptable',
    message: `406: Not Acceptable\n\nAvailable representations: ${offered.join(', ')}`,
    details: {},
  });
};

/** Conversions that every object and list allows: Table (not as protobuf) and PartialObjectMetadata(List). */
export const allowsObjectConversion = (
  dialect: Dialect,
  encoding: Encoding,
  { kind, group, version }: Conversion,
): boolean => {
  if (group !== outwardGroup(dialect, 'meta.k8s.io') || (version !== 'v1' && version !== 'v1beta1'))
    return false;
  if (kind === 'Table') return encoding !== 'protobuf';
  return kind === 'PartialObjectMetadata' || kind === 'PartialObjectMetadataList';
};

/** What requests for built-in kinds are offered. */
export const objectOffer = (dialect: Dialect): Offer => ({
  dialect,
  encodings: ALL_ENCODINGS,
  allows: (encoding, conversion) =>
    conversion === undefined || allowsObjectConversion(dialect, encoding, conversion),
});

/** What requests for custom resources are offered: protobuf only of their metadata. */
export const customObjectOffer = (dialect: Dialect): Offer => ({
  dialect,
  encodings: ALL_ENCODINGS,
  allows: (encoding, conversion) =>
    conversion === undefined
      ? encoding !== 'protobuf'
      : allowsObjectConversion(dialect, encoding, conversion),
});

/** The bare media type of a Content-Type header in lower case. */
const bareMediaType = (contentType: string): string => (contentType.split(';')[0] ?? '').trim().toLowerCase();

const unsupportedBody = (mediaTypes: readonly string[]): ApiError =>
  new ApiError({
    reason: 'UnsupportedMediaType',
    message: `the body of the request was in an unknown format - accepted media types include: ${mediaTypes.join(', ')}`,
  });

/**
 * The encoding of the body of a POST, PUT or DELETE; without Content-Type it is JSON.
 * @throws ApiError 415
 */
export const bodyEncoding = (contentType: string | undefined, dialect: Dialect): Encoding => {
  if (!contentType) return 'json';
  const mediaType = bareMediaType(contentType);
  const encoding = ALL_ENCODINGS.find((candidate) => mediaTypeOf(dialect, candidate) === mediaType);
  if (encoding) return encoding;
  throw unsupportedBody(ALL_ENCODINGS.map((candidate) => mediaTypeOf(dialect, candidate)));
};

export type PatchForm = 'json' | 'merge' | 'strategic' | 'apply';

const PATCH_FORMS: ReadonlyMap<string, PatchForm> = new Map([
  ['application/json-patch+json', 'json'],
  ['application/merge-patch+json', 'merge'],
  ['application/strategic-merge-patch+json', 'strategic'],
  ['application/apply-patch+yaml', 'apply'],
]);

const mediaTypeOfPatch = (form: PatchForm): string =>
  [...PATCH_FORMS].find(([, candidate]) => candidate === form)?.[0] ?? '';

/**
 * The form of a PATCH body. Custom resources have no strategic merge patch.
 * @throws ApiError 415
 */
export const patchForm = (contentType: string | undefined, forms: readonly PatchForm[]): PatchForm => {
  const form = PATCH_FORMS.get(bareMediaType(contentType ?? ''));
  if (!form)
    throw new ApiError({
      reason: 'UnsupportedMediaType',
      message: '415: Unsupported Media Type',
      details: {},
    });
  if (!forms.includes(form)) throw unsupportedBody(forms.map(mediaTypeOfPatch));
  return form;
};
