/**
 * The control path on the wire: JSON in, JSON out, bodies small. No page of elsewhere may use it: it is asked for
 * its origin whatever it wants, and a body has to say that it is JSON, which a page cannot without being asked first.
 */
import type { Defects } from '../defects.ts';
import { presentedBy } from '../client-certificate.ts';
import type { HttpRequest, HttpResponse } from '../request-handler.ts';
import { type WebGate, webHeaders } from '../web-gate.ts';
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

export interface ControlPathOptions extends ControlApiOptions {
  readonly defects: Defects;
  readonly gate: WebGate;
}

/** @returns false if the request is not about the control path */
export function controlPath(
  options: ControlPathOptions,
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
    request.on('error', () => response.destroy());
    request.on('end', () =>
      options.defects.guard(
        () =>
          send(response, isTooLong ? failure(413, 'the body is too long') : answerOf(request, text, options)),
        () => response.destroy(),
      ),
    );
    return true;
  };
}

function answerOf(request: HttpRequest, text: string, options: ControlPathOptions): ControlAnswer {
  const origin = options.gate.originProblem(webHeaders(request));
  if (origin !== undefined) return failure(403, origin);
  const refusal = refusalOf(request, options.world());
  if (refusal) return refusal;
  if (!isBodyAllowed(request, text)) return failure(415, 'the body has to be application/json');
  let body: unknown;
  try {
    body = text === '' ? undefined : JSON.parse(text);
  } catch {
    return failure(400, 'the body is not JSON');
  }
  const [path = '', query = ''] = (request.url ?? '/').split('?', 2);
  try {
    return serveControl(
      { method: request.method ?? 'GET', path, query: new URLSearchParams(query), body },
      options,
    );
  } catch (error) {
    options.defects.note(error);
    return failure(500, 'a defect of the simulator, which its log describes');
  }
}

/** No body needs no type; but whoever names another one does not know where they are. */
function isBodyAllowed({ headers }: HttpRequest, text: string): boolean {
  const type = headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
  return type === 'application/json' || (text === '' && type === undefined);
}

function refusalOf(request: HttpRequest, { server }: World): ControlAnswer | undefined {
  const presented = presentedBy(request);
  const token = /^bearer (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
  const ofToken = token === undefined ? undefined : server.userOfToken(token);
  const user = presented.kind === 'user' ? presented.user : ofToken;
  if (!server.allowsAnonymous && !user)
    return failure(401, 'a bearer token or a client certificate is needed');
  if (server.allowsEverything || user?.groups.includes(ADMINISTRATORS)) return undefined;
  return failure(403, `only members of ${ADMINISTRATORS} may use the control path`);
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
