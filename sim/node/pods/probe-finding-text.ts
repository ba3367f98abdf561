/** What an agent's prober prints of a probe that failed, by the kind of the probe. Pure. */
import type { Container, Probe } from '../../api/types/core-v1.ts';

/** `silent`: nobody listens yet; `unwell`: the workload answers that it is not well; `missing`: it has no such page. */
export type Failing = 'silent' | 'unwell' | 'missing';

export function findingText(
  finding: Failing,
  { httpGet, tcpSocket, grpc }: Probe,
  container: Container,
  podIP: string,
): string {
  if (httpGet) {
    if (finding === 'missing') return 'HTTP probe failed with statuscode: 404';
    if (finding === 'unwell') return 'HTTP probe failed with statuscode: 503';
    const { scheme = 'HTTP', host = podIP, port, path = '/' } = httpGet;
    const address = `${host}:${portOf(port, container)}`;
    const url = `${scheme.toLowerCase()}://${address}${path.startsWith('/') ? path : `/${path}`}`;
    return `Get ${JSON.stringify(url)}: ${refused(address)}`;
  }
  if (tcpSocket) return refused(`${tcpSocket.host ?? podIP}:${portOf(tcpSocket.port, container)}`);
  if (grpc) {
    return finding === 'silent'
      ? `timeout: failed to connect service "${podIP}:${grpc.port}" within 1s: context deadline exceeded`
      : 'service unhealthy (responded with "NOT_SERVING")';
  }
  return 'command exited with status 1';
}

const refused = (address: string): string => `dial tcp ${address}: connect: connection refused`;

const portOf = (port: number | string | undefined, container: Container): number | string =>
  portNumber(port, container) ?? port ?? 0;

/** Ports may be called by the name that the container gives them. Undefined: none is called so. */
export function portNumber(port: number | string | undefined, { ports = [] }: Container): number | undefined {
  if (typeof port === 'number') return port;
  return ports.find(({ name }) => name === port)?.containerPort;
}
