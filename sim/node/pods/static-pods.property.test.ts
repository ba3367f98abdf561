/**
 * Manifests on a machine that come, change and go in any order, whatever comes between its agent and the API: in the end the
 * machine runs what its manifests say and nothing else, and mirrors show just that. What runs and is asked for on is left alone.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createCluster } from '../../cluster/create-cluster.ts';
import { endTroubles, troublesOf, tryTo } from '../../cluster/troubled-client.fixture.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { minutes, seconds } from '../../engine/time.ts';
import { OF_ROOT } from '../machine/disk.ts';
import { MANIFEST_DIRECTORY } from './static-manifests.ts';
import { isMirrorPod } from './static-pod.ts';

const NODE = 'worker-1';
const AGENT = `node/${NODE}`;
/** Those that begin with a dot, or lie deeper, nobody reads. */
const FILES = ['a.yaml', 'b.json', '.c.yaml', 'deeper/d.yaml'] as const;
type File = (typeof FILES)[number];
const IMAGES = ['x:1', 'x:2'] as const;

interface Manifest {
  readonly image: (typeof IMAGES)[number];
  readonly terminationGracePeriodSeconds: number;
  /** Something that is no pod. */
  readonly isBroken: boolean;
}

class World {
  readonly cluster = createCluster({
    nodes: 1,
    apiServers: 2,
    controllers: [],
    disabledAdmissionPlugins: ['ServiceAccount'],
    scheduler: false,
    settled: true,
    isRecording: false,
  });
  readonly actor = this.cluster.faults.actor(AGENT);
  readonly #manifests = new Map<File, Manifest>();

  write(file: File, manifest: Manifest): void {
    const { image, terminationGracePeriodSeconds, isBroken } = manifest;
    const spec = { terminationGracePeriodSeconds, containers: [{ name: 'main', image }] };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: nameOf(file) }, spec };
    const bytes = new TextEncoder().encode(isBroken ? 'kind: Pod' : JSON.stringify(pod));
    this.#disk.write(`${MANIFEST_DIRECTORY}/${file}`, { bytes, mode: 0o600, owner: OF_ROOT });
    this.#manifests.set(file, manifest);
  }

  /** By one with the other image, while the former runs, or comes. */
  replace(file: File, length: number, manifest: Manifest): void {
    const former = IMAGES.find((image) => image !== manifest.image) ?? manifest.image;
    this.write(file, { ...manifest, image: former, isBroken: false });
    this.cluster.advance(seconds(length));
    this.write(file, manifest);
  }

  remove(file: File): void {
    this.#disk.remove(`${MANIFEST_DIRECTORY}/${file}`);
    this.#manifests.delete(file);
  }

  /** Its agent does not see it happen. */
  whileAway(change: () => void, down: number): void {
    if (!this.isDown) this.cluster.faults.crash(AGENT);
    change();
    this.cluster.advance(seconds(down));
    this.cluster.faults.restart(AGENT);
  }

  reboot(): void {
    this.whileAway(() => this.cluster.machine(NODE).reboot(), 3);
  }

  removeMirror(file: File, isForced: boolean): void {
    const options = isForced ? { gracePeriodSeconds: 0 } : {};
    tryTo(() => this.cluster.client.pods.delete(`${nameOf(file)}-${NODE}`, options));
  }

  get isDown(): boolean {
    return this.actor.state === 'crashed';
  }

  get running(): readonly string[] {
    const containers = this.cluster.machine(NODE).runtime.running(this.actor.context.now() / 1_000);
    return containers.map(({ podName, image }) => `${podName} ${image}`).toSorted();
  }

  get ids(): readonly string[] {
    const containers = this.cluster.machine(NODE).runtime.running(this.actor.context.now() / 1_000);
    return containers.map(({ id }) => id).toSorted();
  }

  calm(): void {
    endTroubles(this);
    if (this.isDown) this.cluster.faults.restart(AGENT);
    this.cluster.advance(minutes(3));
  }

  expectRight(): void {
    const wanted = [...this.#manifests]
      .filter(([file, { isBroken }]) => !isBroken && /^[a-z][a-z.]*$/.test(file))
      .map(([file, { image }]) => `${nameOf(file)}-${NODE} ${image}`)
      .toSorted();
    expect(this.running, 'what runs').toEqual(wanted);
    const mirrors = this.cluster.client.pods.list().items.filter(isMirrorPod);
    const shown = mirrors.map(({ metadata, spec, status }) => {
      expect(status?.phase, `phase of ${metadata.name ?? ''}`).toBe('Running');
      expect(status?.containerStatuses?.[0]?.ready).toBe(true);
      return `${metadata.name ?? ''} ${spec?.containers[0]?.image ?? ''}`;
    });
    expect(shown.toSorted(), 'what is shown').toEqual(wanted);
  }

  /** Whoever only comes and goes changes nothing. */
  expectLeftAlone(): void {
    const before = this.ids;
    for (const file of FILES) this.removeMirror(file, true);
    this.whileAway(() => undefined, 5);
    this.cluster.advance(minutes(1));
    expect(this.ids, 'what ran').toEqual(before);
    this.expectRight();
  }

  get #disk() {
    return this.cluster.machine(NODE).disk;
  }
}

const nameOf = (file: File): string => file.replace(/^.*\//, '').replace(/^\./, '').replace(/\..*$/, '');

const file = fc.constantFrom<File[]>('a.yaml', 'a.yaml', 'b.json', 'b.json', '.c.yaml', 'deeper/d.yaml');
const manifest: fc.Arbitrary<Manifest> = fc.record({
  image: fc.constantFrom(...IMAGES),
  terminationGracePeriodSeconds: fc.constantFrom(1, 20),
  isBroken: fc.nat(5).map((drawn) => drawn === 0),
});
const act = actsOn<World>();
const write = act('write', fc.tuple(file, manifest), (world, drawn) => world.write(...drawn));
const remove = act('remove', file, (world, of) => world.remove(of));
const span = fc.constantFrom(0, 0.2, 2, 15);
const pass = act('pass', span, ({ cluster }, length) => cluster.advance(seconds(length)));

it('runs what the manifests of its machine say, and shows that', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      write,
      write,
      act('replace', fc.tuple(file, span, manifest), (world, drawn) => world.replace(...drawn)),
      remove,
      pass,
      pass,
      fc.oneof(...troublesOf<World>()),
      act(
        'write while it is away',
        fc.tuple(file, manifest, fc.constantFrom(0, 4)),
        (world, [of, to, down]) => world.whileAway(() => world.write(of, to), down),
      ),
      act('remove while it is away', fc.tuple(file, fc.constantFrom(0, 4)), (world, [of, down]) =>
        world.whileAway(() => world.remove(of), down),
      ),
      act('remove mirror', fc.tuple(file, fc.boolean()), (world, drawn) => world.removeMirror(...drawn)),
      act('reboot', NOTHING, (world) => world.reboot()),
    ],
    compare: () => undefined,
    end: (world) => {
      world.calm();
      world.expectRight();
      world.expectLeftAlone();
    },
    most: 14,
    runs: 40,
  });
});
