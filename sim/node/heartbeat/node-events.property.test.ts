/**
 * What an agent tells of its node, whatever is told and seen in whatever order: each turn of a condition, each cordon and its
 * end, each reboot, once and when it comes, and nothing else.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { NodeStatus } from '../../api/types/core-v1.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { NodeEvents } from './node-events.ts';

/** By type: the reasons when it turns true, and when it turns false. */
const TURNS = {
  Ready: ['NodeReady', 'NodeNotReady'],
  DiskPressure: ['NodeHasDiskPressure', 'NodeHasNoDiskPressure'],
  MemoryPressure: ['NodeHasInsufficientMemory', 'NodeHasSufficientMemory'],
  PIDPressure: ['NodeHasInsufficientPID', 'NodeHasSufficientPID'],
} as const;
type Type = keyof typeof TURNS;
const TYPES = Object.keys(TURNS) as readonly Type[];

class World {
  readonly #told: string[] = [];
  readonly #events = new NodeEvents('n', ({ reason }) => this.#told.push(reason));
  #status: NodeStatus = {};
  #isCordoned = false;
  /** What the last act is to be told by. */
  #wanted: readonly string[] = [];

  /** Conditions that are true, and those that are not; others are not spoken of. */
  tell(isTrue: ReadonlyMap<Type, boolean>, bootID: string): void {
    const before = new Map(this.#status.conditions?.map(({ type, status }) => [type, status]));
    const conditions = [...isTrue].map(([type, is]) => ({ type, status: is ? 'True' : 'False' }) as const);
    const now: NodeStatus = { conditions, nodeInfo: { bootID } as NonNullable<NodeStatus['nodeInfo']> };
    const boot = this.#status.nodeInfo?.bootID;
    this.#wanted = [
      ...(boot !== undefined && boot !== bootID ? ['Rebooted'] : []),
      ...conditions.flatMap(({ type, status }) =>
        before.has(type) && before.get(type) !== status ? TURNS[type][status === 'True' ? 0 : 1] : [],
      ),
    ];
    this.#events.told(this.#status, now);
    this.#status = now;
  }

  see(isCordoned: boolean): void {
    const reason = isCordoned ? 'NodeNotSchedulable' : 'NodeSchedulable';
    this.#wanted = isCordoned === this.#isCordoned ? [] : [reason];
    this.#events.see({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: {},
      ...(isCordoned && { spec: { unschedulable: true } }),
    });
    this.#isCordoned = isCordoned;
  }

  compare(): void {
    expect(this.#told.splice(0)).toEqual(this.#wanted);
  }
}

const act = actsOn<World>();
const conditions = fc
  .array(fc.tuple(fc.constantFrom(...TYPES), fc.boolean()))
  .map((pairs) => new Map<Type, boolean>(pairs));

it('tells what has changed, each time', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      act('tell', fc.tuple(conditions, fc.constantFrom('x', 'x', 'y')), (world, drawn) =>
        world.tell(...drawn),
      ),
      act('see', fc.boolean(), (world, isCordoned) => world.see(isCordoned)),
    ],
    compare: (world) => world.compare(),
    most: 16,
    runs: 100,
  });
});
