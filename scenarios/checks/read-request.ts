/** What a request for a list or a watch asks for, in the words of the rules about reads. */
import type { Interest } from '../../model/history.ts';
import type { OpenedWatch, ReadBound, Reader } from '../../model/reads/observation.ts';
import { selectionOf } from '../../model/reads/selection.ts';
import { remembered } from '../../model/remembered.ts';
import type { ApiObject } from '../../sim/index.ts';

/** A call as it goes over the network, as far as it matters here. */
export interface ReadCall {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string | undefined>>;
}

export interface ReadRequest {
  readonly reader: Reader;
  readonly interest: Interest;
  /** Of a list. */
  readonly bound?: ReadBound;
  readonly continues?: string;
  /** Of a watch. */
  readonly start?: OpenedWatch['start'];
  keyOf(object: ApiObject): string;
}

export interface Asking {
  readonly call: ReadCall;
  /** Of the storage when it was sent. */
  readonly revision: number;
  readonly client: string;
  /** Which life of it. */
  readonly life: number;
  readonly isSteady: boolean;
  directoryOf(
    group: string,
    version: string,
    resource: string,
  ): { readonly directory: string; readonly isNamespaced: boolean } | undefined;
}

/** Undefined: it is no list and no watch, or asks in a way that the rules do not judge. */
export function askedFor(asking: Asking): ReadRequest | undefined {
  const { call, client, life, isSteady } = asking;
  const place = placeOf(call.path);
  const found = place && asking.directoryOf(place.group, place.version, place.resource);
  if (!place || !found) return undefined;
  const { labelSelector, fieldSelector } = call.query;
  const selection = selectionOf(labelSelector, fieldSelector);
  if (!selection) return undefined;
  const { directory, isNamespaced } = found;
  const keyOf = ({ metadata }: ApiObject): string =>
    `${directory}${isNamespaced ? `${metadata.namespace ?? ''}/` : ''}${metadata.name ?? ''}`;
  const inNamespace = place.namespace === '' ? directory : `${directory}${place.namespace}/`;
  const scope = inNamespace + place.name;
  const reader = { client, life, what: whatOf(place, labelSelector, fieldSelector), isSteady };
  const interest = { scope, selects: selection.selects };
  const isWatch = place.isWatch || isTrue(call.query['watch']);
  // From the present on, without telling of which revision that is.
  if (isWatch && call.query['sendInitialEvents'] === 'false' && isUnset(call.query['resourceVersion']))
    return undefined;
  if (isWatch) return { reader, interest, keyOf, start: startOf(asking) };
  if (place.name !== '') return undefined;
  const page = { reader, interest, keyOf, bound: boundOf(asking) };
  const continues = call.query['continue'];
  return continues === undefined || continues === '' ? page : { ...page, continues };
}

function whatOf({ text }: Place, ...selectors: readonly (string | undefined)[]): string {
  const given = selectors.filter((part) => part !== undefined);
  return given.length === 0 ? text : [text, ...given].join(' ');
}

interface Place {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace: string;
  /** Empty: all of them. */
  readonly name: string;
  /** By a path that is only for watches. */
  readonly isWatch: boolean;
  readonly text: string;
}

const PATH = /^\/(?:api\/(v1)|apis\/([^/]+)\/([^/]+))\/(watch\/)?(.+)$/;

const placeOf = remembered(readPlace);

function readPlace(path: string): Place | undefined {
  const match = PATH.exec(path);
  if (!match) return undefined;
  const [, core, group = '', named = '', watch, rest = ''] = match;
  const parts = rest.split('/').map(decodeURIComponent);
  const isNamespaced = parts[0] === 'namespaces' && parts.length > 2;
  const [resource = '', name = '', ...more] = isNamespaced ? parts.slice(2) : parts;
  if (more.length > 0) return undefined;
  return {
    group,
    version: core ?? named,
    resource,
    namespace: isNamespaced ? (parts[1] ?? '') : '',
    name,
    isWatch: watch !== undefined,
    text: path,
  };
}

const isTrue = (text: string | undefined): boolean =>
  text !== undefined && text !== '' && text !== 'false' && text !== '0';

const isUnset = (version: string | undefined): boolean => version === undefined || version === '';

function startOf(asking: Asking): OpenedWatch['start'] {
  const { resourceVersion = '', sendInitialEvents } = asking.call.query;
  if (sendInitialEvents === 'true') return { kind: 'state', bound: boundOf(asking) };
  return resourceVersion === '' || resourceVersion === '0'
    ? { kind: 'state', bound: boundOf(asking) }
    : { kind: 'after', revision: Number(resourceVersion) };
}

function boundOf({ call, revision }: Asking): ReadBound {
  const { resourceVersion = '', resourceVersionMatch } = call.query;
  if (resourceVersion === '') return { kind: 'most-recent', revision };
  if (resourceVersion === '0') return { kind: 'any' };
  return resourceVersionMatch === 'Exact'
    ? { kind: 'exactly', revision: Number(resourceVersion) }
    : { kind: 'at-least', revision: Number(resourceVersion) };
}
