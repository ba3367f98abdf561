/**
 * Pods with volumes on a node whose agent is refused, cut off or begun anew, while what they show comes, changes and goes:
 * none begins before everything is there, each sees what was there meanwhile, in the end all that can begin have begun and
 * see what there is by then, and whoever has gone uses nothing any more.
 *
 * @holds sim/node/environment sim/node/machine sim/node/pods
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ApiObject } from '../../api/object.ts';
import type { EnvVar, Node, PersistentVolumeClaim, Pod, Volume } from '../../api/types/core-v1.ts';
import { askAgent } from '../../cluster/agent-user.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { type Act, actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { minutes, seconds } from '../../engine/time.ts';

const [NODE, AGENT, MANAGER] = ['worker-1', 'node/worker-1', 'controller-manager/0'];
const PODS = ['a', 'b'] as const;
const CONFIGS = ['s', 't'] as const;
const VALUES = ['one', 'two', null] as const;
const DRIVER = 'disk.example.com';
const DISK = `kubernetes.io/csi/${DRIVER}^disk`;
const BEHAVIOUR = 'volume.kubesim.dev/behaviour';
/** Longer than containers take to begin. */
const ATTACH_SECONDS = 4;
/** A volume that is kept for a claim is bound to it by then. */
const BOUND_SECONDS = 20;
const KEY = 'word';
const READ = ['configmaps', 'persistentvolumes', 'persistentvolumeclaims', 'csidrivers'] as const;
const ASKED = ['get', 'patch', 'list', 'watch'] as const;
/** The longest pause between two tries to mount, and what the rest takes. */
const LONGEST_WAIT_SECONDS = 150;
/** An agent looks so often whether what it has filled volumes with has changed. */
const FILLED_FOR_SECONDS = 62;

type Value = (typeof VALUES)[number];
type Config = (typeof CONFIGS)[number];

const OFFERS = {
  needs: { name: 'needs', configMap: { name: 's' } },
  may: { name: 'may', configMap: { name: 't', optional: true } },
  item: { name: 'item', configMap: { name: 't', items: [{ key: KEY, path: 'word' }] } },
  both: { name: 'both', projected: { sources: [{ configMap: { name: 's' } }] } },
  disk: { name: 'disk', persistentVolumeClaim: { claimName: 'disk' } },
} as const satisfies Record<string, Volume>;
/** What its container knows from its begin on. */
const VARIABLES = {
  word: { name: 'word', valueFrom: { configMapKeyRef: { name: 's', key: KEY } } },
  perhaps: { name: 'perhaps', valueFrom: { configMapKeyRef: { name: 't', key: KEY, optional: true } } },
} as const satisfies Record<string, EnvVar>;
type Offer = keyof typeof OFFERS | keyof typeof VARIABLES;
const SOURCES: Readonly<Record<Exclude<Offer, 'disk'>, Config>> = {
  ...{ needs: 's', may: 't', item: 't', both: 's', word: 's', perhaps: 't' },
};
const MAY_BE_MISSING: readonly Offer[] = ['may', 'perhaps'];
const offersOf = ({ spec }: Pod): readonly Offer[] =>
  [...(spec?.volumes ?? []), ...(spec?.containers[0]?.env ?? [])].map(({ name }) => name as Offer);

class World {
  readonly cluster;
  /** What each of them has said since a pod came, by the pod's uid. */
  readonly #seenBy = new Map<string, Record<Config, Set<Value>>>();
  readonly #begun = new Set<string>();
  readonly #wrong: string[] = [];
  /** It attached nothing at some time since a pod came. */
  readonly #skippedFor = new Set<string>();
  readonly #values: Record<Config, Value> = { s: null, t: null };
  #skips = false;
  /** It could be mounted at some time since a pod came. */
  readonly #mountableFor = new Set<string>();
  #isBroken = false;

  constructor() {
    this.cluster = createCluster({
      nodes: 1,
      controllers: ['persistentvolume-attach-detach-controller', 'persistentvolume-binder-controller'],
      disabledAdmissionPlugins: ['ServiceAccount', 'StorageObjectInUseProtection'],
      scheduler: false,
      settled: true,
    });
    this.cluster.storage.watch({
      prefix: '/registry/pods/',
      onEvents: (events) => {
        for (const event of events) if (event.kind === 'put') this.#look(event.entry.value);
      },
    });
  }

  /** At the moment when it is first said to run. */
  #look(pod: Pod): void {
    const { uid = '', name = '' } = pod.metadata;
    const runs = (pod.status?.containerStatuses ?? []).some(({ state }) => state?.running !== undefined);
    if (!runs || this.#begun.has(uid)) return;
    this.#begun.add(uid);
    const seen = this.#seenBy.get(uid);
    for (const offer of offersOf(pod)) {
      if (offer === 'disk') this.#lookAtDisk(uid, name);
      else if (!MAY_BE_MISSING.includes(offer) && seen) {
        const own = seen[SOURCES[offer]];
        if (own.size === 1 && own.has(null)) this.#wrong.push(`${name} has begun without ${offer}`);
      }
    }
  }

  #lookAtDisk(uid: string, name: string): void {
    const claim = this.#stored('persistentvolumeclaims/default/disk') as PersistentVolumeClaim | undefined;
    if (claim?.status?.phase !== 'Bound') this.#wrong.push(`${name} has begun without its claim`);
    if (!this.#mountableFor.has(uid)) this.#wrong.push(`${name} has begun on a broken disk`);
    if (this.#skippedFor.has(uid)) return;
    const { volumesAttached = [], volumesInUse = [] } = this.node?.status ?? {};
    if (!volumesAttached.some((each) => each.name === DISK))
      this.#wrong.push(`${name} has begun before attached`);
    if (!volumesInUse.includes(DISK)) this.#wrong.push(`${name} has begun before in use`);
  }

  get node(): Node | undefined {
    return this.#stored(`minions/${NODE}`);
  }

  #stored(key: string): ApiObject | undefined {
    return this.cluster.storage.get(`/registry/${key}`)?.value;
  }

  get pods(): readonly Pod[] {
    return this.cluster.client.pods.list().items;
  }

  run(name: string, offers: readonly Offer[]): void {
    const volumes = Object.values(OFFERS).filter((each) => offers.includes(each.name));
    const env = Object.values(VARIABLES).filter((each) => offers.includes(each.name));
    tryTo(() => {
      const { metadata } = this.cluster.client.pods.create({
        metadata: { name },
        spec: {
          nodeName: NODE,
          terminationGracePeriodSeconds: 0,
          containers: [
            {
              ...{ name: 'main', image: 'app:1' },
              volumeMounts: volumes.map((each) => ({ name: each.name, mountPath: `/${each.name}` })),
              env,
            },
          ],
          volumes,
        },
      });
      const { uid = '' } = metadata;
      const { s, t } = this.#values;
      this.#seenBy.set(uid, { s: new Set([s]), t: new Set([t]) });
      if (this.#skips) this.#skippedFor.add(uid);
      if (!this.#isBroken) this.#mountableFor.add(uid);
    });
  }

  stop(name: string): void {
    tryTo(() => this.cluster.client.pods.delete(name, { gracePeriodSeconds: 0 }));
  }

  say(name: Config, value: Value): void {
    const { configMaps } = this.cluster.client;
    if (value === null) tryTo(() => configMaps.delete(name));
    else {
      const data = { [KEY]: value };
      if (this.#values[name] === null) configMaps.create({ metadata: { name }, data });
      else configMaps.patch(name, { type: 'merge', body: { data } });
    }
    this.#values[name] = value;
    for (const seen of this.#seenBy.values()) seen[name].add(value);
  }

  offerDisk(): void {
    const { persistentVolumes, persistentVolumeClaims } = this.cluster.client;
    const accessModes = ['ReadWriteOnce'] as const;
    const storage = '1Gi';
    tryTo(() =>
      persistentVolumes.create({
        metadata: {
          name: 'disk',
          annotations: { [BEHAVIOUR]: JSON.stringify({ attachSeconds: ATTACH_SECONDS }) },
        },
        spec: {
          ...{ accessModes, capacity: { storage }, claimRef: { namespace: 'default', name: 'disk' } },
          csi: { driver: DRIVER, volumeHandle: 'disk' },
        },
      }),
    );
    tryTo(() =>
      persistentVolumeClaims.create({
        metadata: { name: 'disk' },
        spec: {
          ...{ accessModes, storageClassName: '', volumeName: 'disk' },
          resources: { requests: { storage } },
        },
      }),
    );
  }

  /** What the driver does with it. */
  behave(mountError: string | null): void {
    this.offerDisk();
    this.#isBroken = mountError !== null;
    if (!this.#isBroken) for (const { metadata } of this.pods) this.#mountableFor.add(metadata.uid ?? '');
    const annotations = {
      [BEHAVIOUR]: JSON.stringify({
        attachSeconds: ATTACH_SECONDS,
        ...(mountError !== null && { mountError }),
      }),
    };
    tryTo(() =>
      this.cluster.client.persistentVolumes.patch('disk', {
        type: 'merge',
        body: { metadata: { annotations } },
      }),
    );
  }

  /** Of a new pod that is alone: the agent is refused some of what it asks for. */
  runRefused(
    name: string,
    offers: readonly Offer[],
    { resource, isBroken, skips, ...refusal }: Refusal,
  ): void {
    this.endTroubles();
    for (const each of PODS) this.stop(each);
    this.behave(isBroken ? 'bad superblock' : null);
    this.skip(skips);
    for (const each of CONFIGS) this.say(each, 'one');
    this.cluster.advance(seconds(5));
    this.cluster.faults.failRequests({ actor: AGENT, resource, status: 500, ...refusal });
    this.run(name, resource === 'configmaps' ? offers : ['disk', 'may']);
    this.cluster.advance(seconds(8));
    this.compare();
    if (resource !== 'csidrivers' || isBroken) return;
    // Who has asked several times waits, but who is attached by nobody does not wait for that.
    this.cluster.advance(seconds(LONGEST_WAIT_SECONDS));
    const pod = this.pods.find(({ metadata }) => metadata.name === name);
    expect(pod?.status?.phase, `${name} with a driver that ${skips ? 'skips' : 'attaches'}`).toBe('Running');
  }

  /** The machine goes down, with pods that are taken away meanwhile, and comes up again. */
  reboot(gone: readonly string[]): void {
    const { faults } = this.cluster;
    faults.crash(AGENT);
    this.cluster.machine(AGENT).reboot();
    for (const name of gone) this.stop(name);
    this.cluster.advance(seconds(3));
    faults.restart(AGENT);
  }

  /** A pod uses the disk, or waits for it, and does not any more when its agent comes back: nobody uses anything. */
  letGoAway(name: string, { afterSeconds, isBroken, isRebooted, how }: LetGo): void {
    const { client, faults } = this.cluster;
    this.endTroubles();
    for (const each of PODS) this.stop(each);
    this.behave(isBroken ? 'bad superblock' : null);
    this.skip(false);
    this.cluster.advance(seconds(BOUND_SECONDS));
    this.run(name, ['disk']);
    this.cluster.advance(seconds(afterSeconds));
    faults.crash(AGENT);
    // What is mounted is used, whatever its driver says by then.
    if (isRebooted || how === 'skipped') this.cluster.machine(AGENT).reboot();
    if (how === 'skipped') this.skip(true);
    else if (how === 'gone') this.stop(name);
    else
      client.pods.patch(
        name,
        { type: 'merge', body: { status: { phase: 'Failed' } } },
        { subresource: 'status' },
      );
    this.cluster.advance(seconds(3));
    faults.restart(AGENT);
    this.cluster.advance(minutes(1));
    expect(this.node?.status?.volumesInUse ?? [], `in use when all are ${how}`).toEqual([]);
    this.stop(name);
  }

  /** Whether the driver needs its volumes attached. */
  skip(skips: boolean): void {
    const { csiDrivers } = this.cluster.client;
    if (skips === this.#skips) return;
    if (skips) csiDrivers.create({ metadata: { name: DRIVER }, spec: { attachRequired: false } });
    else csiDrivers.delete(DRIVER);
    this.#skips = skips;
    if (skips) for (const { metadata } of this.pods) this.#skippedFor.add(metadata.uid ?? '');
  }

  cut(isCut: boolean): void {
    if (isCut) this.cluster.faults.partition(AGENT);
    else this.cluster.faults.heal(AGENT);
  }

  refuse(resource: string, verb: 'get' | 'patch', count: number): void {
    this.cluster.faults.failRequests({ actor: AGENT, resource, verb, count, status: 500 });
  }

  bounce(actor: string, downSeconds: number): void {
    this.cluster.faults.crash(actor);
    this.cluster.advance(seconds(downSeconds));
    this.cluster.faults.restart(actor);
  }

  compare(): void {
    for (const pod of this.pods) this.#lookInto(pod);
    expect(this.#wrong).toEqual([]);
  }

  /** Its container, now. */
  #lookInto(pod: Pod): void {
    const { uid = '', name = '' } = pod.metadata;
    const seen = this.#seenBy.get(uid);
    if (!this.#begun.has(uid) || !seen) return;
    for (const offer of offersOf(pod)) {
      if (offer === 'disk') continue;
      const value = this.#read(name, offer);
      if (value !== undefined && !seen[SOURCES[offer]].has(value))
        this.#wrong.push(`${name} sees ${value ?? 'nothing'} in ${offer}, which it has never been`);
    }
  }

  /** Undefined: nobody answers; null: there is no such file. */
  #read(pod: string, offer: Offer): Value | undefined {
    const isVariable = offer in VARIABLES;
    const answer = askAgent(this.cluster, NODE, {
      method: 'POST',
      path: `/run/default/${pod}/main`,
      query: { cmd: isVariable ? `printenv ${offer}` : `cat /${offer}/${KEY}` },
    });
    const text = String(answer?.body).trimEnd();
    if (VALUES.some((each) => each === text)) return text as Value;
    return text.includes(isVariable ? 'exited with 1' : 'No such file') ? null : undefined;
  }

  endTroubles(): void {
    const { faults } = this.cluster;
    this.cut(false);
    for (const resource of [
      'configmaps',
      'persistentvolumes',
      'persistentvolumeclaims',
      'csidrivers',
      'nodes',
    ])
      for (const verb of ASKED) while (faults.allowRequests({ actor: AGENT, resource, verb }));
  }

  /** What was missing for long is found within the longest pause, and what is there then is what each sees. */
  expectBegun(): void {
    this.say('s', null);
    this.stop('a');
    this.cluster.advance(minutes(1));
    this.run('a', ['needs', 'may']);
    this.cluster.advance(minutes(25));
    this.skip(false);
    this.offerDisk();
    this.behave(null);
    for (const name of CONFIGS) this.say(name, 'one');
    this.cluster.advance(seconds(LONGEST_WAIT_SECONDS));
    this.#expectSeen();
    this.say('s', 'two');
    this.say('t', null);
    this.cluster.advance(seconds(FILLED_FOR_SECONDS));
    this.#expectSeen();
    // What cannot be read is read when somebody looks next.
    this.stop('b');
    this.say('s', 'one');
    this.cluster.advance(seconds(FILLED_FOR_SECONDS));
    this.refuse('configmaps', 'get', 1);
    this.compare();
    this.#expectSeen();
    this.compare();
  }

  #expectSeen(): void {
    for (const { metadata, spec, status } of this.pods) {
      const name = metadata.name ?? '';
      expect(status?.phase, `${name} with ${JSON.stringify(spec?.volumes)}`).toBe('Running');
      for (const { name: volume } of (spec?.volumes ?? []) as readonly {
        readonly name: keyof typeof OFFERS;
      }[]) {
        if (volume === 'disk') continue;
        const value = this.#values[SOURCES[volume]];
        // What is not there any more is left as it was, unless it may be missing.
        if (value !== null || volume === 'may')
          expect(this.#read(name, volume), `what ${name} sees in ${volume}`).toBe(value);
      }
    }
  }

  /** Who has gone uses nothing, and the last one lets go of what all of them used. */
  expectLetGo(): void {
    for (const name of PODS) this.stop(name);
    this.cluster.advance(minutes(2));
    this.offerDisk();
    for (const name of PODS) this.run(name, ['disk']);
    this.cluster.advance(seconds(LONGEST_WAIT_SECONDS));
    for (const name of PODS) {
      expect(this.node?.status?.volumesInUse, `before ${name} goes`).toEqual([DISK]);
      this.stop(name);
      this.cluster.advance(minutes(2));
    }
    expect(this.node?.status?.volumesInUse ?? [], 'what nobody uses').toEqual([]);
    expect(this.node?.status?.volumesAttached ?? [], 'what nobody needs').toEqual([]);
    const files = this.cluster.machine(NODE).disk.list('/');
    expect(
      files.filter((path) => path.includes('volumes')),
      'files of volumes of nobody',
    ).toEqual([]);
  }
}

interface Refusal {
  readonly resource: string;
  readonly verb: 'get' | 'patch';
  readonly after: number;
  readonly count: number;
  /** The disk, meanwhile. */
  readonly isBroken: boolean;
  /** Its driver attaches nothing, meanwhile. */
  readonly skips: boolean;
}

interface LetGo {
  readonly afterSeconds: number;
  readonly isBroken: boolean;
  readonly isRebooted: boolean;
  /** Called over, taken away, or on a disk that needs not be attached by then. */
  readonly how: 'over' | 'gone' | 'skipped';
}

const act = actsOn<World>();
const letGo: fc.Arbitrary<LetGo> = fc.record({
  afterSeconds: fc.constantFrom(1, 3, 30),
  isBroken: fc.boolean(),
  isRebooted: fc.boolean(),
  how: fc.constantFrom('over', 'gone', 'skipped'),
});
const ALL = [...Object.keys(OFFERS), ...Object.keys(VARIABLES)] as Offer[];
const offers = fc.subarray(ALL, { minLength: 1, maxLength: 4 });
const configured = fc.subarray<Offer>(['may', 'needs', 'word', 'perhaps'], { minLength: 1 });
const run = act('run', fc.tuple(fc.constantFrom(...PODS), offers), (world, drawn) => world.run(...drawn));
const say = act('say', fc.tuple(fc.constantFrom(...CONFIGS), fc.constantFrom(...VALUES)), (world, drawn) =>
  world.say(...drawn),
);
/** Statuses of nodes are told five times before an agent waits. */
const refusal: fc.Arbitrary<Refusal> = fc.constantFrom(...READ, 'configmaps', 'nodes').chain((resource) =>
  fc.record({
    resource: fc.constant(resource),
    verb: fc.constant(resource === 'nodes' ? 'patch' : 'get'),
    // Once its volume is known it is asked how it does, again and again.
    after: resource === 'persistentvolumes' ? fc.constantFrom(0, 1, 1) : fc.constantFrom(0, 0, 1, 2),
    isBroken:
      resource === 'persistentvolumes' ? fc.constantFrom(false, true) : fc.constantFrom(false, false, true),
    skips: resource === 'csidrivers' ? fc.boolean() : fc.constant(false),
    count: resource === 'nodes' ? fc.constant(12) : fc.constantFrom(1, 3),
  }),
);
const pass = act('pass', fc.constantFrom(0.3, 3, 15, 70), ({ cluster }, span) =>
  cluster.advance(seconds(span)),
);
const runRefused = act(
  'run refused',
  fc.tuple(fc.constantFrom(...PODS), configured, refusal),
  (world, drawn) => world.runRefused(...drawn),
);
const acts: readonly fc.Arbitrary<Act<World>>[] = [
  ...[run, run, say, say, pass, pass, pass],
  act('stop', fc.constantFrom(...PODS), (world, name) => world.stop(name)),
  act('offer the disk', NOTHING, (world) => world.offerDisk()),
  act('behave', fc.constantFrom('bad superblock', null), (world, error) => world.behave(error)),
  act('skip', fc.boolean(), (world, skips) => world.skip(skips)),
  act('cut', fc.boolean(), (world, isCut) => world.cut(isCut)),
  act('refuse', fc.tuple(fc.constantFrom(...READ, 'configmaps'), fc.constantFrom(1, 2, 4)), (world, drawn) =>
    world.refuse(drawn[0], 'get', drawn[1]),
  ),
  ...[runRefused, runRefused, runRefused],
  act('refuse statuses of the node', fc.constantFrom(1, 3), (world, count) =>
    world.refuse('nodes', 'patch', count),
  ),
  act('bounce the agent', fc.constantFrom(0, 5), (world, span) => world.bounce(AGENT, span)),
  act('reboot', fc.subarray([...PODS]), (world, gone) => world.reboot(gone)),
  act('let go while away', fc.tuple(fc.constantFrom(...PODS), letGo), (world, drawn) =>
    world.letGoAway(...drawn),
  ),
  act('bounce the manager', fc.constantFrom(0, 20), (world, span) => world.bounce(MANAGER, span)),
];

it('has each begin with everything that it needs, and none without', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts,
    compare: (world) => world.compare(),
    end: (world) => {
      world.endTroubles();
      world.expectBegun();
      world.expectLetGo();
    },
    most: 20,
    runs: 5,
  });
});
