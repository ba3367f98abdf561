/** The pod, and the container of it, that a request wants to reach. Specification: not shown (Kubernetes 1.31). */
import { badRequest, notFound } from '../../api/status.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import type { Exchange } from '../request/exchange.ts';

/** @throws ApiError NotFound */
export function podNamed({ server, info }: Exchange, name: string): Pod {
  const resource = server.registry.findByText('pods');
  const store = resource && server.storeOf(resource);
  const pod = store?.get(store.key(info.namespace, name))?.value;
  if (!pod) throw notFound({ group: '', resource: 'pods' }, name);
  return pod;
}

/** The wanted container; the only one, if none is named. @throws ApiError BadRequest */
export function containerNameOf({ metadata, spec }: Pod, wanted: string): string {
  const names = (spec?.containers ?? []).map(({ name }) => name);
  const initNames = (spec?.initContainers ?? []).map(({ name }) => name);
  const ephemeralNames = (spec?.ephemeralContainers ?? []).map(({ name }) => name);
  const pod = metadata.name ?? '';
  if (wanted !== '') {
    if ([...names, ...initNames, ...ephemeralNames].includes(wanted)) return wanted;
    throw badRequest(`container ${wanted} is not valid for pod ${pod}`);
  }
  const [only] = names;
  if (names.length === 1 && only !== undefined) return only;
  if (names.length === 0) throw badRequest(`a container name must be specified for pod ${pod}`);
  const inits = initNames.length > 0 ? ` or one of the init containers: [${initNames.join(' ')}]` : '';
  throw badRequest(
    `a container name must be specified for pod ${pod}, choose one of: [${names.join(' ')}]${inits}`,
  );
}
