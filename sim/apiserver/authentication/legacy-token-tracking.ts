/**
 * Notes who still uses tokens out of secrets: the day of the last use on the secret, and since when that is noted in a
 * ConfigMap, which is made anew when it is gone (not more often than every half hour) and corrected when it is no day.
 * Whoever cleans up such tokens goes by both. Specification: not shown: Kubernetes 1.31.
 */
import type { ConfigMap, Secret } from '../../api/types/core-v1.ts';
import { formatTime } from '../../api/time-format.ts';
import { isReleasedBy, type Release } from '../../api/release/release.ts';
import type { Process } from '../../engine/process.ts';
import type { Storage, StorageWatch } from '../../storage/storage.ts';
import { atRevision, stored } from '../registry/storage-form.ts';
import { type ApiRequest, type ApiResponse, QueryParameters } from '../request/request.ts';
import type { StoreView } from '../request/server-view.ts';
import type { StoredObject } from '../stores/stored-object.ts';
import { untilWritten } from '../stores/until-written.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';

const TRACKED_SINCE = '1.27';
const NAMESPACE = 'kube-system';
const NAME = 'kube-apiserver-legacy-service-account-token-tracking';
const LAST_USED = 'kubernetes.io/legacy-token-last-used';
const SERVER = { name: 'system:apiserver', groups: ['system:authenticated', 'system:masters'] };
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MADE_ANEW_AFTER_MS = 30 * 60_000;

/** What of a server it needs. */
export interface TrackingHost extends StoreView {
  readonly release: Release;
  readonly surroundings: Pick<ApiServerSurroundings, 'wallMs' | 'uuid' | 'after' | 'start'>;
  readonly storage: Pick<Storage<StoredObject>, 'watch'>;
  handle(request: ApiRequest): Process<ApiResponse>;
}

export class LegacyTokenTracking {
  #watch: StorageWatch | undefined;
  #cancel: (() => void) | undefined;
  #mayMakeAtMs = 0;
  /** Uids of secrets whose use is just being noted. */
  readonly #noting = new Set<string>();

  start(host: TrackingHost): void {
    const resource = host.registry.findByText('configmaps');
    if (!resource || !isTracked(host)) return;
    const prefix = host.storeOf(resource).key(NAMESPACE, NAME);
    untilWritten(host.surroundings, () => this.#keep(host));
    this.#watch = host.storage.watch({ prefix, onEvents: () => this.#schedule(host, 0) });
  }

  close(): void {
    this.#watch?.close();
    this.#cancel?.();
  }

  /** Once a day; what could not be noted is noted at the next use. */
  noteUse(host: TrackingHost, { metadata }: Secret): void {
    const { uid = '', labels } = metadata;
    const day = today(host);
    if (!isTracked(host) || labels?.[LAST_USED] === day || this.#noting.has(uid)) return;
    this.#noting.add(uid);
    const noted = this.#noting;
    host.surroundings.start(
      (function* () {
        try {
          yield* host.handle(noteOf(metadata, day));
        } finally {
          noted.delete(uid);
        }
      })(),
    );
  }

  #schedule(host: TrackingHost, afterMs: number): void {
    this.#cancel?.();
    this.#cancel = host.surroundings.after(afterMs, () => {
      this.#cancel = undefined;
      untilWritten(host.surroundings, () => this.#keep(host));
    });
  }

  #keep(host: TrackingHost): void {
    const { registry, surroundings } = host;
    const resource = registry.findByText('configmaps');
    if (!resource) return;
    const store = host.storeOf(resource);
    const key = store.key(NAMESPACE, NAME);
    const entry = store.get(key);
    const wallMs = surroundings.wallMs();
    if (!entry) {
      const waitMs = this.#mayMakeAtMs - wallMs;
      // A clock that was turned back is no reason to wait for longer.
      if (waitMs > 0 && waitMs <= MADE_ANEW_AFTER_MS) return this.#schedule(host, waitMs);
      const whole = stored(resource, trackingMap({ uid: surroundings.uuid(), wallMs, day: today(host) }));
      store.create(key, (revision) => atRevision(whole, revision));
      this.#mayMakeAtMs = wallMs + MADE_ANEW_AFTER_MS;
      return undefined;
    }
    const map = entry.value as ConfigMap;
    if (isDay(map.data?.['since'])) return undefined;
    const whole = stored(resource, { ...map, data: { ...map.data, since: today(host) } });
    store.replace(key, entry.modRevision, (revision) => atRevision(whole, revision));
    return undefined;
  }
}

const isTracked = ({ release }: TrackingHost): boolean => isReleasedBy(release, TRACKED_SINCE);
const today = ({ surroundings }: TrackingHost): string => formatTime(surroundings.wallMs()).slice(0, 10);

const isDay = (text: string | undefined): boolean =>
  text !== undefined && DAY.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));

const trackingMap = (now: {
  readonly uid: string;
  readonly wallMs: number;
  readonly day: string;
}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: NAME, namespace: NAMESPACE, uid: now.uid, creationTimestamp: formatTime(now.wallMs) },
  data: { since: now.day },
});

function noteOf({ namespace = '', name = '', uid = '' }: Secret['metadata'], day: string): ApiRequest {
  const body = { metadata: { name, uid, labels: { [LAST_USED]: day } } };
  return {
    method: 'PATCH',
    path: `/api/v1/namespaces/${namespace}/secrets/${name}`,
    query: QueryParameters.parse('fieldManager=kube-apiserver'),
    headers: { 'content-type': 'application/merge-patch+json', accept: 'application/json' },
    body: { kind: 'bytes', bytes: new TextEncoder().encode(JSON.stringify(body)) },
    user: SERVER,
    wire: true,
  };
}
