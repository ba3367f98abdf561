/**
 * A ConfigMap of `kube-system` that the server itself keeps: made when it is not there, not more often than it may be, and
 * corrected when it does not say what it should. It refuses to know what it says.
 */
import type { ConfigMap } from '../../api/types/core-v1.ts';
import { formatTime } from '../../api/time-format.ts';
import type { Storage, StorageWatch } from '../../storage/storage.ts';
import type { Resource } from '../registry/resource.ts';
import { atRevision, stored } from '../registry/storage-form.ts';
import type { DraftObject } from '../registry/strategy.ts';
import type { StoreView } from '../request/server-view.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';
import { ownFieldsOf } from './own-status.ts';
import type { StoredObject } from './stored-object.ts';
import { untilWritten } from './until-written.ts';

const NAMESPACE = 'kube-system';

export interface KeptConfigMapOptions {
  readonly name: string;
  /** What it should say, when it says `present` (undefined: it is not there). The same object: it is right. */
  data(present: Data | undefined): Data;
  /** So long after it was made nobody makes it again; default: at once. */
  readonly madeAnewAfterMs?: number;
}

type Data = Readonly<Record<string, string>>;

export interface ConfigMapHost extends StoreView {
  readonly surroundings: Pick<ApiServerSurroundings, 'wallMs' | 'uuid' | 'after'>;
  readonly storage: Pick<Storage<StoredObject>, 'watch'>;
}

export class KeptConfigMap {
  readonly #host: ConfigMapHost;
  readonly #options: KeptConfigMapOptions;
  readonly #resource: Resource;
  readonly #watch: StorageWatch;
  #cancel: (() => void) | undefined;
  #mayMakeAtMs = 0;

  /** From now on, until it is closed. Undefined: there are no ConfigMaps. */
  static start(host: ConfigMapHost, options: KeptConfigMapOptions): KeptConfigMap | undefined {
    const resource = host.registry.findByText('configmaps');
    return resource && new KeptConfigMap(host, resource, options);
  }

  private constructor(host: ConfigMapHost, resource: Resource, options: KeptConfigMapOptions) {
    this.#host = host;
    this.#resource = resource;
    this.#options = options;
    untilWritten(host.surroundings, () => this.#keep());
    const prefix = host.storeOf(resource).key(NAMESPACE, options.name);
    this.#watch = host.storage.watch({ prefix, onEvents: () => this.#schedule(0) });
  }

  close(): void {
    this.#watch.close();
    this.#cancel?.();
  }

  #schedule(afterMs: number): void {
    const { surroundings } = this.#host;
    this.#cancel?.();
    this.#cancel = surroundings.after(afterMs, () => {
      this.#cancel = undefined;
      untilWritten(surroundings, () => this.#keep());
    });
  }

  #keep(): void {
    const store = this.#host.storeOf(this.#resource);
    const key = store.key(NAMESPACE, this.#options.name);
    const entry = store.get(key);
    if (!entry) return this.#make();
    const map = entry.value as ConfigMap;
    const data = this.#options.data(map.data ?? {});
    if (data === map.data) return undefined;
    const whole = stored(this.#resource, this.#owned(map, { ...map, data }));
    store.replace(key, entry.modRevision, (revision) => atRevision(whole, revision));
    return undefined;
  }

  #make(): void {
    const { madeAnewAfterMs = 0, name, data } = this.#options;
    const { surroundings } = this.#host;
    const wallMs = surroundings.wallMs();
    const waitMs = this.#mayMakeAtMs - wallMs;
    // A clock that was turned back is no reason to wait for longer.
    if (waitMs > 0 && waitMs <= madeAnewAfterMs) return this.#schedule(waitMs);
    this.#mayMakeAtMs = wallMs + madeAnewAfterMs;
    const creationTimestamp = formatTime(wallMs);
    const map: ConfigMap = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: NAMESPACE, uid: surroundings.uuid(), creationTimestamp },
      data: data(undefined),
    };
    const store = this.#host.storeOf(this.#resource);
    const whole = stored(this.#resource, this.#owned(undefined, map));
    store.create(store.key(NAMESPACE, name), (revision) => atRevision(whole, revision));
    return undefined;
  }

  #owned(live: ConfigMap | undefined, next: ConfigMap): DraftObject {
    const now = formatTime(this.#host.surroundings.wallMs());
    return ownFieldsOf({ resource: this.#resource, now, subresource: '' }, live, next);
  }
}
