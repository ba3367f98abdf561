/** URLs: `url("https://example.com/a").getHost()`. */
import { type Library, method, overload } from '../types/declarations.ts';
import { BOOL, listOf, mapOf, STRING, struct } from '../types/type.ts';
import { ValueList, ValueMap } from '../values/containers.ts';
import {
  CelError,
  type CelValue,
  NO_OVERLOAD,
  noOverload,
  type OpaqueValue,
  type Result,
} from '../values/value.ts';
import { hostname, parseRequestUrl, parseUrl, port, queryOf, type Url, UrlProblem } from './url-text.ts';

const URL_TYPE = struct('kubernetes.URL');

class UrlValue implements OpaqueValue {
  readonly kind = 'opaque';
  readonly type = URL_TYPE;
  readonly url: Url;
  constructor(url: Url) {
    this.url = url;
  }
  get text(): string {
    return this.url.text;
  }
  equals(other: Result): Result {
    return other instanceof UrlValue ? this.text === other.text : noOverload(other);
  }
}

function urlOf(text: CelValue = null): Result {
  if (typeof text !== 'string') return NO_OVERLOAD;
  try {
    parseRequestUrl(text);
    return new UrlValue(parseUrl(text));
  } catch (error) {
    if (!(error instanceof UrlProblem)) throw error;
    return new CelError(`URL parse error during conversion from string: ${error.message}`);
  }
}

function isUrl(text: CelValue = null): Result {
  if (typeof text !== 'string') return NO_OVERLOAD;
  try {
    parseRequestUrl(text);
    return true;
  } catch (error) {
    if (error instanceof UrlProblem) return false;
    throw error;
  }
}

const part = (name: string, id: string, read: (url: Url) => CelValue, type = STRING) => ({
  name,
  overloads: [
    method(id, [URL_TYPE], type, (value) => (value instanceof UrlValue ? read(value.url) : NO_OVERLOAD)),
  ],
});

const parameters = (url: Url): CelValue =>
  new ValueMap([...queryOf(url)].map(([name, values]) => [name, new ValueList(values)] as const));

export const URLS: Library = {
  functions: [
    { name: 'url', overloads: [overload('string_to_url', [STRING], URL_TYPE, urlOf)] },
    part('getScheme', 'url_get_scheme', ({ scheme }) => scheme),
    part('getHost', 'url_get_host', ({ host }) => host),
    part('getHostname', 'url_get_hostname', hostname),
    part('getPort', 'url_get_port', port),
    part('getEscapedPath', 'url_get_escaped_path', (url) => url.escapedPath),
    part('getQuery', 'url_get_query', parameters, mapOf(STRING, listOf(STRING))),
    { name: 'isURL', overloads: [overload('is_url_string', [STRING], BOOL, isUrl)] },
  ],
};
