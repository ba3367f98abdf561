/**
 * For tests: a server that answers repetitions from what was before them, or examines all requests as a whole, and what
 * one object of it comes to; and the property that nobody can tell the two apart.
 */
import fc from 'fast-check';
import { expect } from 'vitest';
import { createApiServer } from '../../../cluster/control-plane.ts';
import type { ApiObject } from '../../../api/object.ts';
import { asOftenAs } from '../../../engine/any-order.arbitrary.ts';
import { begin } from '../../../engine/process.ts';
import { MemoryStorage } from '../../../storage/memory-storage.ts';
import type { RequestInfo } from '../../request/request-info.ts';
import { type ApiResponse, QueryParameters } from '../../request/request.ts';
import type { StoredObject } from '../../stores/stored-object.ts';
import { SteppedSurroundings } from '../stepped-surroundings.fixture.ts';

const [NODE, STRANGER] = ['system:node:a', 'someone'].map((name) => ({ name, groups: ['system:masters'] }));
const START_MS = Date.parse('2025-03-01T00:00:00Z');
const GROUP = '/apis/admissionregistration.k8s.io/v1';

export interface Asking {
  readonly isByStranger?: boolean;
  readonly agent?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly type?: string;
}

/** The object that is told again and again, its name is `a`; and what rules of policies call such requests. */
export interface Subject {
  /** Of the collection. */
  readonly path: string;
  readonly object: object;
  readonly group: string;
  readonly resource: string;
}

/** What is done beside requests that say something again. */
export const ASIDE = ['deny', 'allow', 'finalize and delete', 'create anew'] as const;
export type Aside = (typeof ASIDE)[number];

export class RepeatingServer {
  readonly surroundings = new SteppedSurroundings(START_MS);
  /** How many requests for the object were answered from the one before. */
  repeated = 0;
  /** As it was after each step. */
  readonly seen: ApiObject[] = [];
  readonly #subject: Subject;
  readonly #server;

  constructor(subject: Subject, writesByDelta: boolean) {
    this.#subject = subject;
    this.#server = createApiServer({
      surroundings: this.surroundings.given,
      storage: new MemoryStorage<StoredObject>(),
      writesByDelta,
      observers: [{ repeated: ({ name }: RequestInfo) => void (name === 'a' && this.repeated++) }],
    });
  }

  get objectPath(): string {
    return `${this.#subject.path}/a`;
  }

  wait(ms: number): void {
    this.surroundings.nowMs += ms;
    this.surroundings.runSoon();
  }

  create(): ApiResponse {
    return this.call('POST', this.#subject.path, this.#subject.object);
  }

  stepAside(aside: Aside): readonly ApiResponse[] {
    switch (aside) {
      case 'deny':
        return this.#deny();
      case 'allow':
        return [this.call('DELETE', `${GROUP}/validatingadmissionpolicybindings/none`)];
      case 'finalize and delete':
        return [
          this.patch({ metadata: { finalizers: ['example.com/keep'] } }),
          this.call('DELETE', this.objectPath),
        ];
      case 'create anew':
        return [
          this.patch({ metadata: { finalizers: null } }),
          this.call('DELETE', this.objectPath),
          this.create(),
        ];
    }
  }

  patch(body: object): ApiResponse {
    return this.call('PATCH', this.objectPath, body, {
      isByStranger: true,
      agent: 'other',
      type: 'merge-patch',
    });
  }

  /** A policy that lets nobody update such objects. */
  #deny(): readonly ApiResponse[] {
    const { group, resource } = this.#subject;
    const rule = { apiGroups: [group], apiVersions: ['v1'], operations: ['UPDATE'], resources: [resource] };
    return [
      this.call('POST', `${GROUP}/validatingadmissionpolicies`, {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name: 'none' },
        spec: {
          matchConstraints: { resourceRules: [rule] },
          validations: [{ expression: 'false', message: 'not now' }],
        },
      }),
      this.call('POST', `${GROUP}/validatingadmissionpolicybindings`, {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name: 'none' },
        spec: { policyName: 'none', validationActions: ['Deny'] },
      }),
    ];
  }

  call(method: string, path: string, object?: unknown, asking: Asking = {}): ApiResponse {
    const { isByStranger = false, agent = 'kubelet/1', query = {}, type } = asking;
    const user = isByStranger ? STRANGER : NODE;
    const headers = { 'user-agent': agent, ...(type && { 'content-type': `application/${type}+json` }) };
    const request = { method, path, query: QueryParameters.of(query), headers, wire: false };
    const body = object === undefined ? {} : { body: { kind: 'object' as const, object } };
    const whole = { ...request, ...body, ...(user && { user }) };
    const repeated = this.#server.repeat(whole);
    if (repeated) return repeated;
    const handling = begin(this.#server.handle(whole));
    if (!handling.isOver) throw new Error(`${method} ${path} waits`);
    return handling.value;
  }

  /** The answers, and the object that there is now, as anybody could tell them. */
  tell(answers: readonly ApiResponse[]): readonly unknown[] {
    const got = this.call('GET', this.objectPath);
    if (got.status === 200 && got.body.kind === 'object') this.seen.push(got.body.object as ApiObject);
    return [...answers, got].map(({ status, body }) => [
      status,
      body.kind === 'object' ? JSON.stringify(body.object) : body.kind,
    ]);
  }
}

export const seldom = (): fc.Arbitrary<boolean> => fc.integer({ min: 0, max: 9 }).map((drawn) => drawn === 9);

export interface Steps<Step> {
  readonly subject: Subject;
  readonly step: fc.Arbitrary<Step>;
  readonly take: (server: RepeatingServer, step: Step) => readonly ApiResponse[];
  readonly runs: number;
}

/** Whatever is done, both servers answer the same, and leave the same behind; and repetitions were among it. */
export function nobodySeesADifference<Step extends { readonly ms: number }>(steps: Steps<Step>): void {
  const { subject, step, take, runs } = steps;
  let repeated = 0;
  fc.assert(
    fc.property(fc.array(step, { minLength: 1, maxLength: 25 }), (drawn) => {
      const servers = [true, false].map((writesByDelta) => new RepeatingServer(subject, writesByDelta));
      const told = servers.map((server) => server.tell([server.create()]));
      expect(told[0]).toStrictEqual(told[1]);
      for (const each of drawn) {
        const [quick, whole] = servers.map((server) => {
          server.wait(each.ms);
          return server.tell(take(server, each));
        });
        expect(quick).toStrictEqual(whole);
      }
      repeated += servers[0]?.repeated ?? 0;
    }),
    asOftenAs(runs),
  );
  // Otherwise the property would say nothing.
  expect(repeated).toBeGreaterThan(100);
}
