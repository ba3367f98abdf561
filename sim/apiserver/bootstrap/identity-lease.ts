/**
 * The lease by which an API server shows that it is there: `apiserver-…` in `kube-system`, renewed every
 * ten seconds. So revisions pass on a server that nobody writes to. Kubernetes 1.31: gate `APIServerIdentity`.
 */
import type { ApiObject } from '../../api/object.ts';
import { formatMicroTime } from '../../api/time-format.ts';
import { keepOwnObject, type OwnObjectHost } from '../stores/own-object.ts';
import { untilWritten } from '../stores/until-written.ts';
import type { ApiServerSurroundings } from '../surroundings.ts';

export interface IdentityHost extends OwnObjectHost {
  readonly surroundings: ApiServerSurroundings;
}

const RENEWAL_MS = 10_000;
const DURATION_SECONDS = 3600;

/** Takes the lease, or the one of an earlier life under the same identity, and renews it from now on. */
export function holdIdentityLease(host: IdentityHost, identity: string): void {
  const { surroundings } = host;
  const holderIdentity = `${identity}_${surroundings.uuid()}`;
  const lease = {
    resource: 'leases.coordination.k8s.io',
    namespace: 'kube-system',
    name: identity,
    restored: (old: ApiObject | undefined): ApiObject => ({
      kind: 'Lease',
      apiVersion: 'coordination.k8s.io/v1',
      metadata: old?.metadata ?? newMetadata(identity),
      spec: {
        holderIdentity,
        leaseDurationSeconds: DURATION_SECONDS,
        renewTime: microTimeOf(surroundings.wallMs()),
      },
    }),
  };
  const hold = (): void =>
    untilWritten(surroundings, () => {
      keepOwnObject(host, lease);
      surroundings.after(RENEWAL_MS, hold);
    });
  if (host.registry.findByText(lease.resource)) hold();
}

const newMetadata = (identity: string): ApiObject['metadata'] => ({
  name: identity,
  namespace: 'kube-system',
  labels: { 'apiserver.kubernetes.io/identity': 'kube-apiserver', 'kubernetes.io/hostname': identity },
});

const microTimeOf = (wallMs: number): string =>
  formatMicroTime({
    epochSeconds: Math.floor(wallMs / 1_000),
    micros: Math.floor((wallMs % 1_000) * 1_000),
  });
