/** Finds the scale of what an autoscaler scales, by its kind in whatever version is served, and changes it. */
import type { ApiObject } from '../../api/object.ts';
import { ApiError } from '../../api/status.ts';
import type { Scale } from '../../api/types/autoscaling-v1.ts';
import type { CrossVersionObjectReference } from '../../api/types/autoscaling-v2.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure } from '../../client/api-failure.ts';
import { Discovery } from '../../client/discovery/discovery.ts';
import type { ResourceHandle } from '../../client/resource-handle.ts';
import type { Process } from '../../engine/process.ts';
import { answerText } from './metrics-reader.ts';

export interface FoundTarget {
  readonly handle: ResourceHandle;
  readonly scale: Scale;
}

/** The target has no scale that could be had; the message says why. */
export class NoScale extends Error {
  override readonly name = 'NoScale';
}

export class ScaleTargets {
  readonly #client: ApiClient;
  readonly #discovery: Discovery;

  constructor(client: ApiClient) {
    this.#client = client;
    this.#discovery = new Discovery(client);
  }

  /** @throws NoScale */
  *find(
    { apiVersion = '', kind, name }: CrossVersionObjectReference,
    namespace: string,
  ): Process<FoundTarget> {
    const parts = apiVersion.split('/');
    if (parts.length > 2) throw new NoScale(`unexpected GroupVersion string: ${apiVersion}`);
    const handle = yield* this.#handleOf(parts.length === 2 ? (parts[0] ?? '') : '', kind);
    try {
      return { handle, scale: yield* this.#client.get(scaleOf(handle), { namespace, name }, SCALE) };
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      const group = handle.group && `.${handle.group}`;
      throw new NoScale(answerText(error, 'get', `${handle.resource}${group} ${name}`));
    }
  }

  /** @throws CallFailure Conflict too: it was changed since it was found */
  *write({ handle, scale }: FoundTarget, replicas: number): Process<void> {
    const spec = { ...scale.spec, replicas };
    yield* this.#client.update(scaleOf(handle), { ...scale, spec }, SCALE);
  }

  *#handleOf(group: string, kind: string): Process<ResourceHandle> {
    try {
      const { preferred } = yield* this.#discovery.served();
      const found = preferred.find(({ handle }) => handle.group === group && handle.kind === kind);
      if (found) return found.handle;
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      throw new NoScale(error instanceof ApiError ? error.message : 'the server is not reachable');
    }
    throw new NoScale(`no matches for kind "${kind}" in group "${group}"`);
  }
}

const SCALE = { subresource: 'scale' };
/** The subresource has a type of its own. */
const scaleOf = (handle: ResourceHandle): ResourceHandle<Scale & ApiObject> => {
  const { group, version, resource, kind, isNamespaced } = handle;
  return { group, version, resource, kind, isNamespaced };
};
