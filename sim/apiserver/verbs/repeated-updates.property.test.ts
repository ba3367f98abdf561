/** Renewals that are answered from the one before against such that are examined as a whole: nobody sees a difference. */
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { createApiServer } from '../../cluster/control-plane.ts';
import type { ApiObject } from '../../api/object.ts';
import { formatMicroTimeOf } from '../../api/time-format.ts';
import { begin } from '../../engine/process.ts';
import { MemoryStorage } from '../../storage/memory-storage.ts';
import type { RequestInfo } from '../request/request-info.ts';
import { type ApiResponse, QueryParameters } from '../request/request.ts';
import type { StoredObject } from '../stores/stored-object.ts';
import { SteppedSurroundings } from './stepped-surroundings.fixture.ts';

const PATH = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const POLICIES = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
const BINDINGS = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
const [NODE, STRANGER] = ['system:node:a', 'someone'].map((name) => ({ name, groups: ['system:masters'] }));
const START_MS = Date.parse('2025-03-01T00:00:00Z');

/** What is done with the lease as its sender last saw it. */
const DEEDS = {
  renew: (lease: ApiObject, time: string) => withSpec(lease, { renewTime: time }),
  'renew twice in one text': (lease: ApiObject) =>
    withSpec(lease, { renewTime: '2025-03-01T00:00:01.000001Z' }),
  'renew in another zone': (lease: ApiObject) =>
    withSpec(lease, { renewTime: '2025-03-01T02:00:01.000001+02:00' }),
  'renew wrongly': (lease: ApiObject) => withSpec(lease, { renewTime: 'soon' }),
  'renew with nothing': (lease: ApiObject) => withSpec(lease, { renewTime: null }),
  'change hands': (lease: ApiObject, time: string) =>
    withSpec(lease, { holderIdentity: `b at ${time}`, renewTime: time }),
  'last longer': (lease: ApiObject, time: string) =>
    withSpec(lease, { leaseDurationSeconds: -1, renewTime: time }),
  label: ({ metadata, ...lease }: ApiObject, time: string) => ({
    ...lease,
    metadata: { ...metadata, labels: { at: time } },
  }),
  copy: (lease: ApiObject, time: string) =>
    withSpec(JSON.parse(JSON.stringify(lease)) as ApiObject, { renewTime: time }),
  'forget a member': ({ kind: _, ...lease }: ApiObject, time: string) =>
    withSpec(lease as ApiObject, { renewTime: time }),
} as const;

type Deed = keyof typeof DEEDS;

function withSpec(lease: ApiObject, spec: object): object {
  return { ...lease, spec: { ...(lease['spec'] as object), ...spec } };
}

interface Step {
  readonly deed: Deed | 'deny' | 'allow' | 'patch by a stranger' | 'finalize and delete' | 'create anew';
  readonly isByStranger: boolean;
  readonly agent: string;
  readonly isStale: boolean;
  readonly isDryRun: boolean;
  readonly ms: number;
}

const POLICY = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicy',
  metadata: { name: 'no-leases' },
  spec: {
    matchConstraints: {
      resourceRules: [
        {
          apiGroups: ['coordination.k8s.io'],
          apiVersions: ['v1'],
          operations: ['UPDATE'],
          resources: ['leases'],
        },
      ],
    },
    validations: [{ expression: 'false', message: 'not now' }],
  },
};
const BINDING = {
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: 'no-leases' },
  spec: { policyName: 'no-leases', validationActions: ['Deny'] },
};
const LEASE = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'a', ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' }] },
  spec: { holderIdentity: 'a', leaseDurationSeconds: 40, renewTime: '2025-01-01T00:00:00.000000Z' },
};

let repeated = 0;

class World {
  readonly #surroundings = new SteppedSurroundings(START_MS);
  readonly #seen: ApiObject[] = [];
  readonly #server;

  constructor(writesByDelta: boolean) {
    const surroundings = this.#surroundings.given;
    const onlooker = { repeated: ({ name }: RequestInfo) => void (name === 'a' && repeated++) };
    const observers = [onlooker];
    const storage = new MemoryStorage<StoredObject>();
    this.#server = createApiServer({ surroundings, storage, writesByDelta, observers });
    this.#call('POST', PATH, LEASE);
    this.#see();
  }

  take({ deed, isByStranger, agent, isStale, isDryRun, ms }: Step): readonly unknown[] {
    this.#surroundings.nowMs += ms;
    this.#surroundings.runSoon();
    const user = isByStranger ? STRANGER : NODE;
    const lease = this.#seen.at(isStale ? -2 : -1) ?? this.#seen[0];
    if (!lease) throw new Error('nobody has seen the lease');
    const answers = this.#answers(deed, (body) =>
      this.#call('PUT', `${PATH}/a`, body, { user, agent, query: isDryRun ? { dryRun: 'All' } : {} }),
    )(lease);
    this.#see();
    return [...answers, this.#call('GET', `${PATH}/a`)].map(({ status, body }) => [
      status,
      body.kind === 'object' ? JSON.stringify(body.object) : body.kind,
    ]);
  }

  #answers(
    deed: Step['deed'],
    put: (body: unknown) => ApiResponse,
  ): (lease: ApiObject) => readonly ApiResponse[] {
    switch (deed) {
      case 'deny':
        return () => [this.#call('POST', POLICIES, POLICY), this.#call('POST', BINDINGS, BINDING)];
      case 'allow':
        return () => [this.#call('DELETE', `${BINDINGS}/no-leases`)];
      case 'patch by a stranger':
        return () => [this.#patch({ metadata: { annotations: { at: String(this.#surroundings.nowMs) } } })];
      case 'finalize and delete':
        return () => [
          this.#patch({ metadata: { finalizers: ['example.com/keep'] } }),
          this.#call('DELETE', `${PATH}/a`),
        ];
      case 'create anew':
        return () => [
          this.#patch({ metadata: { finalizers: null } }),
          this.#call('DELETE', `${PATH}/a`),
          this.#call('POST', PATH, LEASE),
        ];
      default:
        return (lease) => [put(DEEDS[deed](lease, formatMicroTimeOf(this.#surroundings.nowMs * 1_000)))];
    }
  }

  #patch(body: object): ApiResponse {
    const query = {};
    return this.#call('PATCH', `${PATH}/a`, body, {
      user: STRANGER,
      agent: 'other',
      query,
      type: 'merge-patch',
    });
  }

  #call(
    method: string,
    path: string,
    object?: unknown,
    { user = NODE, agent = 'kubelet/1', query = {}, type = '' } = {},
  ): ApiResponse {
    const headers = { 'user-agent': agent, ...(type && { 'content-type': `application/${type}+json` }) };
    const request = { method, path, query: QueryParameters.of(query), headers, wire: false };
    const body = object === undefined ? {} : { body: { kind: 'object' as const, object } };
    const handling = begin(this.#server.handle({ ...request, ...body, ...(user && { user }) }));
    if (!handling.isOver) throw new Error(`${method} ${path} waits`);
    return handling.value;
  }

  #see(): void {
    const { status, body } = this.#call('GET', `${PATH}/a`);
    if (status === 200 && body.kind === 'object') this.#seen.push(body.object as ApiObject);
  }
}

const seldom = (): fc.Arbitrary<boolean> => fc.integer({ min: 0, max: 9 }).map((drawn) => drawn === 9);

const deeds: fc.Arbitrary<Step['deed']> = fc.oneof(
  { weight: 12, arbitrary: fc.constant('renew' as const) },
  {
    weight: 4,
    arbitrary: fc.constantFrom<Step['deed'][]>(
      ...(Object.keys(DEEDS) as Deed[]),
      'deny',
      'allow',
      'patch by a stranger',
      'finalize and delete',
      'create anew',
    ),
  },
);

const steps = fc.array(
  fc.record<Step>({
    deed: deeds,
    isByStranger: seldom(),
    agent: fc.constantFrom('kubelet/1', 'kubelet/1', 'kubelet/1', 'kubelet/2', 'other'),
    isStale: seldom(),
    isDryRun: seldom(),
    ms: fc.constantFrom(0, 1, 400, 10_000),
  }),
  { minLength: 1, maxLength: 25 },
);

it('answers, and leaves behind, what a whole examination would', () => {
  fc.assert(
    fc.property(steps, (drawn) => {
      const [quick, whole] = [new World(true), new World(false)];
      for (const step of drawn) expect(quick.take(step)).toStrictEqual(whole.take(step));
    }),
    { numRuns: 300 },
  );
});

// Otherwise the property would say nothing.
afterAll(() => expect(repeated).toBeGreaterThan(100));
