/** Addresses of the simulated network: an actor's name and a port. */

declare const messagesBrand: unique symbol;

/** A named port and what goes over it: `Request` from the dialler to the listener, `Reply` back. */
export interface Port<Request, Reply> {
  readonly name: string;
  /** Only for the type checker. */
  readonly [messagesBrand]?: (request: Request) => Reply;
}

export interface Endpoint<Request, Reply> {
  readonly actor: string;
  readonly port: Port<Request, Reply>;
}

export const definePort = <Request, Reply>(name: string): Port<Request, Reply> => ({ name });
