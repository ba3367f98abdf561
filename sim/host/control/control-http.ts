/** The control path on the wire: JSON in, JSON out, bodies small. */
import type { HttpRequest, HttpResponse } from '../request-handler.ts';
import type { World } from '../world.ts';
import {
  CONTROL_PREFIX,
  type ControlAnswer,
  type ControlApiOptions,
  failure,
  serveControl,
} from './control-api.ts';

const MAX_BODY_BYTES = 64 * 1024;
const ADMINISTRATORS = 'system:masters';

/** @returns false if the request is not about the control path */
export function controlPath(
  options: ControlApiOptions,
): (request: HttpRequest, response: HttpResponse) => boolean {
  return (request, response) => {
    const url = request.url ?? '/';
    if (!url.startsWith(CONTROL_PREFIX)) return false;
    let text = '';
    let isTooLong = false;
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => {
      isTooLong ||= text.length + chunk.length > MAX_BODY_BYTES;
      if (!isTooLong) text += chunk;
    });
    request.on('end', () => {
      const answer = isTooLong ? failure(413, 'the body is too long') : answerOf(request, text, options);
      send(response, answer);
    });
    return true;
  };
}

function answerOf(request: HttpRequest, text: string, options: ControlApiOptions): ControlAnswer {
  if (!isAllowed(request.headers.authorization, options.world())) {
    return failure(403, `only members of ${ADMINISTRATORS} may use the control path`);
  }
  let body: unknown;
  try {
    body = text === '' ? undefined : JSON.parse(text);
  } catch {
    return failure(400, 'the body is not JSON');
  }
  const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
  return serveControl(
    { method: request.method ?? 'GET', path: pathname, query: searchParams, body },
    options,
  );
}

function isAllowed(authorization: string | undefined, { server }: World): boolean {
  if (server.allowsEverything) return true;
  const token = /^bearer (.+)$/i.exec(authorization ?? '')?.[1];
  return token !== undefined && server.userOfToken(token)?.groups.includes(ADMINISTRATORS) === true;
}

function send(response: HttpResponse, { status, body }: ControlAnswer): void {
  response.statusCode = status;
  if (body instanceof Uint8Array) {
    response.setHeader('content-type', 'application/octet-stream');
    response.end(body);
    return;
  }
  response.setHeader('content-type', 'application/json');
  response.end(`${JSON.stringify(body)}\n`);
}
