/**
 * The lease by which an API server shows that it is there: `apiserver-…` in `kube-system`, renewed every
 * ten seconds. So revisions pass on a server that nobody writes to. Kubernetes 1.31: gate `APIServerIdentity`.
 */
import type { ApiObject } from '../../api/object.ts';
import { formatMicroTime, formatTime } from '../../api/time-format.ts';
import { atRevision, stored } from '../registry/storage-form.ts';
import type { StoreView } from '../request/server-view.ts';
import { untilWritten } from '../stores/until-written.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';

const RENEWAL_MS = 10_000;
const DURATION_SECONDS = 3600;

/** Takes the lease, or the one of an earlier life under the same identity, and renews it from now on. */
export function holdIdentityLease(
  stores: StoreView,
  surroundings: ApiServerSurroundings,
  identity: string,
): void {
  const resource = stores.registry.findByText('leases.coordination.k8s.io');
  if (!resource) return;
  const store = stores.storeOf(resource);
  const key = store.key('kube-system', identity);
  const holder = `${identity}_${surroundings.uuid()}`;
  const renew = (): void => {
    const wallMs = surroundings.wallMs();
    const old = store.get(key);
    const metadata = old?.value.metadata ?? {
      name: identity,
      namespace: 'kube-system',
      uid: surroundings.uuid(),
      creationTimestamp: formatTime(wallMs),
      labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver', 'kubernetes.io/hostname': identity },
    };
    const lease: ApiObject = {
      kind: 'Lease',
      apiVersion: 'coordination.k8s.io/v1',
      metadata,
      spec: {
        holderIdentity: holder,
        leaseDurationSeconds: DURATION_SECONDS,
        renewTime: formatMicroTime({
          epochSeconds: Math.floor(wallMs / 1_000),
          micros: Math.floor((wallMs % 1_000) * 1_000),
        }),
      },
    };
    const whole = stored(resource, lease);
    if (old) store.replace(key, old.modRevision, (revision) => atRevision(whole, revision));
    else store.create(key, (revision) => atRevision(whole, revision));
    surroundings.after(RENEWAL_MS, hold);
  };
  const hold = (): void => untilWritten(surroundings, renew);
  hold();
}
