/**
 * HTTP as components speak it to whoever answers calls of its own: webhooks, converters, aggregated servers, guests
 * that serve. One request, one whole answer, and what may come of it instead. Pure; how it travels is for others.
 */
import { encodeJson } from './codec/encode.ts';

/** An object is what JSON says; bytes are what they are. */
export type HttpBody =
  | { readonly kind: 'object'; readonly object: unknown }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array };

/** By lower-case name. */
export type HttpHeaders = Readonly<Record<string, string>>;

export interface HttpCall {
  readonly method: string;
  /** Percent-encoded, from the first slash on, with the query if there is one. */
  readonly path: string;
  readonly headers?: HttpHeaders;
  /** Belongs to the call from now on: nobody changes it any more. */
  readonly body?: HttpBody;
}

/** As it is sent: a header with several values is several headers. */
export interface OutgoingCall extends Omit<HttpCall, 'headers'> {
  readonly headers?: OutgoingHeaders;
}

export type OutgoingHeaders = Readonly<Record<string, string | readonly string[]>>;

/** As it is received: several headers of one name are one, as Node has them. */
export function receivedCall({ headers, ...call }: OutgoingCall): HttpCall {
  if (!headers) return call;
  const joined = Object.entries(headers).map(
    ([name, value]) => [name, typeof value === 'string' ? value : value.join(', ')] as const,
  );
  return { ...call, headers: Object.fromEntries(joined) };
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers?: HttpHeaders;
  readonly body?: HttpBody;
}

/** Whom a call is for. */
export type HttpEndpoint =
  /** Somebody on the simulated network. */
  | { readonly kind: 'actor'; readonly actor: string; readonly port: number }
  /** Somebody in the real world. */
  | {
      readonly kind: 'url';
      /** Scheme, host and port: `https://hooks.example.com:8443`. */
      readonly url: string;
      /** Certificates to believe, in PEM; default: those that the platform believes. */
      readonly certificateAuthority?: string;
      /** Whose certificate it has to be; default: the host of the URL. */
      readonly serverName?: string;
      /** Whatever certificate is shown is believed. */
      readonly isUnverified?: boolean;
      /** What the caller shows of itself, in PEM. */
      readonly certificate?: { readonly cert: string; readonly key: string };
      /** The caller asks on behalf of somebody else, and shows the certificate that allows it to. */
      readonly asProxy?: boolean;
    };

export type HttpOutcome =
  | { readonly kind: 'answer'; readonly answer: HttpAnswer }
  /** Surely nobody has seen the call. `address`: what was dialled, with the port. */
  | { readonly kind: 'refused'; readonly address?: string }
  /** Nobody knows whether the call was acted on. */
  | { readonly kind: 'reset' | 'timeout' }
  /** There is no way to the endpoint, or (`phase`) its answer broke off amid the body; the text says why. `at`: where it was sent on to. */
  | {
      readonly kind: 'unreachable';
      readonly message: string;
      readonly phase?: 'body';
      readonly at?: string;
    };

const TEXT = new TextEncoder();

export const objectBody = (object: unknown): HttpBody => ({ kind: 'object', object });

/** What goes over a wire; nothing of no body. */
export function bodyBytes(body: HttpBody | undefined): Uint8Array {
  if (!body) return new Uint8Array();
  return body.kind === 'bytes' ? body.bytes : TEXT.encode(encodeJson(body.object));
}

/** What the body says as JSON. @throws SyntaxError where it is none */
export function bodyObject(body: HttpBody | undefined): unknown {
  if (body?.kind === 'object') return body.object;
  return JSON.parse(new TextDecoder().decode(bodyBytes(body)));
}
