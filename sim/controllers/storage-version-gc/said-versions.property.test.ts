/**
 * What API servers say of the versions in which they store, while servers come and go in any order, whatever comes between:
 * in the end nothing is left of what the gone have said, and of those who are there is said what they agree on.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { StorageVersion } from '../../api/types/internal-apiserver-k8s-io-v1alpha1.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, struck, TroubledManager, unseen } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';
import { STORAGE_VERSIONS } from './storage-versions.fixture.ts';

const SERVERS = ['x', 'y', 'z'] as const;
/** A lease of that name is none by which a server shows itself; another is nowhere. */
const NO_SERVERS = ['plain', 'nobody'] as const;
const VERSIONS = ['apps.deployments', 'batch.jobs'] as const;
const NAMESPACE = 'kube-system';

interface Said {
  readonly by: string;
  readonly version: 'v1' | 'v2';
}

class World extends TroubledManager {
  constructor() {
    super(['storageversion-garbage-collector-controller'], { runtimeConfig: 'api/all=true' });
    const metadata = { name: 'plain', namespace: NAMESPACE };
    this.cluster.client.leases.create({ metadata, spec: {} });
  }

  come(server: string): void {
    const labels = { 'apiserver.kubernetes.io/identity': 'kube-apiserver' };
    const metadata = { name: server, namespace: NAMESPACE, labels };
    tryTo(() => this.cluster.client.leases.create({ metadata, spec: {} }));
  }

  go(server: string): void {
    tryTo(() => this.cluster.client.leases.delete({ name: server, namespace: NAMESPACE }));
  }

  say(name: string, all: readonly Said[]): void {
    const versions = this.cluster.client.resource(STORAGE_VERSIONS);
    const storageVersions = all.map(({ by: apiServerID, version: encodingVersion }) => ({
      ...{ apiServerID, encodingVersion },
      decodableVersions: [encodingVersion],
    }));
    const common = commonOf(all.map(({ version }) => version));
    tryTo(() => versions.create({ metadata: { name }, spec: {}, status: {} }));
    tryTo(() => {
      const { commonEncodingVersion: _, storageVersions: _before, ...status } = versions.get(name).status;
      const said = {
        ...status,
        storageVersions,
        ...(common !== undefined && { commonEncodingVersion: common }),
      };
      versions.update({ ...versions.get(name), status: said }, { subresource: 'status' });
    });
  }

  remove(name: string): void {
    tryTo(() => this.cluster.client.resource(STORAGE_VERSIONS).delete(name));
  }

  get #versions(): readonly StorageVersion[] {
    return this.objects.filter(
      ({ kind }) => kind === 'StorageVersion',
    ) as unknown as readonly StorageVersion[];
  }

  #saidOf(name: string): readonly (string | undefined)[] | undefined {
    const found = this.#versions.find(({ metadata }) => metadata.name === name);
    return found?.status.storageVersions?.map(({ apiServerID }) => apiServerID);
  }

  expectNoneOfGone(): void {
    const there = this.objects.flatMap(({ kind, metadata: { name = '', labels } }) =>
      kind === 'Lease' && labels?.['apiserver.kubernetes.io/identity'] === 'kube-apiserver' ? [name] : [],
    );
    for (const { metadata, status } of this.#versions) {
      const { storageVersions = [], commonEncodingVersion } = status;
      for (const { apiServerID } of storageVersions)
        expect(there, `who speaks of ${metadata.name ?? ''}`).toContain(apiServerID);
      const versions = storageVersions.map(({ encodingVersion = '' }) => encodingVersion);
      expect(commonEncodingVersion, `what they agree on, of ${versions.join()}`).toBe(commonOf(versions));
    }
  }

  /** Each kind of news by itself, in peace; nothing is taken away of those who stay. */
  expectHeard(): void {
    const [one, other] = VERSIONS;
    const [x, y, z] = SERVERS;
    for (const server of SERVERS) this.come(server);
    this.cluster.advance(seconds(3));
    for (const name of VERSIONS) {
      this.remove(name);
      this.say(name, [
        { by: x, version: 'v1' },
        { by: y, version: 'v2' },
        { by: z, version: 'v2' },
      ]);
    }
    this.#expectSaid(one, [x, y, z]);
    this.#expectSaid(other, [x, y, z]);
    this.go(x);
    this.#expectSaid(one, [y, z]);
    this.#expectSaid(other, [y, z]);
    this.#expectCondition(one);
    // Who is there again before anybody looks has never been away.
    this.cluster.faults.crash(this.actor.name);
    this.go(y);
    this.come(y);
    this.bounce();
    this.#expectSaid(one, [y, z]);
    this.say(one, [
      { by: 'plain', version: 'v1' },
      { by: z, version: 'v2' },
      { by: x, version: 'v2' },
    ]);
    this.#expectSaid(one, [z]);
    this.say(one, [{ by: 'nobody', version: 'v1' }]);
    this.#expectSaid(one, undefined);
    this.go(y);
    this.go(z);
    this.#expectSaid(other, undefined);
  }

  #expectSaid(name: string, servers: readonly string[] | undefined): void {
    this.cluster.advance(seconds(3));
    expect(this.#saidOf(name), `who speaks of ${name}`).toEqual(servers);
    this.expectNoneOfGone();
  }

  #expectCondition(name: string): void {
    const found = this.#versions.find(({ metadata }) => metadata.name === name);
    const nowMs = this.cluster.userClient.context.wallMs();
    const [{ lastTransitionTime = '', ...condition } = {}, ...more] = found?.status.conditions ?? [];
    expect(more).toEqual([]);
    expect(condition).toMatchObject({
      ...{ type: 'AllEncodingVersionsEqual', status: 'True' },
      reason: 'CommonEncodingVersionSet',
    });
    expect(nowMs - Date.parse(lastTransitionTime ?? ''), 'since when they agree').toBeLessThan(10_000);
  }
}

const commonOf = ([first, ...others]: readonly string[]): string | undefined =>
  others.every((each) => each === first) ? first : undefined;

const server = fc.constantFrom(...SERVERS);
const said: fc.Arbitrary<readonly Said[]> = fc.uniqueArray(
  fc.record({
    by: fc.constantFrom(...SERVERS, ...SERVERS, ...NO_SERVERS),
    version: fc.constantFrom('v1', 'v1', 'v2'),
  }),
  { selector: ({ by }) => by, maxLength: 3, minLength: 1 },
);
const act = actsOn<World>();

it('is forgotten of those who are gone, and of nobody else', () => {
  const acts = [
    act('come', server, (world, of) => world.come(of)),
    act('come', server, (world, of) => world.come(of)),
    act('go', server, (world, of) => world.go(of)),
    act('say', fc.tuple(fc.constantFrom(...VERSIONS), said), (world, drawn) => world.say(...drawn)),
    act('say', fc.tuple(fc.constantFrom(...VERSIONS), said), (world, drawn) => world.say(...drawn)),
    act('remove', fc.constantFrom(...VERSIONS), (world, of) => world.remove(of)),
  ];
  holdsInAnyOrderAsBefore<World>({
    begin: () => new World(),
    acts: amidTroubles<World>([...acts, unseen<World>(acts), struck<World>(acts)]),
    compare: () => undefined,
    end: (world) => {
      world.calm();
      world.expectNoneOfGone();
      world.expectStill();
      world.expectHeard();
    },
    most: 20,
    runs: 6,
  });
});
