/**
 * Tokens out of secrets over years, used, marked, mounted and forgotten in any order, whatever comes between: each use is
 * noted, each day anew; who is unused for a year is marked, and goes after another; and nobody goes who, by what is stored
 * at that moment, was used in that year.
 *
 * @holds sim/apiserver/authentication sim/apiserver/stores
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Secret } from '../../api/types/core-v1.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, TroubledManager } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { hours, minutes, seconds } from '../../engine/time.ts';

const NAMES = ['old', 'elder'] as const;
const ACCOUNT = 'builder';
const LAST_USED = 'kubernetes.io/legacy-token-last-used';
const INVALID_SINCE = 'kubernetes.io/legacy-token-invalid-since';
const TRACKING = {
  namespace: 'kube-system',
  name: 'kube-apiserver-legacy-service-account-token-tracking',
};
const CLOCKS = ['apiserver/0', 'apiserver/1', 'controller-manager/0'] as const;
const DAY_HOURS = 24;
const DAY_MS = DAY_HOURS * 3_600_000;
const YEAR_DAYS = 366;

class World extends TroubledManager {
  /** Deletions that what was stored did not ask for. */
  readonly #wrong: string[] = [];

  constructor() {
    super(['legacy-serviceaccount-token-cleaner-controller', 'serviceaccount-token-controller'], {
      authorizationMode: 'RBAC',
    });
    const { client, storage } = this.cluster;
    client.serviceAccounts.create({
      metadata: { name: ACCOUNT },
      secrets: NAMES.map((name) => ({ name })),
    });
    for (const name of NAMES) this.make(name);
    this.cluster.advance(seconds(5));
    storage.watch({
      prefix: '/registry/secrets/default/',
      onEvents: (events) => {
        for (const event of events) if (event.kind === 'delete') this.#judge(event.previous.value);
      },
    });
  }

  get #nowMs(): number {
    return this.cluster.userClient.context.wallMs() + this.#jumpedMs;
  }

  #jumpedMs = 0;

  #dayOf(ms: number): string {
    return new Date(ms).toISOString().slice(0, 10);
  }

  #judge({ metadata: { name = '', labels = {} } }: Pick<Secret, 'metadata'>): void {
    const yearAgo = this.#dayOf(this.#nowMs - (YEAR_DAYS - 1) * DAY_MS);
    const { [LAST_USED]: used, [INVALID_SINCE]: invalid = 'never' } = labels;
    if (invalid >= yearAgo) this.#wrong.push(`${name}, marked ${invalid}`);
    if (used !== undefined && used >= yearAgo) this.#wrong.push(`${name}, used ${used}`);
  }

  make(name: string): void {
    tryTo(() =>
      this.cluster.client.secrets.create({
        metadata: { name, annotations: { 'kubernetes.io/service-account.name': ACCOUNT } },
        type: 'kubernetes.io/service-account-token',
      }),
    );
  }

  secret(name: string): Secret | undefined {
    return this.of('Secret').find(({ metadata }) => metadata.name === name);
  }

  /** Somebody asks the server with it. */
  use(name: string): void {
    const token = this.secret(name)?.data?.['token'];
    if (token !== undefined) this.cluster.apiServers[0]?.server?.useOfAccountToken(atob(token));
  }

  /** It is used when those who look do not hear of it in time. */
  useUnheard(name: string, days: number): void {
    this.jump(days);
    this.cluster.lagWatchCaches(seconds(20));
    this.use(name);
    this.cluster.advance(seconds(1));
    this.bounce();
    this.cluster.advance(seconds(4));
    this.cluster.lagWatchCaches(seconds(0));
  }

  label(name: string, label: string, value: string | null): void {
    const body = { metadata: { labels: { [label]: value } } };
    tryTo(() => this.cluster.client.secrets.patch(name, { type: 'merge', body }));
  }

  mount(name: string, isThere: boolean): void {
    const { pods } = this.cluster.client;
    tryTo(() =>
      isThere
        ? pods.create({
            metadata: { name },
            spec: {
              containers: [{ name: 'c', image: 'i' }],
              volumes: [{ name: 'token', secret: { secretName: name } }],
            },
          })
        : pods.delete(name, { gracePeriodSeconds: 0 }),
    );
  }

  /** Whoever looks once a day looks at once when he begins anew. */
  jump(days: number): void {
    this.#jumpedMs += days * DAY_MS;
    for (const clock of CLOCKS) this.cluster.faults.jumpClock(clock, hours(days * DAY_HOURS));
  }

  forgetTracking(data: string | undefined): void {
    const { configMaps } = this.cluster.client;
    if (data === undefined) tryTo(() => configMaps.delete(TRACKING));
    else tryTo(() => configMaps.patch(TRACKING, { type: 'merge', body: { data: { since: data } } }));
  }

  compare(): void {
    expect(this.#wrong, 'who goes though he is needed').toEqual([]);
  }

  /** Each day anew. */
  expectNoted(): void {
    for (const name of NAMES) this.label(name, INVALID_SINCE, null);
    for (const gap of [0, 1, 1]) {
      this.jump(gap);
      for (const name of NAMES) this.use(name);
      this.cluster.advance(seconds(5));
      for (const name of NAMES)
        expect(this.secret(name)?.metadata.labels?.[LAST_USED], `the last use of ${name}`).toBe(
          this.#dayOf(this.#nowMs),
        );
    }
  }

  /** Again and again. */
  expectTracked(): void {
    for (let round = 0; round < 3; round++) {
      this.forgetTracking(undefined);
      this.cluster.advance(minutes(35));
      const kept = this.of('ConfigMap').find(({ metadata }) => metadata.name === TRACKING.name);
      expect(kept?.data?.['since'], 'since when uses are noted').toMatch(/^\d{4}-\d{2}-\d{2}$/);
    }
  }

  /** Nobody uses them any more. */
  expectCleaned(): void {
    for (const name of NAMES) this.mount(name, false);
    // Who looks began before uses were noted for a year, and looks again the day after.
    this.forgetTracking(this.#dayOf(this.#nowMs));
    this.bounce();
    this.cluster.advance(seconds(5));
    this.jump(YEAR_DAYS + 1);
    this.cluster.advance(hours(DAY_HOURS));
    for (const name of NAMES)
      expect(this.secret(name)?.metadata.labels?.[INVALID_SINCE], `the mark of ${name}`).toBeDefined();
    this.passYear();
    for (const name of NAMES) expect(this.secret(name), `${name}, two years later`).toBeUndefined();
  }

  /** And somebody looks then. */
  passYear(): void {
    this.jump(YEAR_DAYS + 1);
    this.bounce();
    this.cluster.advance(seconds(30));
  }
}

const name = fc.constantFrom(...NAMES);
const day = fc.constantFrom('2023-01-01', '2024-12-31', 'odd', null);
const act = actsOn<World>();

it('go when they are of no use, and not before', () => {
  const use = act('use', name, (world, of) => world.use(of));
  const look = act('look', NOTHING, (world) => world.bounce());
  const jump = act('jump', fc.constantFrom(1, 200, YEAR_DAYS, YEAR_DAYS), (world, days) => world.jump(days));
  holdsInAnyOrderAsBefore<World>({
    begin: () => new World(),
    acts: amidTroubles<World>([
      ...[use, look, jump, act('pass a year', NOTHING, (world) => world.passYear())],
      act('use unheard', fc.tuple(name, fc.constantFrom(0, YEAR_DAYS)), (world, drawn) =>
        world.useUnheard(...drawn),
      ),
      act('make', name, (world, of) => world.make(of)),
      act('label', fc.tuple(name, fc.constantFrom(LAST_USED, INVALID_SINCE), day), (world, drawn) =>
        world.label(...drawn),
      ),
      act('mount', fc.tuple(name, fc.boolean()), (world, drawn) => world.mount(...drawn)),
      act('forget', fc.constantFrom(undefined, undefined, 'odd', '2020-01-01'), (world, data) =>
        world.forgetTracking(data),
      ),
    ]),
    compare: (world) => world.compare(),
    end: (world) => {
      world.calm();
      world.compare();
      for (const each of NAMES) world.make(each);
      world.cluster.advance(seconds(30));
      world.expectNoted();
      world.expectTracked();
      world.expectCleaned();
      world.compare();
    },
    most: 20,
    runs: 10,
  });
});
