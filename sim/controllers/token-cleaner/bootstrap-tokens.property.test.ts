/**
 * Bootstrap tokens that are made, changed and taken away in any order, whatever comes between: in the end none is there
 * whose time is over, none is gone before, and what clusters are known by is signed by each that may sign, and by no other.
 *
 * @holds sim/controllers/bootstrap-signer
 */
import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Secret } from '../../api/types/core-v1.ts';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, struck, TroubledManager, unseen } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const IDS = ['aaaaaa', 'bbbbbb', 'cccccc'] as const;
const INFO = { namespace: 'kube-public', name: 'cluster-info' };
const SIGNATURE = 'jws-kubeconfig-';
/** Times are written in whole seconds. */
const SLACK_MS = 2_000;
/** Whoever decides by what he last heard may be as far behind. */
const VIEW_MS = 90_000;

interface Facts {
  /** In seconds from now; null: for ever, `odd`: nobody can read it. */
  readonly left: number | null | 'odd';
  readonly maySign: boolean;
  readonly secret: string;
}

class World extends TroubledManager {
  readonly #early: string[] = [];
  readonly #removed = new Set<string>();
  /** When somebody last said something else of one that was there: how long it counts, too. */
  readonly #changedMs = new Map<string, number>();

  constructor() {
    super(['token-cleaner-controller', 'bootstrap-signer-controller']);
    this.cluster.storage.watch({
      prefix: '/registry/secrets/kube-system/',
      onEvents: (events) => {
        for (const event of events) if (event.kind === 'delete') this.#look(event.previous?.value);
      },
    });
    this.write('first');
  }

  get #nowMs(): number {
    return this.cluster.userClient.context.wallMs();
  }

  put(id: string, facts: Facts): void {
    const { secrets } = this.cluster.client;
    const name = nameOf(id);
    const data = this.#dataOf(id, facts);
    const key = { name, namespace: 'kube-system' };
    const present = this.#tokens.find(({ metadata }) => metadata.name === name);
    tryTo(() => {
      if (!present) secrets.create({ metadata: key, type: 'bootstrap.kubernetes.io/token', data });
      else {
        secrets.update({ ...secrets.get(key), data });
        this.#changedMs.set(present.metadata.uid ?? '', this.#nowMs);
      }
    });
  }

  /** Whoever hears late knows the former alone. */
  remake(id: string, facts: Facts, unheardSeconds: number): void {
    this.put(id, { ...facts, left: 3 });
    this.cluster.advance(seconds(1));
    this.cluster.lagWatchCaches(seconds(unheardSeconds));
    this.remove(id);
    this.put(id, facts);
  }

  remove(id: string): void {
    const key = { name: nameOf(id), namespace: 'kube-system' };
    tryTo(() => {
      this.#removed.add(this.cluster.client.secrets.get(key).metadata.uid ?? '');
      this.cluster.client.secrets.delete(key);
    });
  }

  /** What is to be signed. */
  write(kubeconfig: string): void {
    const { configMaps } = this.cluster.client;
    tryTo(() => configMaps.create({ metadata: INFO, data: { kubeconfig, other: 'stays' } }));
    tryTo(() => configMaps.patch(INFO, { type: 'merge', body: { data: { kubeconfig } } }));
  }

  scribble(id: string, text: string | null): void {
    const body = { data: { [`${SIGNATURE}${id}`]: text } };
    tryTo(() => this.cluster.client.configMaps.patch(INFO, { type: 'merge', body }));
  }

  removeInfo(): void {
    tryTo(() => this.cluster.client.configMaps.delete(INFO));
  }

  #dataOf(id: string, { left, maySign, secret }: Facts): Readonly<Record<string, string>> {
    const at = (span: number): string => new Date(this.#nowMs + span * 1_000).toISOString();
    const texts = {
      'token-id': id,
      'token-secret': secret,
      'usage-bootstrap-signing': String(maySign),
      ...(left !== null && { expiration: left === 'odd' ? left : at(left).replace(/\.\d+/, '') }),
    };
    return Object.fromEntries(Object.entries(texts).map(([key, text]) => [key, btoa(text)]));
  }

  #look(secret: Secret | undefined): void {
    const { uid = '', name = '' } = secret?.metadata ?? {};
    if (!secret || this.#removed.has(uid)) return;
    if (this.#nowMs - (this.#changedMs.get(uid) ?? 0) < VIEW_MS) return;
    if (endMs(secret) > this.#nowMs + SLACK_MS) this.#early.push(name);
  }

  get #tokens(): readonly Secret[] {
    return this.of('Secret').filter(({ type }) => type === 'bootstrap.kubernetes.io/token');
  }

  compare(): void {
    expect(this.#early, 'who goes before his time').toEqual([]);
  }

  expectCleaned(): void {
    const over = this.#tokens.filter((secret) => endMs(secret) < this.#nowMs - SLACK_MS);
    expect(
      over.map(({ metadata }) => metadata.name),
      'whose time is over',
    ).toEqual([]);
  }

  expectPresent(ids: readonly string[]): void {
    const names = this.#tokens.map(({ metadata }) => metadata.name);
    expect(names, 'whose time is not over').toEqual(ids.map(nameOf));
  }

  expectSigned(): void {
    const { kubeconfig = '', ...data } = this.cluster.client.configMaps.get(INFO).data ?? {};
    const signers = this.#tokens.filter(
      (secret) => datum(secret, 'usage-bootstrap-signing') === 'true' && endMs(secret) > this.#nowMs,
    );
    const signatures = signers.map((secret) => [
      `${SIGNATURE}${datum(secret, 'token-id')}`,
      signatureOf(secret, kubeconfig),
    ]);
    expect(data, `who signs ${kubeconfig}`).toEqual({ other: 'stays', ...Object.fromEntries(signatures) });
  }

  /** Each kind of news by itself, in peace: whoever failed before news came waits for the next. */
  expectHeard(): void {
    const [a, b, c] = IDS;
    const one = { left: null, maySign: true, secret: 'one' } as const;
    const news: readonly (() => void)[] = [
      () => this.removeInfo(),
      () => this.put(a, one),
      () => this.write('second'),
      () => this.put(b, one),
      () => this.put(b, { ...one, secret: 'two' }),
      () => this.scribble(a, 'x'),
      () => this.scribble(c, 'x'),
      () => this.put(a, { ...one, maySign: false }),
      () => this.remove(b),
      () => this.write('third'),
      () => this.put(a, { ...one, left: 3 }),
      () => this.put(c, { ...one, left: 1 }),
    ];
    for (const [index, each] of news.entries()) {
      each();
      this.cluster.advance(seconds(5));
      if (index > 1) this.expectSigned();
      this.expectCleaned();
    }
  }

  /** The time that was said last counts. */
  expectKept(): void {
    const [a, b, c] = IDS;
    const one = { left: 40, maySign: true, secret: 'one' } as const;
    for (const id of IDS) this.put(id, one);
    this.cluster.advance(seconds(10));
    this.put(a, { ...one, left: 300 });
    this.put(b, { ...one, left: null });
    this.remove(c);
    this.put(c, { ...one, left: 100 });
    this.cluster.advance(seconds(60));
    this.expectPresent(IDS);
    this.expectSigned();
    this.put(b, { ...one, left: 20 });
    this.cluster.advance(seconds(60));
    this.expectPresent([a]);
    this.bounce();
    this.cluster.advance(seconds(10));
    this.expectSigned();
    this.cluster.advance(seconds(200));
    this.expectPresent([]);
    this.expectSigned();
  }
}

const nameOf = (id: string): string => `bootstrap-token-${id}`;
const datum = ({ data = {} }: Secret, key: string): string => atob(data[key] ?? '');

/** What nobody can read is over. */
function endMs(secret: Secret): number {
  const text = datum(secret, 'expiration');
  if (text === '') return Infinity;
  return text.endsWith('Z') ? Date.parse(text) : 0;
}

function signatureOf(secret: Secret, content: string): string {
  const header = Buffer.from(`{"alg":"HS256","kid":"${datum(secret, 'token-id')}"}`).toString('base64url');
  const signed = `${header}.${Buffer.from(content).toString('base64url')}`;
  const key = datum(secret, 'token-secret');
  return `${header}..${createHmac('sha256', key).update(signed).digest('base64url')}`;
}

const id = fc.constantFrom(...IDS);
const facts: fc.Arbitrary<Facts> = fc.record({
  left: fc.constantFrom<Facts['left'][]>(null, 'odd', -10, 3, 30, 300),
  maySign: fc.constantFrom(true, true, false),
  secret: fc.constantFrom('one', 'two'),
});
const act = actsOn<World>();

it('counts until its time is over, and signs meanwhile', () => {
  const acts = [
    act('put', fc.tuple(id, facts), (world, drawn) => world.put(...drawn)),
    act('put', fc.tuple(id, facts), (world, drawn) => world.put(...drawn)),
    act('remake', fc.tuple(id, facts, fc.constantFrom(0, 8)), (world, drawn) => world.remake(...drawn)),
    act('remove', id, (world, of) => world.remove(of)),
    act('write', fc.constantFrom('first', 'second'), (world, text) => world.write(text)),
    act('scribble', fc.tuple(id, fc.constantFrom('x', null)), (world, drawn) => world.scribble(...drawn)),
    act('remove info', fc.constant(undefined), (world) => world.removeInfo()),
  ];
  holdsInAnyOrderAsBefore<World>({
    begin: () => new World(),
    acts: amidTroubles<World>([...acts, unseen<World>(acts), struck<World>(acts)]),
    compare: (world) => world.compare(),
    end: (world) => {
      world.calm();
      world.compare();
      // What was refused is not tried again before there is news.
      world.bounce();
      world.cluster.advance(seconds(10));
      world.expectCleaned();
      world.expectStill();
      world.expectHeard();
      world.expectKept();
      world.compare();
    },
    most: 20,
    runs: 6,
  });
});
