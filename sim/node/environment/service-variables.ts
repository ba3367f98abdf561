/**
 * The variables that tell containers of the Services of their namespace, and of the API server, as they are when the
 * container starts. They are read only where a command may look at them. Kubernetes 1.31 (kubelet).
 */
import type { Container, Pod, Service } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { Process } from '../../engine/process.ts';

const { services } = BUILTIN_HANDLES;
const MASTER = { namespace: 'default', name: 'kubernetes' };
const LOOKS = /\b(env|printenv|export|set)\b|_SERVICE_|_PORT/;

type Looking = Pick<Container, 'command' | 'args' | 'env'>;

/** Whether a container may look at variables that its manifest does not name. */
export function looksAtVariables({ command = [], args = [], env = [] }: Looking): boolean {
  const words = [...command, ...args, ...env.map(({ value = '' }) => value)];
  return words.some((word) => LOOKS.test(word));
}

export function* serviceVariables(client: ApiClient, { metadata, spec }: Pod): Process<Map<string, string>> {
  const { namespace = '' } = metadata;
  const master = yield* present(() => client.get(services, MASTER));
  const isLinked = spec?.enableServiceLinks !== false;
  const own = isLinked ? yield* present(() => client.list(services, { namespace })) : undefined;
  const variables = new Map<string, string>();
  for (const service of [...(master ? [master] : []), ...(own?.items ?? [])])
    for (const [name, value] of variablesOf(service)) variables.set(name, value);
  return variables;
}

/** Nobody waits for variables that cannot be had. */
function* present<T>(call: () => Process<T>): Process<T | undefined> {
  try {
    return yield* call();
  } catch (error) {
    if (!isCallFailure(error)) throw error;
    return undefined;
  }
}

/** Of a Service that has an address. Pure. */
export function variablesOf({ metadata, spec }: Service): readonly (readonly [string, string])[] {
  const { clusterIP = '', ports = [] } = spec ?? {};
  const [first] = ports;
  if (clusterIP === '' || clusterIP === 'None' || !first) return [];
  const name = spoken(metadata.name ?? '');
  const url = (port: number, protocol: string): string => `${protocol}://${joined(clusterIP, port)}`;
  const lower = (protocol = 'TCP'): string => protocol.toLowerCase();
  return [
    [`${name}_SERVICE_HOST`, clusterIP],
    [`${name}_SERVICE_PORT`, String(first.port)],
    ...ports.flatMap((each) =>
      each.name ? [[`${name}_SERVICE_PORT_${spoken(each.name)}`, String(each.port)] as const] : [],
    ),
    [`${name}_PORT`, url(first.port, lower(first.protocol))],
    ...ports.flatMap(({ port, protocol }) => {
      const prefix = `${name}_PORT_${port}_${(protocol ?? 'TCP').toUpperCase()}`;
      return [
        [prefix, url(port, lower(protocol))],
        [`${prefix}_PROTO`, lower(protocol)],
        [`${prefix}_PORT`, String(port)],
        [`${prefix}_ADDR`, clusterIP],
      ] as const;
    }),
  ];
}

const spoken = (name: string): string => name.toUpperCase().replaceAll('-', '_');

const joined = (ip: string, port: number): string => (ip.includes(':') ? `[${ip}]:${port}` : `${ip}:${port}`);
