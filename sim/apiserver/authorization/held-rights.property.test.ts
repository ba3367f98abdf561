/**
 * Roles and bindings that come, change and go in any order, on servers that hear late, crash and come back: who may do what
 * is what the roles say that there are, or were not longer ago than the server is late, and nobody gives away what he has not.
 *
 * @holds sim/apiserver/admission/plugins
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ApiObject } from '../../api/object.ts';
import type {
  ClusterRole,
  PolicyRule,
  RoleBinding,
  Subject,
} from '../../api/types/rbac-authorization-k8s-io-v1.ts';
import type { SubjectAccessReview } from '../../api/types/authorization-k8s-io-v1.ts';
import type { ResourceHandle } from '../../client/resource-handle.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { WireUser } from '../../cluster/wire-user.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { milliseconds, seconds } from '../../engine/time.ts';

const RBAC = 'rbac.authorization.k8s.io';
const SERVER = 'apiserver/0';
const SPACES = ['default', 'kube-public'] as const;
const ROLES = ['reader', 'writer'] as const;
const BINDINGS = ['b', 'c'] as const;
const USERS = {
  ann: { name: 'ann', groups: ['team', 'system:authenticated'] },
  bot: { name: 'system:serviceaccount:default:bot', groups: ['system:authenticated'] },
} as const;
type Who = keyof typeof USERS;
const SUBJECTS: readonly Subject[] = [
  { kind: 'User', name: 'ann', apiGroup: RBAC },
  { kind: 'Group', name: 'team', apiGroup: RBAC },
  { kind: 'ServiceAccount', name: 'bot', namespace: 'default' },
  { kind: 'User', name: 'zed', apiGroup: RBAC },
];
const right = (
  verbs: readonly string[],
  resources: readonly string[],
  resourceNames?: readonly string[],
) => ({
  ...{ verbs, apiGroups: [''], resources },
  ...(resourceNames && { resourceNames }),
});
const RIGHTS: readonly PolicyRule[] = [
  right(['get'], ['configmaps']),
  right(['get'], ['configmaps'], ['own']),
  right(['create'], ['configmaps']),
  right(['*'], ['configmaps', 'pods']),
  right(['get'], ['*']),
  right(['get'], ['pods/log']),
];

/** `null`: in the whole cluster. */
type Space = (typeof SPACES)[number] | null;

interface Question {
  readonly verb: string;
  readonly resource: string;
  readonly name: string;
  readonly subresource?: string;
}
const QUESTIONS: readonly Question[] = [
  { verb: 'get', resource: 'configmaps', name: 'own' },
  { verb: 'get', resource: 'configmaps', name: 'other' },
  { verb: 'create', resource: 'configmaps', name: '' },
  { verb: 'get', resource: 'pods', name: 'p', subresource: 'log' },
];

/** What a binding binds: a role of its namespace, or one of the cluster. */
interface Bound {
  readonly role: string;
  readonly isOfCluster: boolean;
  readonly subjects: readonly Subject[];
}

class World {
  readonly cluster = createCluster({ authorizationMode: 'RBAC', controllers: [] });
  readonly #user = new WireUser(this.cluster);
  #lateMs = 0;
  /** All that there was, and until when. */
  readonly #past: { readonly objects: readonly ApiObject[]; readonly untilMs: number }[] = [];
  #present: readonly ApiObject[] = [];

  constructor() {
    this.cluster.advance(seconds(1));
    // Whoever writes roles may read and write them, no more.
    const { clusterRoles, clusterRoleBindings } = this.cluster.client;
    const writes = { verbs: ['create', 'update', 'get'], apiGroups: [RBAC], resources: ['*'] };
    clusterRoles.create({ metadata: { name: 'keeper' }, rules: [writes] });
    clusterRoleBindings.create({
      metadata: { name: 'keepers' },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: 'keeper' },
      subjects: [{ kind: 'User', name: 'ann', apiGroup: RBAC }],
    });
    this.#present = this.#objects;
  }

  get #nowMs(): number {
    return this.cluster.userClient.context.wallMs();
  }

  get #objects(): readonly ApiObject[] {
    return ['roles', 'clusterroles', 'rolebindings', 'clusterrolebindings'].flatMap((each) =>
      this.cluster.storage.range({ prefix: `/registry/${each}/` }).entries.map(({ value }) => value),
    );
  }

  /** What there was until now may be seen for as long as the server is late. */
  #note(): void {
    const untilMs = this.#nowMs;
    this.#past.push({ objects: this.#present, untilMs });
    this.#present = this.#objects;
  }

  #do(change: () => unknown): void {
    tryTo(change);
    this.#note();
  }

  role(space: Space, name: string, rules: readonly PolicyRule[] | null): void {
    const { roles, clusterRoles } = this.cluster.client;
    const metadata = space === null ? { name } : { name, namespace: space };
    const client = space === null ? clusterRoles : roles;
    this.#do(() => {
      if (rules === null) client.delete(metadata);
      else if (this.#find(space === null ? 'ClusterRole' : 'Role', space, name))
        client.patch(metadata, { type: 'merge', body: { rules } });
      else client.create({ metadata, rules: [...rules] });
    });
  }

  bind(space: Space, name: string, bound: Bound | null): void {
    const { roleBindings, clusterRoleBindings } = this.cluster.client;
    const metadata = space === null ? { name } : { name, namespace: space };
    const client = space === null ? clusterRoleBindings : roleBindings;
    this.#do(() => client.delete(metadata));
    if (bound) this.#do(() => client.create({ metadata, ...bindingOf(space, bound) }));
  }

  /** The binding stays, and is for others. */
  hand(space: Space, name: string, subjects: readonly Subject[]): void {
    const { roleBindings, clusterRoleBindings } = this.cluster.client;
    const metadata = space === null ? { name } : { name, namespace: space };
    const client = space === null ? clusterRoleBindings : roleBindings;
    this.#do(() => client.patch(metadata, { type: 'merge', body: { subjects } }));
  }

  lag(ms: number): void {
    this.cluster.lagWatchCaches(milliseconds(ms));
    // What was held back comes at once where it is no longer to be late.
    this.#lateMs = ms;
    this.cluster.advance(milliseconds(20));
    if (ms === 0) this.#past.length = 0;
  }

  bounce(): void {
    this.cluster.faults.crash(SERVER);
    this.cluster.faults.restart(SERVER);
    this.cluster.advance(seconds(1));
    this.#past.length = 0;
    this.#present = this.#objects;
  }

  /** Of what he is given to begin with, among others. */
  giveOf(held: readonly PolicyRule[]): void {
    const [own = { kind: 'User', name: 'ann' }] = SUBJECTS;
    this.role(null, 'reader', held);
    this.bind(null, 'b', { role: 'reader', isOfCluster: true, subjects: [own] });
    for (const wanted of RIGHTS) this.give([wanted]);
  }

  /** He tries to give it, and may do so only if he has it. */
  give(rules: readonly PolicyRule[]): void {
    this.lag(0);
    this.role(null, 'given', null);
    const wanted = rules.flatMap(singleRights);
    const owned = [...grantsOf(this.#present, USERS.ann, null)];
    const isHeld = wanted.every((one) => owned.some((rule) => covers(rule, one)));
    const answer = this.#user.request({
      ...{ method: 'POST', path: `/apis/${RBAC}/v1/clusterroles`, user: USERS.ann },
      headers: { 'content-type': 'application/json' },
      body: { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name: 'given' }, rules },
    });
    expect(answer?.status, `ann gives ${JSON.stringify(rules)}`).toBe(isHeld ? 201 : 403);
    this.role(null, 'given', null);
  }

  #find(kind: string, space: Space, name: string): ApiObject | undefined {
    return find(this.#present, kind, space, name);
  }

  compare(): void {
    const nowMs = this.#nowMs;
    const seen = this.#past.filter(({ untilMs }) => untilMs >= nowMs - this.#lateMs && this.#lateMs > 0);
    const possible = [this.#present, ...seen.map(({ objects }) => objects)];
    for (const who of Object.keys(USERS) as Who[])
      for (const space of SPACES)
        for (const question of QUESTIONS) {
          const expected = new Set(
            possible.map((objects) => isAllowed(objects, USERS[who], space, question)),
          );
          const said = this.#ask(who, space, question);
          expect([...expected], `${who} may ${JSON.stringify(question)} in ${space}`).toContain(said);
        }
  }

  #ask(who: Who, namespace: string, resourceAttributes: Question): boolean {
    const { name: user, groups } = USERS[who];
    const spec = { user, groups: [...groups], resourceAttributes: { namespace, ...resourceAttributes } };
    const review = this.cluster.client.resource(REVIEWS).create({ metadata: {}, spec });
    return review.status?.allowed === true;
  }
}

const REVIEWS: ResourceHandle<SubjectAccessReview> = {
  ...{ group: 'authorization.k8s.io', version: 'v1', resource: 'subjectaccessreviews' },
  ...{ kind: 'SubjectAccessReview', isNamespaced: false },
};

const bindingOf = (space: Space, { role, isOfCluster, subjects }: Bound) => ({
  roleRef: { apiGroup: RBAC, kind: space === null || isOfCluster ? 'ClusterRole' : 'Role', name: role },
  subjects: [...subjects],
});

const find = (objects: readonly ApiObject[], kind: string, space: Space, name: string) =>
  objects.find(
    (each) =>
      each.kind === kind && each.metadata.name === name && (each.metadata.namespace ?? null) === space,
  );

type Person = (typeof USERS)[Who];

const isMeant = ({ kind, name, namespace = '' }: Subject, { name: user, groups }: Person): boolean => {
  if (kind === 'User') return user === name;
  if (kind === 'Group') return (groups as readonly string[]).includes(name);
  return user === `system:serviceaccount:${namespace}:${name}`;
};

function* grantsOf(objects: readonly ApiObject[], who: Person, space: Space): Generator<PolicyRule> {
  for (const binding of objects as readonly RoleBinding[]) {
    const { kind, metadata, subjects = [] } = binding;
    const isHere = kind === 'ClusterRoleBinding' || (kind === 'RoleBinding' && metadata.namespace === space);
    if (!isHere || !(subjects ?? []).some((each) => isMeant(each, who))) continue;
    const { kind: of, name } = binding.roleRef;
    const role = find(objects, of, of === 'Role' ? space : null, name) as ClusterRole | undefined;
    yield* role?.rules ?? [];
  }
}

const isAllowed = (objects: readonly ApiObject[], who: Person, space: Space, question: Question): boolean =>
  [...grantsOf(objects, who, space)].some((rule) => allows(rule, question));

/** A single right is covered by what would allow it: a name that is not said stands for all names. */
const covers = (rule: PolicyRule, { verb, resource, name, subresource }: Question): boolean =>
  allows(rule, { verb, resource, name, ...(subresource !== undefined && { subresource }) });

const singleRights = ({ verbs, resources = [], resourceNames = [''] }: PolicyRule): readonly Question[] =>
  verbs.flatMap((verb) =>
    resources.flatMap((full) =>
      resourceNames.map((name): Question => {
        const [resource = '', subresource] = full.split('/');
        return { verb, resource, name, ...(subresource !== undefined && { subresource }) };
      }),
    ),
  );

function allows(
  { verbs, apiGroups = [], resources = [], resourceNames = [] }: PolicyRule,
  { verb, resource, name, subresource }: Question,
): boolean {
  const full = subresource === undefined ? resource : `${resource}/${subresource}`;
  return (
    (verbs.includes('*') || verbs.includes(verb)) &&
    (apiGroups.includes('*') || apiGroups.includes('')) &&
    (resources.includes('*') || resources.includes(full)) &&
    (resourceNames.length === 0 || resourceNames.includes(name))
  );
}

const act = actsOn<World>();
const space = fc.constantFrom<Space[]>(...SPACES, null);
const rules = fc.subarray([...RIGHTS], { maxLength: 2 });
const subjects = fc.subarray([...SUBJECTS], { maxLength: 2 });
const roleName = fc.constantFrom(...ROLES);
const bound = fc.record({ role: roleName, isOfCluster: fc.boolean(), subjects });

it('are those of the roles that there are', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      act('role', fc.tuple(space, roleName, fc.option(rules, { freq: 4 })), (world, drawn) =>
        world.role(...drawn),
      ),
      act('role', fc.tuple(space, roleName, fc.option(rules, { freq: 4 })), (world, drawn) =>
        world.role(...drawn),
      ),
      act(
        'bind',
        fc.tuple(space, fc.constantFrom(...BINDINGS), fc.option(bound, { freq: 4 })),
        (world, drawn) => world.bind(...drawn),
      ),
      act(
        'bind',
        fc.tuple(space, fc.constantFrom(...BINDINGS), fc.option(bound, { freq: 4 })),
        (world, drawn) => world.bind(...drawn),
      ),
      act('hand', fc.tuple(space, fc.constantFrom(...BINDINGS), subjects), (world, drawn) =>
        world.hand(...drawn),
      ),
      act('give', rules, (world, drawn) => world.giveOf(drawn)),
      act('lag', fc.constantFrom(0, 400, 4_000), (world, ms) => world.lag(ms)),
      act('bounce', NOTHING, (world) => world.bounce()),
      act('pass', fc.constantFrom(50, 800, 6_000), ({ cluster }, ms) => cluster.advance(milliseconds(ms))),
    ],
    compare: (world) => world.compare(),
    end: (world) => {
      world.lag(0);
      world.compare();
    },
    most: 24,
    runs: 10,
  });
});
