import type { ApiRequest } from './request.ts';

/** Path and query, as they were asked for. */
export function requestUri({ path, query }: Pick<ApiRequest, 'path' | 'query'>): string {
  const parameters = query.toString();
  return parameters === '' ? path : `${path}?${parameters}`;
}
