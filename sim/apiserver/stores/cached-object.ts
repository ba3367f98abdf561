/** An object as this server's cache has it. */
import type { ApiObject } from '../../api/object.ts';
import type { StoreView } from '../request/server-view.ts';

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

/** The server's methods stay bound to it. */
export const viewOf = (host: StoreView): StoreView => ({
  registry: host.registry,
  storeOf: (resource) => host.storeOf(resource),
});
