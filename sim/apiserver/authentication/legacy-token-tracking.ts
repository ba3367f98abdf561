/**
 * Notes who still uses tokens out of secrets: the day of the last use on the secret, and since when that is noted in a
 * ConfigMap, which is made anew when it is gone (not more often than every half hour) and corrected when it is no day.
 * Whoever cleans up such tokens goes by both. Specification: not shown: Kubernetes 1.31.
 */
import type { Secret } from '../../api/types/core-v1.ts';
import { formatTime } from '../../api/time-format.ts';
import { isReleasedBy, type Release } from '../../api/release/release.ts';
import type { Process } from '../../engine/process.ts';
import { ownRequest } from '../request/own-request.ts';
import type { ApiRequest, ApiResponse } from '../request/request.ts';
import { type ConfigMapHost, KeptConfigMap } from '../stores/kept-config-map.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';

const TRACKED_SINCE = '1.27';
const NAME = 'kube-apiserver-legacy-service-account-token-tracking';
const LAST_USED = 'kubernetes.io/legacy-token-last-used';
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const MADE_ANEW_AFTER_MS = 30 * 60_000;

/** What of a server it needs. */
export interface TrackingHost extends ConfigMapHost {
  readonly release: Release;
  readonly surroundings: ConfigMapHost['surroundings'] & Pick<ApiServerSurroundings, 'start'>;
  handle(request: ApiRequest): Process<ApiResponse>;
}

export class LegacyTokenTracking {
  #since: KeptConfigMap | undefined;
  /** Uids of secrets whose use is just being noted. */
  readonly #noting = new Set<string>();

  start(host: TrackingHost): void {
    if (!isTracked(host)) return;
    this.#since = KeptConfigMap.start(host, {
      name: NAME,
      madeAnewAfterMs: MADE_ANEW_AFTER_MS,
      data: (present) => (present && isDay(present['since']) ? present : { ...present, since: today(host) }),
    });
  }

  close(): void {
    this.#since?.close();
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
}

const isTracked = ({ release }: TrackingHost): boolean => isReleasedBy(release, TRACKED_SINCE);
const today = ({ surroundings }: TrackingHost): string => formatTime(surroundings.wallMs()).slice(0, 10);

const isDay = (text: string | undefined): boolean =>
  text !== undefined && DAY.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));

const noteOf = ({ namespace = '', name = '', uid = '' }: Secret['metadata'], day: string): ApiRequest =>
  ownRequest({
    method: 'PATCH',
    path: `/api/v1/namespaces/${namespace}/secrets/${name}`,
    query: 'fieldManager=kube-apiserver',
    contentType: 'application/merge-patch+json',
    object: { metadata: { name, uid, labels: { [LAST_USED]: day } } },
  });
