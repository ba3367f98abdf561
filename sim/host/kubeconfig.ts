/** A kubeconfig for one server, so that kubectl and client libraries find it and are believed. */
import { closeSync, constants, fchmodSync, ftruncateSync, openSync, writeFileSync } from 'node:fs';
import type { Certificate } from './certificates.ts';

export interface KubeconfigOptions {
  readonly url: string;
  /** Bearer token of an administrator. */
  readonly token: string;
  /** Certificate of the authority in PEM; undefined for plain HTTP. */
  readonly authority?: string | undefined;
  /** An administrator's, for the context `kubesim-certificate`; undefined: there is none. */
  readonly certificate?: Certificate | undefined;
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

export function kubeconfigText({ url, token, authority, certificate }: KubeconfigOptions): string {
  const trusted = authority === undefined ? UNVERIFIED : `certificate-authority-data: ${base64(authority)}`;
  return `apiVersion: v1
kind: Config
clusters:
- name: kubesim
  cluster:
    server: ${url}
    ${trusted}
contexts:
- name: kubesim
  context:
    cluster: kubesim
    user: kubesim-admin
${certificate ? CERTIFICATE_CONTEXT : ''}current-context: kubesim
users:
- name: kubesim-admin
  user:
    token: ${token}
${certificate ? userOf(certificate) : ''}`;
}

/** Some clients, JavaScript's among them, take plain HTTP from nobody who does not say so. */
const UNVERIFIED = 'insecure-skip-tls-verify: true';

const CERTIFICATE_CONTEXT = `- name: kubesim-certificate
  context:
    cluster: kubesim
    user: kubesim-admin-certificate
`;

const userOf = ({ cert, key }: Certificate): string => `- name: kubesim-admin-certificate
  user:
    client-certificate-data: ${base64(cert)}
    client-key-data: ${base64(key)}
`;

const { O_WRONLY, O_CREAT, O_NOFOLLOW } = constants;

/** Nobody else can read the file from the moment on in which the text is in it. A link is not followed: it throws. */
export function writePrivate(file: string, text: string): void {
  const descriptor = openSync(file, O_WRONLY | O_CREAT | O_NOFOLLOW, 0o600);
  try {
    fchmodSync(descriptor, 0o600);
    ftruncateSync(descriptor);
    writeFileSync(descriptor, text);
  } finally {
    closeSync(descriptor);
  }
}
