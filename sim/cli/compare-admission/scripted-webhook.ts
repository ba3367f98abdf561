/**
 * A real webhook that answers as it was told, and remembers what it was asked: `/SIDE/CASE/HOOK` has a script of answers, one for
 * each call, the last one for all that follow. What depends on the call (its uid, the version of the review) is filled in.
 */
import { createSecureServer, type Http2SecureServer, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Authority } from '../../host/certificates.ts';
import type { ScriptedAnswer } from './draw-answer.ts';

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: { readonly uid: string };
}

export class ScriptedWebhook {
  readonly #server: Http2SecureServer;
  readonly certificate: string;
  readonly #scripts = new Map<string, readonly ScriptedAnswer[]>();
  readonly #asked = new Map<string, string[]>();

  private constructor(server: Http2SecureServer, certificate: string) {
    this.#server = server;
    this.certificate = certificate;
    server.on('session', (session) => session.on('error', () => undefined));
    server.on('request', (request, response) => {
      let text = '';
      request.setEncoding('utf8').on('data', (piece: string) => (text += piece));
      response.on('error', () => undefined);
      request.on('end', () => this.#answer(request.url, text, response));
    });
  }

  static async start(): Promise<ScriptedWebhook> {
    const authority = await Authority.create();
    const files = await authority.serverCertificate(['127.0.0.1']);
    const server = createSecureServer({ ...files, allowHTTP1: true });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    return new ScriptedWebhook(server, authority.certificate);
  }

  get url(): string {
    return `https://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** `place`: the side and the case. */
  script(place: string, scripts: ReadonlyMap<string, readonly ScriptedAnswer[]>): void {
    for (const [hook, answers] of scripts) this.#scripts.set(`/${place}/${hook}`, answers);
    this.#asked.set(place, []);
  }

  /** What was asked since it was looked at last. */
  take(place: string): readonly string[] {
    return this.#asked.get(place)?.splice(0) ?? [];
  }

  #answer(url: string, text: string, response: Http2ServerResponse): void {
    const [path = '', query = ''] = url.split('?');
    const [, side = '', number = '', hook = ''] = path.split('/');
    const answers = isOfServer(text) ? ALLOWED : (this.#scripts.get(path) ?? []);
    const asked = this.#asked.get(`${side}/${number}`);
    const times = asked?.filter((line) => line.startsWith(`${hook} `)).length ?? 0;
    if (answers !== ALLOWED) asked?.push(`${hook} ${query} ${text}`);
    const answer = answers[Math.min(times, answers.length - 1)];
    if (!answer) {
      response.writeHead(404);
      response.end();
      return;
    }
    if (answer.kind === 'hang') return;
    if (answer.kind === 'break') {
      response.stream.close(2);
      return;
    }
    const { status = 200, headers = { 'content-type': 'application/json' } } = answer;
    response.writeHead(status, headers);
    response.end(answer.text === undefined ? reviewOf(answer.review, text) : filled(answer.text, text));
  }

  stop(): void {
    this.#server.close();
  }
}

/** A real server renews leases of its own meanwhile. */
const isOfServer = (text: string): boolean => text.includes('"resource":"leases"');
const ALLOWED: readonly ScriptedAnswer[] = [{ kind: 'answer', review: { allowed: true } }];

/** `$uid`, `$version` and `$kind` are those of the review that is answered. */
function filled(template: string, asked: string): string {
  const { apiVersion, kind, request } = JSON.parse(asked) as Review;
  return template
    .replaceAll('$uid', request.uid)
    .replaceAll('$version', apiVersion)
    .replaceAll('$kind', kind);
}

const reviewOf = (response: object | undefined, asked: string): string =>
  filled(
    JSON.stringify({ apiVersion: '$version', kind: '$kind', response: { uid: '$uid', ...response } }),
    asked,
  );
