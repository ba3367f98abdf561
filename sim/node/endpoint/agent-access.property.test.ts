/**
 * Who may use an agent's endpoint, beside what was granted and taken back, and when: an agent goes by what was so within the
 * times for which it remembers (2 minutes whose a token is, 5 minutes what was allowed, 30 seconds what was refused), and
 * by what is so now where it remembers nothing, whatever hinders it from asking meanwhile.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { askAgent } from '../../cluster/agent-user.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { WireUser } from '../../cluster/wire-user.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { milliseconds } from '../../engine/time.ts';

const NODE = 'worker-1';
const AGENT = `node/${NODE}`;
const ADMINISTRATOR = { name: 'kubernetes-admin', groups: ['system:masters'] };
const ACCOUNT = 'robot';
const TOKEN_MS = 120_000;
const ALLOWED_MS = 300_000;
const REFUSED_MS = 30_000;
/** What a change and a question take. */
const MOMENT_MS = 500;
const RIGHTS = { 'nodes/stats': '/stats/summary', 'nodes/metrics': '/metrics' } as const;
type Right = keyof typeof RIGHTS;

/** What was so since when: the last entry is so now. */
class History {
  readonly #entries: { readonly atMs: number; readonly is: boolean }[] = [{ atMs: -Infinity, is: false }];

  set(is: boolean, atMs: number): void {
    if (this.isNow !== is) this.#entries.push({ atMs, is });
  }

  get isNow(): boolean {
    return this.#entries.at(-1)?.is === true;
  }

  /** At some time since then. */
  was(is: boolean, sinceMs: number): boolean {
    return this.#entries.some(
      (entry, at) => entry.is === is && (this.#entries[at + 1]?.atMs ?? Infinity) >= sinceMs,
    );
  }
}

class World {
  readonly #cluster = createCluster({
    nodes: 1,
    authorizationMode: 'RBAC',
    controllers: ['serviceaccount-controller'],
    scheduler: false,
    settled: true,
  });
  readonly #wire = new WireUser(this.#cluster);
  readonly #granted: Record<Right, History> = {
    'nodes/stats': new History(),
    'nodes/metrics': new History(),
  };
  /** Whether the token is one of somebody who is there. */
  readonly #known = new History();
  #token = 'nobody';
  /** Until when something hindered the agent. */
  #hinderedMs = -Infinity;
  #isCutOff = false;

  constructor() {
    const { clusterRoles, clusterRoleBindings } = this.#cluster.client;
    for (const right of Object.keys(RIGHTS) as Right[]) {
      const name = right.replace('/', '-');
      clusterRoles.create({ metadata: { name }, rules: [] });
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
      const subjects = [{ kind: 'ServiceAccount', name: ACCOUNT, namespace: 'default' }];
      clusterRoleBindings.create({ metadata: { name }, roleRef, subjects });
    }
    this.makeAccount();
    this.pass(MOMENT_MS);
  }

  get #nowMs(): number {
    return this.#cluster.simulation.now / 1_000;
  }

  pass(ms: number): void {
    this.#cluster.advance(milliseconds(ms));
  }

  /** With a token of its own. */
  makeAccount(): void {
    if (this.#known.isNow) return;
    this.#cluster.client.serviceAccounts.create({ metadata: { name: ACCOUNT, namespace: 'default' } });
    const answer = this.#wire.request({
      method: 'POST',
      path: `/api/v1/namespaces/default/serviceaccounts/${ACCOUNT}/token`,
      headers: { 'content-type': 'application/json' },
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { audiences: [] } },
      user: ADMINISTRATOR,
    });
    this.#token = (JSON.parse(String(answer?.body)) as { status: { token: string } }).status.token;
    this.#known.set(true, this.#nowMs);
  }

  removeAccount(): void {
    tryTo(() => this.#cluster.client.serviceAccounts.delete({ namespace: 'default', name: ACCOUNT }));
    this.#known.set(false, this.#nowMs);
  }

  grant(right: Right, isGranted: boolean): void {
    const rules = isGranted ? [{ apiGroups: [''], resources: [right], verbs: ['get'] }] : [];
    const name = right.replace('/', '-');
    this.#cluster.client.clusterRoles.patch(name, { type: 'merge', body: { rules } });
    this.#granted[right].set(isGranted, this.#nowMs);
  }

  refuse(resource: 'tokenreviews' | 'subjectaccessreviews'): void {
    this.#cluster.faults.failRequests({ actor: AGENT, resource, verb: 'create', count: 1, status: 500 });
    this.#hinderedMs = Infinity;
  }

  cutOff(isCutOff: boolean): void {
    if (isCutOff === this.#isCutOff) return;
    this.#isCutOff = isCutOff;
    this.#cluster.faults[isCutOff ? 'partition' : 'heal'](NODE, { from: 'apiserver/0' });
    this.#hinderedMs = isCutOff ? Infinity : this.#nowMs + MOMENT_MS;
  }

  calm(): void {
    this.cutOff(false);
    while (this.#cluster.faults.allowRequests({ actor: AGENT, verb: 'create' }));
    for (const resource of ['tokenreviews', 'subjectaccessreviews'])
      while (this.#cluster.faults.allowRequests({ actor: AGENT, resource, verb: 'create' }));
    this.#hinderedMs = this.#nowMs + MOMENT_MS;
    // Who has sent something in vain may wait for an answer still.
    this.pass(20_000);
  }

  ask(right: Right): void {
    const atMs = this.#nowMs;
    const answer = askAgent(this.#cluster, NODE, { method: 'GET', path: RIGHTS[right], token: this.#token });
    const isHindered = this.#hinderedMs >= atMs;
    const granted = this.#granted[right];
    const said = `${answer?.status} to one who ${granted.isNow ? 'may' : 'may not'} ask for ${right}`;
    if (answer?.status === 200) expect(granted.was(true, atMs - ALLOWED_MS - MOMENT_MS), said).toBe(true);
    else if (answer?.status === 403)
      expect(granted.was(false, atMs - REFUSED_MS - MOMENT_MS), said).toBe(true);
    else if (answer?.status === 401) expect(isHindered || !this.#known.isNow, said).toBe(true);
    else expect(isHindered, said).toBe(true);
    if (answer?.status === 200 || answer?.status === 403)
      expect(this.#known.was(true, atMs - TOKEN_MS - MOMENT_MS), `${said}, of whom nobody knows`).toBe(true);
  }

  end(): void {
    this.calm();
    this.makeAccount();
    for (const right of Object.keys(RIGHTS) as Right[]) this.ask(right);
  }
}

const act = actsOn<World>();
const right = fc.constantFrom<Right>('nodes/stats', 'nodes/metrics');
const ask = act('ask', right, (world, of) => world.ask(of));
const pass = act('pass', fc.constantFrom(100, 12_000, 31_000, 60_000, 125_000, 302_000), (world, ms) =>
  world.pass(ms),
);
const grant = act('grant', fc.tuple(right, fc.boolean()), (world, drawn) => world.grant(...drawn));

it('is as it was said to be not long ago', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[ask, ask, ask, pass, pass, grant, grant],
      act(
        'change, seen before',
        fc.tuple(right, fc.boolean(), fc.constantFrom(31_000, 302_000)),
        (world, drawn) => {
          const [of, isGranted, ms] = drawn;
          world.ask(of);
          world.grant(of, isGranted);
          world.pass(ms);
          world.ask(of);
        },
      ),
      act('make account', NOTHING, (world) => world.makeAccount()),
      act('remove account', NOTHING, (world) => world.removeAccount()),
      act('refuse', fc.constantFrom('tokenreviews' as const, 'subjectaccessreviews' as const), (world, of) =>
        world.refuse(of),
      ),
      act('cut off', fc.boolean(), (world, isCutOff) => world.cutOff(isCutOff)),
      act('calm', NOTHING, (world) => world.calm()),
      act('calm', NOTHING, (world) => world.calm()),
    ],
    compare: () => undefined,
    end: (world) => world.end(),
    most: 20,
    runs: 15,
    hasSomeOnly: true,
  });
});
