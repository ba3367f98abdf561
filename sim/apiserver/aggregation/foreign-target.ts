/** Where calls for a foreign group and version lead, and what the cluster knows of the service behind it. */
import { targetOf, type WebhookTarget } from '../admission/webhooks/webhook-target.ts';
import type { StoreView } from '../request/server-view.ts';
import { cachedObject, viewOf } from '../stores/cached-object.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';
import type { ForeignService } from './foreign-services.ts';

export interface ForeignHost extends StoreView {
  readonly surroundings: ApiServerSurroundings;
}

export function targetOfForeign(
  host: ForeignHost,
  { service, caBundle, isUnverified }: ForeignService,
): WebhookTarget {
  const target = targetOf(
    {
      surroundings: host.surroundings,
      lookup: (resource, namespace, name) => cachedObject(viewOf(host), resource, namespace, name),
    },
    { service, ...(caBundle !== undefined && { caBundle }) },
  );
  const { place } = target;
  if (place.kind !== 'endpoint' || place.endpoint.kind !== 'url') return target;
  const endpoint = { ...place.endpoint, asProxy: true, isUnverified };
  return { ...target, place: { ...place, endpoint } };
}
