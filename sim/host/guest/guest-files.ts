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

/** What each life has set or taken away (undefined) for itself. */
const changes = new WeakMap<Ambience, Map<string | symbol, string | undefined>>();

const changesOf = (guest: Ambience): Map<string | symbol, string | undefined> => {
  const own = changes.get(guest) ?? new Map(Object.entries(VARIABLES));
  changes.set(guest, own);
  return own;
};

/** The environment as guests see it: the one there is, but for what leads to a cluster and for what they have set. */
export function guestEnvironment(
  real: NodeJS.ProcessEnv,
  present: () => Ambience | undefined,
): NodeJS.ProcessEnv {
  const ownOf = (name: string | symbol): { readonly value: string | undefined } | undefined => {
    const guest = present();
    const own = guest && changesOf(guest);
    return own?.has(name) ? { value: own.get(name) } : undefined;
  };
  const changed = (name: string | symbol, value: string | undefined): boolean => {
    const guest = present();
    if (guest) changesOf(guest).set(name, value);
    return guest !== undefined;
  };
  return new Proxy(real, {
    get: (target, name) => {
      const own = ownOf(name);
      return own ? own.value : (Reflect.get(target, name) as string | undefined);
    },
    has: (target, name) => {
      const own = ownOf(name);
      return own ? own.value !== undefined : Reflect.has(target, name);
    },
    set: (target, name, value) => changed(name, String(value)) || Reflect.set(target, name, value),
    deleteProperty: (target, name) => changed(name, undefined) || Reflect.deleteProperty(target, name),
    ownKeys: (target) => {
      const guest = present();
      const own = guest ? changesOf(guest) : new Map<string | symbol, string | undefined>();
      const names = new Set([...Reflect.ownKeys(target), ...own.keys()]);
      return [...names].filter((name) => !own.has(name) || own.get(name) !== undefined);
    },
    getOwnPropertyDescriptor: (target, name) => {
      const own = ownOf(name);
      if (!own) return Reflect.getOwnPropertyDescriptor(target, name);
      if (own.value === undefined) return undefined;
      return { value: own.value, writable: true, enumerable: true, configurable: true };
    },
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
