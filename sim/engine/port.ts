/** Addresses of the simulated network: an actor's name and a port. */

declare const messagesBrand: unique symbol;

/** A named port and what goes over it: `Request` from the dialler to the listener, `Reply` back. */
export interface Port<Request, Reply> {
  readonly name: string;
  /** What a message is about, such as the path of an object; for those who ask whether two events depend on another. */
  readonly touches?: ((message: Request | Reply) => string | undefined) | undefined;
  /** Only for the type checker. */
  readonly [messagesBrand]?: (request: Request) => Reply;
}

export interface Endpoint<Request, Reply> {
  readonly actor: string;
  readonly port: Port<Request, Reply>;
}

export const definePort = <Request, Reply>(
  name: string,
  touches?: (message: Request | Reply) => string | undefined,
): Port<Request, Reply> => ({ name, touches });
