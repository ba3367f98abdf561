/**
 * Writes that the API servers refuse although nothing is wrong with them: as when the storage behind them answers with
 * errors, or has no leader for some keys. A refused write was surely not done.
 */
import { ApiError, internalError, type Status } from '../api/status.ts';
import { requestInfoOf } from '../apiserver/request/request-info.ts';
import { QueryParameters } from '../apiserver/request/request.ts';
import type { ApiCall } from '../client/protocol.ts';

/** Which writes: whatever is absent does not matter. */
export interface WriteSelection {
  /** Plural, such as `leases`. */
  readonly resource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** Who writes, such as `system:node:worker-1`. */
  readonly user?: string;
}

export interface WriteFault extends WriteSelection {
  /** Default 500. */
  readonly status?: 429 | 500 | 503 | 504;
}

export class WriteFaults {
  readonly #faults: WriteFault[] = [];

  get isEmpty(): boolean {
    return this.#faults.length === 0;
  }

  /** Writes that only nodes themselves make are the nodes' trouble alone. */
  get hinderControlPlane(): boolean {
    return this.#faults.some(
      ({ user, resource }) => user?.startsWith('system:node:') !== true && resource !== 'leases',
    );
  }

  /** Those by which a leader that does its work otherwise loses its lease. */
  get hinderElections(): boolean {
    return this.#faults.some(
      ({ user, resource = 'leases', namespace = 'kube-system', name }) =>
        user?.startsWith('system:node:') !== true &&
        resource === 'leases' &&
        namespace === 'kube-system' &&
        (name === undefined || name === 'kube-controller-manager'),
    );
  }

  fail(fault: WriteFault): void {
    this.#faults.push(fault);
  }

  /** Ends the faults of exactly this selection; false: there were none. */
  allow(selection: WriteSelection): boolean {
    const before = this.#faults.length;
    for (let index = before - 1; index >= 0; index--) {
      const fault = this.#faults[index];
      if (fault && isSameSelection(fault, selection)) this.#faults.splice(index, 1);
    }
    return this.#faults.length < before;
  }

  /** What a call is answered instead of being done; undefined: it is done. */
  answerTo(call: ApiCall): Status | undefined {
    if (this.#faults.length === 0 || call.method === 'GET') return undefined;
    const { resource, namespace, name } = requestInfoOf({ ...call, query: QueryParameters.of(call.query) });
    const target = { resource, namespace, name, user: call.user.name };
    const fault = this.#faults.find((each) =>
      SELECTORS.every((member) => each[member] === undefined || each[member] === target[member]),
    );
    return fault && errorOf(fault.status ?? 500).status;
  }
}

const SELECTORS = ['resource', 'namespace', 'name', 'user'] as const;

const isSameSelection = (a: WriteSelection, b: WriteSelection): boolean =>
  SELECTORS.every((member) => a[member] === b[member]);

function errorOf(status: NonNullable<WriteFault['status']>): ApiError {
  switch (status) {
    case 429:
      return new ApiError({
        reason: 'TooManyRequests',
        message: 'Too many requests, please try again later.',
        details: { retryAfterSeconds: 1 },
      });
    case 500:
      return internalError('etcdserver: request timed out');
    case 503:
      return new ApiError({
        reason: 'ServiceUnavailable',
        message: 'the server is currently unable to handle the request',
      });
    case 504:
      return new ApiError({
        reason: 'Timeout',
        message: 'Timeout: request did not complete within the allotted timeout',
        details: {},
      });
  }
}
