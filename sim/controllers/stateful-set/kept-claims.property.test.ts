/**
 * Claims of StatefulSets whose sizes and retention policies change, whose pods and claims are taken away, amid whatever comes
 * between: each pod has its claim; a claim goes with whom its set says, with nobody else, and not before; and what comes
 * anew under a name never gets a claim that is about to go.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { StatefulSet } from '../../api/types/apps-v1.ts';
import type { PersistentVolumeClaim, Pod } from '../../api/types/core-v1.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, TroubledManager } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const CONTROLLERS = [
  'statefulset-controller',
  'garbage-collector-controller',
  'persistentvolumeclaim-protection-controller',
];
const NAME = 's';
const PATH = `/registry/statefulsets/default/${NAME}`;
const LABELS = { app: NAME };
const POLICIES = ['Retain', 'Delete'] as const;
type Policy = (typeof POLICIES)[number];
/** Longer than anybody hears late, and than whoever fails waits. */
const LATE_MS = 120_000;
const ROUNDS = 8;
/** By then everybody has heard of a change, in peace. */
const HEARD_MS = 1_000;

class World extends TroubledManager {
  readonly #wrong: string[] = [];
  /** When anything last said that claims may go: a policy, or somebody who takes them away. */
  readonly #mayGoMs = new Map<string, number>();
  #mayAllGoMs = -LATE_MS;
  /** Since when each claim is on its way out, by its uid. */
  readonly #goesSinceMs = new Map<string, number>();
  #isPeace = false;

  constructor() {
    super(CONTROLLERS);
    this.eachWrite<StatefulSet>(PATH, (now, before) => {
      const { whenDeleted, whenScaled } = (before ?? now)?.spec?.persistentVolumeClaimRetentionPolicy ?? {};
      if (whenDeleted === 'Delete' || whenScaled === 'Delete') this.#mayAllGoMs = this.nowMs;
    });
    this.eachWrite<PersistentVolumeClaim>('/registry/persistentvolumeclaims/', (now, before) => {
      const { uid = '', deletionTimestamp } = now?.metadata ?? {};
      if (deletionTimestamp !== undefined && !this.#goesSinceMs.has(uid))
        this.#goesSinceMs.set(uid, this.nowMs);
      if (now || !before) return;
      const { name = '' } = before.metadata;
      const since = Math.max(this.#mayAllGoMs, this.#mayGoMs.get(name) ?? -LATE_MS);
      if (this.#isKept && this.nowMs - since > LATE_MS) this.#wrong.push(`${name} goes, and was to stay`);
    });
    this.eachWrite<Pod>('/registry/pods/', (now, before) => now && !before && this.#lookAtNew(now));
    tryTo(() => this.make('Retain', 'Retain'));
    this.settle(2);
  }

  get #set(): StatefulSet | undefined {
    return this.stored(PATH)[0] as StatefulSet | undefined;
  }

  get #claims(): readonly PersistentVolumeClaim[] {
    return this.stored('/registry/persistentvolumeclaims/') as readonly PersistentVolumeClaim[];
  }

  get #pods(): readonly Pod[] {
    return this.stored('/registry/pods/') as readonly Pod[];
  }

  get #isKept(): boolean {
    const { whenDeleted, whenScaled } = this.#set?.spec?.persistentVolumeClaimRetentionPolicy ?? {};
    return this.#set !== undefined && whenDeleted !== 'Delete' && whenScaled !== 'Delete';
  }

  /** Its claim is not one that goes with a former pod of the name, unless somebody heard late of that. */
  #lookAtNew({ metadata }: Pod): void {
    if (!this.#isPeace) return;
    const own = this.#claims.find((each) => each.metadata.name === `data-${metadata.name ?? ''}`);
    const goesForMs = this.nowMs - (this.#goesSinceMs.get(own?.metadata.uid ?? '') ?? Infinity);
    if (goesForMs > HEARD_MS) this.#wrong.push(`${metadata.name ?? ''} gets a claim that somebody took away`);
    if (this.#set?.spec?.persistentVolumeClaimRetentionPolicy?.whenScaled !== 'Delete') return;
    const goesWithFormer = (own?.metadata.ownerReferences ?? []).some(({ kind }) => kind === 'Pod');
    if (goesWithFormer) this.#wrong.push(`${metadata.name ?? ''} gets a claim that goes`);
  }

  make(whenDeleted: Policy, whenScaled: Policy): void {
    const spec = {
      serviceName: NAME,
      replicas: 2,
      podManagementPolicy: 'Parallel',
      selector: { matchLabels: LABELS },
      persistentVolumeClaimRetentionPolicy: { whenDeleted, whenScaled },
      template: {
        metadata: { labels: LABELS },
        spec: { terminationGracePeriodSeconds: 0, containers: [{ name: 'main', image: 'a' }] },
      },
      volumeClaimTemplates: [
        {
          metadata: { name: 'data' },
          spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
        },
      ],
    };
    this.cluster.client.statefulSets.create({ metadata: { name: NAME }, spec } as never);
  }

  change(spec: object): void {
    tryTo(() => this.cluster.client.statefulSets.patch(NAME, { type: 'merge', body: { spec } }));
  }

  keep(policy: { readonly whenDeleted?: Policy; readonly whenScaled?: Policy }): void {
    this.change({ persistentVolumeClaimRetentionPolicy: policy });
  }

  /** And up again, soon: claims may be on their way still. */
  swing(to: number, ms: number, count: number): void {
    const { name: actor } = this.actor;
    const late = { actor, resource: 'persistentvolumeclaims', verb: 'delete' as const, status: 500 as const };
    if (count > 0) this.cluster.faults.failRequests({ ...late, count });
    this.change({ replicas: 0 });
    this.cluster.advance(seconds(ms / 1_000));
    this.change({ replicas: to });
  }

  /** One says this, and another that. */
  waver(last: Policy): void {
    const first = last === 'Retain' ? 'Delete' : 'Retain';
    this.keep({ whenDeleted: first, whenScaled: last });
    this.settle(1);
    this.keep({ whenDeleted: last, whenScaled: first });
  }

  removePod(ordinal: number): void {
    tryTo(() => this.cluster.client.pods.delete(`${NAME}-${ordinal}`));
  }

  removeClaim(ordinal: number): void {
    const name = `data-${NAME}-${ordinal}`;
    // It may go when its pod does, which may be much later.
    this.#mayGoMs.set(name, Infinity);
    tryTo(() => this.cluster.client.persistentVolumeClaims.delete(name));
  }

  /** Somebody else says whose a claim is. */
  disown(ordinal: number): void {
    const body = { metadata: { ownerReferences: null } };
    tryTo(() =>
      this.cluster.client.persistentVolumeClaims.patch(`data-${NAME}-${ordinal}`, { type: 'merge', body }),
    );
  }

  /** Pods are given a node, and run: until then nobody holds their claims. */
  override live(): void {
    for (const { metadata, spec, status } of this.#pods) {
      const { name = '', deletionTimestamp } = metadata;
      if (deletionTimestamp !== undefined)
        tryTo(() => this.cluster.client.pods.delete(name, { gracePeriodSeconds: 0 }));
      else if (!spec?.nodeName) this.#bind(name);
      else if (status?.phase !== 'Running') this.#run(name);
    }
  }

  #bind(name: string): void {
    const path = `/api/v1/namespaces/default/pods/${name}/binding`;
    const target = { apiVersion: 'v1', kind: 'Node', name: 'n' };
    const body = { apiVersion: 'v1', kind: 'Binding', metadata: { name }, target };
    tryTo(() => this.cluster.finish(this.cluster.userClient.raw('POST', path, { body })));
  }

  #run(name: string): void {
    const body = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };
    tryTo(() => this.cluster.client.pods.patch(name, { type: 'merge', body }, { subresource: 'status' }));
  }

  /** A claim that somebody has taken away is there until its pod goes. */
  letGo(): void {
    const gone = this.#claims.filter(({ metadata }) => metadata.deletionTimestamp !== undefined);
    for (const { metadata } of gone)
      tryTo(() => this.cluster.client.pods.delete((metadata.name ?? '').replace('data-', '')));
  }

  /** Nobody tells a set that a claim which was in its way has gone, in a real cluster either. */
  poke(): void {
    const body = { metadata: { annotations: { poked: String(this.nowMs) } } };
    tryTo(() => this.cluster.client.statefulSets.patch(NAME, { type: 'merge', body }));
  }

  end(): void {
    this.endAllTroubles();
    this.settle(ROUNDS);
    this.letGo();
    this.calm();
    this.poke();
    this.settle(ROUNDS);
    this.expectRight();
    this.#isPeace = true;
    const { whenScaled, whenDeleted } = this.#policy;
    const size = this.#size;
    for (const ms of [0, 20, 60, 200]) {
      this.swing(size, ms, 8);
      this.settle(ROUNDS);
    }
    this.poke();
    this.settle(ROUNDS);
    this.expectRight();
    if (size > 0) {
      this.#expectClaimMadeAgain(0);
      this.#expectNewClaim(0);
      this.change({ replicas: size - 1 });
      this.settle(ROUNDS);
      this.expectRight();
      this.#expectClaim(size - 1, whenScaled === 'Retain', 'of a set that has become smaller');
    }
    const left = this.#size;
    tryTo(() => this.cluster.client.statefulSets.delete(NAME, { propagationPolicy: 'Background' }));
    this.settle(ROUNDS);
    for (let ordinal = 0; ordinal < left; ordinal++)
      this.#expectClaim(ordinal, whenDeleted === 'Retain', 'of a set that has gone');
    expect(this.#wrong).toEqual([]);
  }

  /** Of a pod that waits for a node. */
  #expectClaimMadeAgain(ordinal: number): void {
    tryTo(() => this.cluster.client.pods.delete(`${NAME}-${ordinal}`, { gracePeriodSeconds: 0 }));
    this.cluster.advance(seconds(3));
    this.removeClaim(ordinal);
    this.cluster.advance(seconds(3));
    this.poke();
    this.cluster.advance(seconds(3));
    this.#expectClaim(ordinal, true, 'that a waiting pod has lost');
    this.settle(ROUNDS);
    this.expectRight();
  }

  /** Of a pod that has run, and goes after its claim: who comes in its place waits for another, however long it takes. */
  #expectNewClaim(ordinal: number): void {
    const former = this.#claimOf(ordinal);
    this.removeClaim(ordinal);
    this.cluster.advance(seconds(3));
    const { name: actor } = this.actor;
    const letGo = { actor, resource: 'persistentvolumeclaims', verb: 'update' as const };
    this.cluster.faults.failRequests({ ...letGo, status: 500, count: 6 });
    tryTo(() => this.cluster.client.pods.delete(`${NAME}-${ordinal}`, { gracePeriodSeconds: 0 }));
    this.settle(ROUNDS);
    this.cluster.faults.allowRequests(letGo);
    this.settle(ROUNDS);
    this.poke();
    this.settle(ROUNDS);
    this.expectRight();
    expect(this.#claimOf(ordinal), 'the claim of who came later').not.toBe(former);
  }

  #claimOf(ordinal: number): string | undefined {
    return this.#claims.find(({ metadata }) => metadata.name === `data-${NAME}-${ordinal}`)?.metadata.uid;
  }

  get #policy(): { readonly whenDeleted: Policy; readonly whenScaled: Policy } {
    const policy = this.#set?.spec?.persistentVolumeClaimRetentionPolicy;
    return { whenDeleted: 'Retain', whenScaled: 'Retain', ...(policy as object) };
  }

  get #size(): number {
    return this.#set?.spec?.replicas ?? 0;
  }

  get #claimNames(): readonly string[] {
    return this.#claims.map(({ metadata }) => metadata.name ?? '');
  }

  #expectClaim(ordinal: number, isThere: boolean, what: string): void {
    expect(this.#claimNames.includes(`data-${NAME}-${ordinal}`), `a claim ${what}`).toBe(isThere);
  }

  expectRight(): void {
    expect(this.#wrong).toEqual([]);
    const pods = this.#pods.map(({ metadata }) => metadata.name ?? '');
    const wanted = Array.from({ length: this.#size }, (_, ordinal) => `${NAME}-${ordinal}`);
    expect(new Set(pods)).toEqual(new Set(wanted));
    const { whenDeleted } = this.#policy;
    for (const name of wanted) {
      const claim = this.#claims.find(({ metadata }) => metadata.name === `data-${name}`);
      expect(claim, `the claim of ${name}`).toBeDefined();
      expect(claim?.metadata.deletionTimestamp).toBeUndefined();
      const owners = (claim?.metadata.ownerReferences ?? []).map(({ kind }) => kind);
      expect(owners, `with whom the claim of ${name} goes`).toEqual(
        whenDeleted === 'Delete' ? ['StatefulSet'] : [],
      );
    }
  }
}

const act = actsOn<World>();
const ordinal = fc.nat(2);
const policy = fc.constantFrom(...POLICIES);
const size = act('size', fc.nat(3), (world, replicas) => world.change({ replicas }));

it('go with whom their sets say, and with nobody else', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: amidTroubles<World>([
      size,
      size,
      act('settle', fc.constantFrom(1, 3), (world, rounds) => world.settle(rounds)),
      act('settle', fc.constantFrom(1, 3), (world, rounds) => world.settle(rounds)),
      act('when scaled', policy, (world, whenScaled) => world.keep({ whenScaled })),
      act('when deleted', policy, (world, whenDeleted) => world.keep({ whenDeleted })),
      act(
        'swing',
        fc.tuple(fc.integer({ min: 1, max: 3 }), fc.constantFrom(0, 3, 40, 2_000), fc.nat(3)),
        (world, drawn) => world.swing(...drawn),
      ),
      act('waver', policy, (world, last) => world.waver(last)),
      act('remove pod', ordinal, (world, of) => world.removePod(of)),
      act('remove claim', ordinal, (world, of) => world.removeClaim(of)),
      act('disown', ordinal, (world, of) => world.disown(of)),
      act('long', NOTHING, (world) => {
        world.endAllTroubles();
        world.settle(LATE_MS / 3_000 + 2);
      }),
    ]),
    compare: () => undefined,
    end: (world) => world.end(),
    most: 16,
    runs: 10,
    isDear: true,
  });
});
