/**
 * What flow schemas and priority levels may say, field by field, beside a plain reading of their documentation ("API
 * Priority and Fairness"): whose requests go where, how many of a level run at once, and what is told of both.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../../../engine/any-order.arbitrary.ts';
import type { HookContext } from '../../strategy.ts';
import { type Field, type FieldRules, holdFieldByField, type Refused } from '../field-rules.fixture.ts';
import { flowSchemaKind } from './flow-schema.ts';
import { priorityLevelKind } from './priority-level-configuration.ts';

const V1 = 'flowcontrol.apiserver.k8s.io/v1';
interface Rule {
  readonly subjects?: readonly object[];
  readonly resourceRules?: readonly object[];
  readonly nonResourceRules?: readonly object[];
}

const USER = { kind: 'User', user: { name: 'u' } };
const ACCOUNT = { kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name: '*' } };
const OF_PODS = { verbs: ['get'], apiGroups: [''], resources: ['pods'], namespaces: ['n'] };
const OF_PATHS = { verbs: ['*'], nonResourceURLs: ['/healthz'] };
const RULE: Rule = { subjects: [USER], resourceRules: [OF_PODS] };

const wrong = (rule: Rule, ...places: readonly string[]): Refused => ({
  value: [RULE, rule],
  at: places.map((place) => `spec.rules[1]${place}`),
});
const ofSubject = (subject: object, place: string): Refused =>
  wrong({ ...RULE, subjects: [USER, subject] }, `.subjects[1].${place}`);
const ofPods = (more: object, place: string): Refused =>
  wrong({ ...RULE, resourceRules: [OF_PODS, { ...OF_PODS, ...more }] }, `.resourceRules[1].${place}`);
const ofPaths = (more: object, place: string): Refused =>
  wrong({ subjects: [USER], nonResourceRules: [{ ...OF_PATHS, ...more }] }, `.nonResourceRules[0].${place}`);

/** Each type of condition comes once. */
const conditionsOf = (types: readonly string[]): readonly object[] =>
  types.map((type) => ({ type, status: 'False', lastTransitionTime: '2026-01-01T00:00:00Z' }));
const CONDITIONS: Field = {
  at: 'status.conditions',
  may: [conditionsOf([]), conditionsOf(['A']), conditionsOf(['A', 'B', 'C'])].map((each) =>
    each.length > 0 ? each : undefined,
  ),
  mayNot: [
    { value: conditionsOf(['A', 'B', 'A']), at: ['status.conditions[2].type'] },
    { value: conditionsOf(['A', '']), at: ['status.conditions[1].type'] },
  ],
  isOfStatus: true,
  // Whether there is such a level the server says itself.
  reads: (conditions) => {
    const own = ((conditions ?? []) as { readonly type: string }[]).filter(({ type }) => type !== 'Dangling');
    return own.length > 0 ? own : undefined;
  },
};

const limited = (more: object): object => ({
  nominalConcurrencyShares: 1,
  limitResponse: { type: 'Reject' },
  ...more,
});
const queued = (queuing: object): object => limited({ limitResponse: { type: 'Queue', queuing } });
const wrongLevel = (level: object, place: string): Refused => ({
  value: { type: 'Limited', limited: level },
  at: [`spec.limited.${place}`],
});
const QUEUING = { queues: 64, handSize: 8, queueLengthLimit: 50 };

interface Level {
  readonly type: string;
  readonly exempt?: object;
  readonly limited?: { readonly limitResponse: { readonly type: string; readonly queuing?: object } };
}

function shownLevel(value: unknown): unknown {
  const { type, limited: level, exempt } = value as Level;
  const { queuing } = level?.limitResponse ?? {};
  const said = Object.fromEntries(Object.entries(queuing ?? {}).filter(([, each]) => each !== 0));
  return {
    type,
    ...(exempt && { exempt: { nominalConcurrencyShares: 0, lendablePercent: 0, ...exempt } }),
    ...(level && {
      limited: {
        nominalConcurrencyShares: 30,
        lendablePercent: 0,
        ...level,
        ...(queuing && { limitResponse: { ...level.limitResponse, queuing: { ...QUEUING, ...said } } }),
      },
    }),
  };
}

const KINDS: readonly FieldRules[] = [
  {
    apiVersion: V1,
    kind: 'FlowSchema',
    resource: 'flowschemas',
    isFilledIn: true,
    counts: ['spec'],
    statusKeepsLabels: true,
    fields: [
      {
        at: 'spec.matchingPrecedence',
        may: [undefined, 0, 2, 10_000],
        mayNot: [1, -1, 10_001],
        shows: (value) => (value === 0 ? 1_000 : (value ?? 1_000)),
      },
      {
        at: 'spec.priorityLevelConfiguration',
        may: [{ name: 'a' }, { name: 'b.c' }],
        mayNot: [{ name: '' }, { name: 'A' }].map((value) => ({
          value,
          at: ['spec.priorityLevelConfiguration.name'],
        })),
      },
      {
        at: 'spec.distinguisherMethod',
        may: [undefined, { type: 'ByUser' }, { type: 'ByNamespace' }],
        mayNot: [{ value: { type: 'ByGroup' }, at: ['spec.distinguisherMethod.type'] }],
      },
      {
        at: 'spec.rules',
        may: [
          undefined,
          [RULE],
          [
            { subjects: [ACCOUNT, { kind: 'Group', group: { name: 'g' } }], nonResourceRules: [OF_PATHS] },
            { subjects: [USER], resourceRules: [OF_PODS, { ...OF_PODS, namespaces: ['*'], verbs: ['*'] }] },
          ],
          [
            {
              ...RULE,
              resourceRules: [
                { verbs: ['list'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: null },
              ],
            },
          ],
          [
            {
              subjects: [USER],
              nonResourceRules: [
                { verbs: ['get', 'watch'], nonResourceURLs: ['/', '/a/*'] },
                { verbs: ['get'], nonResourceURLs: ['*'] },
              ],
            },
          ],
        ],
        mayNot: [
          wrong({ resourceRules: [OF_PODS] }, '.subjects'),
          wrong({ subjects: [USER] }, ''),
          ofSubject({ kind: 'Pod' }, 'kind'),
          ofSubject({ kind: 'User' }, 'user'),
          ofSubject({ kind: 'User', user: { name: '' } }, 'user.name'),
          ofSubject({ ...USER, group: { name: 'g' } }, 'group'),
          ofSubject({ ...ACCOUNT, user: { name: 'u' } }, 'user'),
          ofSubject({ kind: 'Group', group: { name: '' } }, 'group.name'),
          ofSubject(
            { kind: 'ServiceAccount', serviceAccount: { namespace: '', name: 'a' } },
            'serviceAccount.namespace',
          ),
          ofSubject(
            { kind: 'ServiceAccount', serviceAccount: { namespace: 'n', name: 'A' } },
            'serviceAccount.name',
          ),
          ofPods({ verbs: [] }, 'verbs'),
          ofPods({ verbs: ['get', '*'] }, 'verbs'),
          ofPods({ verbs: ['get', 'see'] }, 'verbs'),
          ofPods({ apiGroups: ['', '*'] }, 'apiGroups'),
          ofPods({ apiGroups: [] }, 'apiGroups'),
          ofPods({ resources: ['*', 'pods'] }, 'resources'),
          ofPods({ resources: [] }, 'resources'),
          ofPods({ namespaces: [] }, 'namespaces'),
          ofPods({ namespaces: ['n', '*'] }, 'namespaces'),
          ofPods({ namespaces: ['n', 'N'] }, 'namespaces[1]'),
          ofPaths({ verbs: [] }, 'verbs'),
          ofPaths({ nonResourceURLs: [] }, 'nonResourceURLs'),
          ofPaths({ nonResourceURLs: ['/a', '*'] }, 'nonResourceURLs'),
          ...['', 'a', '/a b', '/a//b', '/a*', '/*/a'].map((url) =>
            ofPaths({ nonResourceURLs: ['/a', url] }, 'nonResourceURLs[1]'),
          ),
        ],
      },
      CONDITIONS,
    ],
  },
  {
    apiVersion: V1,
    kind: 'PriorityLevelConfiguration',
    resource: 'prioritylevelconfigurations',
    isFilledIn: true,
    counts: ['spec'],
    statusKeepsLabels: true,
    fields: [
      {
        at: 'spec',
        may: [
          { type: 'Limited', limited: { limitResponse: { type: 'Reject' } } },
          { type: 'Limited', limited: limited({ nominalConcurrencyShares: 0, lendablePercent: 100 }) },
          { type: 'Limited', limited: limited({ borrowingLimitPercent: 0 }) },
          { type: 'Limited', limited: limited({ borrowingLimitPercent: 200, lendablePercent: 1 }) },
          { type: 'Limited', limited: queued({}) },
          { type: 'Limited', limited: queued({ queues: 8, handSize: 8, queueLengthLimit: 1 }) },
          { type: 'Limited', limited: queued({ queues: 0, handSize: 0, queueLengthLimit: 0 }) },
          { type: 'Limited', limited: queued({ queues: 1_024, handSize: 6, queueLengthLimit: 2 }) },
          { type: 'Limited', limited: queued({ queues: 10_000_000, handSize: 1 }) },
        ],
        mayNot: [
          { value: { type: 'Exempt' }, at: ['spec.type'] },
          { value: { type: 'Other' }, at: ['spec.type'] },
          { value: { type: 'Limited' }, at: ['spec.limited'] },
          { value: { type: 'Limited', limited: limited({}), exempt: {} }, at: ['spec.exempt'] },
          wrongLevel(limited({ nominalConcurrencyShares: -1 }), 'nominalConcurrencyShares'),
          wrongLevel(limited({ lendablePercent: -1 }), 'lendablePercent'),
          wrongLevel(limited({ lendablePercent: 101 }), 'lendablePercent'),
          wrongLevel(limited({ borrowingLimitPercent: -1 }), 'borrowingLimitPercent'),
          wrongLevel(limited({ limitResponse: { type: 'Wait' } }), 'limitResponse.type'),
          wrongLevel(limited({ limitResponse: { type: 'Queue' } }), 'limitResponse.queuing'),
          wrongLevel(limited({ limitResponse: { type: 'Reject', queuing: {} } }), 'limitResponse.queuing'),
          {
            value: { type: 'Limited', limited: queued({ queues: -1, handSize: 1 }) },
            at: ['spec.limited.limitResponse.queuing.queues', 'spec.limited.limitResponse.queuing.handSize'],
          },
          wrongLevel(queued({ queueLengthLimit: -1 }), 'limitResponse.queuing.queueLengthLimit'),
          wrongLevel(queued({ queues: 10_000_001, handSize: 1 }), 'limitResponse.queuing.queues'),
          ...[
            { queues: 8, handSize: 9 },
            { handSize: -1 },
            // Ten bits for each of seven.
            { queues: 1_024, handSize: 7 },
          ].map((queuing) => wrongLevel(queued(queuing), 'limitResponse.queuing.handSize')),
        ],
        shows: shownLevel,
      },
      CONDITIONS,
    ],
  },
];

it.each(KINDS)('$kind', (rules) => holdFieldByField(rules));

it('what is exempt comes first, and alone is so', () => {
  const name = fc.constantFrom('exempt', 'other');
  const type = fc.constantFrom('Exempt', 'Limited');
  fc.assert(
    fc.property(name, fc.integer({ min: -1, max: 3 }), type, (drawn, matchingPrecedence, level) => {
      const metadata = { name: drawn };
      const context = {} as HookContext;
      const schema = { matchingPrecedence, priorityLevelConfiguration: { name: 'l' } };
      const ofSchema = flowSchemaKind.strategy?.validate?.(
        { ...of('FlowSchema'), metadata, spec: schema },
        context,
      );
      const isFirst = matchingPrecedence === 1;
      expect(ofSchema ?? []).toHaveLength(matchingPrecedence < 1 || (isFirst && drawn === 'other') ? 1 : 0);
      const part = level === 'Exempt' ? { exempt: {} } : { limited: limited({}) };
      const ofLevel = priorityLevelKind.strategy?.validate?.(
        { ...of('PriorityLevelConfiguration'), metadata, spec: { type: level, ...part } },
        context,
      );
      expect(ofLevel?.map(({ field }) => field)).toEqual(
        (drawn === 'exempt') === (level === 'Exempt') ? [] : ['spec.type'],
      );
    }),
    asOftenAs(60),
  );
});

const of = (kind: string) => ({ apiVersion: V1, kind });
