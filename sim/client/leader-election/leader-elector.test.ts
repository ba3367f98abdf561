import { describe, expect, it } from 'vitest';
import { createCluster, milliseconds, seconds } from '../../index.ts';
import { LeaderElector } from './leader-elector.ts';

const LEASE = { namespace: 'kube-system', name: 'test' };

function candidates() {
  const cluster = createCluster({ controllers: [] });
  const make = (identity: string): LeaderElector =>
    new LeaderElector({ client: cluster.userClient, ...LEASE, identity });
  const spawn = (elector: LeaderElector): void => {
    cluster.user.spawn('candidate', function* () {
      yield* elector.acquire();
      yield* elector.hold();
    });
  };
  return { cluster, make, spawn, specOf: () => cluster.client.leases.get(LEASE).spec };
}

describe('a candidate', () => {
  it('takes a lease that is given back without waiting for its end', () => {
    const { cluster, make, spawn, specOf } = candidates();
    const [first, second] = [make('a'), make('b')];
    cluster.finish(first.acquire());
    spawn(second);
    cluster.advance(seconds(3));
    expect([first.isLeading, second.isLeading]).toEqual([true, false]);
    cluster.finish(first.release());
    expect(specOf()).toMatchObject({ holderIdentity: '', leaseDurationSeconds: 1, leaseTransitions: 0 });
    cluster.advance(seconds(5));
    expect([first.isLeading, second.isLeading]).toEqual([false, true]);
    expect(specOf()).toMatchObject({ holderIdentity: 'b', leaseDurationSeconds: 15, leaseTransitions: 1 });
  });

  it('goes by its own clock, whatever times the lease has', () => {
    const { cluster, make, spawn, specOf } = candidates();
    const first = make('a');
    cluster.finish(first.acquire());
    cluster.client.leases.patch(LEASE, {
      type: 'merge',
      body: { spec: { renewTime: '2001-01-01T00:00:00.000000Z' } },
    });
    spawn(make('b'));
    cluster.advance(seconds(14));
    expect(specOf()?.holderIdentity).toBe('a');
    cluster.advance(seconds(6));
    expect(specOf()?.holderIdentity).toBe('b');
  });

  it('asks again every 2 to 4.4 s, and a leader renews every 2 s', () => {
    const { cluster, make, spawn } = candidates();
    const calls: { readonly method: string; readonly at: number }[] = [];
    cluster.faults.actor('apiserver/0').overhear({
      received: (message) => {
        const { body } = message as { readonly body?: { readonly method: string } };
        if (body) calls.push({ method: body.method, at: cluster.now });
      },
    });
    spawn(make('a'));
    cluster.advance(seconds(1));
    calls.length = 0;
    cluster.advance(seconds(10));
    // It goes by the version that it knows: no reads.
    expect(calls.map(({ method }) => method)).toEqual(['PUT', 'PUT', 'PUT', 'PUT', 'PUT']);
    spawn(make('b'));
    cluster.advance(seconds(60));
    const asked = calls.filter(({ method }) => method === 'GET').map(({ at }) => at);
    const pauses = asked.slice(1).map((at, index) => at - (asked[index] ?? 0));
    expect(Math.min(...pauses)).toBeGreaterThanOrEqual(seconds(2));
    expect(Math.max(...pauses)).toBeLessThan(milliseconds(4_410));
  });

  it('finds out what became of a renewal whose answer was lost', () => {
    const { cluster, make, spawn, specOf } = candidates();
    const elector = make('a');
    spawn(elector);
    cluster.advance(seconds(1));
    cluster.faults.partition('apiserver/0', { from: 'user/test', way: 'forth' });
    cluster.advance(seconds(3));
    cluster.faults.resetConnections('user/test');
    cluster.faults.heal('apiserver/0', { from: 'user/test' });
    cluster.advance(seconds(10));
    expect(elector.isLeading).toBe(true);
    expect(specOf()).toMatchObject({ holderIdentity: 'a', leaseTransitions: 0 });
  });
});
