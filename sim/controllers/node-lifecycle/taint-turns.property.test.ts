/**
 * In which turn nodes that are not well get their NoExecute taint, second by second: whoever fell ill first is first, no turn
 * passes unused while somebody waits, nobody is tainted who has become well before its turn, and nobody stays so. Nodes fall
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
/** A node was well for longer, and so whoever taints it knew; … */
const KNOWN_MS = 30;
/** … but for a write that was overtaken: it is tried again as it was meant, a tenth of a second later. */
const AGAIN_MS = { least: 95, most: 130 };

interface State {
  isWell: boolean;
  since: number;
  readonly sinceMs: number;
  isTainted: boolean;
  /** It may have its place in the queue since then: whoever is well, or gone, for a moment only is not seen so. */
  readonly queuedSince: number;
}

/** Who waited for a turn, until when. */
interface Waited {
  readonly since: number;
  readonly until: number;
}

class World {
  readonly cluster = createCluster({ controllers: ['node-lifecycle-controller'] });
  readonly #states = new Map<string, State>();
  /** Who was tainted although he was well. */
  readonly #wronged: string[] = [];
  /** By name, whatever became of them: those that do not wait any more, while somebody may still think so. */
  readonly #waited = new Map<string, Waited>();
  /** Who was tainted before somebody who had fallen ill before. */
  readonly #overtaken: string[] = [];
  #second = 0;
  #taintedAtMs = 0;
  /** Until then a turn may have come to nothing: nobody waited, or it was meant for somebody who no longer does. */
  #unusedUntil = 0;
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
    for (const name of names) {
      if (!this.#states.has(name)) continue;
      this.#leaveQueue(name);
      this.#states.delete(name);
      this.cluster.client.nodes.delete(name);
    }
  }

  /** These become well so long before the turn of the next one, and all fall ill first if nobody waits for one. */
  recover(names: readonly string[], earlyMs: number): void {
    if (this.#waiting.length === 0) {
      for (const name of NODES) this.turn(name, false);
      this.pass(LOOK);
    }
    const leftMs = (): number => this.#taintedAtMs + TURN * 1_000 - earlyMs - this.#nowMs;
    for (let left = LOOK + TURN; left > 0 && leftMs() < 0; left--) this.pass(1);
    this.#passMs(leftMs());
    for (const name of names) this.turn(name, true);
  }

  #passMs(leftMs: number): void {
    if (leftMs < 0) return;
    this.pass(Math.floor(leftMs / 1_000));
    this.moment(leftMs % 1_000);
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
    this.#excusedUntil = this.#second + LOOK;
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
    if (isWell) this.#leaveQueue(name);
    const former = this.#waited.get(name);
    this.#states.set(name, {
      isWell,
      since: this.#second,
      sinceMs: this.#nowMs,
      isTainted,
      queuedSince: former && this.#second - former.until <= LOOK ? former.since : this.#second,
    });
  }

  #leaveQueue(name: string): void {
    const state = this.#states.get(name);
    if (!state || state.isWell || state.isTainted) return;
    this.#waited.set(name, { since: state.queuedSince, until: this.#second });
    this.#unusedUntil = this.#second + LOOK;
  }

  get #nowMs(): number {
    return this.cluster.userClient.context.wallMs();
  }

  #written(node: Node, before: Node | undefined): void {
    if (!isEvicting(node) || (before && isEvicting(before))) return;
    this.#taintedAtMs = this.#nowMs;
    this.#unusedUntil = Math.max(this.#unusedUntil, this.#second);
    // What was refused is tried again as it was meant.
    if (this.#second < this.#excusedUntil) return;
    const { name = '' } = node.metadata;
    const state = this.#states.get(name);
    if (!state) return;
    const wellMs = this.#nowMs - state.sinceMs;
    const isTriedAgain = wellMs > AGAIN_MS.least && wellMs <= AGAIN_MS.most;
    if (state.isWell && wellMs > KNOWN_MS && !isTriedAgain) this.#wronged.push(name);
    for (const [first, { since }] of this.#waiting)
      if (first !== name && since + LOOK < state.queuedSince) this.#overtaken.push(`${first} by ${name}`);
  }

  #beat(name: string): void {
    const renewTime = new Date(this.#nowMs).toISOString().replace('Z', '000Z');
    const key = { namespace: NAMESPACE, name };
    this.cluster.client.leases.patch(key, { type: 'merge', body: { spec: { renewTime } } });
  }

  /** Those that are ill and have no taint. */
  get #waiting(): readonly (readonly [string, State])[] {
    return [...this.#states].filter(([, { isWell, isTainted }]) => !isWell && !isTainted);
  }

  #check(): void {
    expect(this.#wronged, 'tainted, and well').toEqual([]);
    expect(this.#overtaken, 'ill for longer, and not tainted yet').toEqual([]);
    for (const node of this.cluster.client.nodes.list().items) {
      const name = node.metadata.name ?? '';
      const state = this.#states.get(name);
      if (!state) continue;
      state.isTainted = isEvicting(node);
      const span = this.#second - state.since;
      if (state.isWell && span > LOOK && this.#second >= this.#excusedUntil)
        expect(state.isTainted, `${name} is well again`).toBe(false);
    }
    this.#expectTurnsUsed();
  }

  /** One that is known to be ill is tainted as soon as the turn before is over. */
  #expectTurnsUsed(): void {
    const known = this.#waiting.map(([, { since }]) => since + LOOK);
    const since = Math.max(Math.min(...known), this.#unusedUntil, this.#excusedUntil);
    expect(this.#second - since, 'seconds in which somebody waits for a turn').toBeLessThanOrEqual(TURN + 1);
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
  fc.tuple(some, fc.constantFrom(25, 60, 60, 85, 2_000, 8_500)),
  (world, drawn) => world.recover(...drawn),
);
const pass = act('pass', fc.constantFrom(1, 2, 4, 7, 11, 25), (world, span) => world.pass(span));
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
    hasSomeOnly: true,
  });
});
