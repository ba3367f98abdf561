/** Generated from the catalog by sim/cli/generate-types.ts: types of certificates-k8s-io-v1. */
import type { ObjectMeta } from '../object.ts';

/** Request for a certificate, its approval and its result. */
export type CertificateSigningRequest = {
  readonly kind: string;
  readonly apiVersion: string;
  /** What all objects have in common. */
  readonly metadata: ObjectMeta;
  /** Required. */
  readonly spec: CertificateSigningRequestSpec;
  readonly status?: CertificateSigningRequestStatus;
};

export interface CertificateSigningRequestCondition {
  /** Required. */
  readonly type: string;
  /** Required. */
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  /** RFC 3339, whole seconds. */
  readonly lastUpdateTime?: string;
  /** RFC 3339, whole seconds. */
  readonly lastTransitionTime?: string;
}

export interface CertificateSigningRequestSpec {
  /** Base64. Required. */
  readonly request: string;
  /** Required. */
  readonly signerName: string;
  readonly expirationSeconds?: number;
  readonly usages?: readonly (
    | 'any'
    | 'cert sign'
    | 'client auth'
    | 'code signing'
    | 'content commitment'
    | 'crl sign'
    | 'data encipherment'
    | 'decipher only'
    | 'digital signature'
    | 'email protection'
    | 'encipher only'
    | 'ipsec end system'
    | 'ipsec tunnel'
    | 'ipsec user'
    | 'key agreement'
    | 'key encipherment'
    | 'microsoft sgc'
    | 'netscape sgc'
    | 'ocsp signing'
    | 's/mime'
    | 'server auth'
    | 'signing'
    | 'timestamping'
  )[];
  readonly username?: string;
  readonly uid?: string;
  readonly groups?: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface CertificateSigningRequestStatus {
  /** Items are told apart by type. */
  readonly conditions?: readonly CertificateSigningRequestCondition[];
  /** Base64. */
  readonly certificate?: string;
}
