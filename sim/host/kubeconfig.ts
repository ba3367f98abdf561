/** A kubeconfig for one server, so that kubectl and client libraries find it and are believed. */

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
