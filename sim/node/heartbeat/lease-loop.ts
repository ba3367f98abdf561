/**
 * The heartbeat of a component: a Lease that it renews. As client-go's lease controller does it: every interval the
 * lease is updated as it was last seen; when that fails five times in a row it is read again, or created if it is
 * missing, with growing pauses until that succeeds. Specification: "Lease", "Limits".
 */
import type { OwnerReference } from '../../api/object.ts';
import { formatMicroTimeOf } from '../../api/time-format.ts';
import type { Lease } from '../../api/types/coordination-k8s-io-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { NoAnswer } from '../../client/no-answer.ts';
import { isCallFailure, isConflict, isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { Process } from '../../engine/process.ts';
import { milliseconds, seconds, type Micros } from '../../engine/time.ts';

const { leases } = BUILTIN_HANDLES;

export const NODE_LEASE_NAMESPACE = 'kube-node-lease';
const UPDATE_TRIES = 5;
/** Doubled before each pause, so the first one is 200 ms. */
const PAUSE_SEED = milliseconds(100);
const LONGEST_PAUSE = seconds(7);
/** Intervals are up to so much longer, so that nodes spread. */
const JITTER = 0.04;

export interface LeaseLoopOptions {
  readonly client: ApiClient;
  readonly name: string;
  readonly namespace: string;
  readonly holder: string;
  readonly durationSeconds: number;
  /** Default: a quarter of the duration. */
  readonly interval?: Micros;
  /** The object that the lease goes with; undefined while that is unknown. */
  readonly owner: () => Process<OwnerReference | undefined>;
}

/** Renews without end. */
export function* leaseLoop(options: LeaseLoopOptions): Process<void> {
  const { client, durationSeconds, interval = seconds(durationSeconds / 4) } = options;
  const jitter = client.context.site('lease interval');
  const mostJitter = Math.floor(interval * JITTER);
  let latest: Lease | undefined;
  for (;;) {
    latest = (latest && (yield* tryToUpdate(options, latest))) ?? (yield* ensureRenewed(options));
    yield* client.context.sleep((interval + jitter.int(0, mostJitter)) as Micros);
  }
}

/** The lease as it is after it was read or created anew, and renewed if that could be done. */
function* ensureRenewed(options: LeaseLoopOptions): Process<Lease | undefined> {
  const { lease, isCreated } = yield* ensure(options);
  if (!lease || isCreated) return lease;
  return (yield* tryToUpdate(options, lease)) ?? lease;
}

/** Undefined when it failed as often as it may. */
function* tryToUpdate(options: LeaseLoopOptions, base: Lease): Process<Lease | undefined> {
  let present = base;
  for (let tries = 0; tries < UPDATE_TRIES; tries++) {
    try {
      const lease = present.metadata.ownerReferences ? present : yield* owned(options, present);
      return yield* options.client.update(leases, renewed(options, lease));
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      // An agent whose heartbeats are not heard again and again breaks its connections off.
      if (tries > 0 && error instanceof NoAnswer) options.client.turnAway();
      if (isConflict(error)) present = (yield* ensure(options)).lease ?? present;
    }
  }
  return undefined;
}

interface Ensured {
  /** Undefined: it cannot be made yet. */
  readonly lease: Lease | undefined;
  readonly isCreated: boolean;
}

/** The present lease, or a new one; waits until the API answers. */
function* ensure(options: LeaseLoopOptions): Process<Ensured> {
  for (let pause: number = PAUSE_SEED; ;) {
    try {
      return yield* getOrCreate(options);
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      pause = Math.min(2 * pause, LONGEST_PAUSE);
      yield* options.client.context.sleep(pause as Micros);
    }
  }
}

function* getOrCreate(options: LeaseLoopOptions): Process<Ensured> {
  const { client, name, namespace } = options;
  try {
    return { lease: yield* client.get(leases, { name, namespace }), isCreated: false };
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  const { holder, durationSeconds } = options;
  const lease = yield* owned(options, {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace },
    spec: { holderIdentity: holder, leaseDurationSeconds: durationSeconds },
  });
  // A lease without owner would outlive its node.
  if (!lease.metadata.ownerReferences) return { lease: undefined, isCreated: false };
  return { lease: yield* client.create(leases, renewed(options, lease)), isCreated: true };
}

/** With its owner, if that is known by now. */
function* owned({ owner }: LeaseLoopOptions, lease: Lease): Process<Lease> {
  const reference = yield* owner();
  if (!reference) return lease;
  return { ...lease, metadata: { ...lease.metadata, ownerReferences: [reference] } };
}

/** Everything but the time is what it was, and the very same objects: the server need not look at them. */
function renewed({ client, holder, durationSeconds }: LeaseLoopOptions, lease: Lease): Lease {
  const { spec = { holderIdentity: holder, leaseDurationSeconds: durationSeconds } } = lease;
  return { ...lease, spec: { ...spec, renewTime: formatMicroTimeOf(client.context.wallMicros()) } };
}
