/**
 * How many watches servers say that they serve, while clients begin and end them, die, are cut off and lose their
 * connections, servers begin anew, and watches end by themselves: in the end as many as clients have, and no more.
 * Servers themselves watch the storage as often as when they were new: a former life watches nothing.
 * Documentation: `apiserver_longrunning_requests`.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { StoredObject } from '../apiserver/stores/stored-object.ts';
import { ApiClient } from '../client/api-client.ts';
import { isCallFailure } from '../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../client/builtin-handles.ts';
import type { Actor } from '../engine/actor.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../engine/any-order.arbitrary.ts';
import type { Context } from '../engine/context.ts';
import type { Process } from '../engine/process.ts';
import { Simulation } from '../engine/simulation.ts';
import { milliseconds, minutes, seconds } from '../engine/time.ts';
import { MemoryStorage } from '../storage/memory-storage.ts';
import { assembleCluster } from './create-cluster.ts';
import { WireUser } from './wire-user.ts';

const { configMaps } = BUILTIN_HANDLES;
const SERVERS = ['apiserver/0', 'apiserver/1'] as const;
const CLIENTS = ['client/a', 'client/b'] as const;
const MOST = 3;
const ADMIN = { name: 'kubernetes-admin', groups: ['system:masters'] };
const COUNTED = /^apiserver_longrunning_requests\{.*resource="configmaps".*verb="WATCH".*\} (\d+)$/gm;
/** Longer than anybody waits for a sign of life. */
const SETTLED = minutes(3);

/** How many are open of each prefix. */
function countWatches(storage: MemoryStorage<StoredObject>): ReadonlyMap<string, number> {
  const open = new Map<string, number>();
  const watch = storage.watch.bind(storage);
  storage.watch = (request) => {
    const opened = watch(request);
    const { prefix } = request;
    open.set(prefix, (open.get(prefix) ?? 0) + 1);
    let isOpen = true;
    const close = (): void => {
      if (isOpen) open.set(prefix, (open.get(prefix) ?? 0) - 1);
      isOpen = false;
      opened.close();
    };
    return { ...opened, close };
  };
  return open;
}

class World {
  readonly #simulation = new Simulation({ seed: 1 });
  readonly #storage = new MemoryStorage<StoredObject>();
  /** Of the storage, by servers. */
  readonly #watched = countWatches(this.#storage);
  readonly #cluster = assembleCluster(this.#simulation, {
    ...{ storage: this.#storage, controllers: [], scheduler: false },
    ...{ apiServers: SERVERS.length, metersRequests: true },
  });
  /** As many as servers have that have just begun. */
  readonly #usual: ReadonlyMap<string, number>;
  readonly #wire = new WireUser(this.#cluster);
  readonly #clients: readonly Actor[];
  /** How many watches each client wants to have. */
  readonly #wanted = CLIENTS.map(() => MOST);

  constructor() {
    this.#clients = CLIENTS.map((name, index) =>
      this.#simulation.actor(name, { start: (context) => this.#live(context, index) }),
    );
    this.pass(2_000);
    this.#usual = new Map(this.#watched);
  }

  *#live(context: Context, index: number): Process<void> {
    const client = new ApiClient({ context, servers: [...SERVERS], user: ADMIN });
    for (let at = 0; at < MOST; at++) context.spawn('watches', this.#watch(client, index, at));
  }

  /** Again and again, as long as it is wanted. */
  *#watch(client: ApiClient, index: number, at: number): Process<void> {
    const isWanted = (): boolean => at < (this.#wanted[index] ?? 0);
    for (;;) {
      try {
        if (isWanted()) {
          const watch = yield* client.watch(configMaps, { timeoutSeconds: 100 + 50 * at });
          while (isWanted() && (yield* watch.next()));
          watch.close();
        }
      } catch (error) {
        if (!isCallFailure(error)) throw error;
      }
      yield* client.context.sleep(milliseconds(200));
    }
  }

  /** Whoever watches looks after each event whether he still wants to. */
  want(index: number, count: number): void {
    this.#wanted[index] = count;
    this.write();
  }

  write(): void {
    const [body, path] = [{ metadata: { generateName: 'c-' } }, '/api/v1/namespaces/default/configmaps'];
    this.#wire.request({ method: 'POST', path, user: ADMIN, body });
  }

  die(index: number): void {
    if (this.#clients[index]?.state === 'running') this.#cluster.faults.crash(CLIENTS[index] ?? '');
  }

  come(index: number): void {
    if (this.#clients[index]?.state === 'crashed') this.#cluster.faults.restart(CLIENTS[index] ?? '');
  }

  bounce(index: number): void {
    this.#cluster.faults.crash(SERVERS[index] ?? '');
    this.#cluster.faults.restart(SERVERS[index] ?? '');
    this.pass(500);
  }

  cut(index: number, isCut: boolean): void {
    const name = CLIENTS[index] ?? '';
    if (isCut) this.#cluster.faults.partition(name);
    else this.#cluster.faults.heal(name);
  }

  breakOff(index: number): void {
    this.#cluster.faults.resetConnections(CLIENTS[index] ?? '');
  }

  endWatches(expired: boolean): void {
    this.#cluster.faults.endWatches({ expired });
  }

  pass(ms: number): void {
    this.#cluster.advance(milliseconds(ms));
  }

  look(): void {
    for (const [index] of CLIENTS.entries()) this.cut(index, false);
    this.#cluster.advance(SETTLED);
    // At this moment one may have ended, and not begun again.
    this.write();
    this.#cluster.advance(seconds(1));
    const said = SERVERS.map((server) => this.#servedBy(server)).reduce((one, other) => one + other, 0);
    const had = this.#clients
      .map(({ state }, index) => (state === 'running' ? (this.#wanted[index] ?? 0) : 0))
      .reduce((one, other) => one + other, 0);
    expect(said, `watches that are served, of ${this.#wanted.join()}`).toBe(had);
    expect([...this.#watched], 'watches of the storage').toEqual([...this.#usual]);
  }

  #servedBy(server: string): number {
    const answer = this.#wire.request({ method: 'GET', path: '/metrics', user: ADMIN, server });
    const text =
      typeof answer?.body === 'string' ? answer.body : new TextDecoder().decode(answer?.body as Uint8Array);
    return [...text.matchAll(COUNTED)].reduce((sum, [, count]) => sum + Number(count), 0);
  }
}

const act = actsOn<World>();
const client = fc.nat(CLIENTS.length - 1);

it('are as many as clients have', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      act('want', fc.tuple(client, fc.nat(MOST)), (world, drawn) => world.want(...drawn)),
      act('die', client, (world, index) => world.die(index)),
      act('come', client, (world, index) => world.come(index)),
      act('bounce', fc.nat(1), (world, index) => world.bounce(index)),
      act('cut', fc.tuple(client, fc.boolean()), (world, drawn) => world.cut(...drawn)),
      act('break off', client, (world, index) => world.breakOff(index)),
      act('end watches', fc.boolean(), (world, expired) => world.endWatches(expired)),
      act('pass', fc.constantFrom(10, 1_000, 50_000), (world, ms) => world.pass(ms)),
      act('look', NOTHING, (world) => world.look()),
    ],
    compare: () => undefined,
    end: (world) => world.look(),
    most: 12,
    runs: 20,
  });
});
