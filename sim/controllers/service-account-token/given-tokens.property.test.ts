/**
 * Secrets with tokens of service accounts that are given to one account and another, in any order of what is done to both:
 * whose account is there has all that belongs to a token, whose account has gone, or was made anew, goes; and nobody else
 * does, though the controller may hear late that a secret means another account by now.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Secret } from '../../api/types/core-v1.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { TroubledManager, unseen } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { milliseconds, seconds } from '../../engine/time.ts';
import { tokenTroubles } from './token-troubles.fixture.ts';

const ACCOUNTS = ['x', 'y'] as const;
const TOKENS = ['t', 'u', 'v'] as const;
const NAME = 'kubernetes.io/service-account.name';
const UID = 'kubernetes.io/service-account.uid';
const TYPE = 'kubernetes.io/service-account-token';
const KEYS = ['ca.crt', 'namespace', 'token'] as const;

type Account = (typeof ACCOUNTS)[number];
type Token = (typeof TOKENS)[number];

class World extends TroubledManager {
  /** Uids of the secrets that nobody has a reason to delete: their account has been there since they mean it. */
  readonly #safe = new Map<string, Account>();

  constructor() {
    super(['serviceaccount-token-controller']);
    for (const account of ACCOUNTS) this.come(account);
    this.make('t', 'x');
    this.make('u', 'y');
    this.cluster.advance(seconds(2));
  }

  come(name: Account): void {
    tryTo(() => this.cluster.client.serviceAccounts.create({ metadata: { name } }));
  }

  go(name: Account): void {
    tryTo(() => this.cluster.client.serviceAccounts.delete(name));
    for (const [uid, account] of this.#safe) if (account === name) this.#safe.delete(uid);
  }

  make(name: Token, account: Account): void {
    const isThere = this.#uidOf(account) !== undefined;
    tryTo(() => {
      const metadata = { name, annotations: { [NAME]: account } };
      const { uid = '' } = this.cluster.client.secrets.create({ metadata, type: TYPE }).metadata;
      if (isThere) this.#safe.set(uid, account);
    });
  }

  remove(name: Token): void {
    const { uid = '' } = this.#tokens.find(({ metadata }) => metadata.name === name)?.metadata ?? {};
    tryTo(() => this.cluster.client.secrets.delete(name));
    if (!this.#tokens.some(({ metadata }) => metadata.uid === uid)) this.#safe.delete(uid);
  }

  /** From now on it is of this account, as it is now. */
  give(name: Token, account: Account): void {
    const uid = this.#uidOf(account);
    tryTo(() => {
      const body = {
        metadata: { annotations: { [NAME]: account, [UID]: uid ?? null } },
        data: { token: null },
      };
      const { metadata } = this.cluster.client.secrets.patch(name, { type: 'merge', body });
      if (uid === undefined) this.#safe.delete(metadata.uid ?? '');
      else this.#safe.set(metadata.uid ?? '', account);
    });
  }

  spoil(name: Token, key: (typeof KEYS)[number], value: string | null): void {
    tryTo(() => this.cluster.client.secrets.patch(name, { type: 'merge', body: { data: { [key]: value } } }));
  }

  /** Whoever looks again sees for a while what was before this. */
  late(work: () => void): void {
    this.cluster.advance(seconds(1));
    this.cluster.lagWatchCaches(seconds(15));
    work();
    this.bounce();
    this.cluster.advance(seconds(8));
    this.cluster.lagWatchCaches(seconds(0));
  }

  expectRight(): void {
    const uids = this.#tokens.map(({ metadata }) => metadata.uid);
    for (const [uid, account] of this.#safe) expect(uids, `a token of ${account}`).toContain(uid);
    for (const { metadata, data } of this.#tokens) {
      const account = metadata.annotations?.[NAME] ?? '';
      expect(metadata.annotations?.[UID], `whose ${metadata.name ?? ''} is`).toBe(
        this.#uidOf(account) ?? 'nobody',
      );
      for (const key of KEYS) expect(data?.[key], `${key} in ${metadata.name ?? ''}`).toBeTruthy();
      expect(data?.['ca.crt'], 'the root certificate').not.toBe('AAAA');
    }
  }

  get #tokens(): readonly Secret[] {
    return this.of('Secret').filter(({ type }) => type === TYPE);
  }

  #uidOf(account: string): string | undefined {
    return this.objects.find(({ kind, metadata }) => kind === 'ServiceAccount' && metadata.name === account)
      ?.metadata.uid;
  }
}

const account = fc.constantFrom(...ACCOUNTS);
const token = fc.constantFrom(...TOKENS);
const act = actsOn<World>();
const come = act('come', account, (world, name) => world.come(name));
const go = act('go', account, (world, name) => world.go(name));
const remade = act('made anew', account, (world, name) => {
  world.go(name);
  world.come(name);
});
const given = act('give', fc.tuple(token, account), (world, drawn) => world.give(...drawn));

it('are whole while their account is there, and go with it', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[come, come, go, remade, given],
      act('make', fc.tuple(token, account), (world, drawn) => world.make(...drawn)),
      act('remove', token, (world, name) => world.remove(name)),
      act('spoil', fc.tuple(token, fc.constantFrom(...KEYS), fc.constantFrom(null, 'AAAA')), (world, drawn) =>
        world.spoil(...drawn),
      ),
      act('give, late', fc.tuple(token, account), (world, [name, to]) => {
        world.late(() => {
          world.give(name, to);
          world.go(to === 'x' ? 'y' : 'x');
        });
      }),
      unseen<World>([remade, go, come, given]),
      ...tokenTroubles<World>(),
      act('pass', fc.constantFrom(0.02, 0.5, 12), ({ cluster }, span) =>
        cluster.advance(milliseconds(span * 1_000)),
      ),
    ],
    compare: () => undefined,
    end: (world) => {
      world.calm();
      world.expectRight();
      world.expectStill();
    },
    most: 16,
    runs: 8,
  });
});
