/**
 * Requests to deprecated versions: the `Warning` header, the audit annotations and the gauge metric.
 * Specification: "Behavior on requests to deprecated endpoints".
 */
import type { Exchange } from '../request/exchange.ts';
import type { Deprecation } from '../registry/resource.ts';

export function noteDeprecatedUse(exchange: Exchange, { warning, removedRelease }: Deprecation): void {
  const { info, server } = exchange;
  exchange.warn(warning);
  exchange.annotate('k8s.io/deprecated', 'true');
  if (removedRelease) exchange.annotate('k8s.io/removed-release', removedRelease);
  server.deprecatedUse.note({
    group: info.group,
    version: info.version,
    resource: info.resource,
    subresource: info.subresource,
    removedRelease,
  });
}
