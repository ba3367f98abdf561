/** Counts what is written, heartbeats aside, so that one can tell when a cluster has come to rest. */
import type { RequestObserver } from '../apiserver/request/request-observer.ts';
import type { Exchange } from '../apiserver/request/exchange.ts';
import type { RequestInfo } from '../apiserver/request/request-info.ts';
import type { ApiResponse } from '../apiserver/request/request.ts';

const READS: ReadonlySet<string> = new Set(['get', 'list', 'watch']);

export class WriteCount implements RequestObserver {
  #requests = 0;
  #writes = 0;
  #count = 0;

  /** Successful writes other than of leases. */
  get count(): number {
    return this.#count;
  }

  /** Successful writes. */
  get writes(): number {
    return this.#writes;
  }

  /** Requests of any kind that were answered. */
  get requests(): number {
    return this.#requests;
  }

  responded({ info }: Exchange, { status }: ApiResponse): void {
    this.#requests++;
    if (status < 300 && !READS.has(info.verb)) this.#noteWrite(info);
  }

  repeated(info: RequestInfo): void {
    this.#requests++;
    this.#noteWrite(info);
  }

  #noteWrite({ resource }: RequestInfo): void {
    this.#writes++;
    // Leases say that somebody is there, whatever else happens.
    if (resource !== 'leases') this.#count++;
  }
}
