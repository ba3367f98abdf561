/**
 * Candidates for one lease, whatever comes between each of them and the server: never two leaders where all clocks go
 * alike, nobody acts as leader whose renewals fail, the lease says who leads and how often that has changed, and when
 * the trouble is over there is a leader, and it stays.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Lease, LeaseSpec } from '../../api/types/coordination-k8s-io-v1.ts';
import type { Cluster } from '../../cluster/cluster.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { clientOf, endTroubles, type Troubled, troublesOf } from '../../cluster/troubled-client.fixture.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { actsOn } from '../../engine/any-order.arbitrary.ts';
import type { Process } from '../../engine/process.ts';
import { milliseconds, seconds } from '../../engine/time.ts';
import { LeaderElector } from './leader-elector.ts';

const LEASE = { namespace: 'kube-system', name: 'test' };
const KEY = '/registry/leases/kube-system/test';
const CALL = seconds(5);
/** Of the lease, a period of a candidate that looks, and a call of it that nobody answered. */
const UNTIL_TAKEN = seconds(15 + 4.4 + 5 + 1);
/** Renewals come every 2 s; one that does not succeed within 10 s is the end. */
const LEADS_UNRENEWED = seconds(2 + 10 + 0.1);

class Candidate implements Troubled {
  readonly cluster: Cluster;
  readonly actor: Troubled['actor'];
  #elector: LeaderElector | undefined;
  #leaves = (): void => undefined;
  #lives = 0;

  constructor(cluster: Cluster, name: string) {
    this.cluster = cluster;
    this.actor = cluster.simulation.actor(`candidate/${name}`);
    this.#live();
  }

  get isLeading(): boolean {
    return this.#elector?.isLeading === true;
  }

  /** Gives the lease back, if it has it, and looks again a while later. */
  leave(): void {
    this.#leaves();
  }

  crash(): void {
    this.#elector = undefined;
    this.actor.crash();
    this.actor.restart();
    this.#live();
  }

  #live(): void {
    const { context } = this.actor;
    const client = clientOf(this).as({ timeout: CALL });
    const next = (): LeaderElector =>
      (this.#elector = new LeaderElector({
        client,
        ...LEASE,
        identity: `${this.actor.name} ${this.#lives++}`,
      }));
    const leaving = context.signal();
    this.#leaves = () => leaving.fire();
    this.actor.spawn('candidate', function* () {
      for (;;) {
        const elector = next();
        yield* context.race([lead(elector), leaving.wait()]);
        yield* elector.release();
        yield* context.sleep(seconds(6));
      }
    });
  }
}

function* lead(elector: LeaderElector): Process<void> {
  yield* elector.acquire();
  yield* elector.hold();
}

class Election {
  readonly cluster = createCluster({ controllers: [] });
  readonly candidates = ['a', 'b'].map((name) => new Candidate(this.cluster, name));
  readonly #wrong: string[] = [];
  #last: LeaseSpec | undefined;
  #renewedAt = 0;

  constructor() {
    const { storage, simulation } = this.cluster;
    storage.watch({
      prefix: KEY,
      onEvents: (events) => {
        for (const event of events) if (event.kind === 'put') this.#judge(event.entry.value);
      },
    });
    const watcher = simulation.actor('watcher');
    const look = (): void => this.#look();
    watcher.spawn('looks', function* () {
      for (;;) {
        yield* watcher.context.sleep(milliseconds(100));
        look();
      }
    });
  }

  get leaders(): readonly Candidate[] {
    return this.candidates.filter(({ isLeading }) => isLeading);
  }

  compare(): void {
    expect(this.#wrong).toEqual([]);
  }

  /** In peace somebody leads before long, and goes on as long as the peace lasts. */
  expectPeace(): void {
    this.candidates.forEach(endTroubles);
    this.cluster.advance(UNTIL_TAKEN);
    const leaders = this.leaders;
    expect(leaders).toHaveLength(1);
    this.cluster.advance(seconds(20));
    expect(this.leaders).toEqual(leaders);
    // One renewal that fails is no end.
    this.cluster.faults.failRequests({ actor: leaders[0]?.actor.name ?? '', count: 2 });
    this.cluster.advance(seconds(8));
    expect(this.leaders).toEqual(leaders);
    // Who waits and gives up gives nothing back.
    this.candidates.find((each) => !leaders.includes(each))?.leave();
    this.cluster.advance(seconds(8));
    expect(this.leaders).toEqual(leaders);
    expect(this.#last?.holderIdentity).not.toBe('');
    this.compare();
    // What is given back is taken at the next look.
    leaders[0]?.leave();
    this.cluster.advance(seconds(5.5));
    expect(this.leaders).toEqual(this.candidates.filter((each) => each !== leaders[0]));
    this.compare();
  }

  #judge({ spec = {} }: Lease): void {
    const last = this.#last;
    this.#last = spec;
    this.#renewedAt = this.cluster.now;
    if (!last) return;
    if (spec.holderIdentity === '' && this.leaders.length > 0)
      this.#wrong.push('a lease is given back that is in use');
    const isHandedOn = spec.holderIdentity !== last.holderIdentity;
    const isTaken = isHandedOn && spec.holderIdentity !== '';
    const transitions = (last.leaseTransitions ?? 0) + (isTaken ? 1 : 0);
    if (spec.leaseTransitions !== transitions) this.#wrong.push('the count of leaders is wrong');
    // Who takes it reckons from before its look: that may be a moment before the former leader gave it back.
    if (isHandedOn) return;
    if (spec.acquireTime !== last.acquireTime) this.#wrong.push('the time of taking it moves');
    if ((spec.renewTime ?? '') <= (last.renewTime ?? ''))
      this.#wrong.push('the time of renewal stands still');
  }

  #look(): void {
    const { leaders } = this;
    if (leaders.length > 1) this.#wrong.push('there are two leaders');
    if (leaders.length > 0 && this.cluster.now - this.#renewedAt > LEADS_UNRENEWED)
      this.#wrong.push('somebody leads who cannot renew');
  }
}

const which = fc.nat(1);
const act = actsOn<Election>();
const troubles = troublesOf<Candidate>().map((trouble) =>
  act('of', fc.tuple(which, trouble), ({ candidates }, [index, { on }]) => {
    const candidate = candidates[index];
    if (candidate) on(candidate);
  }),
);

it('has one leader at the most, and one in peace', () => {
  holdsInAnyOrderAsBefore({
    begin: () => new Election(),
    acts: [
      ...troubles,
      act('crash', which, ({ candidates }, index) => candidates[index]?.crash()),
      act('leave', which, ({ candidates }, index) => candidates[index]?.leave()),
      act('pass', fc.integer({ min: 1, max: 20 }), ({ cluster }, span) => cluster.advance(seconds(span))),
    ],
    compare: (election) => election.compare(),
    end: (election) => election.expectPeace(),
    most: 14,
    runs: 60,
  });
});
