/**
 * Tokens of accounts and what they are bound to, which come, go and come anew under their names, as time goes by: a token
 * is good until its time is over, for whom it was given to and as long as everything is there that it was bound to.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { type BoundKind, ServiceAccountTokens, TOKEN_ISSUER } from './service-account-tokens.ts';

const RESOURCES = ['serviceaccounts', 'pods', 'secrets', 'nodes'] as const;
type Resource = (typeof RESOURCES)[number];
const BOUND: Readonly<Record<BoundKind, Resource>> = { pod: 'pods', secret: 'secrets', node: 'nodes' };
const NAME = 'a';

interface Given {
  readonly token: string;
  readonly uids: readonly (readonly [resource: Resource, uid: string])[];
  readonly isForServer: boolean;
  readonly endsAtMs: number;
}

class World {
  /** The uid of the one of the name, if there is one. */
  readonly #present = new Map<Resource, string>();
  readonly #given: Given[] = [];
  #nowMs = 1_000_000;
  #count = 0;
  readonly #tokens = new ServiceAccountTokens({
    nowMs: () => this.#nowMs,
    lookup: (resource, namespace, name) => {
      const uid = this.#present.get(resource);
      const isThere = name === NAME && namespace === (resource === 'nodes' ? '' : 'default');
      return uid !== undefined && isThere
        ? { kind: 'Any', apiVersion: 'v1', metadata: { name, uid } }
        : undefined;
    },
  });

  constructor() {
    for (const resource of RESOURCES) this.make(resource);
  }

  pass(ms: number): void {
    this.#nowMs += ms;
  }

  make(resource: Resource): void {
    this.#present.set(resource, `uid-${(this.#count += 1)}`);
  }

  remove(resource: Resource): void {
    this.#present.delete(resource);
  }

  give(kind: BoundKind | undefined, seconds: number, isForServer: boolean): void {
    const [account, object] = [this.#present.get('serviceaccounts'), kind && this.#present.get(BOUND[kind])];
    if (account === undefined || (kind && object === undefined)) return;
    const issuedAt = Math.floor(this.#nowMs / 1_000);
    const token = this.#tokens.issue({
      id: `id-${(this.#count += 1)}`,
      namespace: 'default',
      account: { name: NAME, uid: account },
      audiences: isForServer ? ['x', TOKEN_ISSUER] : ['x'],
      bound: kind && object !== undefined ? { [kind]: { name: NAME, uid: object } } : {},
      issuedAt,
      expiresAt: issuedAt + seconds,
    });
    const uids = [
      ['serviceaccounts', account] as const,
      ...(kind && object !== undefined ? [[BOUND[kind], object] as const] : []),
    ];
    this.#given.push({ token, uids, isForServer, endsAtMs: (issuedAt + seconds) * 1_000 });
  }

  compare(): void {
    for (const { token, uids, isForServer, endsAtMs } of this.#given) {
      const isGood =
        this.#nowMs < endsAtMs && uids.every(([resource, uid]) => this.#present.get(resource) === uid);
      expect(this.#tokens.claimsOf(token) !== undefined, 'whether it is in force').toBe(isGood);
      expect(this.#tokens.authenticate(token)?.name, 'whose it is').toBe(
        isGood && isForServer ? `system:serviceaccount:default:${NAME}` : undefined,
      );
    }
  }
}

const act = actsOn<World>();
const resource = fc.constantFrom(...RESOURCES);
const give = act(
  'give',
  fc.tuple(
    fc.constantFrom<BoundKind | undefined>(undefined, 'pod', 'secret', 'node'),
    fc.constantFrom(10, 60, 600),
    fc.constantFrom(true, true, false),
  ),
  (world, drawn) => world.give(...drawn),
);

it('are good in their time, and for whom they were given to', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[give, give, give],
      act('pass', fc.constantFrom(1, 999, 1_000, 9_500, 59_000, 61_000), (world, ms) => world.pass(ms)),
      act('pass', fc.constantFrom(1, 999, 1_000, 9_500, 59_000, 61_000), (world, ms) => world.pass(ms)),
      act('make', resource, (world, of) => world.make(of)),
      act('remove', resource, (world, of) => world.remove(of)),
    ],
    compare: (world) => world.compare(),
    most: 25,
    runs: 200,
  });
});
