/**
 * What several servers let in of what a quota limits, asked at the same instant, beginning anew, without a storage for a
 * while, hearing late, or losing their answers, while somebody changes the limits, counts anew or takes things away: never
 * more than is allowed, nothing that is not counted, and whatever fits. Documentation: "Resource Quotas".
 *
 * @holds sim/apiserver/admission/plugins
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PersistentVolumeClaim, ResourceQuota } from '../../../api/types/core-v1.ts';
import type { Method } from '../../../client/protocol.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../../engine/any-order.arbitrary.ts';
import { createCluster, seconds, WireUser } from '../../../index.ts';

const user = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
const SERVERS = ['apiserver/0', 'apiserver/1'] as const;
const PATH = '/api/v1/namespaces/default';
const QUOTA = `${PATH}/resourcequotas/q`;
const AMOUNTS = ['configmaps', 'persistentvolumeclaims', 'requests.storage'] as const;
type Amounts = Readonly<Record<(typeof AMOUNTS)[number], number>>;
const FIRST: Amounts = { configmaps: 3, persistentvolumeclaims: 3, 'requests.storage': 9 };
const PATIENT = seconds(8);

const texts = (amounts: Amounts) => Object.fromEntries(AMOUNTS.map((name) => [name, String(amounts[name])]));
const numbers = (of: Readonly<Record<string, string>> = {}): Amounts =>
  Object.fromEntries(AMOUNTS.map((name) => [name, Number(of[name])])) as unknown as Amounts;

type Kind = 'configmaps' | 'persistentvolumeclaims';

class World {
  readonly #cluster = createCluster({
    ...{ controllers: [], scheduler: false, apiServers: 2, storageMembers: 3 },
  });
  readonly #wire = new WireUser(this.#cluster);
  /** What is limited now; less than there is, if somebody has allowed less. */
  #hard = FIRST;
  #count = 0;
  #hasMajority = true;
  #isLate = false;
  #loses = false;

  constructor() {
    this.#cluster.advance(seconds(3));
    this.#ask('POST', `${PATH}/resourcequotas`, { metadata: { name: 'q' }, spec: { hard: texts(FIRST) } });
    this.count();
    this.#cluster.advance(seconds(1));
  }

  #ask(method: Method, path: string, body?: object, server: string = SERVERS[0]) {
    return this.#wire.request(this.#request(method, path, body, server));
  }

  #request(method: Method, path: string, body: object | undefined, server: string) {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const [route = '', search = ''] = path.split('?');
    const query = Object.fromEntries(new URLSearchParams(search));
    const headers = { accept: 'application/json', 'content-type': type };
    return { method, path: route, query, user, server, headers, ...(body && { body }) };
  }

  /** All at the same instant, by turns of either server; `size`: of claims. */
  make(kind: Kind, howMany: number, size: number): void {
    const [before, there] = [this.#used, this.#there.configmaps];
    const asked = Array.from({ length: howMany }, (_, at) => {
      const metadata = { name: `n${++this.#count}` };
      const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: String(size) } } };
      const body = { metadata, ...(kind === 'persistentvolumeclaims' && { spec }) };
      return this.#request('POST', `${PATH}/${kind}`, body, SERVERS[at % 2] ?? SERVERS[0]);
    });
    const answers = this.#cluster.finish(this.#wire.askingAll(asked));
    const { isWell } = this;
    if (kind === 'configmaps') this.#loses = false;
    if (!isWell) return;
    const done = answers.filter((answer) => answer?.status === 201).length;
    const refused = answers.filter((answer) => answer?.status === 403).length;
    expect(done + refused, 'each is done or refused').toBe(howMany);
    if (kind === 'configmaps') {
      const room = Math.max(0, this.#hard.configmaps - before.configmaps);
      expect(done, `of ${howMany} where there are ${there}`).toBe(Math.min(howMany, room));
    }
  }

  /** It counts for nothing. */
  tryOut(kind: Kind): void {
    const before = this.#used;
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1' } } };
    const body = { metadata: { name: 'dry' }, ...(kind === 'persistentvolumeclaims' && { spec }) };
    this.#ask('POST', `${PATH}/${kind}?dryRun=All`, body, SERVERS[1]);
    expect(this.#used, 'used after a dry run').toEqual(before);
  }

  remove(kind: Kind, at: number): void {
    const names = this.#namesOf(kind);
    const name = names[at % (names.length || 1)];
    if (name !== undefined) this.#ask('DELETE', `${PATH}/${kind}/${name}`);
  }

  /** Somebody who counts finds what is there, as a controller that hears of everything would. */
  count(): void {
    const status = { hard: texts(this.#hard), used: texts(this.#there) };
    this.#ask('PATCH', `${QUOTA}/status`, { status });
  }

  limit(hard: Amounts): void {
    const answer = this.#ask('PATCH', QUOTA, { spec: { hard: texts(hard) } });
    if (answer?.status !== 200) return;
    const status = { hard: texts(hard), used: texts(this.#there) };
    if (this.#ask('PATCH', `${QUOTA}/status`, { status })?.status === 200) this.#hard = hard;
  }

  bounce(index: number): void {
    const name = SERVERS[index] ?? SERVERS[0];
    this.#cluster.faults.crash(name);
    this.#cluster.faults.restart(name);
    this.#cluster.advance(seconds(1));
  }

  setMajority(has: boolean): void {
    if (has === this.#hasMajority) return;
    this.#hasMajority = has;
    for (const member of ['etcd/1', 'etcd/2'])
      if (has) this.#cluster.faults.restart(member);
      else this.#cluster.faults.crash(member);
    this.#cluster.advance(PATIENT);
  }

  lag(by: number): void {
    this.#cluster.lagWatchCaches(seconds(by));
    this.#isLate = by > 0;
    this.#cluster.advance(seconds(1));
  }

  loseAnswers(): void {
    this.#cluster.faults.loseAnswers({ verb: 'create', resource: 'configmaps', count: 1 });
    this.#loses = true;
  }

  get isWell(): boolean {
    return this.#hasMajority && !this.#isLate && !this.#loses;
  }

  #namesOf(kind: Kind): readonly string[] {
    const prefix = `/registry/${kind}/default/`;
    return this.#cluster.storage
      .range({ prefix })
      .entries.map(({ value }) => value.metadata.name ?? '')
      .filter((name) => name.startsWith('n'));
  }

  get #there(): Amounts {
    const prefix = '/registry/persistentvolumeclaims/default/';
    const claims = this.#cluster.storage.range({ prefix }).entries.map(({ value }) => value);
    const sizes = (claims as readonly PersistentVolumeClaim[]).map(({ spec }) =>
      Number(spec?.resources?.requests?.['storage']),
    );
    return {
      configmaps: this.#namesOf('configmaps').length,
      persistentvolumeclaims: sizes.length,
      'requests.storage': sizes.reduce((one, other) => one + other, 0),
    };
  }

  get #used(): Amounts {
    const [entry] = this.#cluster.storage.range({ prefix: '/registry/resourcequotas/default/q' }).entries;
    return numbers((entry?.value as ResourceQuota | undefined)?.status?.used);
  }

  /** Those that are limited to less than there is let nothing more in. */
  #most: Amounts = FIRST;

  compare(): void {
    const [there, used] = [this.#there, this.#used];
    for (const name of AMOUNTS) {
      const most = Math.max(this.#hard[name], Math.min(this.#most[name], there[name]));
      expect(there[name], `${name} of ${this.#hard[name]}`).toBeLessThanOrEqual(most);
      expect(used[name], `what is counted of ${there[name]} ${name}`).toBeGreaterThanOrEqual(there[name]);
    }
    this.#most = there;
  }
}

const act = actsOn<World>();
const kind = fc.constantFrom<Kind[]>('configmaps', 'persistentvolumeclaims');
const make = act(
  'make',
  fc.tuple(kind, fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 5 })),
  (world, drawn) => world.make(...drawn),
);
const hard = fc.record({
  configmaps: fc.integer({ min: 1, max: 6 }),
  persistentvolumeclaims: fc.integer({ min: 1, max: 5 }),
  'requests.storage': fc.integer({ min: 2, max: 15 }),
});

it('is never more than is allowed, and is counted', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[make, make, make],
      act('try out', kind, (world, of) => world.tryOut(of)),
      act('remove', fc.tuple(kind, fc.nat(5)), (world, drawn) => world.remove(...drawn)),
      act('count', NOTHING, (world) => world.count()),
      act('limit', hard, (world, drawn) => world.limit(drawn)),
      act('bounce', fc.nat(1), (world, index) => world.bounce(index)),
      act('majority', fc.boolean(), (world, has) => world.setMajority(has)),
      act('lag', fc.constantFrom(0, 2), (world, by) => world.lag(by)),
      act('lose answers', NOTHING, (world) => world.loseAnswers()),
    ],
    compare: (world) => world.compare(),
    most: 16,
    runs: 25,
    hasSomeOnly: true,
  });
});
