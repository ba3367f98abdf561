/**
 * Nodes of two zones that fall ill, recover, move, are excluded from disruptions, cordoned, go and come again, while the
 * controller may die: which of them have their taints some time after each change. A zone of which the most are ill gets no
 * new ones, nor does anybody while all zones are ill altogether; what conditions and cordons ask for is there in any case.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Node } from '../../api/types/core-v1.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { TroubledManager } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const NODES = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] as const;
type NodeName = (typeof NODES)[number];
const ZONES = ['x', 'y'] as const;
const NAMESPACE = 'kube-node-lease';
const EXCLUDED = 'node.kubernetes.io/exclude-disruption';
const FOREIGN = { key: 'mine', value: 'v', effect: 'NoSchedule' } as const;
/** Until a change is known, and the zones are judged anew. */
const KNOWN = 24;
/** A zone's nodes get their taints ten seconds one after the other. */
const ALL_TURNS = 10 * NODES.length + 20;
const BEAT = 12;

interface Facts {
  readonly zone: (typeof ZONES)[number];
  readonly isWell: boolean;
  readonly isExcluded: boolean;
  readonly isCordoned: boolean;
  /** Of its disk. */
  readonly isShort: boolean;
}

const FIRST: Facts = { zone: 'x', isWell: true, isExcluded: false, isCordoned: false, isShort: false };

class World extends TroubledManager {
  readonly #nodes = new Map<NodeName, Facts>();

  constructor() {
    super(['node-lifecycle-controller']);
    NODES.forEach((name, index) => this.#come(name, { ...FIRST, zone: index < 4 ? 'x' : 'y' }));
    this.#pass(KNOWN);
  }

  set(names: readonly NodeName[], change: Partial<Facts>): void {
    for (const name of names) {
      const facts = { ...(this.#nodes.get(name) ?? FIRST), ...change };
      if (!this.#nodes.has(name)) this.#come(name, facts);
      else this.#write(name, facts);
    }
  }

  /** All of a zone that were well, but so many. */
  strike(zone: Facts['zone'], spared: number): void {
    const own = NODES.filter((name) => this.#nodes.get(name)?.zone === zone);
    this.set(own, { isWell: true });
    this.#pass(KNOWN);
    this.set(own.slice(spared), { isWell: false });
  }

  /** Some of those that are ill. */
  setIll(count: number, change: Partial<Facts>): void {
    const ill = NODES.filter((name) => this.#nodes.get(name)?.isWell === false);
    this.set(ill.slice(0, count), change);
  }

  /** And may be back at once, as another. */
  go(names: readonly NodeName[], isBack: boolean): void {
    for (const name of names) {
      tryTo(() => this.cluster.client.nodes.delete(name));
      this.#nodes.delete(name);
      if (isBack) this.#come(name, FIRST);
    }
  }

  /** Of the controller's next writes. */
  refuse(count: number, status: 409 | 500): void {
    this.cluster.faults.failRequests({ actor: this.actor.name, verb: ['patch', 'update'], count, status });
  }

  #come(name: NodeName, facts: Facts): void {
    const metadata = { name, namespace: NAMESPACE };
    this.cluster.client.nodes.create({ metadata: { name }, spec: { taints: [FOREIGN] } });
    tryTo(() => this.cluster.client.leases.create({ metadata, spec: { holderIdentity: name } }));
    this.#write(name, facts);
  }

  #write(name: NodeName, facts: Facts): void {
    this.#nodes.set(name, facts);
    const { zone, isExcluded, isCordoned } = facts;
    const labels = { 'topology.kubernetes.io/zone': zone, [EXCLUDED]: isExcluded ? '' : null };
    const body = { metadata: { labels }, spec: { unschedulable: isCordoned } };
    this.cluster.client.nodes.patch(name, { type: 'merge', body });
    this.#report(name, facts);
  }

  #report(name: NodeName, { isWell, isShort }: Facts): void {
    const now = new Date(this.nowMs).toISOString().replace(/\.\d+Z/, 'Z');
    const said = { reason: 'Kubelet', lastHeartbeatTime: now, lastTransitionTime: now };
    const conditions = [
      { ...said, type: 'Ready', status: isWell ? 'True' : 'False' },
      { ...said, type: 'DiskPressure', status: isShort ? 'True' : 'False' },
    ];
    const body = { status: { conditions } };
    this.cluster.client.nodes.patch(name, { type: 'strategic', body }, { subresource: 'status' });
  }

  #pass(span: number): void {
    for (let left = span; left > 0; left -= BEAT) {
      for (const [name, facts] of this.#nodes) this.#report(name, facts);
      this.cluster.advance(seconds(Math.min(left, BEAT)));
    }
  }

  get #tainted(): ReadonlySet<string> {
    return new Set(this.of('Node').filter(isEvicting).map(nameOf));
  }

  check(): void {
    this.#pass(KNOWN);
    const before = this.#tainted;
    this.#pass(ALL_TURNS);
    const after = this.#tainted;
    for (const [name, { isWell, zone }] of this.#nodes) {
      const state = this.#stateOf(zone);
      if (isWell) expect(after.has(name), `${name} is well`).toBe(false);
      else if (state === 'stopped')
        expect(after.has(name), `${name} in a stopped zone`).toBe(before.has(name));
      else if (state === 'goes on') expect(after.has(name), `${name} is ill`).toBe(true);
    }
    for (const node of this.of('Node')) this.#expectSchedule(node);
  }

  /** `unknown`: nobody in it counts. */
  #stateOf(zone: string): 'goes on' | 'stopped' | 'unknown' {
    const own = this.#countedIn(zone);
    if (own.length === 0) return 'unknown';
    const isFull = (of: readonly Facts[]): boolean => of.every(({ isWell }) => !isWell);
    const zones = ZONES.map((each) => this.#countedIn(each)).filter(({ length }) => length > 0);
    if (zones.every(isFull)) return 'stopped';
    if (isFull(own)) return 'goes on';
    const ill = own.filter(({ isWell }) => !isWell).length;
    return ill > 2 && ill / own.length >= 0.55 ? 'stopped' : 'goes on';
  }

  #countedIn(zone: string): readonly Facts[] {
    return [...this.#nodes.values()].filter((each) => each.zone === zone && !each.isExcluded);
  }

  #expectSchedule(node: Node): void {
    const { isWell, isCordoned, isShort } = this.#nodes.get(nameOf(node) as NodeName) ?? FIRST;
    const wanted = [
      ...(isWell ? [] : ['node.kubernetes.io/not-ready']),
      ...(isShort ? ['node.kubernetes.io/disk-pressure'] : []),
      ...(isCordoned ? ['node.kubernetes.io/unschedulable'] : []),
      FOREIGN.key,
    ];
    const present = (node.spec?.taints ?? []).filter(({ effect }) => effect === 'NoSchedule');
    const keys = present.map(({ key }) => key).toSorted();
    expect(keys, `taints of ${nameOf(node)} for new pods`).toEqual(wanted.toSorted());
  }
}

const nameOf = ({ metadata: { name = '' } }: Node): string => name;
const isEvicting = ({ spec }: Node): boolean =>
  (spec?.taints ?? []).some(({ effect }) => effect === 'NoExecute');

const act = actsOn<World>();
const some = fc.subarray([...NODES], { minLength: 1 });
const few = fc.subarray([...NODES], { minLength: 1, maxLength: 2 });
const wellness = act('set', fc.tuple(some, fc.boolean()), (world, [of, isWell]) => world.set(of, { isWell }));

const strike = act(
  'strike',
  fc.tuple(fc.constantFrom(...ZONES), fc.constantFrom(0, 1, 1, 1, 2)),
  (world, drawn) => world.strike(...drawn),
);

it('are where their zones and conditions ask for them', () => {
  holdsInAnyOrderAsBefore<World>({
    begin: () => new World(),
    acts: [
      wellness,
      strike,
      strike,
      act('exclude', fc.tuple(few, fc.boolean()), (world, [of, isExcluded]) => world.set(of, { isExcluded })),
      act('exclude ill', fc.integer({ min: 1, max: 2 }), (world, count) =>
        world.setIll(count, { isExcluded: true }),
      ),
      act(
        'move ill',
        fc.tuple(fc.integer({ min: 1, max: 2 }), fc.constantFrom(...ZONES)),
        (world, [count, zone]) => world.setIll(count, { zone }),
      ),
      act('cordon', fc.tuple(some, fc.boolean()), (world, [of, isCordoned]) => world.set(of, { isCordoned })),
      act('short', fc.tuple(some, fc.boolean()), (world, [of, isShort]) => world.set(of, { isShort })),
      act('go', fc.tuple(few, fc.boolean()), (world, drawn) => world.go(...drawn)),
      act('refuse', fc.tuple(fc.constantFrom(1, 2), fc.constantFrom(409, 500)), (world, [count, status]) =>
        world.refuse(count, status === 409 ? 409 : 500),
      ),
      act('restart', NOTHING, (world) => world.bounce()),
    ],
    compare: (world) => world.check(),
    most: 12,
    runs: 5,
    isDear: true,
  });
});
