/**
 * What a request is about, read once from its method, path and query: the verb, the group, version,
 * resource, subresource, namespace and name. Paths that name no resource keep only their path.
 * Specification: "Path shapes", "API verbs".
 */
import type { ApiRequest } from './request.ts';

export interface RequestInfo {
  /** Decoded path. */
  readonly path: string;
  readonly isResourceRequest: boolean;
  /**
   * Service verb, or the lower-case method for other paths; empty for methods unknown to the API. `proxy`: of the old prefix,
   * behind which nothing is served.
   */
  readonly verb: string;
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  /** Segments from the resource on; more than three make the path unroutable. */
  readonly parts: readonly string[];
  /** The legacy `/watch/` prefix was used. */
  readonly isLegacyWatch: boolean;
  /** An empty segment stands inside the resource path, so no route matches. */
  readonly isMalformed: boolean;
  /** A prefix without anything behind it: nobody can say what this is about. */
  readonly isUnreadable?: boolean;
}

/** Verbs that old paths begin with. */
const PREFIXES: ReadonlySet<string> = new Set(['watch', 'proxy']);

const VERB_OF_METHOD: Readonly<Record<string, string>> = {
  POST: 'create',
  GET: 'get',
  HEAD: 'get',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

/** Subresources of namespaces, so that `/namespaces/x/status` is no resource named status. */
const NAMESPACE_SUBRESOURCES: ReadonlySet<string> = new Set(['status', 'finalize']);

const nonResource = (path: string, method: string): RequestInfo => ({
  path,
  isResourceRequest: false,
  verb: method.toLowerCase(),
  group: '',
  version: '',
  resource: '',
  subresource: '',
  namespace: '',
  name: '',
  parts: [],
  isLegacyWatch: false,
  isMalformed: false,
});

/** Whoever asks for these is connected to somebody else, for as long as that takes. */
export const CONNECTING: ReadonlySet<string> = new Set(['attach', 'exec', 'log', 'portforward', 'proxy']);

/** Kubernetes reads every value but `false` and `0` as yes, the empty one too. */
export const isTrueParameter = (value: string | undefined): boolean =>
  value !== undefined && value.toLowerCase() !== 'false' && value !== '0';

/** Clients may make methods up. */
const MAX_METHODS = 32;
const MAX_KEPT = 16_384;
/** By path, for each method with and without `watch`: the same few paths are asked for again and again. */
const kept = new Map<string, Map<string, RequestInfo>>();

export function requestInfoOf(request: Pick<ApiRequest, 'method' | 'path' | 'query'>): RequestInfo {
  const kind = isTrueParameter(request.query.first('watch')) ? `${request.method} watch` : request.method;
  const known = kept.get(kind)?.get(request.path);
  if (known) return known;
  const info = readRequestInfo(request);
  let paths = kept.get(kind);
  if (!paths) {
    if (kept.size >= MAX_METHODS) kept.clear();
    kept.set(kind, (paths = new Map()));
  }
  if (paths.size >= MAX_KEPT) paths.clear();
  paths.set(request.path, info);
  return info;
}

function readRequestInfo(request: Pick<ApiRequest, 'method' | 'path' | 'query'>): RequestInfo {
  const path = decodePath(request.path);
  const all = path.slice(1).split('/');
  while (all.length > 1 && all[all.length - 1] === '') all.pop();
  const prefix = all[0];
  const isCore = prefix === 'api';
  if (!isCore && prefix !== 'apis') return nonResource(path, request.method);
  const first = isCore ? 2 : 3;
  if (all.length <= first) return nonResource(path, request.method);
  if (all.length === first + 1 && PREFIXES.has(all[first] ?? ''))
    return { ...nonResource(path, request.method), isUnreadable: true };
  return resourceInfo(request, path, {
    group: isCore ? '' : (all[1] ?? ''),
    version: all[first - 1] ?? '',
    rest: all.slice(first),
  });
}

function resourceInfo(
  { method, query }: Pick<ApiRequest, 'method' | 'query'>,
  path: string,
  { group, version, rest }: { group: string; version: string; rest: string[] },
): RequestInfo {
  let verb = VERB_OF_METHOD[method] ?? '';
  let parts = rest;
  const [prefix = ''] = parts;
  const isLegacyWatch = prefix === 'watch';
  if (PREFIXES.has(prefix)) {
    parts = parts.slice(1);
    verb = prefix;
  }
  let namespace = '';
  if (parts[0] === 'namespaces') {
    namespace = parts[1] ?? '';
    const third = parts[2];
    if (parts.length > 2 && third !== undefined && !NAMESPACE_SUBRESOURCES.has(third)) parts = parts.slice(2);
  }
  const [resource = '', name = '', third = ''] = parts;
  // Behind that prefix a path of whoever is asked follows.
  const subresource = verb === 'proxy' ? '' : third;
  if (name === '') {
    if (verb === 'get') verb = isTrueParameter(query.first('watch')) ? 'watch' : 'list';
    else if (verb === 'delete') verb = 'deletecollection';
  }
  return {
    path,
    isResourceRequest: true,
    verb,
    group,
    version,
    resource,
    subresource,
    namespace,
    name,
    parts,
    isLegacyWatch,
    isMalformed: parts.some((part) => part === ''),
  };
}

function decodePath(path: string): string {
  if (!path.includes('%')) return path;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
