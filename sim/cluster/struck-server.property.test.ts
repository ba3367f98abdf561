/**
 * A server whose requests are refused, whose answers are lost, who crashes before or after them, comes back, hears late, has
 * no storage for a while and has its watches ended, in any order, beside what was really done, some of it after a while: what
 * is stored, what each call is told, and that watches tell every change once, in order and when they should, however long
 * nothing happens.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  type AdmissionPlugin,
  type ApiObject,
  createCluster,
  milliseconds,
  NoAnswer,
  WireUser,
} from '../core.ts';
import type { WatchLog } from './watch-log.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../engine/any-order.arbitrary.ts';

const SERVER = 'apiserver/0';
const NAMES = ['a', 'b', 'c'] as const;
type Name = (typeof NAMES)[number];
const SLOW: Name = 'c';
const HESITATION_MS = 5;
const ADMIN = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
const CREATES = { verb: 'create', resource: 'configmaps' } as const;
/** Long enough for whatever is on its way. */
const MOMENT_MS = 50;
/** The storage chooses a leader. */
const ELECTION_MS = 5_000;
/** Of a server whose storage says nothing. */
const PATIENCE_MS = 7_000;

/** Of the client, which says no more of what was done. */
const DONE = 201;
/** What the creation is told that is struck, and whether it is done. */
const EFFECTS = {
  fail: { told: 403, isDone: false },
  lose: { told: 0, isDone: true },
  'crash before': { told: 0, isDone: false },
  'crash after': { told: 0, isDone: true },
} as const;
type Effect = keyof typeof EFFECTS;

/** What was stored from then on. */
interface Past {
  readonly atMs: number;
  readonly names: string;
}

/** For one of them the server needs a while. */
const HESITATION: AdmissionPlugin = {
  name: 'hesitation',
  handles: (operation, { resource }) => operation === 'CREATE' && resource === 'configmaps',
  *admit({ name, context }) {
    if (name === SLOW) yield* context.surroundings.sleepMs(HESITATION_MS);
  },
};

class World {
  readonly #cluster = createCluster({ controllers: [], storageMembers: 3, admission: [HESITATION] });
  readonly #wire = new WireUser(this.#cluster);
  readonly #stored = new Set<Name>();
  readonly #past: Past[] = [{ atMs: -Infinity, names: '' }];
  /** What strikes the next creation. */
  #effect: Effect | undefined;
  #isUp = true;
  #hasStorage = true;
  #lagMs = 0;
  /** When it began to be so late: what was before had been told. */
  #toldUpToMs = 0;
  #watch: WatchLog | undefined;

  strikeNext(effect: Effect): void {
    if (this.#effect !== undefined) return;
    this.#effect = effect;
    const { faults } = this.#cluster;
    if (effect === 'fail') faults.failRequests({ ...CREATES, status: 403, retryAfterSeconds: 7, count: 1 });
    else if (effect === 'lose') faults.loseAnswers({ ...CREATES, count: 1 });
    else if (effect === 'crash before') faults.crashBefore({ ...CREATES, crashes: SERVER });
    else faults.crashAfter({ ...CREATES, crashes: SERVER });
  }

  spareNext(): void {
    const isStruck = this.#cluster.faults.allowRequests(CREATES);
    if (this.#effect !== undefined) expect(isStruck, 'whether something was to be struck').toBe(true);
    this.#effect = undefined;
  }

  /** `bare`: by somebody who sees headers. */
  create(name: Name, how: 'client' | 'bare'): void {
    const atMs = this.#nowMs;
    const told =
      how === 'bare'
        ? this.#toldBarely(name)
        : this.#told(() => this.#cluster.client.configMaps.create({ metadata: { name } }));
    if (!this.#isUp) {
      expect(told, 'of a server that is down').toBe(0);
      return;
    }
    const effect = this.#effect;
    this.#effect = undefined;
    if (effect && !EFFECTS[effect].isDone) expect(told, effect).toBe(EFFECTS[effect].told);
    else if (!this.#hasStorage) expect(told, 'without a storage').toBe(effect ? 0 : 500);
    else {
      if (effect) expect(told, effect).toBe(EFFECTS[effect].told);
      else expect(told, `creation of ${name}`).toBe(this.#stored.has(name) ? 409 : DONE);
      this.#stored.add(name);
      this.#note(atMs);
    }
    if (effect?.startsWith('crash')) this.#down();
  }

  remove(name: Name): void {
    const atMs = this.#nowMs;
    const told = this.#told(() => this.#cluster.client.configMaps.delete(name));
    if (!this.#isUp) {
      expect(told, 'of a server that is down').toBe(0);
      return;
    }
    if (!this.#hasStorage) {
      expect(told, 'without a storage').toBe(500);
      expect(this.#nowMs - atMs, 'how long the storage was waited for').toBeGreaterThanOrEqual(PATIENCE_MS);
      return;
    }
    expect(told, `removal of ${name}`).toBe(this.#stored.has(name) ? DONE : 404);
    this.#stored.delete(name);
    this.#note(atMs);
  }

  read(name: Name): void {
    const told = this.#told(() => this.#cluster.client.configMaps.get(name));
    const found = this.#stored.has(name) ? DONE : 404;
    expect(told, `read of ${name}`).toBe(this.#isUp ? (this.#hasStorage ? found : 500) : 0);
  }

  /** Nobody shows what is not there yet. */
  readTheFuture(): void {
    const told = this.#told(() => this.#cluster.client.configMaps.list({ resourceVersion: '1000000' }));
    expect(told, 'a list of a state that is not there').toBe(this.#isUp ? 504 : 0);
  }

  crash(): void {
    this.#cluster.faults.crash(SERVER);
    this.#down();
  }

  restart(): void {
    if (this.#isUp || !this.#hasStorage) return;
    this.#cluster.faults.restart(SERVER);
    this.#isUp = true;
    this.pass(MOMENT_MS);
  }

  /** Most members of the storage are gone, or come back. */
  turnStorage(): void {
    if (!this.#isUp) return;
    for (const member of ['etcd/1', 'etcd/2'])
      if (this.#hasStorage) this.#cluster.faults.crash(member);
      else this.#cluster.faults.restart(member);
    this.#hasStorage = !this.#hasStorage;
    this.pass(ELECTION_MS);
  }

  lag(ms: number): void {
    this.pass(this.#lagMs + MOMENT_MS);
    this.#cluster.lagWatchCaches(milliseconds(ms));
    this.#lagMs = ms;
    this.#toldUpToMs = this.#nowMs - 1;
  }

  watch(): void {
    if (!this.#isUp || this.#watch) return;
    this.pass(this.#lagMs + MOMENT_MS);
    this.#watch = this.#cluster.client.configMaps.watch({ resourceVersion: '0' });
    this.pass(MOMENT_MS);
  }

  endWatches(expired: boolean): void {
    if (!this.#isUp) return;
    this.#cluster.faults.endWatches({ resource: 'configmaps', expired });
    this.pass(MOMENT_MS);
    if (!this.#watch) return;
    const log = this.#watch;
    expect(log.isEnded, 'a watch that was to end').toBe(true);
    expect(
      log.events.some(({ type }) => type === 'ERROR'),
      'whether it was told why',
    ).toBe(expired);
    this.#watch = undefined;
  }

  pass(ms: number): void {
    this.#cluster.advance(milliseconds(ms));
  }

  compare(): void {
    const { entries } = this.#cluster.storage.range({ prefix: '/registry/configmaps/default/' });
    const kept = NAMES.filter((name) => entries.some(({ key }) => key.endsWith(`/${name}`)));
    expect(kept, 'what is stored').toEqual(NAMES.filter((name) => this.#stored.has(name)));
    if (!this.#watch) return;
    expect(this.#watch.isEnded, 'a watch that nobody has ended').toBe(false);
    const latestMs = Math.max(this.#nowMs - this.#lagMs, this.#toldUpToMs);
    const surelyMs = Math.max(this.#nowMs - this.#lagMs - MOMENT_MS, this.#toldUpToMs);
    const from = this.#past.findLastIndex(({ atMs }) => atMs <= surelyMs);
    const possible = this.#past.filter(({ atMs }, at) => at >= from && atMs <= latestMs);
    expect(possible.map(({ names }) => names)).toContain(seenIn(this.#watch));
  }

  get #nowMs(): number {
    return this.#cluster.now / 1_000;
  }

  #note(atMs: number): void {
    this.#past.push({ atMs, names: [...this.#stored].sort().join('') });
  }

  #down(): void {
    this.#isUp = false;
    this.#watch = undefined;
  }

  #toldBarely(name: Name): number {
    const path = '/api/v1/namespaces/default/configmaps';
    const request = { method: 'POST', path, user: ADMIN, headers: {}, body: { metadata: { name } } } as const;
    const { status = 0, headers = [] } = this.#wire.request(request) ?? {};
    const after = headers.find(([header]) => header === 'retry-after')?.[1];
    if (status > 0) expect(after, 'when to come again').toBe(status === 403 ? '7' : undefined);
    return status;
  }

  #told(act: () => unknown): number {
    try {
      act();
      return DONE;
    } catch (error) {
      if (error instanceof NoAnswer) return 0;
      return (error as { readonly code?: number }).code ?? -1;
    }
  }
}

/** What a watch has told of, each change once and of what it may be about. */
function seenIn({ events }: WatchLog): string {
  const seen = new Set<string>();
  for (const { type, object } of events) {
    const { name = '' } = (object as ApiObject).metadata;
    if (!NAMES.some((each) => each === name)) continue;
    expect(seen.has(name), `${type} ${name}`).toBe(type === 'DELETED');
    if (type === 'DELETED') seen.delete(name);
    else seen.add(name);
  }
  return [...seen].sort().join('');
}

const name = fc.constantFrom(...NAMES);
const act = actsOn<World>();
const pass = act('pass', fc.constantFrom(1, MOMENT_MS, 1_000, 100_000), (world, ms) => world.pass(ms));
const effect = fc.constantFrom(...(Object.keys(EFFECTS) as Effect[]));
const creation = fc.tuple(name, fc.constantFrom('client', 'bare'));
const create = act('create', creation, (world, drawn) => world.create(...drawn));

/** At once, or whatever else comes before. */
const struck = act(
  'strike a creation',
  fc.tuple(effect, fc.option(creation, { nil: undefined })),
  (world, [by, drawn]) => {
    world.strikeNext(by);
    if (drawn) world.create(...drawn);
  },
);

it('does what it does, tells what it tells, and its watches miss nothing', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[pass, pass, create, create, create],
      act('remove', name, (world, of) => world.remove(of)),
      act('read', name, (world, of) => world.read(of)),
      act('read the future', NOTHING, (world) => world.readTheFuture()),
      struck,
      struck,
      struck,
      act('spare the next creation', NOTHING, (world) => world.spareNext()),
      act('crash', NOTHING, (world) => world.crash()),
      act('restart', NOTHING, (world) => world.restart()),
      act('restart', NOTHING, (world) => world.restart()),
      act('come back late', NOTHING, (world) => {
        world.lag(700);
        world.crash();
        world.restart();
        world.watch();
      }),
      act('turn storage', NOTHING, (world) => world.turnStorage()),
      act('lag', fc.constantFrom(0, 700, 3_000), (world, ms) => world.lag(ms)),
      act('watch', NOTHING, (world) => world.watch()),
      act('watch', NOTHING, (world) => world.watch()),
      act('end watches', fc.boolean(), (world, expired) => world.endWatches(expired)),
    ],
    compare: (world) => world.compare(),
    most: 20,
    runs: 120,
    hasSomeOnly: true,
  });
});
