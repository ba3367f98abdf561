/**
 * What a metrics server tells of nodes and pods, whenever it is asked, after however long a silence, and whatever becomes of
 * agents, of lists, of containers and of itself: whoever can be read is told of, nobody is told of who could not be read
 * for a while, and what is told is what is used, as of not long ago.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { approximateNumber, parseQuantity } from '../../api/quantity.ts';
import { ApiError } from '../../api/status.ts';
import type { ResourceHandle } from '../../client/resource-handle.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { milliseconds } from '../../engine/time.ts';
import { createCluster } from '../create-cluster.ts';
import { tryTo } from '../troubled-client.fixture.ts';
import { type Metrics, NODE_METRICS, POD_METRICS } from './metrics-kinds.fixture.ts';

const SERVER = 'metrics-server';
const WORKERS = ['worker-1', 'worker-2'] as const;
const PODS = ['p', 'q', 'r'] as const;
/** Two rounds of 15 s, and a pod or an APIService that comes up before them. */
const KNOWN_MS = 60_000;
/** A round, one that waited in vain for 10 s, and the one before. */
const OLDEST_MS = 45_000;
/** Rounds go on for so long after a question. */
const PATIENCE_MS = 60_000;

interface Wish {
  readonly cpuMillicores: number;
  /** Then it ends, and is started anew. */
  readonly runsForSeconds: number | undefined;
}

interface KnownPod extends Wish {
  readonly node: string;
  readonly sinceMs: number;
}

class World {
  readonly cluster = createCluster({
    nodes: WORKERS.length,
    metricsServer: true,
    settled: true,
    controllers: ['serviceaccount-controller'],
    scheduler: false,
  });
  /** Since when each agent can be read, or cannot. */
  readonly #agents = new Map(WORKERS.map((name) => [name as string, { isUp: true, sinceMs: 0 }]));
  readonly #pods = new Map<string, KnownPod>();
  #serverSinceMs: number | undefined = 0;
  #refusedMs = -Infinity;
  #askedMs = -Infinity;

  constructor() {
    this.pass(KNOWN_MS);
  }

  get #nowMs(): number {
    return this.cluster.simulation.now / 1_000;
  }

  pass(ms: number): void {
    this.cluster.advance(milliseconds(ms));
  }

  setAgent(name: string, isUp: boolean): void {
    if (this.#agents.get(name)?.isUp === isUp) return;
    this.cluster.faults[isUp ? 'heal' : 'partition'](name, { from: SERVER });
    this.#agents.set(name, { isUp, sinceMs: this.#nowMs });
  }

  crash(): void {
    if (this.#serverSinceMs === undefined) return;
    this.cluster.faults.crash(SERVER);
    this.#serverSinceMs = undefined;
  }

  restart(): void {
    if (this.#serverSinceMs !== undefined) return;
    this.cluster.faults.restart(SERVER);
    this.#serverSinceMs = this.#nowMs;
    this.#askedMs = -Infinity;
  }

  /** One of the lists that it reads all by itself. */
  refuseList(): void {
    this.cluster.faults.failRequests({
      actor: SERVER,
      verb: 'list',
      resource: 'nodes',
      count: 1,
      status: 500,
    });
    this.pass(20_000);
    while (this.cluster.faults.allowRequests({ actor: SERVER, verb: 'list', resource: 'nodes' }));
    // Who has rounds under way knows the nodes from the one before.
    if (this.#nowMs - this.#askedMs > PATIENCE_MS) this.#refusedMs = this.#nowMs;
  }

  run(name: string, node: string, wish: Wish): void {
    if (this.#pods.has(name)) return;
    const annotations = { 'behaviour.kubesim.dev/main': JSON.stringify({ ...wish, memoryBytes: 2 ** 26 }) };
    tryTo(() =>
      this.cluster.client.pods.create({
        metadata: { name, annotations },
        spec: { nodeName: node, containers: [{ name: 'main', image: 'web:1' }] },
      }),
    );
    this.#pods.set(name, { ...wish, node, sinceMs: this.#nowMs });
  }

  remove(name: string): void {
    tryTo(() => this.cluster.client.pods.delete(name, { gracePeriodSeconds: 0 }));
    this.#pods.delete(name);
  }

  ask(): void {
    const atMs = this.#nowMs;
    const nodes = this.#listed(NODE_METRICS);
    const pods = this.#listed(POD_METRICS);
    if (!nodes || !pods) return;
    this.#askedMs = atMs;
    for (const [name, agent] of this.#agents) this.#compare(name, agent, nodes, atMs);
    for (const [name, pod] of this.#pods) {
      const agent = this.#agents.get(pod.node);
      if (!agent) continue;
      const sinceMs = agent.isUp ? Math.max(agent.sinceMs, pod.sinceMs) : agent.sinceMs;
      if (pod.runsForSeconds === undefined) this.#compare(name, { ...agent, sinceMs }, pods, atMs);
      this.#compareUsage(
        pod,
        pods.find(({ metadata }) => metadata.name === name),
      );
    }
    for (const { usage, metadata } of nodes)
      expect(coresOf(usage), `cores of ${metadata.name}`).toBeGreaterThan(0);
  }

  #listed(of: ResourceHandle<Metrics>): readonly Metrics[] | undefined {
    const { userClient } = this.cluster;
    const sinceMs = this.#serverSinceMs ?? Infinity;
    const mustAnswer = this.#nowMs - sinceMs >= KNOWN_MS && this.#nowMs - this.#refusedMs >= KNOWN_MS;
    try {
      return this.cluster.finish(userClient.list(of, of.isNamespaced ? { namespace: 'default' } : {})).items;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      expect(mustAnswer, `whether it answers: ${error.message}`).toBe(false);
      return undefined;
    }
  }

  #compare(
    name: string,
    { isUp, sinceMs }: { readonly isUp: boolean; readonly sinceMs: number },
    told: readonly Metrics[],
    atMs: number,
  ): void {
    const found = told.find(({ metadata }) => metadata.name === name);
    const forMs = atMs - sinceMs;
    if (isUp && forMs >= KNOWN_MS && atMs - this.#refusedMs >= KNOWN_MS)
      expect(found, `what is told of ${name}, that can be read`).toBeDefined();
    if (!isUp && forMs >= OLDEST_MS)
      expect(found, `what is told of ${name}, that cannot be read`).toBeUndefined();
    if (!found) return;
    const ageMs = this.cluster.userClient.context.wallMs() - Date.parse(found.timestamp ?? '');
    expect(ageMs, `how old it is what is told of ${name}`).toBeLessThan(OLDEST_MS);
  }

  /** Whenever it was begun, and how often. */
  #compareUsage({ cpuMillicores }: Wish, found: Metrics | undefined): void {
    const [main] = found?.containers ?? [];
    if (!main) return;
    const used = coresOf(main.usage) * 1_000;
    expect(Math.abs(used - cpuMillicores), `${used} of ${cpuMillicores} millicores`).toBeLessThan(
      cpuMillicores / 50,
    );
  }

  end(): void {
    this.restart();
    for (const name of WORKERS) this.setAgent(name, true);
    this.pass(2 * KNOWN_MS);
    this.ask();
  }
}

const coresOf = (usage: Metrics['usage']): number => approximateNumber(parseQuantity(usage?.['cpu'] ?? '0'));

const act = actsOn<World>();
const worker = fc.constantFrom(...WORKERS);
const ask = act('ask', NOTHING, (world) => world.ask());
const pass = act('pass', fc.constantFrom(500, 3_000, 16_000, 40_000, 70_000, 150_000), (world, ms) =>
  world.pass(ms),
);
const wish: fc.Arbitrary<Wish> = fc.record({
  cpuMillicores: fc.constantFrom(100, 300),
  runsForSeconds: fc.constantFrom(undefined, undefined, 12, 20),
});

it('is of all that can be read, and no other', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[ask, ask, ask, pass, pass, pass],
      act('ask for a while', fc.constantFrom(5_000, 9_000, 20_000), (world, ms) => {
        for (let time = 0; time < 4; time++) {
          world.ask();
          world.pass(ms);
        }
        world.ask();
      }),
      act('run', fc.tuple(fc.constantFrom(...PODS), worker, wish), (world, drawn) => world.run(...drawn)),
      act('run', fc.tuple(fc.constantFrom(...PODS), worker, wish), (world, drawn) => world.run(...drawn)),
      act('remove', fc.constantFrom(...PODS), (world, name) => world.remove(name)),
      act('set agent', fc.tuple(worker, fc.constantFrom(true, true, false)), (world, drawn) =>
        world.setAgent(...drawn),
      ),
      act('refuse a list', NOTHING, (world) => {
        world.ask();
        world.refuseList();
        world.ask();
      }),
      act('crash', NOTHING, (world) => world.crash()),
      act('restart', NOTHING, (world) => world.restart()),
    ],
    compare: () => undefined,
    end: (world) => world.end(),
    most: 20,
    runs: 15,
    hasSomeOnly: true,
  });
});
