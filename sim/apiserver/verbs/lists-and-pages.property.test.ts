/**
 * Lists of whichever server, beside the plain history of what was stored: of the newest state, of one not older than a version,
 * of exactly one, in pages with writes between, amid servers that lag or begin anew and a storage that forgets. A list is one
 * state, whole and in order, and not an older one than was asked for; pages are parts of one state, until that is forgotten.
 *
 * @holds sim/apiserver/watch-cache sim/apiserver/stores sim/apiserver/options
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ApiObject } from '../../api/object.ts';
import { RELEASE_1_31 } from '../../api/release/release-1-31.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import type { Process } from '../../engine/process.ts';
import { milliseconds, minutes, seconds } from '../../engine/time.ts';
import { responsePieces } from '../../host/response-pieces.ts';
import { FeatureGates } from '../feature-gates.ts';
import { type ApiResponse, QueryParameters } from '../request/request.ts';

const ADMIN = { name: 'admin', groups: ['system:masters'] };
const PREFIX = '/registry/configmaps/';
/** Of which some begin alike, and go on with what comes before a slash. */
const NAMES = ['a', 'a-b', 'a.b', 'b', 'c'] as const;
const NAMESPACES = ['default', 'default-b', 'default0'] as const;
const OK = 200;
const EXPIRED = 410;
const INVALID = 422;
const TOO_LARGE = 504;
const A_MOMENT = milliseconds(500);
/** So long a server waits to have seen what is asked for. */
const PATIENCE_SECONDS = 3;
/** A server that has just begun. */
const NOT_READY = new Set([429, 500, 503]);

interface Asking {
  readonly server: 0 | 1;
  /** Undefined: all. */
  readonly namespace: (typeof NAMESPACES)[number] | undefined;
  readonly version: 'none' | 'any' | 'now' | 'before' | 'first' | 'future';
  readonly match: 'none' | 'Exact' | 'NotOlderThan';
  readonly limit: 0 | 1 | 2 | 3;
  readonly app: 'a' | undefined;
}

interface List {
  readonly metadata: {
    readonly resourceVersion: string;
    readonly continue?: string;
    readonly remainingItemCount?: number;
  };
  readonly items: readonly ApiObject[];
}

class World {
  readonly cluster = createCluster({
    controllers: [],
    apiServers: 2,
    compactionInterval: minutes(1),
    featureGates: new FeatureGates(RELEASE_1_31.gates, { WatchList: true }),
  });
  readonly #changes: { readonly revision: number; readonly key: string; readonly after?: ApiObject }[] = [];
  readonly #begun = [0, 0];
  isLate = false;

  constructor() {
    this.cluster.storage.watch({
      prefix: PREFIX,
      onEvents: (events, revision) => {
        for (const event of events)
          if (event.kind === 'put')
            this.#changes.push({ revision, key: event.entry.key, after: event.entry.value });
          else this.#changes.push({ revision, key: event.key });
      },
    });
    this.cluster.advance(seconds(2));
    for (const name of NAMESPACES) tryTo(() => this.cluster.client.namespaces.create({ metadata: { name } }));
  }

  write(namespace: string, name: string, app: string): void {
    const { configMaps } = this.cluster.client;
    const body = { metadata: { name, namespace, labels: { app } } };
    tryTo(() => configMaps.create(body));
    tryTo(() => configMaps.patch({ namespace, name }, { type: 'merge', body }));
  }

  /** Some that an asker wants, among others. */
  fill(namespace: string, apps: readonly string[]): void {
    for (const [index, app] of apps.entries()) this.write(namespace, NAMES[index] ?? 'a', app);
  }

  remove(namespace: string, name: string): void {
    tryTo(() => this.cluster.client.configMaps.delete({ namespace, name }));
  }

  /** A server that is late by less than it waits has in time what was asked for; what is under way stays as late as it was. */
  lag(bySeconds: number): void {
    this.isLate = bySeconds > 0 && (this.isLate || bySeconds > PATIENCE_SECONDS);
    this.cluster.lagWatchCaches(seconds(bySeconds));
  }

  bounce(index: 0 | 1): void {
    this.cluster.faults.crash(`apiserver/${index}`);
    this.cluster.faults.restart(`apiserver/${index}`);
    this.cluster.advance(milliseconds(1));
    this.#begun[index] = this.cluster.now;
  }

  /** All pages, with somebody writing after each. */
  list(asking: Asking, meanwhile: (world: World) => void): void {
    const { storage } = this.cluster;
    const before = storage.revision;
    const wanted = this.#versionOf(asking);
    const askedAt = this.cluster.now;
    const first = this.#ask(asking, { resourceVersion: wanted, resourceVersionMatch: asking.match });
    if (wanted === '' || wanted === '0')
      expect(this.cluster.now - askedAt, 'who has nothing to wait for').toBeLessThan(A_MOMENT);
    if (!first || this.#isRefused(first, asking, wanted)) return;
    const list = listIn(first);
    const revision = Number(list.metadata.resourceVersion);
    this.#expectVersion(asking, { wanted, before, revision });
    const isCut = asking.limit > 0 && wanted !== '0' && !this.#isOneOfCache(asking, wanted);
    this.#expectPage(asking, list, { revision, after: '', limit: isCut ? asking.limit : 0 });
    if (isCut) this.#turnPages(asking, list, meanwhile);
  }

  /** The objects that a watch begins with, up to the bookmark that says so. */
  beginWatch(asking: Asking): void {
    const before = this.cluster.storage.revision;
    const wanted = this.#versionOf(asking);
    const response = this.#ask(
      { ...asking, limit: 0 },
      {
        watch: '1',
        sendInitialEvents: 'true',
        allowWatchBookmarks: 'true',
        resourceVersion: wanted,
        resourceVersionMatch: 'NotOlderThan',
        timeoutSeconds: '5',
      },
    );
    if (response?.body.kind !== 'stream') {
      if (response && response.status !== TOO_LARGE && !NOT_READY.has(response.status))
        expect([response.status, asking.version]).toEqual([500, 'future']);
      return;
    }
    const { stream } = response.body;
    stream.subscribe(() => undefined);
    const events: Told[] = [];
    for (let round = 0; round < 60 && !stream.ended; round++) {
      for (let piece = stream.read(); piece !== undefined; piece = stream.read())
        events.push(...toldIn(piece as Uint8Array));
      if (events.some(({ type }) => type === 'BOOKMARK')) break;
      this.cluster.advance(milliseconds(100));
    }
    stream.close();
    const end = events.findIndex(({ type }) => type === 'BOOKMARK');
    if (end < 0) {
      if (asking.version !== 'future') this.#isInVain(events);
      return;
    }
    const revision = Number(events[end]?.object.metadata.resourceVersion);
    expect(revision, 'not older').toBeGreaterThanOrEqual(wanted === '' ? before : Number(wanted));
    const items = events.slice(0, end).map(({ object }) => object);
    this.#expectPage(
      asking,
      { metadata: { resourceVersion: String(revision) }, items },
      pageFromStart(revision),
    );
  }

  /** Who is told that it took too long is told nothing else, and only by a server that is too late. */
  #isInVain(events: readonly Told[]): boolean {
    const [error] = events.filter(({ type }) => type === 'ERROR');
    if (!error) return false;
    const { code } = error.object as { readonly code?: number };
    expect([events.length, code, this.isLate], 'why there is no watch').toEqual([1, TOO_LARGE, true]);
    return true;
  }

  /** Who names no version begins with the newest state, and hears nothing of how it came to be. */
  beginAtNewest(asking: Asking): void {
    const before = this.cluster.storage.revision;
    const response = this.#ask({ ...asking, limit: 0 }, { watch: '1', timeoutSeconds: '5' });
    if (response?.body.kind !== 'stream') {
      if (response && !NOT_READY.has(response.status))
        expect([response.status, this.isLate], 'a server that is too late').toEqual([TOO_LARGE, true]);
      return;
    }
    const { stream } = response.body;
    stream.subscribe(() => undefined);
    const events: Told[] = [];
    for (let round = 0; round < 30; round++) {
      for (let piece = stream.read(); piece !== undefined; piece = stream.read())
        events.push(...toldIn(piece as Uint8Array));
      this.cluster.advance(milliseconds(100));
    }
    stream.close();
    if (this.#isInVain(events)) return;
    const wanted = this.#expected(asking, before).map(([, object]) => ['ADDED', facts(object)]);
    expect(events.map(({ type, object }) => [type, facts(object)])).toEqual(wanted);
  }

  /** Who wants no present objects hears of all that comes from now on; of what came before, a late server tells him, too. */
  beginFromNow(asking: Asking, meanwhile: (world: World) => void): void {
    const query = { watch: '1', sendInitialEvents: 'false', resourceVersionMatch: 'NotOlderThan' };
    const resourceVersion = asking.version === 'none' ? '' : '0';
    const response = this.#ask({ ...asking, limit: 0, app: undefined }, { ...query, resourceVersion });
    const before = this.cluster.storage.revision;
    if (response?.body.kind !== 'stream') {
      if (response) expect(NOT_READY, 'why there is no watch').toContain(response.status);
      return;
    }
    const { stream } = response.body;
    const begun = this.#begun[asking.server];
    stream.subscribe(() => undefined);
    meanwhile(this);
    this.cluster.advance(seconds(PATIENCE_SECONDS));
    const heard: number[] = [];
    for (let piece = stream.read(); piece !== undefined; piece = stream.read())
      heard.push(...toldIn(piece as Uint8Array).map(({ object }) => Number(object.metadata.resourceVersion)));
    const hasEnded = stream.ended;
    stream.close();
    if (this.isLate || hasEnded || this.#begun[asking.server] !== begun) return;
    const directory = asking.namespace === undefined ? PREFIX : `${PREFIX}${asking.namespace}/`;
    const wanted = this.#changes.filter(
      ({ key, revision }) => key.startsWith(directory) && revision > before,
    );
    expect(
      heard.filter((version) => version > before),
      `from ${before} on`,
    ).toEqual(wanted.map(({ revision }) => revision));
  }

  #turnPages(asking: Asking, first: List, meanwhile: (world: World) => void): void {
    let revision = Number(first.metadata.resourceVersion);
    for (let page = first; page.metadata.continue;) {
      const after = keyOf(page.items.at(-1));
      meanwhile(this);
      const next = this.#ask(asking, { continue: page.metadata.continue });
      if (!next || NOT_READY.has(next.status)) return;
      if (next.status === EXPIRED) {
        expect(revision, 'what is forgotten').toBeLessThan(this.cluster.storage.compactedRevision);
        const { metadata } = JSON.parse(textOf(next)) as List;
        expect(metadata.continue, 'where to go on').toBeTruthy();
        const before = this.cluster.storage.revision;
        const rest = this.#ask(asking, { continue: metadata.continue ?? '' });
        if (!rest) return;
        page = listIn(rest);
        revision = Number(page.metadata.resourceVersion);
        this.#expectNewest(revision, before);
      } else page = listIn(next);
      expect(Number(page.metadata.resourceVersion), 'one state').toBe(revision);
      this.#expectPage(asking, page, { revision, after, limit: asking.limit });
    }
  }

  #versionOf({ version }: Asking): string {
    const { revision } = this.cluster.storage;
    const known = this.#changes.map((each) => each.revision);
    if (version === 'none') return '';
    if (version === 'any') return '0';
    if (version === 'now') return String(revision);
    if (version === 'future') return String(revision + 50);
    return String((version === 'first' ? known[0] : known.at(-3)) ?? revision);
  }

  /** As old as the cache may be, and as a whole: a limit does not count there. */
  readonly #isOneOfCache = ({ match, limit }: Asking, wanted: string): boolean =>
    wanted !== '' && limit === 0 && match !== 'Exact';

  #isRefused({ status }: ApiResponse, asking: Asking, wanted: string): boolean {
    if (status === OK) return false;
    const { server, match, version } = asking;
    const isExact = match === 'Exact' || (match === 'none' && asking.limit > 0);
    if (match !== 'none' && wanted === '') expect(status).toBe(INVALID);
    else if (match === 'Exact' && wanted === '0') expect(status).toBe(INVALID);
    else if (status === EXPIRED) {
      expect(isExact, 'only what is exact is forgotten').toBe(true);
      expect(Number(wanted)).toBeLessThan(this.cluster.storage.compactedRevision);
    } else if (status === TOO_LARGE) expect(this.isLate || version === 'future').toBe(true);
    else if (NOT_READY.has(status) && this.cluster.now - (this.#begun[server] ?? 0) < seconds(10))
      return true;
    else expect([status, version], 'a future version').toEqual([500, 'future']);
    return true;
  }

  #expectVersion(
    { match, limit, version }: Asking,
    {
      wanted,
      before,
      revision,
    }: { readonly wanted: string; readonly before: number; readonly revision: number },
  ): void {
    expect(match !== 'none' && wanted === '', 'a match without a version is refused').toBe(false);
    expect(version === 'future', 'nobody has a future version').toBe(false);
    // No cache is cut into pages: the least version that is wanted is there, and newer ones.
    const isStored = match === 'NotOlderThan' && limit > 0 && wanted !== '0';
    if (wanted === '' || isStored) this.#expectNewest(revision, before);
    else if (match === 'Exact' || (match === 'none' && limit > 0 && wanted !== '0'))
      expect(revision, 'exactly').toBe(Number(wanted));
    else expect(revision, 'not older').toBeGreaterThanOrEqual(Number(wanted));
  }

  /** Servers that begin write something, too. */
  #expectNewest(revision: number, before: number): void {
    expect(revision, 'the newest').toBeGreaterThanOrEqual(before);
    expect(revision, 'the newest').toBeLessThanOrEqual(this.cluster.storage.revision);
  }

  #expectPage(
    asking: Asking,
    { metadata, items }: List,
    { revision, after, limit }: { readonly revision: number; readonly after: string; readonly limit: number },
  ): void {
    const fit = this.#expected(asking, revision).filter(([key]) => key > after);
    const page = limit > 0 ? fit.slice(0, limit) : fit;
    expect(items.map(facts), `of ${revision} after ${after}`).toEqual(
      page.map(([, object]) => facts(object)),
    );
    if (limit === 0 || page.length < limit) expect(metadata.continue ?? '').toBe('');
    else if (fit.length > page.length) expect(metadata.continue ?? '').not.toBe('');
    const hasMore = (metadata.continue ?? '') !== '';
    const remaining = hasMore && asking.app === undefined ? fit.length - page.length : undefined;
    expect(metadata.remainingItemCount, 'how many are left').toBe(remaining);
  }

  #expected({ namespace, app }: Asking, revision: number): readonly (readonly [string, ApiObject])[] {
    return this.#stateAt(revision)
      .filter(([, object]) => namespace === undefined || object.metadata.namespace === namespace)
      .filter(([, object]) => app === undefined || object.metadata.labels?.['app'] === app);
  }

  #stateAt(revision: number): readonly (readonly [string, ApiObject])[] {
    const state = new Map<string, ApiObject>();
    for (const { revision: at, key, after } of this.#changes) {
      if (at > revision) break;
      if (after) state.set(key, after);
      else state.delete(key);
    }
    return [...state].toSorted(([a], [b]) => (a < b ? -1 : 1));
  }

  #ask({ server: index, namespace, limit, app }: Asking, query: Readonly<Record<string, string>>) {
    const { actor, server } = this.cluster.apiServers[index] ?? {};
    if (!actor || !server) return undefined;
    const parameters = {
      ...query,
      ...(limit > 0 && { limit: String(limit) }),
      ...(app !== undefined && { labelSelector: `app=${app}` }),
    };
    const given = Object.fromEntries(
      Object.entries(parameters).filter(([, value]) => value !== '' && value !== 'none'),
    );
    let response: ApiResponse | undefined;
    actor.spawn('read', function* (): Process<void> {
      response = yield* server.handle({
        method: 'GET',
        path: namespace === undefined ? '/api/v1/configmaps' : `/api/v1/namespaces/${namespace}/configmaps`,
        query: QueryParameters.of(given),
        headers: { host: 'a', accept: 'application/json' },
        user: ADMIN,
        wire: true,
      });
    });
    for (let round = 0; !response && round < 60; round++) this.cluster.advance(milliseconds(100));
    return response;
  }
}

interface Told {
  readonly type: string;
  readonly object: ApiObject;
}

const toldIn = (piece: Uint8Array): readonly Told[] =>
  Buffer.from(piece)
    .toString()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Told);

const pageFromStart = (revision: number) => ({ revision, after: '', limit: 0 });

const textOf = ({ body }: ApiResponse): string => Buffer.concat(responsePieces(body)).toString();

function listIn(response: ApiResponse): List {
  expect(response.status).toBe(OK);
  return JSON.parse(textOf(response)) as List;
}

const keyOf = (object: ApiObject | undefined): string =>
  object ? `${PREFIX}${object.metadata.namespace ?? ''}/${object.metadata.name ?? ''}` : '';

const facts = ({ metadata: { namespace, name, uid, resourceVersion, labels } }: ApiObject) => ({
  at: `${namespace}/${name}`,
  uid,
  resourceVersion,
  labels,
});

const act = actsOn<World>();
const name = fc.constantFrom(...NAMES);
const namespace = fc.constantFrom(...NAMESPACES);
const app = fc.constantFrom('a', 'b');
const write = act('write', fc.tuple(namespace, name, app), (world, drawn) => world.write(...drawn));
const remove = act('remove', fc.tuple(namespace, name), (world, drawn) => world.remove(...drawn));
const pass = act('pass', fc.constantFrom(1, 40, 150), (world, span) => world.cluster.advance(seconds(span)));
const asking = fc.record<Asking>({
  server: fc.constantFrom(0, 1),
  namespace: fc.constantFrom(undefined, ...NAMESPACES),
  version: fc.constantFrom('none', 'none', 'none', 'none', 'none', 'any', 'now', 'before', 'first', 'future'),
  match: fc.constantFrom('none', 'none', 'none', 'none', 'none', 'Exact', 'NotOlderThan'),
  limit: fc.constantFrom(0, 1, 2, 2, 3),
  app: fc.constantFrom(undefined, 'a', 'a'),
});
const list = act(
  'list',
  fc.tuple(asking, fc.array(fc.oneof(write, remove, pass), { maxLength: 4 })),
  (world, drawn) => {
    const [asked, between] = drawn;
    let turn = 0;
    world.list(asked, () => between[turn++]?.on(world));
  },
);

const beginFromNow = act(
  'begin a watch from now',
  fc.tuple(asking, fc.array(fc.oneof(write, write, remove), { minLength: 1, maxLength: 4 })),
  (world, [asked, meanwhile]) => world.beginFromNow(asked, () => meanwhile.forEach((each) => each.on(world))),
);

const fill = act(
  'fill',
  fc.tuple(namespace, fc.array(app, { minLength: 3, maxLength: NAMES.length })),
  (world, drawn) => world.fill(...drawn),
);
const beginWatch = act('begin a watch', asking, (world, asked) => world.beginWatch(asked));
const beginAtNewest = act('begin a watch at the newest', asking, (world, asked) =>
  world.beginAtNewest(asked),
);

it('are one state each, whole and in order, and not an older one than was asked for', () => {
  holdsInAnyOrder({
    begin: () => new World(),
    acts: [
      ...[write, fill, fill, remove, pass],
      ...[list, list, list, list, list, beginWatch, beginAtNewest, beginFromNow],
      act('lag', fc.constantFrom(0, 1, 2, 600), (world, by) => world.lag(by)),
      act('bounce', fc.constantFrom<(0 | 1)[]>(0, 1), (world, index) => world.bounce(index)),
      act('settle', NOTHING, (world) => world.cluster.advance(seconds(5))),
    ],
    compare: () => undefined,
    most: 36,
    runs: 12,
  });
});
