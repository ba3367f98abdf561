/** What kube-controller-manager is given by files: the certificate of the cluster, and the key that signs tokens. */
import type { Signer } from '../../api/certificates/certificate.ts';
import type { AccountTokenSubject } from '../../api/account-token-subject.ts';

export interface ManagerCredentials {
  /** PEM: what clients inside the cluster trust the API server by (`--root-ca-file`). */
  readonly rootCertificate: string;
  /** The authority of clients and of agents (`--cluster-signing-cert-file`, `--cluster-signing-key-file`). */
  readonly signer: Signer;
  /** The token of a secret that belongs to a service account (`--service-account-private-key-file`). */
  readonly accountToken: (subject: AccountTokenSubject) => string;
}
