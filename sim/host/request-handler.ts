/** What stands behind a real port: it is handed each request, and answers now or later. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2ServerRequest, Http2ServerResponse } from 'node:http2';
import type { Defects } from './defects.ts';
import type { WebGate } from './web-gate.ts';
import type { ApiRequest, ApiResponse } from '../apiserver/request/request.ts';

export type HttpRequest = IncomingMessage | Http2ServerRequest;
export type HttpResponse = ServerResponse | Http2ServerResponse;

export interface RequestHandler {
  /** Calls back once, at once or later: with the response, or that the connection is to be broken off. */
  handle(request: ApiRequest, respond: (response: ApiResponse) => void, breakOff: () => void): void;
  /** Runs work of a connection at the present virtual instant. */
  act(work: () => void): void;
  /** A client hears something now that it did not ask for at this moment. */
  stir(): void;
  readonly compressesResponses: boolean;
  /** Where what goes wrong outside of a request's own handling ends. */
  readonly defects: Defects;
  readonly gate: WebGate;
  /** Paths beside the API, asked first; false: not one of them. */
  readonly serveOther?: (request: HttpRequest, response: HttpResponse) => boolean;
}
