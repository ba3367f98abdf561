/**
 * Pods that somebody has put on a node himself, whether there is room or not, beside pods that end, go and are there already,
 * on a node that changes and whose agent and machine come back, in any order: who fits is let in, nobody else is, critical
 * ones get their room from others, and who was let in once stays, whoever asks again.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Pod } from '../../api/types/core-v1.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { create } from '../../cluster/pod-world.fixture.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const NODE = 'worker-1';
const AGENT = `node/${NODE}`;
/** Thousandths, and pods. */
const ROOM = { cpu: 2_000, pods: 5 } as const;
const SETTLED = 8;

interface Wish {
  readonly cpu: number;
  /** Of an init container alone. */
  readonly initCpu: number;
  readonly port: 80 | 81 | null;
  readonly zone: 'x' | 'y' | null;
  readonly tolerates: boolean;
  readonly isCritical: boolean;
  readonly runsFor: number | null;
  readonly grace: 0 | 5;
}

const needOf = ({ cpu, initCpu }: Wish): number => Math.max(cpu, initCpu);

class World {
  readonly cluster = createCluster({
    settled: true,
    controllers: [],
    disabledAdmissionPlugins: ['ServiceAccount'],
    nodes: { count: 1, template: { capacity: { cpu: '2', memory: '8Gi', pods: '5' } } },
  });
  readonly #known = new Map<string, { readonly name: string; readonly wish: Wish }>();
  #zone: 'x' | 'y' = 'x';
  #isTainted = false;

  constructor() {
    this.label('x');
  }

  get isDown(): boolean {
    return this.cluster.faults.actor(AGENT).state === 'crashed';
  }

  get #pods(): readonly Pod[] {
    return this.cluster.storage.range({ prefix: '/registry/pods/' }).entries.map(({ value }) => value);
  }

  /** Those that the node has to have room for, by what is stored. */
  #present(): readonly (readonly [Pod, Wish])[] {
    return this.#pods.flatMap((pod) => {
      const known = this.#known.get(pod.metadata.uid ?? '');
      return known && !isOver(pod) ? [[pod, known.wish] as const] : [];
    });
  }

  label(zone: 'x' | 'y'): void {
    this.#zone = zone;
    this.cluster.client.nodes.patch(NODE, { type: 'merge', body: { metadata: { labels: { zone } } } });
  }

  taint(isTainted: boolean): void {
    this.#isTainted = isTainted;
    const taints = isTainted ? [{ key: 'k', effect: 'NoExecute' }] : [];
    this.cluster.client.nodes.patch(NODE, { type: 'merge', body: { spec: { taints } } });
  }

  add(wish: Wish): void {
    const { cpu, initCpu, port, zone, tolerates, isCritical, runsFor, grace } = wish;
    if (this.#pods.length > 8) return;
    // Nobody judges what he cannot see.
    const isSettled = !this.isDown;
    if (isSettled) this.pass(SETTLED);
    const before = this.#present();
    const name = `p${this.#known.size}`;
    create(this.cluster, name, {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: grace,
      ...(isCritical && { priorityClassName: 'system-node-critical' }),
      ...(zone !== null && { nodeSelector: { zone } }),
      ...(tolerates && { tolerations: [{ operator: 'Exists' }] }),
      ...(initCpu > 0 && { initContainers: [{ name: 'init', image: 'i:1', ...requesting(initCpu) }] }),
      containers: [
        {
          ...(cpu > 0 && requesting(cpu)),
          ...(port !== null && { ports: [{ containerPort: port, hostPort: port }] }),
        },
      ],
      behaviours: {
        init: { runsForSeconds: 1 },
        main: { ...(runsFor !== null && { runsForSeconds: runsFor }), stopsAfterSeconds: grace },
      },
    });
    const uid = this.cluster.client.pods.get(name).metadata.uid ?? '';
    this.#known.set(uid, { name, wish });
    if (!isSettled) return;
    this.cluster.advance(seconds(2));
    const pod = this.#pods.find(({ metadata }) => metadata.uid === uid);
    const reason = this.#reasonAgainst(wish, before);
    const what = `${name} beside ${before.map(([each]) => each.metadata.name).join(' ')}`;
    expect(isRejected(pod) ? pod?.status?.reason : undefined, what).toBe(reason);
  }

  /** Why it is not let in; of several reasons the first. */
  #reasonAgainst(wish: Wish, present: readonly (readonly [Pod, Wish])[]): string | undefined {
    const staying = wish.isCritical ? present.filter(([, each]) => each.isCritical) : present;
    const used = staying.reduce((sum, [, each]) => sum + needOf(each), 0);
    const missing = staying.length >= ROOM.pods ? 'pods' : used + needOf(wish) > ROOM.cpu ? 'cpu' : undefined;
    if (missing !== undefined && !wish.isCritical) return `OutOf${missing}`;
    if (wish.zone !== null && wish.zone !== this.#zone) return 'NodeAffinity';
    if (wish.port !== null && present.some(([, { port }]) => port === wish.port)) return 'NodePorts';
    if (this.#isTainted && !wish.tolerates) return 'TaintToleration';
    return missing === undefined ? undefined : 'UnexpectedAdmissionError';
  }

  remove(index: number): void {
    const pods = this.#pods;
    const { name } = pods[index % Math.max(1, pods.length)]?.metadata ?? {};
    if (name !== undefined) this.cluster.client.pods.delete(name);
  }

  pass(span: number): void {
    for (let passed = 0; passed < span; passed += 2) {
      this.cluster.advance(seconds(2));
      this.compare();
    }
  }

  bounce(down: number): void {
    const { faults } = this.cluster;
    const runs = this.#running();
    if (!this.isDown) faults.crash(AGENT);
    this.cluster.advance(seconds(down));
    faults.restart(AGENT);
    this.pass(SETTLED);
    for (const pod of this.#pods)
      if (runs.has(pod.metadata.uid ?? '')) expect(isRejected(pod), 'who was let in stays').toBe(false);
  }

  end(): void {
    if (!this.isDown) this.cluster.faults.crash(AGENT);
  }

  reboot(): void {
    this.end();
    this.cluster.machine(NODE).reboot();
    this.cluster.advance(seconds(2));
    this.cluster.faults.restart(AGENT);
    this.pass(SETTLED);
  }

  #running(): ReadonlySet<string> {
    const nowMs = this.cluster.faults.actor(AGENT).context.now() / 1_000;
    return new Set(
      this.cluster
        .machine(NODE)
        .runtime.running(nowMs)
        .map(({ podUid }) => podUid),
    );
  }

  /** What runs has room. */
  compare(): void {
    const running = [...this.#running()].flatMap((uid) => this.#known.get(uid)?.wish ?? []);
    const used = running.reduce((sum, wish) => sum + needOf(wish), 0);
    expect(used, 'the processors of what runs').toBeLessThanOrEqual(ROOM.cpu);
    expect(running.length, 'what runs').toBeLessThanOrEqual(ROOM.pods);
    const ports = running.flatMap(({ port }) => port ?? []);
    expect(new Set(ports).size, 'ports').toBe(ports.length);
  }

  /** In the end everybody has been let in, or not. */
  expectRest(): void {
    if (this.isDown) this.cluster.faults.restart(AGENT);
    this.pass(40);
    for (const [pod, wish] of this.#present())
      if (pod.metadata.deletionTimestamp === undefined)
        expect(pod.status?.phase, `${pod.metadata.name ?? ''} ${JSON.stringify(wish)}`).toBe('Running');
  }
}

const requesting = (cpu: number) => ({ resources: { requests: { cpu: `${cpu}m` } } });

const isOver = ({ status }: Pod): boolean => status?.phase === 'Failed' || status?.phase === 'Succeeded';

/** Not let in, rather than given up. */
const isRejected = (pod: Pod | undefined): boolean =>
  pod?.status?.message?.startsWith('Pod was rejected') === true;

const act = actsOn<World>();
const wish: fc.Arbitrary<Wish> = fc.record({
  cpu: fc.constantFrom(0, 500, 1_000, 1_000, 2_000),
  initCpu: fc.constantFrom(0, 0, 0, 1_500),
  port: fc.constantFrom(null, null, 80 as const, 81 as const),
  zone: fc.constantFrom(null, null, 'x' as const, 'y' as const),
  tolerates: fc.constantFrom(false, false, true),
  isCritical: fc.constantFrom(false, false, false, true),
  runsFor: fc.constantFrom(null, null, 12),
  grace: fc.constantFrom(0, 5),
});
const add = act('add', wish, (world, drawn) => world.add(drawn));

it('are those that fit, and stay', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[add, add, add, add],
      act('crowd', wish, (world, drawn) => {
        const small = { ...drawn, cpu: 0, initCpu: 0, port: null, zone: null, tolerates: true };
        for (let count = 0; count <= ROOM.pods; count++) world.add(small);
      }),
      act('remove', fc.nat(6), (world, index) => world.remove(index)),
      act('label', fc.constantFrom('x', 'y'), (world, zone) => world.label(zone)),
      act('taint', fc.boolean(), (world, isTainted) => world.taint(isTainted)),
      act('pass', fc.constantFrom(2, 14), (world, span) => world.pass(span)),
      act('bounce', fc.constantFrom(0, 3, 20), (world, down) => world.bounce(down)),
      act('end', fc.constant(undefined), (world) => world.end()),
      act('reboot', fc.constant(undefined), (world) => world.reboot()),
    ],
    compare: (world) => world.compare(),
    end: (world) => world.expectRest(),
    most: 24,
    runs: 16,
    isDear: true,
  });
});
