/**
 * The lease by which a server shows that it is there, whoever removes or rewrites it, and whatever becomes of the server and
 * its storage: whoever is up and can write has one that is fresh, under the name of this life of his, and the lease of an
 * earlier life is taken on where it is there.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Lease } from '../../api/types/coordination-k8s-io-v1.ts';
import { assembleCluster } from '../../cluster/create-cluster.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { Simulation } from '../../engine/simulation.ts';
import { milliseconds } from '../../engine/time.ts';
import { MemoryStorage } from '../../storage/memory-storage.ts';
import type { StoredObject } from '../stores/stored-object.ts';

const SERVER = 'apiserver/0';
const NAME = 'apiserver-0';
const PLACE = { namespace: 'kube-system', name: NAME };
const MAJORITY = ['etcd/1', 'etcd/2'] as const;
/** Renewed every ten seconds; whoever was refused tries again after a second. */
const RENEWAL_MS = 10_000;
/** What an election of the storage takes, and a try before it. */
const SOON_MS = 7_000;

class World {
  readonly #cluster = assembleCluster(new Simulation({ seed: 1, isGuarded: false, isRecording: false }), {
    storage: new MemoryStorage<StoredObject>(),
    storageMembers: 3,
    controllers: [],
    scheduler: false,
    identity: NAME,
  });
  #isUp = true;
  #hasMajority = true;
  /** Since when the server is up and can write, and nobody else has written its lease. */
  #wellSinceMs = 0;
  readonly #formerHolders = new Set<string>();
  #holder: string | undefined;
  /** Of the lease, as long as nobody removes it. */
  #uid: string | undefined;

  constructor() {
    this.pass(SOON_MS);
  }

  get #nowMs(): number {
    return this.#cluster.simulation.now / 1_000;
  }

  remove(): void {
    tryTo(() => this.#cluster.client.leases.delete(PLACE));
    this.#uid = undefined;
    this.#disturbed();
  }

  rewrite(spec: object): void {
    tryTo(() => this.#cluster.client.leases.patch(PLACE, { type: 'merge', body: { spec } }));
    this.#disturbed();
  }

  crash(): void {
    if (!this.#isUp) return;
    this.#cluster.faults.crash(SERVER);
    if (this.#holder !== undefined) this.#formerHolders.add(this.#holder);
    this.#isUp = false;
    this.#holder = undefined;
  }

  restart(): void {
    if (this.#isUp) return;
    this.#cluster.faults.restart(SERVER);
    this.#isUp = true;
    this.#disturbed();
  }

  setMajority(has: boolean): void {
    if (has === this.#hasMajority) return;
    this.#hasMajority = has;
    for (const member of MAJORITY) this.#cluster.faults[has ? 'restart' : 'crash'](member);
    this.#disturbed();
  }

  #disturbed(): void {
    this.#wellSinceMs = this.#nowMs;
  }

  pass(ms: number): void {
    this.#cluster.advance(milliseconds(ms));
  }

  compare(): void {
    const calmMs = this.#nowMs - this.#wellSinceMs;
    if (!this.#isUp || !this.#hasMajority || calmMs < RENEWAL_MS + SOON_MS) return;
    const lease = this.#lease;
    expect(lease, 'the lease of a server that is there').toBeDefined();
    const { holderIdentity = '', leaseDurationSeconds, renewTime = '' } = lease?.spec ?? {};
    const ageMs = this.#cluster.userClient.context.wallMs() - Date.parse(renewTime);
    expect(ageMs, 'since it was renewed').toBeLessThanOrEqual(RENEWAL_MS + 100);
    expect(leaseDurationSeconds).toBe(3_600);
    expect(holderIdentity.split('_')[0]).toBe(NAME);
    expect(this.#formerHolders, 'holders of former lives').not.toContain(holderIdentity);
    expect(holderIdentity, 'the holder').toBe((this.#holder ??= holderIdentity));
    expect(lease?.metadata.uid, 'the same lease').toBe((this.#uid ??= lease?.metadata.uid));
  }

  get #lease(): Lease | undefined {
    const key = `/registry/leases/${PLACE.namespace}/${NAME}`;
    const [entry] = this.#cluster.storage.range({ prefix: key }).entries;
    return entry?.value;
  }

  end(): void {
    this.setMajority(true);
    this.restart();
    for (let round = 0; round < 4; round++) {
      this.pass(RENEWAL_MS);
      this.compare();
    }
  }
}

const act = actsOn<World>();
const pass = act('pass', fc.constantFrom(50, 3_000, 9_999, 11_000, 40_000), (world, ms) => world.pass(ms));
const lived = act('remove, and live on', fc.constantFrom(1, 2), (world, times) => {
  for (let time = 0; time < times; time++) {
    world.remove();
    for (let round = 0; round < 3; round++) {
      world.pass(RENEWAL_MS);
      world.compare();
    }
  }
});

it('is held by whoever is there, under a name of this life', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[pass, pass, pass, lived],
      act('remove', NOTHING, (world) => world.remove()),
      act(
        'rewrite',
        fc.constantFrom({ holderIdentity: 'somebody' }, { renewTime: null }, { leaseDurationSeconds: 1 }),
        (world, spec) => world.rewrite(spec),
      ),
      act('crash', NOTHING, (world) => world.crash()),
      act('restart', NOTHING, (world) => world.restart()),
      act('restart', NOTHING, (world) => world.restart()),
      act('set majority', fc.constantFrom(true, true, false), (world, has) => world.setMajority(has)),
    ],
    compare: (world) => world.compare(),
    end: (world) => world.end(),
    most: 16,
    runs: 40,
  });
});
