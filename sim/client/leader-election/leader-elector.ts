/**
 * One candidate for a leadership that is a lease, as client-go's leader election goes about it. Whoever holds the lease
 * renews it; everybody else takes it when it has not changed for its whole duration *by their own clock*: times inside
 * are never compared. A leader that cannot renew for `renewDeadline` is one no more, before others may think so.
 *
 * It does not promise that there is never a second leader: a leader that stalls, or clocks of very different pace, make
 * one, as they do in reality.
 */
import type { Lease } from '../../api/types/coordination-k8s-io-v1.ts';
import { formatMicroTimeOf } from '../../api/time-format.ts';
import type { Process } from '../../engine/process.ts';
import { seconds, type Micros } from '../../engine/time.ts';
import type { ApiClient } from '../api-client.ts';
import { isCallFailure, isNotFound } from '../api-failure.ts';
import { BUILTIN_HANDLES } from '../builtin-handles.ts';
import {
  isSameRecord,
  type LeaderElectionRecord,
  leaseSpecOf,
  nextRecord,
  recordOf,
  releasedRecord,
} from './leader-election-record.ts';

const { leases } = BUILTIN_HANDLES;
/** Candidates ask again after a retry period and up to so many more. */
const RETRY_JITTER = 1.2;

export interface LeaderElectorOptions {
  readonly client: ApiClient;
  readonly namespace: string;
  readonly name: string;
  /** Different for each candidate and each of its lives. */
  readonly identity: string;
  /** Default 15 s. */
  readonly leaseDuration?: Micros;
  /** Default 10 s. */
  readonly renewDeadline?: Micros;
  /** Default 2 s. */
  readonly retryPeriod?: Micros;
  /** Hears of `became leader` and `stopped leading`, with the lease. */
  readonly tell?: (lease: Lease | undefined, message: string) => void;
}

export class LeaderElector {
  readonly #options: Required<Omit<LeaderElectorOptions, 'tell'>>;
  readonly #tell: NonNullable<LeaderElectorOptions['tell']>;
  /** The lease as it was last answered: what is written goes by its version. */
  #lease: Lease | undefined;
  /** What the lease was last seen to say, and since when, by the own clock. */
  #observed: LeaderElectionRecord | undefined;
  #observedAt = 0;
  #isLeading = false;

  constructor({
    leaseDuration = seconds(15),
    renewDeadline = seconds(10),
    retryPeriod = seconds(2),
    tell = () => undefined,
    ...options
  }: LeaderElectorOptions) {
    this.#options = { ...options, leaseDuration, renewDeadline, retryPeriod };
    this.#tell = tell;
  }

  /** Between the end of `acquire` and the end of `hold`: the candidate acts as leader. */
  get isLeading(): boolean {
    return this.#isLeading;
  }

  /** Waits until it is the leader. */
  *acquire(): Process<void> {
    const { client, retryPeriod } = this.#options;
    const jitter = client.context.site('leader election retry');
    while (!(yield* this.#tryToLead())) {
      const more = jitter.int(0, Math.floor(retryPeriod * RETRY_JITTER));
      yield* client.context.sleep((retryPeriod + more) as Micros);
    }
    this.#isLeading = true;
    this.#tell(this.#lease, `${this.#options.identity} became leader`);
  }

  /** Stays the leader as long as it can: renews until that has failed for the whole deadline. */
  *hold(): Process<void> {
    const { client, renewDeadline, retryPeriod } = this.#options;
    for (;;) {
      const renewal = yield* client.context.within(renewDeadline, this.#renew());
      if (renewal.isLate) break;
      yield* client.context.sleep(retryPeriod);
    }
    this.#isLeading = false;
    this.#tell(this.#lease, `${this.#options.identity} stopped leading`);
  }

  /** Gives the lease back, so that the next one need not wait; without effect on somebody else's. */
  *release(): Process<void> {
    const seen = this.#observed;
    this.#isLeading = false;
    if (seen?.holder === this.#options.identity) yield* this.#write(releasedRecord(seen, this.#wallTime()));
  }

  /** Until one try has succeeded; the next is made at the next whole period. */
  *#renew(): Process<void> {
    const { client, retryPeriod } = this.#options;
    const { context } = client;
    const begunAt = context.now();
    while (!(yield* this.#tryToLead())) {
      const periods = Math.floor((context.now() - begunAt) / retryPeriod) + 1;
      yield* context.sleepUntil((begunAt + periods * retryPeriod) as Micros);
    }
  }

  /** One try to take or renew the lease. */
  *#tryToLead(): Process<boolean> {
    const now = this.#options.client.context.now();
    const wallTime = this.#wallTime();
    // Who leads does not ask first: the version of the lease tells whether it is still the same.
    if (this.#isHolder && this.#isValid(now) && (yield* this.#write(this.#next(wallTime)))) return true;
    const hasSeen = yield* this.#look();
    if (hasSeen === 'failed') return false;
    if (hasSeen === 'missing') return yield* this.#create(wallTime);
    if (this.#observed?.holder && !this.#isHolder && this.#isValid(now)) return false;
    return yield* this.#write(this.#next(wallTime));
  }

  *#look(): Process<'seen' | 'missing' | 'failed'> {
    const { client, namespace, name } = this.#options;
    try {
      this.#lease = yield* client.get(leases, { namespace, name });
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      return isNotFound(error) ? 'missing' : 'failed';
    }
    const record = recordOf(this.#lease.spec);
    if (!isSameRecord(this.#observed, record)) this.#observe(record);
    return 'seen';
  }

  *#create(wallTime: string): Process<boolean> {
    const { client, namespace, name } = this.#options;
    const record = nextRecord(undefined, this.#candidate(wallTime));
    try {
      this.#lease = yield* client.create(leases, {
        metadata: { namespace, name },
        spec: leaseSpecOf(record),
      });
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      return false;
    }
    this.#observe(record);
    return true;
  }

  /** Over the lease as it was last answered; false: it was not to be, or nobody knows. */
  *#write(record: LeaderElectionRecord): Process<boolean> {
    const lease = this.#lease;
    if (!lease) return false;
    try {
      this.#lease = yield* this.#options.client.update(leases, { ...lease, spec: leaseSpecOf(record) });
    } catch (error) {
      if (!isCallFailure(error)) throw error;
      return false;
    }
    this.#observe(record);
    return true;
  }

  #observe(record: LeaderElectionRecord): void {
    this.#observed = record;
    this.#observedAt = this.#options.client.context.now();
  }

  get #isHolder(): boolean {
    return this.#observed?.holder === this.#options.identity;
  }

  /** By what the lease says of its duration, and the own clock. */
  #isValid(now: Micros): boolean {
    const duration = seconds(this.#observed?.durationSeconds ?? 0);
    return this.#observedAt + duration > now;
  }

  #next(wallTime: string): LeaderElectionRecord {
    return nextRecord(this.#observed, this.#candidate(wallTime));
  }

  #candidate(now: string): Parameters<typeof nextRecord>[1] {
    const { identity, leaseDuration } = this.#options;
    return { identity, durationSeconds: leaseDuration / 1_000_000, now };
  }

  #wallTime(): string {
    return formatMicroTimeOf(this.#options.client.context.wallMicros());
  }
}
