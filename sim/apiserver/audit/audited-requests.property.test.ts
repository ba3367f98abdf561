/**
 * What is told of requests of all sorts under any policy, beside a plain reading of the documentation of audit policies
 * ("Auditing") and of what a real server tells at which stage: the first rule that matches settles the level, a body is
 * known once it was read, and an answer once it was given.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import type { ApiResponse } from '../request/request.ts';
import { auditedServer, policyOf, type Sent } from './audited-server.fixture.ts';
import type { AuditEvent } from './auditor.ts';

const MAP = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a' }, data: { k: 'v' } };
/** As Go writes what it has read. */
const READ_MAP = { ...MAP, metadata: { ...MAP.metadata, creationTimestamp: null } };
const CORE = '/api/v1/namespaces/default';

interface Asked extends Sent {
  readonly method: string;
  readonly path: string;
  readonly verb: string;
  /** Of a resource: `group/resource/subresource`. */
  readonly of?: readonly [group: string, resource: string, subresource?: string];
  readonly namespace?: string;
  /** In the path. */
  readonly name?: string;
  readonly isUnreadable?: boolean;
}

const maps = { of: ['', 'configmaps'], namespace: 'default' } as const;
const patching = { headers: { 'content-type': 'application/merge-patch+json' } };
const REQUESTS: readonly Asked[] = [
  { method: 'POST', path: `${CORE}/configmaps`, verb: 'create', body: MAP, ...maps },
  {
    method: 'POST',
    path: `${CORE}/configmaps`,
    verb: 'create',
    body: '{"metadata"',
    isUnreadable: true,
    ...maps,
  },
  { method: 'PUT', path: `${CORE}/configmaps/a`, verb: 'update', name: 'a', body: MAP, ...maps },
  {
    method: 'PATCH',
    path: `${CORE}/configmaps/a`,
    verb: 'patch',
    name: 'a',
    body: { data: {} },
    ...patching,
    ...maps,
  },
  { method: 'GET', path: `${CORE}/configmaps/a`, verb: 'get', name: 'a', ...maps },
  { method: 'GET', path: `${CORE}/configmaps`, verb: 'list', ...maps },
  { method: 'GET', path: `${CORE}/configmaps?watch=true`, verb: 'watch', ...maps },
  { method: 'DELETE', path: `${CORE}/configmaps/b`, verb: 'delete', name: 'b', ...maps },
  {
    ...{ method: 'GET', path: `${CORE}/pods/p/log`, verb: 'get' },
    ...{ of: ['', 'pods', 'log'], namespace: 'default', name: 'p' },
  },
  {
    ...{ method: 'GET', path: '/apis/apps/v1/namespaces/other/deployments/d/scale', verb: 'get' },
    ...{ of: ['apps', 'deployments', 'scale'], namespace: 'other', name: 'd' },
  },
  { method: 'GET', path: '/api/v1/nodes', verb: 'list', of: ['', 'nodes'] },
  { method: 'GET', path: '/healthz', verb: 'get' },
  { method: 'GET', path: '/livez/ping', verb: 'get' },
];

interface Person {
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined: nobody knows who it is. */
  readonly user?: { readonly name: string; readonly groups: readonly string[] };
  readonly plays?: string;
}

const ADMIN = { name: 'admin', groups: ['system:masters', 'system:authenticated'] };
const PEOPLE: readonly Person[] = [
  { headers: {}, user: ADMIN },
  { headers: {}, user: ADMIN },
  { headers: { authorization: 'Bearer b' }, user: { name: 'bob', groups: ['system:authenticated'] } },
  { headers: { 'impersonate-user': 'eve' }, user: ADMIN, plays: 'eve' },
  { headers: { authorization: 'Bearer nobody' } },
];

/** Everybody who is known may ask how the server is. */
const mayAsk = ({ path }: Asked, { user, plays }: Person): boolean =>
  (user === ADMIN && plays === undefined) || (user !== undefined && path === '/healthz');

const LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
const STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete'] as const;

interface Rule {
  readonly level: (typeof LEVELS)[number];
  readonly omitStages?: readonly string[];
  readonly omitManagedFields?: boolean;
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly namespaces?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly resources?: readonly {
    readonly group?: string;
    readonly resources?: readonly string[];
    readonly resourceNames?: readonly string[];
  }[];
}

const some = (...words: readonly string[]): fc.Arbitrary<string[]> =>
  fc.uniqueArray(fc.constantFrom(...words), { maxLength: 3 });
const ofAll = {
  level: fc.constantFrom(...LEVELS),
  omitStages: fc.subarray([...STAGES]),
  omitManagedFields: fc.boolean(),
  users: some('admin', 'bob', 'eve'),
  userGroups: some('system:authenticated', 'system:masters'),
  verbs: some('get', 'list', 'create', 'watch', '*'),
};
const ofResources = {
  namespaces: some('default', 'other', ''),
  resources: fc.array(
    fc.record(
      {
        group: fc.constantFrom('', '', 'apps'),
        resources: some('configmaps', 'pods', 'pods/log', 'pods/*', 'configmaps/*', '*/scale', '*'),
        resourceNames: some('a', 'p', 'd'),
      },
      { requiredKeys: [] },
    ),
    { maxLength: 2 },
  ),
};
const requiredKeys = ['level' as const];
const rule: fc.Arbitrary<Rule> = fc.oneof(
  fc.record(ofAll, { requiredKeys }),
  fc.record({ ...ofAll, ...ofResources }, { requiredKeys }),
  fc.record({ level: ofAll.level, ...ofResources }, { requiredKeys }),
  fc.record({ ...ofAll, nonResourceURLs: some('/healthz', '/livez*', '*') }, { requiredKeys }),
);
const policy = fc.record({
  rules: fc.array(rule, { minLength: 1, maxLength: 4 }),
  omitStages: fc.oneof(fc.constant([]), fc.subarray([...STAGES])),
  omitManagedFields: fc.boolean(),
});

const none = (list: readonly unknown[] | undefined): boolean => !list || list.length === 0;

function isMeant({ resources, ...rule }: Rule, asked: Asked, { user }: Person): boolean {
  if (!none(rule.users) && !rule.users?.some((name) => name === user?.name)) return false;
  if (!none(rule.userGroups) && !rule.userGroups?.some((group) => user?.groups.includes(group))) return false;
  if (!none(rule.verbs) && !rule.verbs?.some((verb) => verb === '*' || verb === asked.verb)) return false;
  const isOfResources = !none(resources) || !none(rule.namespaces);
  if (!isOfResources && none(rule.nonResourceURLs)) return true;
  const { of, namespace = '', name = '', path } = asked;
  if (!of)
    return (rule.nonResourceURLs ?? []).some((url) =>
      url.endsWith('*') ? path.startsWith(url.replace('*', '')) : path === url,
    );
  if (!isOfResources) return false;
  if (!none(rule.namespaces) && !rule.namespaces?.includes(namespace)) return false;
  const [group, resource, subresource] = of;
  const words =
    subresource === undefined
      ? [resource, `${resource}/*`, '*']
      : [`${resource}/${subresource}`, `${resource}/*`, `*/${subresource}`, '*'];
  const covers = (each: NonNullable<Rule['resources']>[number]): boolean =>
    (each.group ?? '') === group &&
    (none(each.resources) ||
      (each.resources?.some((word) => words.includes(word)) === true &&
        (none(each.resourceNames) || each.resourceNames?.includes(name) === true)));
  return none(resources) || (resources ?? []).some(covers);
}

const server = auditedServer(policyOf({ level: 'None' }));
server.send('POST', `${CORE}/configmaps`, { body: MAP });

function ask({ method, path, body, headers }: Asked, person: Person): readonly AuditEvent[] {
  server.events.length = 0;
  const response: ApiResponse = server.send(method, path, {
    ...(body !== undefined && { body }),
    headers: { ...headers, ...person.headers },
  });
  if (response.body.kind === 'stream') response.body.stream.close();
  return [...server.events];
}

const isManagedIn = (part: unknown): boolean => JSON.stringify(part ?? null).includes('"managedFields"');

interface Given {
  readonly level: Rule['level'];
  readonly omitsManagedFields: boolean;
}

function checkEvent(
  event: AuditEvent,
  { level, omitsManagedFields }: Given,
  asked: Asked,
  person: Person,
): void {
  const { stage, user, impersonatedUser, objectRef, requestObject, responseObject } = event;
  const { user: known, plays } = person;
  const isReceived = stage === 'RequestReceived';
  const isAllowed = mayAsk(asked, person);
  expect(event['level']).toBe(level);
  expect(event['verb']).toBe(asked.verb);
  expect(user).toEqual(known ? expect.objectContaining({ username: known.name }) : {});
  expect((impersonatedUser as { username?: string } | undefined)?.username).toBe(
    isReceived ? undefined : plays,
  );

  const isRead = asked.body !== undefined && !asked.isUnreadable && !isReceived && isAllowed;
  const [group, resource, subresource] = asked.of ?? [];
  const name = asked.name ?? (isRead ? 'a' : undefined);
  expect(objectRef).toEqual(
    asked.of && {
      ...{ resource, apiVersion: 'v1' },
      ...(asked.namespace !== undefined && { namespace: asked.namespace }),
      ...(name !== undefined && { name }),
      ...(group !== '' && { apiGroup: group }),
      ...(subresource !== undefined && { subresource }),
    },
  );
  const keepsRequest = isRead && (level === 'Request' || level === 'RequestResponse');
  const read = asked.body === MAP ? READ_MAP : asked.body;
  expect(requestObject).toEqual(keepsRequest ? read : undefined);
  // Whoever is fine says so in plain text, and a watch tells objects one by one.
  const isPlain = isAllowed && (asked.of === undefined || asked.verb === 'watch');
  const isAnswer = stage === 'ResponseComplete' && !isPlain;
  expect(responseObject !== undefined).toBe(isAnswer && level === 'RequestResponse');
  const { code } = (event['responseStatus'] ?? {}) as { readonly code?: number };
  const isShown = responseObject !== undefined && code === 200 && resource === 'configmaps';
  if (omitsManagedFields) expect(isManagedIn(responseObject)).toBe(false);
  else if (isShown && asked.verb !== 'delete') expect(isManagedIn(responseObject)).toBe(true);
}

it('tells of each request what the first rule that is meant says, at the stages that it has', () => {
  const requests = fc.array(fc.tuple(fc.constantFrom(...REQUESTS), fc.constantFrom(...PEOPLE)), {
    minLength: 4,
    maxLength: 10,
  });
  fc.assert(
    fc.property(policy, requests, ({ rules, ...whole }, all) => {
      server.change(JSON.stringify({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules, ...whole }));
      for (const [asked, person] of all) {
        const before = server.auditor.eventCount;
        const events = ask(asked, person);
        const found = rules.find((each) => isMeant(each, asked, person));
        const level = found?.level ?? 'None';
        const stages = !person.user
          ? ['ResponseStarted']
          : mayAsk(asked, person) && asked.verb === 'watch'
            ? STAGES
            : ['RequestReceived', 'ResponseComplete'];
        const omitted = [...whole.omitStages, ...(found?.omitStages ?? [])];
        const told = stages.filter((stage) => level !== 'None' && !omitted.includes(stage));
        expect(events.map(({ stage }) => stage)).toEqual(told);
        expect(server.auditor.eventCount - before).toBe(told.length);
        const omitsManagedFields = found?.omitManagedFields ?? whole.omitManagedFields;
        for (const event of events) checkEvent(event, { level, omitsManagedFields }, asked, person);
      }
    }),
    asOftenAs(60),
  );
});
