/**
 * In which turn nodes that are not well get their NoExecute taint, second by second: nobody waits longer than all those
 * need that are there and wait, too, nobody is tainted who has become well before its turn, and nobody stays so. Nodes fall
 * ill, recover, go, and come again under the same name, ill or well.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Node } from '../../api/types/core-v1.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { actsOn } from '../../engine/any-order.arbitrary.ts';
import { milliseconds, seconds } from '../../engine/time.ts';

const NODES = ['k', 'l', 'm', 'n'] as const;
/** Always well: less than the half of a zone is ill, and so all turns come at the same pace. */
const STEADY = ['s1', 's2', 's3', 's4'] as const;
const NAMESPACE = 'kube-node-lease';
const MANAGER = 'controller-manager/0';
const BEAT = 5;
/** Between two looks at a node, and what is written then. */
const LOOK = 6;
const TURN = 10;
/** A node was well for longer, and so whoever taints it knew; a write that was overtaken is tried again after a tenth of a second. */
const KNOWN_MS = 130;

interface State {
  isWell: boolean;
  since: number;
  readonly sinceMs: number;
  isTainted: boolean;
  /** Others that were ill and not tainted since it is. */
  readonly rivals: Set<string>;
  /** That were taken since it is ill, by whomever, there or gone by now. */
  turnsOfOthers: number;
}

class World {
  readonly cluster = createCluster({ controllers: ['node-lifecycle-controller'] });
  readonly #states = new Map<string, State>();
  /** Who was tainted although he was well. */
  readonly #wronged: string[] = [];
  #second = 0;
  #taintedAtMs = 0;
  /** Until then a write that was refused is an excuse. */
  #excusedUntil = 0;

  constructor() {
    this.cluster.advance(seconds(2));
    this.cluster.storage.watch({
      prefix: '/registry/minions/',
      onEvents: (events) => {
        for (const event of events)
          if (event.kind === 'put') this.#written(event.entry.value, event.previous?.value);
      },
    });
    for (const name of [...STEADY, ...NODES]) this.come(name, true);
    this.pass(12);
  }

  come(name: string, isWell: boolean): void {
    if (this.#states.has(name)) return;
    const metadata = { name, namespace: NAMESPACE };
    this.cluster.client.nodes.create({ metadata: { name } });
    tryTo(() => this.cluster.client.leases.create({ metadata, spec: { holderIdentity: name } }));
    this.#beat(name);
    this.#say(name, isWell);
  }

  go(names: readonly string[]): void {
    for (const name of names) if (this.#states.delete(name)) this.cluster.client.nodes.delete(name);
  }

  /** These become well so long before the turn of the next one. */
  recover(names: readonly string[], earlyMs: number): void {
    const leftMs = this.#taintedAtMs + TURN * 1_000 - earlyMs - this.#nowMs;
    if (leftMs < 0) return;
    this.pass(Math.floor(leftMs / 1_000));
    this.moment(leftMs % 1_000);
    for (const name of names) this.turn(name, true);
  }

  /** Less than a second goes by. */
  moment(ms: number): void {
    this.cluster.advance(milliseconds(ms));
  }

  turn(name: string, isWell: boolean): void {
    const state = this.#states.get(name);
    if (state && state.isWell !== isWell) this.#say(name, isWell);
  }

  refuse(count: number): void {
    const { faults } = this.cluster;
    const refused = { actor: MANAGER, resource: 'nodes', verb: ['patch', 'update'] } as const;
    while (faults.allowRequests(refused));
    faults.failRequests({ ...refused, count });
    this.#excusedUntil = Infinity;
  }

  /** Nothing is refused any more. */
  allow(): void {
    const { faults } = this.cluster;
    while (faults.allowRequests({ actor: MANAGER, resource: 'nodes', verb: ['patch', 'update'] }));
    this.#excusedUntil = this.#second + LOOK + NODES.length * TURN;
  }

  pass(span: number): void {
    for (let left = span; left > 0; left--) {
      this.#second++;
      if (this.#second % BEAT === 0) for (const name of this.#states.keys()) this.#beat(name);
      this.cluster.advance(seconds(1));
      this.#check();
    }
  }

  #say(name: string, isWell: boolean): void {
    const now = new Date(this.#nowMs).toISOString().replace(/\.\d+Z/, 'Z');
    const ready = { type: 'Ready', status: isWell ? 'True' : 'False', reason: 'Kubelet' };
    const conditions = [{ ...ready, lastHeartbeatTime: now, lastTransitionTime: now }];
    const body = { status: { conditions } };
    this.cluster.client.nodes.patch(name, { type: 'strategic', body }, { subresource: 'status' });
    const isTainted = this.#states.get(name)?.isTainted ?? false;
    this.#states.set(name, {
      isWell,
      since: this.#second,
      sinceMs: this.#nowMs,
      isTainted,
      rivals: new Set(),
      turnsOfOthers: 0,
    });
  }

  get #nowMs(): number {
    return this.cluster.userClient.context.wallMs();
  }

  #written(node: Node, before: Node | undefined): void {
    if (!isEvicting(node) || (before && isEvicting(before))) return;
    this.#taintedAtMs = this.#nowMs;
    for (const each of this.#states.values()) if (!each.isWell) each.turnsOfOthers++;
    // What was refused is tried again as it was meant.
    if (this.#second < this.#excusedUntil) return;
    const { name = '' } = node.metadata;
    const state = this.#states.get(name);
    if (state?.isWell && this.#nowMs - state.sinceMs > KNOWN_MS) this.#wronged.push(name);
  }

  #beat(name: string): void {
    const renewTime = new Date(this.#nowMs).toISOString().replace('Z', '000Z');
    const key = { namespace: NAMESPACE, name };
    this.cluster.client.leases.patch(key, { type: 'merge', body: { spec: { renewTime } } });
  }

  #check(): void {
    expect(this.#wronged, 'tainted, and well').toEqual([]);
    const waiting = [...this.#states].filter(([, { isWell, isTainted }]) => !isWell && !isTainted);
    for (const [, { rivals }] of waiting) for (const [name] of waiting) rivals.add(name);
    for (const node of this.cluster.client.nodes.list().items) {
      const name = node.metadata.name ?? '';
      const state = this.#states.get(name);
      if (!state) continue;
      state.isTainted = isEvicting(node);
      const span = this.#second - state.since;
      if (this.#second < this.#excusedUntil) continue;
      if (state.isWell && span > LOOK) expect(state.isTainted, `${name} is well again`).toBe(false);
      const others = [...state.rivals].filter((each) => {
        const rival = each === name ? undefined : this.#states.get(each);
        return rival !== undefined && !rival.isTainted;
      }).length;
      const due = LOOK + (others + state.turnsOfOthers + 1) * TURN;
      if (!state.isWell && span > due) expect(state.isTainted, `${name} is ill for ${span} s`).toBe(true);
    }
  }
}

const isEvicting = ({ spec }: Node): boolean =>
  (spec?.taints ?? []).some(
    ({ key, effect }) => effect === 'NoExecute' && key.startsWith('node.kubernetes.io/'),
  );

const act = actsOn<World>();
const node = fc.constantFrom(...NODES);
const some = fc.subarray([...NODES], { minLength: 1 });
const turn = act('turn', fc.tuple(node, fc.boolean()), (world, drawn) => world.turn(...drawn));
const moment = act('a moment', fc.constantFrom(20, 50, 90, 400), (world, ms) => world.moment(ms));
const recover = act(
  'recover before the turn',
  fc.tuple(some, fc.constantFrom(25, 60, 95, 2_000)),
  (world, drawn) => world.recover(...drawn),
);
const pass = act('pass', fc.constantFrom(1, 2, 4, 7, 11), (world, span) => world.pass(span));
const allIll = act('all fall ill', fc.constant(undefined), (world) =>
  NODES.forEach((name) => world.turn(name, false)),
);
const go = act('go', some, (world, names) => world.go(names));
const come = act('come', fc.tuple(fc.constantFrom(...NODES), fc.boolean()), (world, drawn) =>
  world.come(...drawn),
);
/** What is refused excuses much. */
const rarely = (done: typeof pass): typeof pass =>
  fc.oneof({ weight: 1, arbitrary: done }, { weight: 8, arbitrary: come });

it('comes in its turn to who is ill and there, and to nobody else', () => {
  holdsInAnyOrderAsBefore<World>({
    begin: () => new World(),
    acts: [
      ...[allIll, allIll, pass, pass, pass, turn],
      ...[recover, recover, go, go, come],
      moment,
      rarely(act('refuse', fc.integer({ min: 1, max: 3 }), (world, count) => world.refuse(count))),
    ],
    compare: () => undefined,
    end: (world) => {
      world.allow();
      world.pass(60);
    },
    most: 30,
    runs: 8,
  });
});
