/** One of the two servers, as one sees it who asks: answers, warnings, and the audit annotations of each request. */
import { fstatSync, openSync, readSync } from 'node:fs';
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
  /** `token`: of another user than its own. */
  ask(request: AskedRequest, token?: string): Promise<SideAnswer>;
}

/** By audit id. */
type Annotations = (auditId: string) => Readonly<Record<string, string>>;

export function side(name: string, url: string, token: string | undefined, annotations: Annotations): Side {
  const isSecure = url.startsWith('https:');
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  return {
    name,
    ask: ({ method, path, body, contentType = 'application/json' }, other = token) =>
      new Promise((resolve, reject) => {
        const text = typeof body === 'object' ? JSON.stringify(body) : body;
        const headers = {
          ...(text !== undefined && { 'content-length': Buffer.byteLength(text) }),
          'content-type': contentType,
          'user-agent': 'compare',
          ...(other !== undefined && { authorization: `Bearer ${other}` }),
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
        call.end(text);
      }),
  };
}

/** The log is written a little later. */
const AUDIT_MS = 15;

const warningsIn = (raw: readonly string[]): readonly string[] =>
  raw.filter((_text, index) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === 'warning');

/** Of a server that writes its audit log to a file, which is read on from where it was read to. */
export function annotationsIn(file: string): Annotations {
  const descriptor = openSync(file, 'r');
  const known = new Map<string, Readonly<Record<string, string>>>();
  let position = fstatSync(descriptor).size;
  let rest = '';
  const readOn = (): void => {
    const piece = Buffer.alloc(fstatSync(descriptor).size - position);
    position += readSync(descriptor, piece, 0, piece.length, position);
    const lines = (rest + piece.toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const { auditID, stage, annotations } = JSON.parse(line) as AuditLine;
      if (stage === 'ResponseComplete') known.set(auditID, annotations ?? {});
    }
  };
  return (auditId) => {
    readOn();
    return known.get(auditId) ?? {};
  };
}

interface AuditLine {
  readonly auditID: string;
  readonly stage: string;
  readonly annotations?: Readonly<Record<string, string>>;
}
