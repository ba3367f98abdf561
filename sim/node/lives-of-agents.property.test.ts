/**
 * An agent that ends amid what it does, on a machine that goes down or is set up anew, while others write its Node: in each
 * of its lives its machine runs the pods that its image brings along, its Node says what it finds, and nothing is left on
 * the disk of what a life before had begun.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createCluster } from '../cluster/create-cluster.ts';
import { tryTo } from '../cluster/troubled-client.fixture.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../engine/any-order.arbitrary.ts';
import { Caller } from '../engine/request-reply.ts';
import { milliseconds, minutes } from '../engine/time.ts';
import { AGENT_PORT, type AgentCall } from './endpoint/agent-port.ts';

const NODE = 'worker-1';
const AGENT = `node/${NODE}`;
const ADMINISTRATOR = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
const CHECKPOINTS = '/var/lib/kubelet/checkpoints';
const STATIC = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'etcd',
    annotations: { 'behaviour.kubesim.dev/etcd': JSON.stringify({ memoryBytes: 2 ** 30 }) },
  },
  spec: { containers: [{ name: 'etcd', image: 'etcd:3' }] },
};
/** Its own look at its Node, every ten seconds and a little, and what a report takes. */
const REPORTED_MS = 25_000;
/** An image is pulled, and a container begins. */
const RUNNING_MS = 60_000;

class World {
  readonly #cluster = createCluster({
    nodes: [{ name: NODE, staticPods: [STATIC] }],
    controllers: [],
    scheduler: false,
    disabledAdmissionPlugins: ['ServiceAccount'],
  });
  readonly #caller = new Caller(this.#cluster.userClient.context, { actor: AGENT, port: AGENT_PORT });
  #upSinceMs: number | undefined = 0;
  /** Since when nobody else has written the Node. */
  #writtenMs = -Infinity;
  /** Checkpoints that were asked for in this life. */
  #asked = 0;

  constructor() {
    this.pass(RUNNING_MS);
  }

  get #nowMs(): number {
    return this.#cluster.simulation.now / 1_000;
  }

  pass(ms: number): void {
    this.#cluster.advance(milliseconds(ms));
  }

  /** Nobody waits for what comes of it. */
  askForCheckpoint(): void {
    const call: AgentCall = {
      method: 'POST',
      path: '/checkpoint/default/etcd-worker-1/etcd',
      query: {},
      user: ADMINISTRATOR,
    };
    const caller = this.#caller;
    if (this.#upSinceMs !== undefined) this.#asked += 1;
    this.#cluster.userClient.context.spawn(
      'ask',
      (function* () {
        yield* caller.call(call, minutes(5));
      })(),
    );
    // It has arrived by then, or never does.
    this.pass(50);
  }

  /** Amid what it does, so many milliseconds after it began it. */
  askAndCrash(ms: number): void {
    this.restart('nothing');
    this.pass(1_000);
    this.askForCheckpoint();
    this.pass(ms);
    this.crash();
    this.restart('nothing');
  }

  crash(): void {
    if (this.#upSinceMs === undefined) return;
    this.#cluster.faults.crash(AGENT);
    this.#upSinceMs = undefined;
  }

  restart(what: 'nothing' | 'reboot' | 'reimage'): void {
    if (what !== 'nothing') this.crash();
    if (this.#upSinceMs !== undefined) return;
    if (what !== 'nothing') this.#cluster.machine(NODE)[what]();
    this.#cluster.faults.restart(AGENT);
    this.#upSinceMs = this.#nowMs;
    this.#asked = 0;
    this.pass(100);
  }

  /** Somebody else says that the node is not ready, or that it has more than it has. */
  write(status: object): void {
    tryTo(() =>
      this.#cluster.client.nodes.patch(NODE, { type: 'merge', body: { status } }, { subresource: 'status' }),
    );
    this.#writtenMs = this.#nowMs;
  }

  compare(): void {
    if (this.#upSinceMs === undefined) return;
    const { disk, runtime } = this.#cluster.machine(NODE);
    const unfinished = disk.list(CHECKPOINTS).filter((path) => path.endsWith('.unfinished'));
    expect(unfinished.length, 'checkpoints that are half done').toBeLessThanOrEqual(Math.min(1, this.#asked));
    const forMs = this.#nowMs - this.#upSinceMs;
    if (forMs >= RUNNING_MS)
      expect(
        runtime.running(this.#nowMs).map(({ name }) => name),
        'what runs',
      ).toEqual(['etcd']);
    if (forMs < RUNNING_MS || this.#nowMs - this.#writtenMs < REPORTED_MS) return;
    const { conditions = [], capacity } = this.#cluster.client.nodes.get(NODE).status ?? {};
    const ready = conditions.find(({ type }) => type === 'Ready');
    expect(ready?.status, 'whether it says that it is ready').toBe('True');
    expect(capacity?.['pods'], 'how many pods it says that it takes').not.toBe('7');
  }

  end(): void {
    this.restart('nothing');
    this.pass(RUNNING_MS);
    this.compare();
  }
}

const act = actsOn<World>();
const pass = act('pass', fc.constantFrom(200, 3_000, 11_000, 26_000, 61_000), (world, ms) => world.pass(ms));
const status = fc.constantFrom<object>(
  { conditions: [{ type: 'Ready', status: 'False', reason: 'Somebody', message: 'says so' }] },
  { capacity: { pods: '7' } },
);
const restart = act(
  'restart',
  fc.constantFrom('nothing' as const, 'reboot' as const, 'reimage' as const),
  (world, what) => world.restart(what),
);

it('find their machines, and leave them, as they should be', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[pass, pass, pass, restart, restart],
      act('crash', NOTHING, (world) => world.crash()),
      act('write', status, (world, said) => world.write(said)),
      act('write, and wait', status, (world, said) => {
        world.pass(RUNNING_MS);
        world.write(said);
        world.pass(REPORTED_MS + 1_000);
      }),
      act('ask for a checkpoint', NOTHING, (world) => world.askForCheckpoint()),
      act('ask and crash', fc.constantFrom(700, 1_500, 3_000), (world, ms) => world.askAndCrash(ms)),
    ],
    compare: (world) => world.compare(),
    end: (world) => world.end(),
    most: 16,
    runs: 15,
    hasSomeOnly: true,
  });
});
