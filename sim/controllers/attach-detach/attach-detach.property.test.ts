/**
 * Volumes that pods on several nodes want in any order, beside the documentation: attached where they are wanted, to one
 * node at a time, kept where a node still uses them, and told on Nodes and to pods that wait; whatever comes between.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { VolumeAttachment } from '../../api/types/storage-k8s-io-v1.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, TroubledManager } from '../../cluster/troubled-manager.fixture.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { actsOn, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { milliseconds, minutes, seconds } from '../../engine/time.ts';

const NODES = ['m', 'n'] as const;
const VOLUMES = ['v', 'w'] as const;
const PODS = ['p', 'q', 'r'] as const;
/** An agent says so that the controller is to attach what it needs. */
const MANAGED = 'volumes.kubernetes.io/controller-managed-attach-detach';
const DRIVER = 'csi.example.com';
/** A node that does not let go is given up then. */
const PATIENCE = minutes(6);

type Place = `${string} on ${string}`;
const calledOf = (volume: string): string => `kubernetes.io/csi/${DRIVER}^${volume}`;

interface Return {
  readonly pod: string;
  readonly node: string;
  readonly volume: string;
  /** In ms. */
  readonly after: number;
}

class World extends TroubledManager {
  /** What nodes still have open, and since when nobody has wanted it there. */
  readonly #open = new Map<Place, { since: number | undefined }>();
  #attached: ReadonlySet<Place> = new Set();
  /** Their agents say and close nothing any more. */
  readonly #silent = new Set<string>();

  constructor() {
    super(['persistentvolume-attach-detach-controller', 'persistentvolume-binder-controller']);
    const { client } = this.cluster;
    for (const name of NODES) {
      client.nodes.create({ metadata: { name, annotations: { [MANAGED]: 'true' } } });
      this.#say(name, 'True');
    }
    for (const name of VOLUMES) this.#offer(name);
    this.cluster.advance(minutes(1));
  }

  #offer(name: string): void {
    const { client } = this.cluster;
    const accessModes = ['ReadWriteOnce'] as const;
    client.persistentVolumes.create({
      metadata: { name },
      spec: {
        capacity: { storage: '1Gi' },
        accessModes,
        claimRef: { namespace: 'default', name },
        csi: { driver: DRIVER, volumeHandle: name },
      },
    });
    client.persistentVolumeClaims.create({
      metadata: { name },
      spec: {
        accessModes,
        storageClassName: '',
        volumeName: name,
        resources: { requests: { storage: '1Gi' } },
      },
    });
  }

  run(name: string, nodeName: string, volume: string): void {
    tryTo(() => {
      this.#want(name, nodeName, volume);
      // Its agent opens what is attached for it.
      this.cluster.advance(minutes(1));
      if (!this.#silent.has(nodeName) && this.#attachments().has(`${volume} on ${nodeName}`))
        this.#openOn(nodeName, volume);
    });
  }

  #want(name: string, nodeName: string, volume: string): void {
    this.cluster.client.pods.create({
      metadata: { name },
      spec: {
        nodeName,
        containers: [{ name: 'c', image: 'i' }],
        volumes: [{ name: 'data', persistentVolumeClaim: { claimName: volume } }],
      },
    });
  }

  /** Its volume is let go, and wanted there again before it could be detached. */
  returns({ pod, node, volume, after }: Return): void {
    const { faults } = this.cluster;
    const tries = { actor: this.actor.name, verb: 'delete', resource: 'volumeattachments' } as const;
    this.run(pod, node, volume);
    faults.failRequests({ ...tries, status: 500 });
    this.stop(pod);
    this.close();
    this.cluster.advance(milliseconds(after));
    tryTo(() => this.#want(pod, node, volume));
    this.cluster.advance(seconds(1));
    faults.allowRequests(tries);
  }

  stop(name: string): void {
    tryTo(() => this.cluster.client.pods.delete(name, { gracePeriodSeconds: 0 }));
  }

  finish(name: string): void {
    const body = { status: { phase: 'Succeeded' } };
    tryTo(() => this.cluster.client.pods.patch(name, { type: 'merge', body }, { subresource: 'status' }));
  }

  /** The agents close what none of their pods wants. */
  close(): void {
    const wanted = this.#wanted();
    for (const node of NODES) {
      if (this.#silent.has(node)) continue;
      for (const place of [...this.#open.keys()])
        if (place.endsWith(` on ${node}`) && !wanted.has(place)) this.#open.delete(place);
      this.#tellUse(node);
    }
  }

  /** What it has open stays so, as far as anybody knows. */
  fallSilent(node: string): void {
    this.#silent.add(node);
    this.#say(node, 'Unknown');
  }

  speakAgain(node: string): void {
    this.#silent.delete(node);
    this.#say(node, 'True');
  }

  #say(node: string, status: 'True' | 'Unknown'): void {
    const body = { status: { conditions: [{ type: 'Ready', status, reason: 'Kubelet' }] } };
    tryTo(() => this.cluster.client.nodes.patch(node, { type: 'merge', body }, { subresource: 'status' }));
  }

  /** Somebody takes an attachment away. */
  meddle(volume: string): void {
    for (const { metadata, spec } of this.#all())
      if (spec.source.persistentVolumeName === volume)
        tryTo(() => this.cluster.client.volumeAttachments.delete(metadata.name ?? ''));
    for (const node of NODES) this.#open.delete(`${volume} on ${node}`);
  }

  compare(): void {
    const attached = this.#attachments();
    const wanted = this.#wanted();
    const volumes = [...attached].map((place) => place.split(' ')[0]);
    expect(new Set(volumes).size, 'one node to a volume').toBe(volumes.length);
    for (const [place, open] of this.#open) {
      if (wanted.has(place)) open.since = undefined;
      else open.since ??= this.cluster.now;
      const isGivenUp = open.since !== undefined && this.cluster.now - open.since >= PATIENCE;
      if (this.#attached.has(place) && !isGivenUp) expect(attached, 'what is in use').toContain(place);
    }
    this.#attached = attached;
  }

  expectRight(): void {
    this.close();
    this.cluster.advance(minutes(8));
    this.close();
    this.cluster.advance(minutes(8));
    this.expectRest(['attachments-rest']);
    const [wanted, attached] = [this.#wanted(), this.#attachments()];
    for (const volume of VOLUMES) {
      const places = [...wanted].filter((place) => place.startsWith(volume));
      expect(attached.has(places[0] ?? places[1] ?? `${volume} on nobody`)).toBe(places.length === 1);
    }
  }

  /** Each pod that waits for what another node has hears of it, also one that waits where another has waited before. */
  expectToldOfDisputes(): void {
    for (const name of NODES) this.speakAgain(name);
    for (const name of PODS) this.stop(name);
    this.close();
    this.cluster.advance(minutes(1));
    this.run('p', 'm', 'v');
    for (const time of ['first', 'second']) {
      this.run('q', 'n', 'v');
      const { uid } = this.cluster.client.pods.get('q').metadata;
      const reasons = this.cluster.client.events
        .list()
        .items.filter(({ involvedObject }) => involvedObject.uid === uid)
        .map(({ reason }) => reason);
      expect(reasons, `what the ${time} pod that waits hears`).toContain('FailedAttachVolume');
      this.stop('q');
      this.cluster.advance(seconds(5));
    }
  }

  get isDisputed(): boolean {
    const volumes = [...this.#wanted()].map((place) => place.split(' ')[0]);
    return new Set(volumes).size !== volumes.length;
  }

  #openOn(node: string, volume: string): void {
    this.#open.set(`${volume} on ${node}`, { since: undefined });
    this.#tellUse(node);
  }

  #tellUse(node: string): void {
    const open = [...this.#open.keys()].filter((place) => place.endsWith(` on ${node}`));
    const volumesInUse = open.map((place) => calledOf(place.split(' ')[0] ?? ''));
    const body = { status: { volumesInUse: volumesInUse.length > 0 ? volumesInUse : null } };
    tryTo(() => this.cluster.client.nodes.patch(node, { type: 'merge', body }, { subresource: 'status' }));
  }

  #all(): readonly VolumeAttachment[] {
    return this.of('VolumeAttachment');
  }

  #attachments(): ReadonlySet<Place> {
    return new Set(
      this.#all().map(({ spec }): Place => `${spec.source.persistentVolumeName ?? ''} on ${spec.nodeName}`),
    );
  }

  #wanted(): ReadonlySet<Place> {
    return new Set(
      this.of('Pod')
        .filter(({ status }) => status?.phase !== 'Succeeded')
        .map(
          ({ spec }): Place =>
            `${spec?.volumes?.[0]?.persistentVolumeClaim?.claimName ?? ''} on ${spec?.nodeName ?? ''}`,
        ),
    );
  }
}

const pod = fc.constantFrom(...PODS);
const node = fc.constantFrom(...NODES);
const volume = fc.constantFrom(...VOLUMES);
const act = actsOn<World>();
const run = act('run', fc.tuple(pod, node, volume), (world, drawn) => world.run(...drawn));
const stop = act('stop', pod, (world, name) => world.stop(name));

it('attaches what is wanted where it is wanted, to one node at a time', () => {
  holdsInAnyOrderAsBefore({
    begin: () => new World(),
    acts: amidTroubles<World>([
      run,
      run,
      stop,
      stop,
      act(
        'returns',
        fc.record<Return>({ pod, node, volume, after: fc.constantFrom(150, 1_000, 5_000) }),
        (world, drawn) => world.returns(drawn),
      ),
      act('finish', pod, (world, name) => world.finish(name)),
      act('close', NOTHING, (world) => world.close()),
      act('fall silent', node, (world, name) => world.fallSilent(name)),
      act('speak again', node, (world, name) => world.speakAgain(name)),
      act('meddle', volume, (world, name) => world.meddle(name)),
    ]),
    compare: (world) => world.compare(),
    end: (world) => {
      for (const name of PODS) if (world.isDisputed) world.stop(name);
      world.calm();
      for (const name of PODS) if (world.isDisputed) world.stop(name);
      world.expectRight();
      world.expectStill();
      world.expectToldOfDisputes();
    },
    most: 16,
    runs: 20,
  });
});

it('attaches anew what somebody else has taken away', () => {
  const world = new World();
  world.run('p', 'm', 'v');
  world.meddle('v');
  world.cluster.advance(minutes(2));
  world.expectRest(['attachments-rest']);
});
