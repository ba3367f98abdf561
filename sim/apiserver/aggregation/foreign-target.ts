/** Where calls for a foreign group and version lead, and what the cluster knows of the service behind it. */
import type { ApiObject } from '../../api/object.ts';
import { targetOf, type WebhookTarget } from '../admission/webhooks/webhook-target.ts';
import type { StoreView } from '../request/server-view.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';
import type { ForeignService } from './foreign-services.ts';

export interface ForeignHost extends StoreView {
  readonly surroundings: ApiServerSurroundings;
}

export const cachedObject = (
  { registry, storeOf }: StoreView,
  text: string,
  namespace: string,
  name: string,
): ApiObject | undefined => {
  const resource = registry.findByText(text);
  const store = resource && storeOf(resource);
  return store?.cache.get(store.key(namespace, name))?.value;
};

export const targetOfForeign = (host: ForeignHost, { service, caBundle }: ForeignService): WebhookTarget =>
  targetOf(
    {
      surroundings: host.surroundings,
      lookup: (resource, namespace, name) => cachedObject(viewOf(host), resource, namespace, name),
    },
    { service, ...(caBundle !== undefined && { caBundle }) },
  );

/** The server's methods stay bound to it. */
export const viewOf = (host: StoreView): StoreView => ({
  registry: host.registry,
  storeOf: (resource) => host.storeOf(resource),
});
