/**
 * Pods whose claims wait for their node, and volumes that are on some nodes only or are made for one, in any order, whatever
 * comes between the scheduler, the binder, the maker and the API: who is on a node has volumes there, each volume has one claim, nobody loses what he
 * was given, and in the end no pod waits for what is there, and whatever is free can be had.
 *
 * @holds sim/scheduler sim/controllers/volume-binder sim/api/volume
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PersistentVolume, PersistentVolumeClaim, Pod } from '../../api/types/core-v1.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, TroubledManager } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { milliseconds, minutes, seconds } from '../../engine/time.ts';

const SCHEDULER = 'scheduler/0';
const ZONES = ['a', 'b'] as const;
const ZONE = 'topology.kubernetes.io/zone';
const VOLUMES = ['v', 'w', 'x'] as const;
const CLAIMS = ['c', 'd'] as const;
const CONTROLLERS = [
  'persistentvolume-binder-controller',
  'persistentvolumeclaim-protection-controller',
  'persistentvolume-protection-controller',
];
const PODS = ['p', 'q', 'r'] as const;
/** Nobody hears later than that, nor of a change that much after it. */
const LONGEST_LAG_MS = 30_000;
/** The longest pause of who was tried in vain, and what a decision and its bindings take. */
const SOON = seconds(15);
/** Of the four that a node has. */
const MOST = '3';
const LATE = 'late';
/** Volumes of this class are made, for the node that the scheduler has chosen. */
const MADE = 'made';
const SELECTED_NODE = 'volume.kubernetes.io/selected-node';
const NAMESPACE = 'default';

interface Offer {
  readonly zone: (typeof ZONES)[number] | 'c' | null;
  readonly storage: string;
  readonly storageClassName: string;
  readonly claim: string | null;
}

interface Wish {
  readonly claims: readonly string[];
  readonly zone: (typeof ZONES)[number] | null;
  readonly isLarge: boolean;
}

class World extends TroubledManager {
  readonly #given = new Map<string, string>();
  readonly #wrong: string[] = [];

  constructor() {
    super(CONTROLLERS, {
      scheduler: true,
      disabledAdmissionPlugins: ['ServiceAccount', 'TaintNodesByCondition'],
    });
    const { storageClasses } = this.cluster.client;
    storageClasses.create({
      metadata: { name: LATE },
      provisioner: 'kubernetes.io/no-provisioner',
      volumeBindingMode: 'WaitForFirstConsumer',
    });
    storageClasses.create({
      metadata: { name: MADE },
      provisioner: 'example.com/maker',
      volumeBindingMode: 'WaitForFirstConsumer',
    });
    for (const zone of ZONES) this.#join(zone);
    this.eachWrite<Pod>('/registry/pods/', (now, before) => this.#lookAtPlace(now, before));
    this.eachWrite<PersistentVolumeClaim>('/registry/persistentvolumeclaims/', (now, before) =>
      this.#lookAtChoice(now, before),
    );
  }

  join(zone: string): void {
    tryTo(() => this.#join(zone));
  }

  leave(zone: string): void {
    tryTo(() => this.cluster.client.nodes.delete(`n${zone}`));
  }

  /** Whoever is given a node has all that he asked for, but for what came a moment ago. */
  #lookAtPlace(pod: Pod | undefined, before: Pod | undefined): void {
    if (!pod?.spec?.nodeName || !before || before.spec?.nodeName) return;
    const names = new Set(pod.spec.volumes?.map(({ persistentVolumeClaim: own }) => own?.claimName));
    for (const { metadata, spec } of this.of('PersistentVolumeClaim')) {
      const bornMs = Date.parse(metadata.creationTimestamp ?? '');
      const isThere = metadata.deletionTimestamp === undefined && this.nowMs - bornMs > LONGEST_LAG_MS;
      if (names.has(metadata.name) && isThere && !spec?.volumeName)
        this.#wrong.push(`${pod.metadata.name} has a node, and ${metadata.name} no volume`);
    }
  }

  /** Whoever makes volumes is told of one node at a time: another is chosen only after he has given up the first. */
  #lookAtChoice(claim: PersistentVolumeClaim | undefined, before: PersistentVolumeClaim | undefined): void {
    const [chosen, former] = [claim, before].map((each) => each?.metadata.annotations?.[SELECTED_NODE]);
    if (chosen !== undefined && former !== undefined && chosen !== former)
      this.#wrong.push(`${claim?.metadata.name} is being made for ${former}, and ${chosen} is chosen`);
  }

  #join(zone: string): void {
    const room = { cpu: '4', memory: '8Gi', pods: '10' };
    const { nodes } = this.cluster.client;
    nodes.create({
      metadata: { name: `n${zone}`, labels: { [ZONE]: zone } },
      status: { allocatable: room, capacity: room, conditions: [{ type: 'Ready', status: 'True' }] },
    });
  }

  offer(name: string, { zone, storage, storageClassName, claim }: Offer): void {
    const terms = [{ matchExpressions: [{ key: ZONE, operator: 'In' as const, values: [zone ?? ''] }] }];
    tryTo(() =>
      this.cluster.client.persistentVolumes.create({
        metadata: { name },
        spec: {
          capacity: { storage },
          accessModes: ['ReadWriteOnce'],
          persistentVolumeReclaimPolicy: 'Retain',
          storageClassName,
          hostPath: { path: '/x' },
          ...(zone !== null && { nodeAffinity: { required: { nodeSelectorTerms: terms } } }),
          ...(claim !== null && { claimRef: { namespace: NAMESPACE, name: claim } }),
        },
      }),
    );
  }

  want(name: string, storage: string, storageClassName: string): void {
    tryTo(() =>
      this.cluster.client.persistentVolumeClaims.create({
        metadata: { name, namespace: NAMESPACE },
        spec: { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage } } },
      }),
    );
  }

  run(name: string, { claims, zone, isLarge }: Wish): void {
    tryTo(() =>
      this.cluster.client.pods.create({
        metadata: { name, namespace: NAMESPACE },
        spec: {
          containers: [{ name: 'c', image: 'i', ...(isLarge && { resources: { requests: { cpu: MOST } } }) }],
          ...(zone !== null && { nodeSelector: { [ZONE]: zone } }),
          volumes: claims.map((claimName) => ({ name: claimName, persistentVolumeClaim: { claimName } })),
        },
      }),
    );
  }

  remove(what: 'pods' | 'claims' | 'volumes', name: string): void {
    const { pods, persistentVolumeClaims, persistentVolumes } = this.cluster.client;
    tryTo(() => {
      if (what === 'pods') pods.delete({ namespace: NAMESPACE, name }, { gracePeriodSeconds: 0 });
      else if (what === 'claims') persistentVolumeClaims.delete({ namespace: NAMESPACE, name });
      else persistentVolumes.delete(name);
    });
  }

  /** Whoever makes volumes makes those that were asked for, or gives up those of some nodes: they may be chosen anew. */
  make(givesUp: (node: string) => boolean, only?: string): void {
    const { persistentVolumes, persistentVolumeClaims } = this.cluster.client;
    for (const { metadata, spec } of this.of('PersistentVolumeClaim')) {
      const { name = '', uid = '', annotations } = metadata;
      const node = annotations?.[SELECTED_NODE];
      if (node === undefined || spec?.volumeName || spec?.storageClassName !== MADE) continue;
      if (only !== undefined && name !== only) continue;
      if (givesUp(node)) {
        const body = { metadata: { annotations: { [SELECTED_NODE]: null } } };
        tryTo(() => persistentVolumeClaims.patch({ namespace: NAMESPACE, name }, { type: 'merge', body }));
        continue;
      }
      const terms = [{ matchExpressions: [{ key: ZONE, operator: 'In' as const, values: [node.slice(1)] }] }];
      tryTo(() =>
        persistentVolumes.create({
          metadata: { name: `for-${uid}` },
          spec: {
            capacity: { storage: '2Gi' },
            accessModes: ['ReadWriteOnce'],
            persistentVolumeReclaimPolicy: 'Retain',
            storageClassName: MADE,
            hostPath: { path: '/x' },
            nodeAffinity: { required: { nodeSelectorTerms: terms } },
            claimRef: { namespace: NAMESPACE, name, uid },
          },
        }),
      );
    }
  }

  /** Volumes are made for nodes that are open, and for no others, until nobody asks for more. */
  #makeAll(): void {
    for (let round = 0; round <= CLAIMS.length; round++) {
      const open = this.#openZones;
      this.make((node) => !open.includes(node.slice(1)));
      this.cluster.advance(SOON);
    }
  }

  get #openZones(): readonly string[] {
    return this.of('Node').flatMap(({ metadata, spec }) =>
      spec?.unschedulable === true ? [] : (metadata.labels?.[ZONE] ?? []),
    );
  }

  close(zone: string, isClosed: boolean): void {
    const body = { spec: { unschedulable: isClosed || null } };
    tryTo(() => this.cluster.client.nodes.patch(`n${zone}`, { type: 'merge', body }));
  }

  beginAnew(): void {
    const { faults } = this.cluster;
    faults.crash(SCHEDULER);
    faults.restart(SCHEDULER);
  }

  /** Somebody waits for a volume that is made where he is to be, and goes; who comes instead is to be elsewhere. */
  comeInstead([first, second]: readonly string[], claim: string, ms: number): void {
    this.want(claim, '1Gi', MADE);
    this.run(first ?? '', { claims: [claim], zone: 'a', isLarge: false });
    this.cluster.advance(milliseconds(ms));
    this.remove('pods', first ?? '');
    this.run(second ?? '', { claims: [claim], zone: 'b', isLarge: false });
  }

  refuse(resource: string, status: 409 | 500): void {
    this.cluster.faults.failRequests({
      actor: SCHEDULER,
      verb: ['update', 'patch', 'create'],
      resource,
      count: 1,
      status,
    });
  }

  /** A pod that was to have a node and could not be bound goes, and its claim. */
  giveUp(name: string, claim: string, ms: number): void {
    this.refuse('pods', 500);
    this.refuse('persistentvolumes', 409);
    this.run(name, { claims: [claim], zone: null, isLarge: false });
    this.cluster.advance(milliseconds(ms));
    this.remove('pods', name);
    this.remove('claims', claim);
  }

  /** No claim is given another volume than it had. */
  compare(): void {
    expect(this.#wrong).toEqual([]);
    for (const { metadata, spec } of this.of('PersistentVolumeClaim')) {
      const before = this.#given.get(metadata.uid ?? '');
      if (before !== undefined) expect(spec?.volumeName, 'the volume of a claim').toBe(before);
      if (spec?.volumeName) this.#given.set(metadata.uid ?? '', spec.volumeName);
    }
  }

  /** Who comes to an empty cluster gets what is free: nothing is kept for somebody who is gone. */
  expectFreeToBeHad(): void {
    for (const zone of ZONES) this.close(zone, false);
    for (const name of PODS) this.remove('pods', name);
    for (const name of CLAIMS) this.remove('claims', name);
    this.cluster.advance(minutes(1));
    const free = this.#free;
    for (const { metadata } of free) {
      const name = `of-${metadata.name ?? ''}`;
      this.want(name, '1Gi', LATE);
      this.run(name, { claims: [name], zone: null, isLarge: false });
    }
    this.cluster.advance(minutes(2));
    expect(
      this.#free.map(({ metadata }) => metadata.name),
      'volumes that nobody gets',
    ).toEqual([]);
  }

  /** Whoever lacks something has a node as soon as that is there, whatever it is. */
  expectPrompt(): void {
    const { persistentVolumeClaims, pods } = this.cluster.client;
    const alone = { accessModes: ['ReadWriteOncePod'], storageClassName: '' } as const;
    const small = { resources: { requests: { storage: '1Gi' } } };
    this.run('first', { claims: ['k'], zone: null, isLarge: false });
    this.#expectNodeOf('first', undefined);
    this.want('k', '9Gi', LATE);
    this.#expectNodeOf('first', undefined);
    this.close('b', true);
    this.offer('large', { zone: 'b', storage: '9Gi', storageClassName: LATE, claim: null });
    this.#expectNodeOf('first', undefined);
    this.close('b', false);
    this.#expectNodeOf('first', 'nb');
    this.want('m', '9Gi', LATE);
    this.run('fourth', { claims: ['m'], zone: null, isLarge: false });
    this.offer('far', { zone: 'c', storage: '9Gi', storageClassName: LATE, claim: null });
    this.#expectNodeOf('fourth', undefined);
    this.#join('c');
    this.#expectNodeOf('fourth', 'nc');
    this.#expectMadeElsewhere();
    this.#expectDecidedAnew();
    persistentVolumeClaims.create({
      metadata: { name: 'alone', namespace: NAMESPACE },
      spec: { ...alone, ...small, volumeName: 'own' },
    });
    this.cluster.client.persistentVolumes.create({
      metadata: { name: 'own', labels: { [ZONE]: 'a' } },
      spec: { ...alone, capacity: { storage: '1Gi' }, hostPath: { path: '/x' } },
    });
    // They may find each other at the second look only.
    this.cluster.advance(minutes(1));
    this.close('a', true);
    this.run('second', { claims: ['alone'], zone: null, isLarge: false });
    this.#expectNodeOf('second', undefined);
    this.close('a', false);
    this.#expectNodeOf('second', 'na');
    this.run('third', { claims: ['alone'], zone: null, isLarge: false });
    this.#expectNodeOf('third', undefined);
    pods.delete({ namespace: NAMESPACE, name: 'second' }, { gracePeriodSeconds: 0 });
    this.#expectNodeOf('third', 'na');
  }

  /** Who waits for a volume that is not made, or for a node that goes, is soon tried anew. */
  #expectMadeElsewhere(): void {
    this.close('c', true);
    this.close('b', true);
    this.want('n', '1Gi', MADE);
    this.run('fifth', { claims: ['n'], zone: null, isLarge: false });
    this.#expectNodeOf('fifth', undefined);
    const told = this.cluster.client.events
      .list()
      .items.filter(({ involvedObject }) => involvedObject.name === 'fifth')
      .map(({ message = '' }) => message);
    expect(told.join(), 'what is told of who waits').not.toContain('provisioning failed');
    this.close('a', true);
    this.close('b', false);
    this.make(() => true);
    this.#expectNodeOf('fifth', undefined);
    this.leave('b');
    this.cluster.advance(SOON);
    this.make(() => false);
    this.#expectNodeOf('fifth', undefined);
    this.join('b');
    this.#expectNodeOf('fifth', 'nb');
    this.close('a', false);
    this.close('c', false);
    for (const claim of ['s', 't']) this.want(claim, '1Gi', MADE);
    this.run('eighth', { claims: ['s', 't'], zone: 'a', isLarge: false });
    this.#expectNodeOf('eighth', undefined);
    this.make(() => false, 's');
    this.#expectNodeOf('eighth', undefined);
    this.make(() => false);
    this.#expectNodeOf('eighth', 'na');
  }

  /** Nobody waits for what was taken back meanwhile: the volume for the claim, and the claim for another of its name. */
  #expectDecidedAnew(): void {
    const { persistentVolumes, persistentVolumeClaims } = this.cluster.client;
    this.#reserve('sixth', 'o', 'near');
    persistentVolumes.patch('near', { type: 'merge', body: { spec: { claimRef: null } } });
    this.cluster.advance(SOON);
    this.#expectBound('sixth', 'na');
    this.#reserve('seventh', 'r', 'second');
    const claim = { namespace: NAMESPACE, name: 'r' };
    persistentVolumeClaims.patch(claim, { type: 'merge', body: { metadata: { finalizers: null } } });
    persistentVolumeClaims.delete(claim);
    this.want('r', '9Gi', LATE);
    this.cluster.advance(SOON);
    this.offer('third', { zone: 'b', storage: '9Gi', storageClassName: LATE, claim: null });
    this.cluster.advance(SOON);
    this.#expectBound('seventh', 'nb');
  }

  /** A volume is reserved for a pod, and nobody binds its claim. */
  #reserve(pod: string, claim: string, volume: string): void {
    this.offer(volume, { zone: 'a', storage: '9Gi', storageClassName: LATE, claim: null });
    this.cluster.advance(seconds(1));
    this.cluster.faults.crash(this.actor.name);
    this.want(claim, '9Gi', LATE);
    this.run(pod, { claims: [claim], zone: null, isLarge: false });
    this.cluster.advance(seconds(3));
  }

  #expectBound(pod: string, node: string): void {
    this.cluster.faults.restart(this.actor.name);
    this.cluster.advance(minutes(1));
    this.#expectNodeOf(pod, node);
  }

  #expectNodeOf(name: string, node: string | undefined): void {
    this.cluster.advance(SOON);
    const pod = this.cluster.client.pods.get({ namespace: NAMESPACE, name });
    expect(pod.spec?.nodeName, `the node of ${name}`).toBe(node);
  }

  get #free(): readonly PersistentVolume[] {
    return this.of('PersistentVolume').filter(
      ({ metadata, spec, status }) =>
        metadata.deletionTimestamp === undefined &&
        !spec?.claimRef &&
        status?.phase === 'Available' &&
        spec?.storageClassName === LATE,
    );
  }

  calmAll(): void {
    while (this.cluster.faults.allowRequests({ actor: SCHEDULER, verb: ['update', 'patch', 'create'] }));
    this.endAllTroubles();
    // Whoever asks a server that has just begun anew is not answered.
    this.cluster.advance(SOON);
    for (const zone of ZONES) this.join(zone);
    this.calm();
    this.#makeAll();
  }

  expectRight(): void {
    const volumes = new Map(this.of('PersistentVolume').map((each) => [each.metadata.name ?? '', each]));
    const claims = new Map(this.of('PersistentVolumeClaim').map((each) => [each.metadata.name ?? '', each]));
    const owners = [...volumes.values()]
      .map(({ spec }) => spec?.claimRef?.uid)
      .filter((uid) => uid !== undefined);
    expect(new Set(owners).size, 'claims of volumes').toBe(owners.length);
    for (const pod of this.of('Pod')) {
      const own = (pod.spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) => {
        const claim = claims.get(persistentVolumeClaim?.claimName ?? '');
        return claim ? [claim] : [];
      });
      if (pod.spec?.nodeName) expectOnItsNode(pod, own, volumes);
    }
    this.#expectNobodyWaitsInVain(claims);
  }

  /** A pod with one claim that waits, and nobody else in want of the same. */
  #expectNobodyWaitsInVain(claims: ReadonlyMap<string, PersistentVolumeClaim>): void {
    const free = this.#free;
    const open = this.#openZones;
    for (const { spec } of this.of('Pod')) {
      const isLarge = spec?.containers[0]?.resources?.requests !== undefined;
      const wanted = spec?.nodeSelector?.[ZONE];
      const places = open.filter((each) => wanted === undefined || each === wanted);
      if (spec?.volumes === undefined && !isLarge && !spec?.nodeName)
        expect(places, 'where a small pod could be').toEqual([]);
      const [only, ...others] = spec?.volumes ?? [];
      const claim = claims.get(only?.persistentVolumeClaim?.claimName ?? '');
      if (spec?.nodeName || others.length > 0 || !claim || claim.spec?.volumeName) continue;
      if (isLarge || claim.metadata.deletionTimestamp !== undefined) continue;
      if (claim.spec?.storageClassName === MADE)
        expect(places, 'where a volume could be made for a pod').toEqual([]);
      if (claim.spec?.storageClassName !== LATE) continue;
      const fitting = free.filter(
        (volume) =>
          sizeOf(volume.spec?.capacity?.['storage']) >=
            sizeOf(claim.spec?.resources?.requests?.['storage']) &&
          places.some((place) => [undefined, place].includes(zoneOf(volume))),
      );
      expect(
        fitting.map(({ metadata }) => metadata.name),
        'volumes that a pod could have',
      ).toEqual([]);
    }
  }
}

const sizeOf = (text: string | number | undefined): number => Number.parseInt(String(text ?? '0'), 10);

const zoneOf = ({ spec }: PersistentVolume): string | undefined =>
  spec?.nodeAffinity?.required?.nodeSelectorTerms[0]?.matchExpressions?.[0]?.values?.[0];

function expectOnItsNode(
  { spec }: Pod,
  claims: readonly PersistentVolumeClaim[],
  volumes: ReadonlyMap<string, PersistentVolume>,
): void {
  const zone = spec?.nodeSelector?.[ZONE];
  if (zone !== undefined) expect(spec?.nodeName).toBe(`n${zone}`);
  for (const claim of claims) {
    const volume = volumes.get(claim.spec?.volumeName ?? '');
    const of = volume && zoneOf(volume);
    // Made anew since then, or its volume has gone.
    if (!volume || volume.spec?.claimRef?.uid !== claim.metadata.uid) continue;
    if (of !== undefined) expect(spec?.nodeName, 'where the volume is').toBe(`n${of}`);
  }
}

const act = actsOn<World>();
const offer = act(
  'offer',
  fc.tuple(
    fc.constantFrom(...VOLUMES),
    fc.record({
      zone: fc.constantFrom('a', 'b', null),
      storage: fc.constantFrom('1Gi', '2Gi'),
      storageClassName: fc.constantFrom(LATE, LATE, LATE, ''),
      claim: fc.constantFrom(null, null, null, 'c'),
    }),
  ),
  (world, drawn) => world.offer(...drawn),
);
const want = act(
  'want',
  fc.tuple(
    fc.constantFrom(...CLAIMS),
    fc.constantFrom('1Gi', '2Gi'),
    fc.constantFrom(LATE, LATE, LATE, MADE, MADE, ''),
  ),
  (world, drawn) => world.want(...drawn),
);
const run = act(
  'run',
  fc.tuple(
    fc.constantFrom(...PODS),
    fc.record({
      claims: fc.subarray([...CLAIMS]),
      zone: fc.constantFrom('a', 'b', null, null),
      isLarge: fc.boolean(),
    }),
  ),
  (world, [name, wish]) => world.run(name, wish),
);
const gone = fc.oneof(
  fc.tuple(fc.constant('pods' as const), fc.constantFrom(...PODS)),
  fc.tuple(fc.constant('claims' as const), fc.constantFrom(...CLAIMS)),
  fc.tuple(fc.constant('volumes' as const), fc.constantFrom(...VOLUMES)),
);

it('brings pods to where their volumes are, and binds what they need', () => {
  holdsInAnyOrderAsBefore({
    begin: () => new World(),
    acts: amidTroubles<World>([
      ...[offer, offer, want, want, run, run],
      act('remove', gone, (world, drawn) => world.remove(drawn[0], drawn[1])),
      act('close', fc.tuple(fc.constantFrom(...ZONES), fc.boolean()), (world, [zone, isClosed]) =>
        world.close(zone, isClosed),
      ),
      act(
        'give up',
        fc.tuple(fc.constantFrom(...PODS), fc.constantFrom(...CLAIMS), fc.constantFrom(8, 40, 900)),
        (world, drawn) => world.giveUp(...drawn),
      ),
      act(
        'come instead',
        fc.tuple(
          fc.shuffledSubarray([...PODS], { minLength: 2, maxLength: 2 }),
          fc.constantFrom(...CLAIMS),
          fc.constantFrom(40, 900, 3_000),
        ),
        (world, drawn) => world.comeInstead(...drawn),
      ),
      act('leave', fc.constantFrom(...ZONES), (world, zone) => world.leave(zone)),
      act('join', fc.constantFrom(...ZONES), (world, zone) => world.join(zone)),
      act('make', fc.constantFrom('', 'na', 'nb', 'all'), (world, givenUp) =>
        world.make((node) => givenUp === 'all' || node === givenUp),
      ),
      act('begin the scheduler anew', NOTHING, (world) => world.beginAnew()),
      act(
        'refuse the scheduler',
        fc.tuple(
          fc.constantFrom('persistentvolumes', 'persistentvolumeclaims', 'pods'),
          fc.constantFrom(409 as const, 500 as const),
        ),
        (world, drawn) => world.refuse(...drawn),
      ),
    ]),
    compare: (world) => world.compare(),
    end: (world) => {
      world.calmAll();
      world.compare();
      world.expectRight();
      world.expectStill();
      world.expectFreeToBeHad();
      world.expectPrompt();
    },
    most: 24,
    runs: 10,
  });
});
