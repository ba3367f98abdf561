/**
 * Checkpoints that wait on a machine for containers to go on from them: each is gone on from once, by the container that it was
 * put there for, the newest of them; a machine that comes up again still has them, a new machine image has none.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { packCheckpoint } from '../runtime/checkpoint-archive.ts';
import { type ContainerName, Machine } from './machine.ts';

const CONTAINERS: readonly ContainerName[] = [
  { namespace: 'default', pod: 'web', container: 'main' },
  { namespace: 'default', pod: 'web', container: 'side' },
  { namespace: 'other', pod: 'web', container: 'main' },
];

const archiveOf = (containerId: string): Uint8Array =>
  packCheckpoint(
    {
      ...{ id: containerId, name: 'main', image: 'app:1', imageId: 'app', command: [], environment: [] },
      ...{ podName: 'web', podNamespace: 'default', podUid: 'uid', restoredFrom: undefined, memoryBytes: 1 },
      ...{ createdAt: '2025-01-01T00:00:00Z', checkpointedAt: '2025-01-01T00:01:00Z' },
      process: { containerId, ranSeconds: 1, values: {} },
    },
    0,
  );

class World {
  readonly #machine = new Machine();
  /** What waits, by the container's place in the list. */
  readonly #waiting = new Map<number, string>();

  put(container: ContainerName, id: string): void {
    this.#machine.restoreFrom(container, archiveOf(id));
    this.#waiting.set(CONTAINERS.indexOf(container), id);
  }

  putDamaged(container: ContainerName): void {
    expect(() => this.#machine.restoreFrom(container, new Uint8Array(5))).toThrow(RangeError);
  }

  take(container: ContainerName): void {
    const place = CONTAINERS.indexOf(container);
    expect(this.#machine.takeRestore(container)?.containerId).toBe(this.#waiting.get(place));
    this.#waiting.delete(place);
  }

  reboot(): void {
    this.#machine.reboot();
  }

  reimage(): void {
    this.#machine.reimage();
    this.#waiting.clear();
  }
}

const container = fc.constantFrom(...CONTAINERS);
const act = actsOn<World>();
const put = act('put', fc.tuple(container, fc.constantFrom('one', 'two')), (world, drawn) =>
  world.put(...drawn),
);
const take = act('take', container, (world, of) => world.take(of));

it('are gone on from once', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[put, put, take, take, take],
      act('put a damaged one', container, (world, of) => world.putDamaged(of)),
      act('reboot', NOTHING, (world) => world.reboot()),
      act('reimage', NOTHING, (world) => world.reimage()),
    ],
    compare: () => undefined,
    end: (world) => {
      for (const each of CONTAINERS) for (let time = 0; time < 2; time++) world.take(each);
    },
    most: 16,
    runs: 60,
  });
});
