/** One request and its answer, as a server has seen them, and what there was in the storage meanwhile. */
import type { ApiObject } from '../../sim/api/object.ts';
import { remembered } from '../remembered.ts';

export interface Place {
  /** `apps`; empty: the core. */
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly namespace: string;
  /** Empty: a collection. */
  readonly name: string;
  readonly subresource: string;
}

export interface Exchange {
  /** Virtual microseconds of the answer. */
  readonly at: number;
  /** Name of the actor that asked. */
  readonly client: string;
  /** As whom it asked. */
  readonly user?: string;
  readonly method: string;
  readonly place: Place;
  /** Of the object in the storage. Undefined: it is about none, or about several. */
  readonly key: string | undefined;
  readonly query: Readonly<Record<string, string | undefined>>;
  readonly contentType: string;
  readonly sent: unknown;
  readonly status: number;
  readonly answer: unknown;
  readonly warnings: readonly string[];
  /** Of the storage, when the request reached a server and when that answered. */
  readonly revisionBefore: number;
  readonly revisionAfter: number;
  /** Nobody else asked for a change of that object meanwhile. */
  readonly isAlone: boolean;
  /** The very same message has reached a server before. */
  readonly isRepeated?: boolean;
}

export const isSuccess = ({ status }: Exchange): boolean => status >= 200 && status < 300;
export const isDryRun = ({ query }: Exchange): boolean => (query['dryRun'] ?? '') !== '';
export const isWrite = ({ method }: Exchange): boolean => method !== 'GET' && method !== 'HEAD';

/** The object in the answer, if it is one and whole. */
export function objectIn({ answer }: Exchange): ApiObject | undefined {
  if (typeof answer !== 'object' || answer === null || !('metadata' in answer)) return undefined;
  const object = answer as ApiObject;
  const { uid, resourceVersion } = object.metadata;
  const isWhole = object.kind !== 'PartialObjectMetadata' && object.kind !== 'Table';
  return uid !== undefined && resourceVersion !== undefined && isWhole ? object : undefined;
}

export const nameOf = ({ method, place, query }: Exchange): string => {
  const { resource, namespace, name, subresource } = place;
  const what = [resource, namespace, name, subresource].filter((part) => part !== '').join('/');
  return `${query['dryRun'] ? 'dry-run ' : ''}${method} ${what}`;
};

const PATH = /^\/(?:api\/(v1)|apis\/([^/]+)\/([^/]+))\/(.+)$/;

/** Undefined: the path is none of a resource. */
export const placeIn = remembered(readPlace);

function readPlace(path: string): Place | undefined {
  const match = PATH.exec(path);
  if (!match) return undefined;
  const [, core, group = '', named = '', rest = ''] = match;
  const parts = rest.split('/').map(decodeURIComponent);
  const isNamespaced = parts[0] === 'namespaces' && parts.length > 2 && !OF_NAMESPACES.has(parts[2] ?? '');
  const [resource = '', name = '', ...more] = isNamespaced ? parts.slice(2) : parts;
  if (resource === 'watch') return undefined;
  return {
    group,
    version: core ?? named,
    resource,
    namespace: isNamespaced ? (parts[1] ?? '') : '',
    name,
    subresource: more.join('/'),
  };
}

const OF_NAMESPACES: ReadonlySet<string> = new Set(['status', 'finalize']);
