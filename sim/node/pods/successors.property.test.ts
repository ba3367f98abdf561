/**
 * Pods that are told to go, are taken away at once, and come again under their names, while messages of their agent take
 * long, are lost or held, and it dies and begins anew: no pod goes, ends, or is told to go, whom nobody has told so; in the end
 * all that were are gone, and those that are there run. Documentation: "Pod Lifecycle", forced termination.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Pod } from '../../api/types/core-v1.ts';
import { create } from '../../cluster/pod-world.fixture.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { createCluster, milliseconds, minutes } from '../../index.ts';

const AGENT = 'worker-1';
const NAMES = ['a', 'b'] as const;
const STOPS_SECONDS = 4;

class World {
  readonly #cluster = createCluster({
    nodes: 1,
    controllers: [],
    disabledAdmissionPlugins: ['ServiceAccount'],
  });
  /** By uid. */
  readonly #toGo = new Set<string>();
  readonly #wronged: string[] = [];
  #messageMs = 1;

  constructor() {
    this.#cluster.settle();
    this.slow(100);
    this.#cluster.storage.watch({
      prefix: '/registry/pods/',
      onEvents: (events) => {
        for (const event of events) {
          const pod: Pod | undefined = event.kind === 'put' ? event.entry.value : event.previous?.value;
          const { uid = '', name = '' } = pod?.metadata ?? {};
          const isHarmed = event.kind === 'delete' || (pod && (isGoing(pod) || hasEnded(pod)));
          if (isHarmed && !this.#toGo.has(uid)) this.#wronged.push(`${name}, ${event.kind}`);
        }
      },
    });
  }

  /** `stops`: it takes its time when it is told to go. */
  make(name: string, stops: boolean): void {
    const behaviours = { main: { stopsAfterSeconds: stops ? STOPS_SECONDS : 0 } };
    const isThere = this.#cluster.client.pods.list().items.some(({ metadata }) => metadata.name === name);
    if (!isThere) create(this.#cluster, name, { behaviours });
  }

  remove(name: string, gracePeriodSeconds: number): void {
    tryTo(() => {
      const { metadata } = this.#cluster.client.pods.get(name);
      this.#toGo.add(metadata.uid ?? '');
      this.#cluster.client.pods.delete(name, { gracePeriodSeconds });
    });
  }

  /** By one that has its name: it is told to go, some messages later taken away, and the other is there at once. */
  replace(name: string, messages: number): void {
    this.remove(name, 30);
    this.pass(messages * this.#messageMs);
    this.remove(name, 0);
    this.make(name, false);
  }

  slow(ms: number): void {
    this.#messageMs = ms;
    const typical = milliseconds(ms);
    this.#cluster.faults.setLatency(AGENT, { min: typical, typical, max: typical });
  }

  cut(isCut: boolean): void {
    if (isCut) this.#cluster.faults.partition(AGENT);
    else this.#cluster.faults.heal(AGENT);
  }

  hold(isHeld: boolean): void {
    if (isHeld) this.#cluster.faults.hold(AGENT);
    else this.#cluster.faults.release(AGENT);
  }

  restart(): void {
    this.#cluster.faults.crash(AGENT);
    this.#cluster.faults.restart(AGENT);
  }

  pass(ms: number): void {
    this.#cluster.advance(milliseconds(ms));
  }

  compare(): void {
    expect(this.#wronged, 'who goes, and was not told to').toEqual([]);
  }

  end(): void {
    this.hold(false);
    this.cut(false);
    this.#cluster.faults.resetLatency(AGENT);
    this.#cluster.advance(minutes(3));
    this.compare();
    const pods = this.#cluster.client.pods.list().items;
    for (const { metadata, status } of pods) {
      expect(this.#toGo.has(metadata.uid ?? ''), `whether ${metadata.name} is to go`).toBe(false);
      expect(status?.phase, `what becomes of ${metadata.name}`).toBe('Running');
    }
    const runs = this.#cluster.machine(AGENT).runtime.all();
    expect(runs.length, 'containers on the machine').toBe(pods.length);
  }
}

const isGoing = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;
const hasEnded = ({ status }: Pod): boolean => status?.phase === 'Failed' || status?.phase === 'Succeeded';

const name = fc.constantFrom(...NAMES);
const act = actsOn<World>();
const replace = act(
  'replace',
  fc.tuple(name, fc.constantFrom(1, 2, 3, 4.2, 4.5, 4.8, 5.2, 5.5, 5.8)),
  (world, drawn) => world.replace(...drawn),
);

it('stay, whoever had their names before', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[replace, replace],
      act('make', fc.tuple(name, fc.boolean()), (world, drawn) => world.make(...drawn)),
      act('remove', fc.tuple(name, fc.constantFrom(0, 1, 30)), (world, drawn) => world.remove(...drawn)),
      act('slow', fc.constantFrom(100, 300, 1_000), (world, ms) => world.slow(ms)),
      act('cut', fc.boolean(), (world, isCut) => world.cut(isCut)),
      act('hold', fc.boolean(), (world, isHeld) => world.hold(isHeld)),
      act('restart', fc.constant(undefined), (world) => world.restart()),
      act('pass', fc.constantFrom(10, 700, 5_000), (world, ms) => world.pass(ms)),
    ],
    compare: (world) => world.compare(),
    end: (world) => world.end(),
    most: 14,
    runs: 20,
    hasSomeOnly: true,
  });
});
