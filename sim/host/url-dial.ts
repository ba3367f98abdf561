/**
 * Connections to real URLs by Node's own clients, kept alive for the next call: those with one trust, and one certificate
 * to show, for themselves.
 */
import type { Agent, ClientRequest, IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { HttpHeaders, OutgoingCall } from '../api/http-call.ts';

/** Idle connections are closed after so long. */
const IDLE_MS = 90_000;

/** In PEM: what is shown where somebody asks on behalf of somebody else. */
export interface ProxyCertificate {
  readonly cert: string;
  readonly key: string;
}

export class Agents {
  readonly #kept = new Map<string, Agent>();

  of(key: string, make: () => Agent): Agent {
    const known = this.#kept.get(key);
    if (known) return known;
    const agent = make();
    this.#kept.set(key, agent);
    return agent;
  }
}

export interface Dialling {
  readonly certificateAuthority: string | undefined;
  readonly serverName: string | undefined;
  readonly shown: ProxyCertificate | undefined;
  readonly isUnverified: boolean;
  readonly signal: AbortSignal;
  readonly agents: Agents;
}

/** The clients are loaded with the first call: most worlds call nobody. */
export async function dialled(
  target: URL,
  { method, headers }: OutgoingCall,
  { certificateAuthority, serverName, shown, isUnverified, signal, agents }: Dialling,
): Promise<ClientRequest> {
  const options = { method, headers: sendable(headers), signal };
  const keeping = { keepAlive: true, timeout: IDLE_MS };
  if (target.protocol === 'http:') {
    const http = await import('node:http');
    return http.request(target, { ...options, agent: agents.of('http', () => new http.Agent(keeping)) });
  }
  if (target.protocol !== 'https:') throw new RangeError(`${target.origin}: expected http or https`);
  const https = await import('node:https');
  const trust = {
    // As for Go, whatever is named is trusted, be it the server's own certificate.
    ...(certificateAuthority !== undefined && { ca: certificateAuthority, allowPartialTrustChain: true }),
    ...(serverName !== undefined && { servername: serverName }),
    ...(isUnverified && { rejectUnauthorized: false }),
    ...(shown && { cert: shown.cert, key: shown.key }),
  };
  const agent = agents.of(JSON.stringify(trust), () => new https.Agent({ ...keeping, ...trust }));
  return https.request(target, { ...options, ...trust, agent });
}

/** Names may have several values. */
const sendable = (headers: OutgoingCall['headers'] = {}): OutgoingHttpHeaders =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  );

export function plainHeaders(headers: IncomingHttpHeaders): HttpHeaders {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (value !== undefined) plain[name] = typeof value === 'string' ? value : value.join(', ');
  return plain;
}
