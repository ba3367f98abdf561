/** One of the two servers, as one sees it who asks: answers, warnings, and the audit annotations of each request. */
import { readFileSync } from 'node:fs';
import { request as plainRequest } from 'node:http';
import { Agent, request as secureRequest } from 'node:https';
import type { AskedRequest } from './draw-case.ts';

export interface SideAnswer {
  readonly status: number;
  readonly text: string;
  readonly warnings: readonly string[];
  readonly annotations: Readonly<Record<string, string>>;
}

export interface Side {
  readonly name: string;
  ask(request: AskedRequest): Promise<SideAnswer>;
}

/** By audit id. */
type Annotations = (auditId: string) => Readonly<Record<string, string>>;

export function side(name: string, url: string, token: string | undefined, annotations: Annotations): Side {
  const isSecure = url.startsWith('https:');
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  return {
    name,
    ask: ({ method, path, body, contentType = 'application/json' }) =>
      new Promise((resolve, reject) => {
        const headers = {
          'content-type': contentType,
          'user-agent': 'compare',
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        };
        const options = { method, headers };
        const target = new URL(path, url);
        const call = isSecure ? secureRequest(target, { ...options, agent }) : plainRequest(target, options);
        call.on('response', (response) => {
          const pieces: Buffer[] = [];
          response.on('data', (piece: Buffer) => pieces.push(piece));
          response.on('error', reject);
          response.on('end', () =>
            setTimeout(
              () =>
                resolve({
                  status: response.statusCode ?? 0,
                  text: Buffer.concat(pieces).toString(),
                  warnings: warningsIn(response.rawHeaders),
                  annotations: annotations(String(response.headers['audit-id'] ?? '')),
                }),
              AUDIT_MS,
            ),
          );
        });
        call.on('error', reject);
        call.end(typeof body === 'object' ? JSON.stringify(body) : body);
      }),
  };
}

/** The log is written a little later. */
const AUDIT_MS = 15;

const warningsIn = (raw: readonly string[]): readonly string[] =>
  raw.filter((_text, index) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === 'warning');

/** Of a server that writes its audit log to a file. */
export function annotationsIn(file: string): Annotations {
  return (auditId) => {
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n').slice(-40);
    const line = lines.findLast((each) => each.includes(auditId) && each.includes('"ResponseComplete"'));
    const event = line === undefined ? {} : (JSON.parse(line) as { annotations?: Record<string, string> });
    return event.annotations ?? {};
  };
}
