/**
 * Requests to deprecated versions: the `Warning` header, the audit annotations and the gauge metric.
 * Specification: "Behavior on requests to deprecated endpoints".
 */
import type { Exchange } from '../request/exchange.ts';
import type { Deprecation } from '../registry/resource.ts';

export function countDeprecatedUse(exchange: Exchange, { warning, removedRelease }: Deprecation): void {
  const { info, server, auditAnnotations } = exchange;
  exchange.warn(warning);
  auditAnnotations.set('k8s.io/deprecated', 'true');
  if (removedRelease) auditAnnotations.set('k8s.io/removed-release', removedRelease);
  server.deprecatedUse.note({
    group: info.group,
    version: info.version,
    resource: info.resource,
    subresource: info.subresource,
    removedRelease,
  });
}

export interface DeprecatedRequest {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly subresource: string;
  readonly removedRelease: string;
}

/** Which deprecated versions have been asked for: the gauge `apiserver_requested_deprecated_apis`. */
export class DeprecatedUse {
  readonly #requests = new Map<string, DeprecatedRequest>();

  note(request: DeprecatedRequest): void {
    const key = `${request.group}/${request.version}/${request.resource}/${request.subresource}`;
    if (!this.#requests.has(key)) this.#requests.set(key, request);
  }

  all(): readonly DeprecatedRequest[] {
    return [...this.#requests.values()];
  }
}
