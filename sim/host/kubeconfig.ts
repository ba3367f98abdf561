/** A kubeconfig for one server, so that kubectl and client libraries find it and are believed. */
import { closeSync, constants, fchmodSync, ftruncateSync, openSync, writeFileSync } from 'node:fs';

export interface KubeconfigOptions {
  readonly url: string;
  /** Bearer token of an administrator. */
  readonly token: string;
  /** Certificate of the authority in PEM; undefined for plain HTTP. */
  readonly certificate?: string | undefined;
}

export function kubeconfigText({ url, token, certificate }: KubeconfigOptions): string {
  const authority =
    certificate === undefined
      ? ''
      : `    certificate-authority-data: ${Buffer.from(certificate).toString('base64')}\n`;
  return `apiVersion: v1
kind: Config
clusters:
- name: kubesim
  cluster:
    server: ${url}
${authority}contexts:
- name: kubesim
  context:
    cluster: kubesim
    user: kubesim-admin
current-context: kubesim
users:
- name: kubesim-admin
  user:
    token: ${token}
`;
}

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
