/**
 * When nodes are taken for silent, second by second: not before 40 s without a word, by lease or by report, nor before 40 s
 * after a time in which nobody at all was well; soon after that. Their pods are not ready then, whatever was refused first.
 * One that never says anything has a minute from its creation, whoever looks.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Node } from '../../api/types/core-v1.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const NODES = ['k', 'l', 'm'] as const;
type NodeName = (typeof NODES)[number];
/** How a node makes itself heard, by a lease or by reports alone; `unwell` renews its lease, and says that it is not ready. */
const MODES = ['lease', 'report', 'unwell', 'unwell', 'silent', 'silent'] as const;
type Mode = (typeof MODES)[number];
const NAMESPACE = 'kube-node-lease';
const MANAGER = 'controller-manager/0';
/** It has no agent. */
const MUTE = 'mute';
const BEAT = 5;
const GRACE = 40;
const FIRST_GRACE = 60;
/** Between looks at who is there. */
const ROUND = 8;
/** Until a manager that died leads again. */
const ABSENCE = 25;
/**
 * Until a round sees what has come (a lease once more after a report), and another one what is missing; and what its
 * writes take.
 */
const LOOKS = 20;
/** Refusals of the marking of pods. */
const REFUSED = { actor: MANAGER, resource: 'pods' } as const;
const MOST_REFUSED = 4;

class World {
  readonly cluster = createCluster({
    controllers: ['node-lifecycle-controller'],
    disabledAdmissionPlugins: ['ServiceAccount'],
  });
  readonly #modes = new Map<NodeName, Mode>();
  readonly #heardAt = new Map<NodeName, number>();
  /** Silent nodes that were taken for such. */
  readonly #unknown = new Set<NodeName>();
  /** What nodes have said last of themselves. */
  readonly #last = new Map<NodeName, string>();
  readonly #size: number;
  #second = 0;
  /** Since when nobody is ready. */
  #noneAt: number | undefined;
  #freshAt = -Infinity;
  #restartedAt = -Infinity;
  #muteAt: number | undefined;

  constructor(size: number) {
    this.#size = size;
    this.cluster.advance(seconds(2));
    for (const name of this.#names) {
      this.cluster.client.nodes.create({ metadata: { name } });
      this.cluster.client.leases.create({
        metadata: { name, namespace: NAMESPACE },
        spec: { holderIdentity: name },
      });
      this.cluster.client.pods.create({
        metadata: { name: `on-${name}` },
        spec: {
          nodeName: name,
          containers: [{ name: 'c', image: 'i' }],
          tolerations: [{ operator: 'Exists' }],
        },
      });
      this.turn(name, 'lease');
    }
    this.pass(15);
  }

  get #names(): readonly NodeName[] {
    return NODES.slice(0, this.#size);
  }

  turn(name: NodeName, mode: Mode): void {
    this.#modes.set(name, mode);
    if (mode === 'silent') return;
    const key = { namespace: NAMESPACE, name };
    const { leases } = this.cluster.client;
    // Whoever is heard by its reports alone has no lease.
    if (mode === 'report') tryTo(() => leases.delete(key));
    else tryTo(() => leases.create({ metadata: key, spec: { holderIdentity: name } }));
    this.#report(name, mode !== 'unwell');
    this.#tellPod(name);
    this.#beat(name);
  }

  /** Nobody is well for a time, after which only one speaks again. */
  fallSilent(span: number, survivor: NodeName): void {
    for (const name of this.#names) this.turn(name, 'unwell');
    for (const name of this.#names) if (name !== survivor) this.turn(name, 'silent');
    this.pass(span);
    this.turn(survivor, 'lease');
    this.pass(GRACE);
  }

  refuse(count: number): void {
    while (this.cluster.faults.allowRequests(REFUSED));
    this.cluster.faults.failRequests({ ...REFUSED, count });
  }

  /** Under a name that somebody may have had who said nothing either: whose end is known before. */
  bearMute(): void {
    tryTo(() => this.cluster.client.nodes.delete(MUTE));
    this.pass(ROUND);
    this.cluster.client.nodes.create({ metadata: { name: MUTE } });
    this.#muteAt = this.#second;
  }

  /** The controller sees everybody for the first time; pods that it has not marked yet it does not know. */
  restart(): void {
    while (this.cluster.faults.allowRequests(REFUSED));
    this.cluster.faults.crash(MANAGER);
    this.cluster.faults.restart(MANAGER);
    this.#restartedAt = this.#second;
    if (this.#noneAt !== undefined) this.#noneAt = this.#second;
    for (const name of this.#names) {
      this.#heardAt.set(name, this.#second);
      this.#last.delete(name);
    }
  }

  pass(span: number): void {
    for (let left = span; left > 0; left--) {
      this.#second++;
      if (this.#second % BEAT === 0)
        for (const [name, mode] of this.#modes) if (mode !== 'silent') this.#beat(name);
      this.cluster.advance(seconds(1));
      this.#check();
    }
  }

  #beat(name: NodeName): void {
    const mode = this.#modes.get(name);
    this.#heardAt.set(name, this.#second);
    if (mode === 'report') this.#report(name, true);
    else {
      const renewTime = new Date(this.cluster.userClient.context.wallMs()).toISOString().replace('Z', '000Z');
      const key = { namespace: NAMESPACE, name };
      tryTo(() => this.cluster.client.leases.patch(key, { type: 'merge', body: { spec: { renewTime } } }));
    }
  }

  #report(name: NodeName, isReady: boolean): void {
    const now = new Date(this.cluster.userClient.context.wallMs()).toISOString().replace(/\.\d+Z/, 'Z');
    const ready = { type: 'Ready', status: isReady ? 'True' : 'False', reason: 'Kubelet' };
    const conditions = [{ ...ready, lastHeartbeatTime: now, lastTransitionTime: now }];
    tryTo(() =>
      this.cluster.client.nodes.patch(
        name,
        { type: 'strategic', body: { status: { conditions } } },
        { subresource: 'status' },
      ),
    );
  }

  #tellPod(name: NodeName): void {
    const conditions = [{ type: 'Ready', status: 'True' }];
    tryTo(() =>
      this.cluster.client.pods.patch(
        `on-${name}`,
        { type: 'strategic', body: { status: { phase: 'Running', conditions } } },
        { subresource: 'status' },
      ),
    );
  }

  #check(): void {
    const nodes = this.cluster.client.nodes.list().items;
    this.#noteDisruption(nodes);
    for (const node of nodes) {
      if (node.metadata.name === MUTE) {
        this.#checkMute(node);
        continue;
      }
      const name = node.metadata.name as NodeName;
      const ready = readyOf(node);
      const silence = this.#second - (this.#heardAt.get(name) ?? 0);
      const sinceFresh = this.#second - this.#freshAt;
      // Whoever says himself that he is not well has told his pods.
      if (ready === 'Unknown' && this.#last.get(name) === 'True') this.#expectMarked(name, silence);
      if (ready !== undefined && ready !== 'Unknown') this.#last.set(name, ready);
      if (ready === 'Unknown' && this.#modes.get(name) === 'silent') {
        if (this.#unknown.has(name)) continue;
        this.#unknown.add(name);
        expect(silence, `silence of ${name}`).toBeGreaterThanOrEqual(GRACE);
        expect(sinceFresh, `of ${name}, after nobody was well`).toBeGreaterThanOrEqual(GRACE);
      } else if (ready !== 'Unknown') {
        this.#unknown.delete(name);
        if (Math.min(sinceFresh, this.#second - this.#restartedAt - ABSENCE) > GRACE + LOOKS)
          expect(silence, `silence of ${name}, which nobody has noticed`).toBeLessThanOrEqual(GRACE + LOOKS);
      }
    }
  }

  #checkMute(node: Node): void {
    const age = this.#second - (this.#muteAt ?? 0);
    if (readyOf(node) === 'Unknown')
      expect(age, 'age of who never spoke').toBeGreaterThanOrEqual(FIRST_GRACE);
    const sinceAway = Math.min(
      this.#second - this.#freshAt - FIRST_GRACE,
      this.#second - this.#restartedAt - ABSENCE,
    );
    if (readyOf(node) !== 'Unknown' && sinceAway > LOOKS)
      expect(age, 'age of who never spoke, which nobody has noticed').toBeLessThanOrEqual(
        FIRST_GRACE + LOOKS,
      );
  }

  #expectMarked(name: NodeName, silence: number): void {
    // The marking is tried in every round, each with as many refusals as there are left.
    if (silence < GRACE + (2 + MOST_REFUSED) * LOOKS) return;
    const pod = this.cluster.client.pods.get(`on-${name}`);
    const ready = pod.status?.conditions?.find(({ type }) => type === 'Ready');
    expect(ready?.status, `readiness of the pod on ${name}`).toBe('False');
  }

  /** Of which the controller has seen the beginning and the end for sure. */
  #noteDisruption(nodes: readonly Node[]): void {
    const isNone = nodes.every((node) => readyOf(node) !== 'True');
    if (isNone) this.#noneAt ??= this.#second;
    else {
      if (this.#noneAt !== undefined && this.#second - this.#noneAt > LOOKS) this.#freshAt = this.#second;
      this.#noneAt = undefined;
    }
  }
}

const readyOf = ({ status }: Node): string | undefined =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.status;

const act = actsOn<World>();

it.each([2, 3])('is not before its time, nor much after it, of %i nodes', (size) => {
  const node = fc.constantFrom(...NODES.slice(0, size));
  const turn = act('turn', fc.tuple(node, fc.constantFrom(...MODES)), (world, drawn) => world.turn(...drawn));
  const pass = act('pass', fc.constantFrom(3, 8, 30, 50, 100), (world, span) => world.pass(span));
  holdsInAnyOrder({
    begin: () => new World(size),
    acts: [
      turn,
      turn,
      pass,
      pass,
      act('fall silent', fc.tuple(fc.constantFrom(24, 32, 60), node), (world, drawn) =>
        world.fallSilent(...drawn),
      ),
      act('bear mute', NOTHING, (world) => world.bearMute()),
      act('restart', NOTHING, (world) => world.restart()),
      act('refuse', fc.integer({ min: 1, max: MOST_REFUSED }), (world, count) => world.refuse(count)),
    ],
    compare: () => undefined,
    end: (world) => world.pass(120),
    most: 24,
    runs: 6,
  });
});
