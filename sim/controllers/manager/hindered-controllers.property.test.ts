/**
 * Managers that elect a leader, and controllers of theirs that are paused or hear late, amid crashes, partitions and leases
 * that somebody takes: at most one leads, who cannot renew its lease ends, a controller that is paused does nothing and
 * one that hears late nothing sooner, through whatever restarts, and in the end everything is done.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ApiObject } from '../../api/object.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { milliseconds, seconds } from '../../engine/time.ts';
import { MANAGER_LEASE } from './controller-manager.ts';

/** What each of them makes in every namespace. */
const MADE = {
  'serviceaccount-controller': '/registry/serviceaccounts/',
  'root-ca-certificate-publisher-controller': '/registry/configmaps/',
} as const;
type Name = keyof typeof MADE;
const NAMES = Object.keys(MADE) as Name[];
const MANAGERS = [0, 1] as const;
const NAMESPACES = ['x', 'y', 'z'] as const;
/** A request that was under way. */
const MOMENT_MS = 200;
/** Until who cannot renew gives up. */
const RENEW_MS = 12_000;
/** A lease runs out, and somebody who was made anew again and again takes it after its pause. */
const CALM_MS = 400_000;

class World {
  readonly #cluster = createCluster({
    controllers: NAMES,
    controllerManagers: MANAGERS.length,
    leaderElect: true,
    scheduler: false,
  });
  readonly #paused = new Map<Name, number>();
  /** Of each since when. */
  readonly #lags = new Map<Name, { readonly ms: number; readonly sinceMs: number }>();
  /** Since when there is a namespace. */
  readonly #bornMs = new Map<string, number>();
  readonly #cutMs = new Map<number, number>();
  readonly #wrong: string[] = [];

  constructor() {
    for (const name of NAMES)
      this.#cluster.storage.watch({
        prefix: MADE[name],
        onEvents: (events) => {
          for (const event of events)
            if (event.kind === 'put' && !event.previous) this.#lookAt(name, event.entry.value.metadata);
        },
      });
    this.pass(seconds(5) / 1_000);
  }

  get #nowMs(): number {
    return this.#cluster.simulation.now / 1_000;
  }

  #lookAt(by: Name, { namespace = '', name = '' }: ApiObject['metadata']): void {
    const bornMs = this.#bornMs.get(namespace);
    if (bornMs === undefined) return;
    const what = `${by} makes ${name} in ${namespace}`;
    if (this.#nowMs - (this.#paused.get(by) ?? Infinity) > MOMENT_MS)
      this.#wrong.push(`${what}, though paused`);
    const { ms, sinceMs } = this.#lags.get(by) ?? { ms: 0, sinceMs: Infinity };
    if (sinceMs < bornMs && this.#nowMs - bornMs < ms)
      this.#wrong.push(`${what}, and cannot have heard of it`);
  }

  pass(ms: number): void {
    for (let left = ms; left > 0; left -= 1_000) {
      this.#cluster.advance(milliseconds(Math.min(left, 1_000)));
      this.compare();
    }
  }

  compare(): void {
    expect(this.#wrong).toEqual([]);
    const leading = this.#cluster.controllerManagers.filter(({ isLeading }) => isLeading);
    expect(leading.length, 'who lead').toBeLessThan(2);
    for (const [at, sinceMs] of this.#cutMs)
      if (this.#nowMs - sinceMs > RENEW_MS)
        expect(leading, 'who leads').not.toContain(this.#cluster.controllerManagers[at]);
  }

  pause(name: Name, isPaused: boolean): void {
    if (this.#paused.has(name) === isPaused) return;
    for (const manager of this.#cluster.controllerManagers)
      for (const controller of manager.controllersCalled(name))
        manager[isPaused ? 'pause' : 'resume'](controller);
    if (isPaused) this.#paused.set(name, this.#nowMs);
    else this.#paused.delete(name);
  }

  lag(name: Name, ms: number): void {
    for (const manager of this.#cluster.controllerManagers)
      for (const controller of manager.controllersCalled(name)) manager.lag(controller, milliseconds(ms));
    this.#lags.set(name, { ms, sinceMs: this.#nowMs });
  }

  makeNamespace(name: string): void {
    if (this.#bornMs.has(name)) return;
    this.#bornMs.set(name, this.#nowMs);
    this.#cluster.client.namespaces.create({ metadata: { name } });
  }

  bounce(at: number): void {
    const name = `controller-manager/${at}`;
    if (this.#cluster.faults.actor(name).state !== 'crashed') this.#cluster.faults.crash(name);
    this.#cluster.faults.restart(name);
  }

  cut(at: number, isCut: boolean): void {
    if (this.#cutMs.has(at) === isCut) return;
    this.#cluster.faults[isCut ? 'partition' : 'heal'](`controller-manager/${at}`);
    if (isCut) this.#cutMs.set(at, this.#nowMs);
    else this.#cutMs.delete(at);
  }

  /** Somebody else says that he leads, and leaves it at that. */
  takeLease(): void {
    const spec = { holderIdentity: 'somebody', renewTime: '2025-01-01T00:00:00.000000Z' };
    tryTo(() => this.#cluster.client.leases.patch(MANAGER_LEASE, { type: 'merge', body: { spec } }));
  }

  end(): void {
    for (const name of NAMES) {
      this.pause(name, false);
      this.lag(name, 0);
    }
    for (const at of MANAGERS) this.cut(at, false);
    this.pass(CALM_MS);
    for (const name of NAMES)
      for (const namespace of this.#bornMs.keys())
        expect(
          this.#cluster.storage.range({ prefix: `${MADE[name]}${namespace}/` }).entries.length,
          `what ${name} has made in ${namespace}`,
        ).toBe(1);
  }
}

const act = actsOn<World>();
const name = fc.constantFrom(...NAMES);
const manager = fc.constantFrom(...MANAGERS);
const pass = act('pass', fc.constantFrom(500, 3_000, 20_000, 40_000), (world, ms) => world.pass(ms));
const makeNamespace = act('make namespace', fc.constantFrom(...NAMESPACES), (world, of) =>
  world.makeNamespace(of),
);

it('do as they are let, and no two managers at a time', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[pass, pass, makeNamespace, makeNamespace],
      act('pause', fc.tuple(name, fc.boolean()), (world, drawn) => world.pause(...drawn)),
      act('lag', fc.tuple(name, fc.constantFrom(0, 5_000, 30_000)), (world, drawn) => world.lag(...drawn)),
      act('bounce', manager, (world, at) => world.bounce(at)),
      act('hinder, and bounce', fc.tuple(name, fc.boolean(), manager), (world, [of, isPaused, at]) => {
        if (isPaused) world.pause(of, true);
        else world.lag(of, 30_000);
        for (const each of [at, 1 - at]) world.bounce(each);
        world.pass(20_000);
      }),
      act('cut', fc.tuple(manager, fc.boolean()), (world, drawn) => world.cut(...drawn)),
      act('take lease', NOTHING, (world) => world.takeLease()),
    ],
    compare: (world) => world.compare(),
    end: (world) => world.end(),
    most: 16,
    runs: 12,
  });
});
