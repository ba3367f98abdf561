/**
 * A socket of a guest: what `node:net` and `node:tls` hand out to guests instead of a real one. Its other end belongs to
 * the guest's machine, which carries what is written over the simulated network.
 */
import { Duplex } from 'node:stream';

type Callback = (error?: Error | null) => void;

export class GuestSocket extends Duplex {
  /** As sockets of `node:tls` have them. */
  readonly encrypted: boolean;
  readonly authorized = true;
  readonly alpnProtocol = false;
  readonly remoteAddress: string;
  readonly remotePort: number;
  readonly remoteFamily = 'IPv4';
  readonly localAddress = '10.0.0.1';
  readonly localPort = 32768;
  connecting = true;
  timeout = 0;
  #peer: GuestSocket | undefined;
  #timer: NodeJS.Timeout | undefined;
  /** Written before there is a connection. */
  #held: (() => void) | undefined;

  constructor({ host, port, isEncrypted }: SocketAddress) {
    super({ allowHalfOpen: true });
    this.encrypted = isEncrypted;
    this.remoteAddress = host;
    this.remotePort = port;
  }

  get readyState(): string {
    if (this.connecting) return 'opening';
    return this.destroyed ? 'closed' : 'open';
  }

  get pending(): boolean {
    return this.connecting;
  }

  /** Two ends of one socket that are connected from now on. */
  join(peer: GuestSocket): void {
    this.#peer = peer;
    peer.#peer = this;
    for (const end of [peer, this]) end.#connected();
  }

  #connected(): void {
    this.connecting = false;
    this.emit('connect');
    if (this.encrypted) this.emit('secureConnect');
    this.emit('ready');
    const held = this.#held;
    this.#held = undefined;
    held?.();
  }

  override _read(): void {
    this.#touch();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: Callback): void {
    this.#whenConnected(() => {
      this.#touch();
      this.#peer?.push(chunk);
      done();
    });
  }

  override _final(done: Callback): void {
    this.#whenConnected(() => {
      this.#peer?.push(null);
      done();
    });
  }

  override _destroy(error: Error | null, done: Callback): void {
    clearTimeout(this.#timer);
    this.connecting = false;
    const peer = this.#peer;
    this.#peer = undefined;
    if (peer && !peer.destroyed) {
      if (!this.writableFinished) peer.push(null);
      peer.#peer = undefined;
      process.nextTick(() => peer.destroy());
    }
    done(error);
  }

  #whenConnected(act: () => void): void {
    if (this.connecting) this.#held = act;
    else act();
  }

  setTimeout(ms: number, callback?: () => void): this {
    if (callback) {
      if (ms > 0) this.once('timeout', callback);
      else this.off('timeout', callback);
    }
    this.timeout = ms;
    this.#touch();
    return this;
  }

  /** Something happened: whoever waits for quiet waits anew. */
  #touch(): void {
    clearTimeout(this.#timer);
    this.#timer = this.timeout > 0 ? setTimeout(() => this.emit('timeout'), this.timeout) : undefined;
  }

  /**
   * Nobody uses it any more, and nobody is told. The platform holds on to a reader of HTTP, and so to all that a socket
   * leads to, until it is closed; not from within what it reads.
   */
  abandon(): void {
    const parser = Reflect.get(this, 'parser') as { close?(): void } | null | undefined;
    Reflect.set(this, 'parser', null);
    parser?.close?.();
    this.#peer = undefined;
    this.#held = undefined;
  }

  destroySoon(): void {
    if (this.writable) this.end(() => this.destroy());
    else this.destroy();
  }

  resetAndDestroy(): this {
    return this.destroy();
  }

  address(): object {
    return { address: this.localAddress, port: this.localPort, family: this.remoteFamily };
  }

  setKeepAlive(): this {
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  getPeerCertificate(): object {
    return {};
  }

  getSession(): undefined {
    return undefined;
  }

  isSessionReused(): boolean {
    return false;
  }

  getProtocol(): string {
    return 'TLSv1.3';
  }
}

export interface SocketAddress {
  readonly host: string;
  readonly port: number;
  readonly isEncrypted: boolean;
}

/** As `node:net` says it. */
export const socketError = (code: string, { host, port }: SocketAddress): Error =>
  Object.assign(new Error(`connect ${code} ${host}:${port}`), {
    code,
    errno: code,
    syscall: code === 'ECONNRESET' ? 'read' : 'connect',
    address: host,
    port,
  });
