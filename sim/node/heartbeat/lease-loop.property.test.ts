/**
 * A heartbeat, whatever comes between it and the server and whoever else writes to its lease: it never goes back, takes
 * nothing from the lease that is not its own, and is heard again soon after the trouble is over.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Lease } from '../../api/types/coordination-k8s-io-v1.ts';
import {
  clientOf,
  endTroubles,
  type Troubled,
  troublesOf,
  tryTo,
} from '../../cluster/troubled-client.fixture.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { actsOn, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { milliseconds, seconds } from '../../engine/time.ts';
import { leaseLoop, NODE_LEASE_NAMESPACE } from './lease-loop.ts';

const KEY = { namespace: NODE_LEASE_NAMESPACE, name: 'n' };
const OWNER = { apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'node-uid' };
const CALL = seconds(10);
/** The longest pause between tries, the interval with its jitter, and a call under way that nobody answers. */
const SOON = milliseconds(7_000 + 10_400 + 10_000 + 600);
/** In peace. */
const BEAT = milliseconds(10_400 + 100);

class Heart implements Troubled {
  readonly cluster = createCluster({ controllers: [] });
  readonly actor = this.cluster.simulation.actor('node/test');
  #told: string | undefined;
  #isOwned = false;
  #ownerKnown = true;
  /** What somebody else has written into the lease as it is. */
  #label: string | undefined;

  constructor() {
    const client = clientOf(this).as({ timeout: CALL });
    const owner = () => (this.#ownerKnown ? OWNER : undefined);
    this.actor.spawn('lease', () =>
      leaseLoop({
        client,
        ...KEY,
        holder: 'n',
        durationSeconds: 40,
        *owner() {
          yield* client.context.sleep(milliseconds(1));
          return owner();
        },
      }),
    );
  }

  know(isKnown: boolean): void {
    this.#ownerKnown = isKnown;
  }

  label(value: string): void {
    tryTo(() => {
      this.cluster.client.leases.patch(KEY, { type: 'merge', body: { metadata: { labels: { by: value } } } });
      this.#label = value;
    });
  }

  remove(): void {
    tryTo(() => {
      this.cluster.client.leases.delete(KEY);
      this.#told = this.#label = undefined;
      this.#isOwned = false;
    });
  }

  get lease(): Lease | undefined {
    return this.cluster.storage.get(`/registry/leases/${KEY.namespace}/${KEY.name}`)?.value;
  }

  compare(): void {
    const { spec, metadata } = this.lease ?? {};
    const { renewTime = '' } = spec ?? {};
    expect(renewTime >= (this.#told ?? '')).toBe(true);
    this.#told = renewTime;
    const owners = metadata?.ownerReferences ?? [];
    if (this.#isOwned) expect(owners).toEqual([OWNER]);
    this.#isOwned = owners.length > 0;
    if (metadata) expect(metadata.labels?.['by']).toBe(this.#label);
  }

  expectBeat(within: typeof BEAT): void {
    const before = this.lease?.spec?.renewTime ?? '';
    this.cluster.advance(within);
    const { spec, metadata } = this.lease ?? {};
    expect((spec?.renewTime ?? '') > before).toBe(true);
    expect(spec).toMatchObject({ holderIdentity: 'n', leaseDurationSeconds: 40 });
    expect(metadata?.ownerReferences).toEqual([OWNER]);
    this.compare();
  }
}

const act = actsOn<Heart>();

it('beats, never backwards, and soon again when the trouble is over', () => {
  holdsInAnyOrderAsBefore({
    begin: () => new Heart(),
    acts: [
      ...troublesOf<Heart>(),
      act('label', fc.constantFrom('x', 'y'), (heart, value) => heart.label(value)),
      act('remove', NOTHING, (heart) => heart.remove()),
      act('know', fc.boolean(), (heart, isKnown) => heart.know(isKnown)),
    ],
    compare: (heart) => heart.compare(),
    end: (heart) => {
      heart.know(true);
      endTroubles(heart);
      heart.expectBeat(SOON);
      for (let beats = 0; beats < 4; beats++) heart.expectBeat(BEAT);
    },
    most: 16,
    runs: 60,
  });
});
