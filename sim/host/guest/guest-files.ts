/** What a guest finds where a pod finds its service account, and in its environment: the way to the cluster it is in. */
import { ROOT_CERTIFICATE } from '../../cluster/manager-credentials.ts';
import type { Ambience } from './ambience.ts';

const DIRECTORY = '/var/run/secrets/kubernetes.io/serviceaccount/';

/** The text of a file that only guests have; undefined: not one of them. */
export function guestFileOf(path: unknown, { token }: Ambience): string | undefined {
  if (typeof path !== 'string' || !path.startsWith(DIRECTORY)) return undefined;
  switch (path.slice(DIRECTORY.length)) {
    case 'token':
      return token;
    case 'namespace':
      return 'default';
    case 'ca.crt':
      return ROOT_CERTIFICATE;
    default:
      return undefined;
  }
}

const VARIABLES: Readonly<Record<string, string | undefined>> = {
  KUBECONFIG: undefined,
  HOME: '/nonexistent',
  KUBERNETES_SERVICE_HOST: '10.96.0.1',
  KUBERNETES_SERVICE_PORT: '443',
  KUBERNETES_SERVICE_PORT_HTTPS: '443',
};

/** The environment as guests see it: the one there is, but for what leads to a cluster. */
export function guestEnvironment(
  real: NodeJS.ProcessEnv,
  present: () => Ambience | undefined,
): NodeJS.ProcessEnv {
  const isOwn = (name: string | symbol): name is string =>
    typeof name === 'string' && Object.hasOwn(VARIABLES, name) && present() !== undefined;
  return new Proxy(real, {
    get: (target, name) =>
      isOwn(name) ? VARIABLES[name] : (Reflect.get(target, name) as string | undefined),
    has: (target, name) => (isOwn(name) ? VARIABLES[name] !== undefined : Reflect.has(target, name)),
  });
}

/** For clients that want it as a text: leads to the cluster, as `guest.token` does. */
export const kubeconfigOf = (name: string, token: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'kubesim', cluster: { server: 'https://kubernetes.default.svc:443' } }],
    users: [{ name, user: { token } }],
    contexts: [{ name, context: { cluster: 'kubesim', user: name, namespace: 'default' } }],
    'current-context': name,
  });
