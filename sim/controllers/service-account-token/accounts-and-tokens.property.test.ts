/**
 * Accounts, their tokens and the namespaces that they are in, made, taken away and made anew in any order, seen or not: in the
 * end each token is that of the account that there is and says so, none is left of one that is gone, and every namespace has
 * its account and its root certificate.
 *
 * @holds sim/controllers/service-account sim/controllers/root-ca
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { TroubledManager, unseen } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { milliseconds, minutes, seconds } from '../../engine/time.ts';
import { tokenTroubles } from './token-troubles.fixture.ts';

const MANAGER = 'controller-manager/0';
const SPACES = ['team', 'default'] as const;
const ACCOUNTS = ['bot', 'imp'] as const;
const TOKENS = ['x', 'y'] as const;
const OF_ACCOUNT = 'kubernetes.io/service-account.name';
const CERTIFICATE = 'kube-root-ca.crt';
const TYPE = 'kubernetes.io/service-account-token';
const WRITES = ['create', 'update', 'patch', 'delete'] as const;

interface Place {
  readonly namespace: (typeof SPACES)[number];
  readonly name: string;
}

class World extends TroubledManager {
  constructor() {
    super([
      'serviceaccount-token-controller',
      'serviceaccount-controller',
      'root-ca-certificate-publisher-controller',
      'namespace-controller',
    ]);
    this.makeSpace();
    this.cluster.advance(seconds(2));
  }

  makeSpace(): void {
    tryTo(() => this.cluster.client.namespaces.create({ metadata: { name: 'team' } }));
  }

  removeSpace(): void {
    tryTo(() => this.cluster.client.namespaces.delete('team'));
  }

  makeAccount(metadata: Place): void {
    tryTo(() => this.cluster.client.serviceAccounts.create({ metadata }));
  }

  removeAccount(place: Place): void {
    tryTo(() => this.cluster.client.serviceAccounts.delete(place));
  }

  makeToken(metadata: Place, account: string): void {
    const annotations = { [OF_ACCOUNT]: account };
    tryTo(() => this.cluster.client.secrets.create({ metadata: { ...metadata, annotations }, type: TYPE }));
  }

  removeToken(place: Place): void {
    tryTo(() => this.cluster.client.secrets.delete(place));
  }

  /** What is missing in it is put back. */
  blurToken(place: Place, member: 'token' | 'ca.crt' | 'namespace'): void {
    const body = { data: { [member]: null } };
    tryTo(() => this.cluster.client.secrets.patch(place, { type: 'merge', body }));
  }

  removeCertificate(namespace: string): void {
    tryTo(() => this.cluster.client.configMaps.delete({ namespace, name: CERTIFICATE }));
  }

  /** Whatever is done is seen once it is over. */
  unseen(doing: () => void): void {
    const { cluster } = this;
    cluster.lagWatchCaches(minutes(1));
    doing();
    cluster.advance(milliseconds(100));
    cluster.faults.endWatches({ expired: true });
    cluster.lagWatchCaches(seconds(0));
    cluster.advance(seconds(2));
  }

  refuse(verb: (typeof WRITES)[number], count: number): void {
    this.cluster.faults.failRequests({ actor: MANAGER, verb, count, status: 500 });
  }

  expectRight(): void {
    this.expectRest(['tokens-rest', 'namespaces-rest']);
    const [root] = this.of('ConfigMap').filter(({ metadata }) => metadata.name === CERTIFICATE);
    for (const { type, data, metadata } of this.of('Secret')) {
      if (type !== TYPE) continue;
      const what = `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;
      expect(atob(data?.['namespace'] ?? ''), `the namespace in ${what}`).toBe(metadata.namespace);
      expect(atob(data?.['ca.crt'] ?? ''), `the certificate in ${what}`).toBe(root?.data?.['ca.crt']);
    }
  }
}

const namespace = fc.constantFrom(...SPACES);
const account: fc.Arbitrary<Place> = fc.record({ namespace, name: fc.constantFrom(...ACCOUNTS, 'default') });
const token: fc.Arbitrary<Place> = fc.record({ namespace, name: fc.constantFrom(...TOKENS) });
const act = actsOn<World>();
const makeToken = act('make token', fc.tuple(token, fc.constantFrom(...ACCOUNTS)), (world, drawn) =>
  world.makeToken(...drawn),
);
const makeAnew = act('make account anew', account, (world, place) => {
  world.removeAccount(place);
  world.makeAccount(place);
});
const doings = [
  act('make account', account, (world, place) => world.makeAccount(place)),
  act('make account', account, (world, place) => world.makeAccount(place)),
  act('remove account', account, (world, place) => world.removeAccount(place)),
  makeAnew,
  makeToken,
  makeToken,
  act('remove token', token, (world, place) => world.removeToken(place)),
  act('blur token', fc.tuple(token, fc.constantFrom('token', 'ca.crt', 'namespace')), (world, drawn) =>
    world.blurToken(...drawn),
  ),
  act('remove certificate', namespace, (world, of) => world.removeCertificate(of)),
  act('make namespace', NOTHING, (world) => world.makeSpace()),
  act('remove namespace', NOTHING, (world) => world.removeSpace()),
];
const accountWithToken = fc.tuple(account, token).map(([{ name }, place]) => ({
  has: { namespace: place.namespace, name },
  token: place,
}));
function makeWithToken(world: World, drawn: { readonly has: Place; readonly token: Place }): void {
  world.makeAccount(drawn.has);
  world.cluster.advance(milliseconds(500));
  world.makeToken(drawn.token, drawn.has.name);
  world.cluster.advance(milliseconds(500));
}
/** Of that account it is seen only that there is one. */
const remadeUnseen = act('make an account with a token anew, unseen', accountWithToken, (world, drawn) => {
  makeWithToken(world, drawn);
  world.unseen(() => {
    world.removeAccount(drawn.has);
    world.makeAccount(drawn.has);
  });
});
/** Refused when it is to be put back. */
const takeDefault = act(
  'take the default account',
  fc.tuple(namespace, fc.constantFrom(1, 2)),
  (world, [of, count]) => {
    world.refuse('create', count);
    world.removeAccount({ namespace: of, name: 'default' });
    world.cluster.advance(milliseconds(20));
  },
);
const pass = act('pass', fc.constantFrom(0.02, 0.5, 12), ({ cluster }, span) =>
  cluster.advance(milliseconds(span * 1_000)),
);
it('gives each account its tokens, and takes them with it', () => {
  holdsInAnyOrderAsBefore<World>({
    begin: () => new World(),
    acts: [
      fc.oneof(...doings),
      fc.oneof(act('account with token', accountWithToken, makeWithToken), remadeUnseen),
      unseen<World>(doings),
      fc.oneof(pass, pass, takeDefault),
      fc.oneof(...tokenTroubles<World>()),
    ],
    compare: () => undefined,
    end: (world) => {
      world.calm();
      world.expectRight();
      world.expectStill();
    },
    most: 16,
    runs: 20,
  });
});
