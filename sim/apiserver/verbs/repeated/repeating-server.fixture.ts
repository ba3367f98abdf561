/**
 * For tests: a server that answers repetitions from what was before them, or examines all requests as a whole, and what
 * one object of it comes to.
 */
import { createApiServer } from '../../../cluster/control-plane.ts';
import type { ApiObject } from '../../../api/object.ts';
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

export class RepeatingServer {
  readonly surroundings = new SteppedSurroundings(START_MS);
  /** How many requests for the object were answered from the one before. */
  repeated = 0;
  /** As it was after each step. */
  readonly seen: ApiObject[] = [];
  readonly #path: string;
  readonly #server;

  /** `path`: of the collection; the object's name is `a`. */
  constructor(path: string, writesByDelta: boolean) {
    this.#path = path;
    this.#server = createApiServer({
      surroundings: this.surroundings.given,
      storage: new MemoryStorage<StoredObject>(),
      writesByDelta,
      observers: [{ repeated: ({ name }: RequestInfo) => void (name === 'a' && this.repeated++) }],
    });
  }

  get objectPath(): string {
    return `${this.#path}/a`;
  }

  wait(ms: number): void {
    this.surroundings.nowMs += ms;
    this.surroundings.runSoon();
  }

  create(object: object): ApiResponse {
    return this.call('POST', this.#path, object);
  }

  patch(body: object): ApiResponse {
    return this.call('PATCH', this.objectPath, body, {
      isByStranger: true,
      agent: 'other',
      type: 'merge-patch',
    });
  }

  /** A policy that lets nobody update such objects. */
  deny(group: string, resources: readonly string[]): readonly ApiResponse[] {
    const rule = { apiGroups: [group], apiVersions: ['v1'], operations: ['UPDATE'], resources };
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

  allow(): ApiResponse {
    return this.call('DELETE', `${GROUP}/validatingadmissionpolicybindings/none`);
  }

  call(method: string, path: string, object?: unknown, asking: Asking = {}): ApiResponse {
    const { isByStranger = false, agent = 'kubelet/1', query = {}, type } = asking;
    const user = isByStranger ? STRANGER : NODE;
    const headers = { 'user-agent': agent, ...(type && { 'content-type': `application/${type}+json` }) };
    const request = { method, path, query: QueryParameters.of(query), headers, wire: false };
    const body = object === undefined ? {} : { body: { kind: 'object' as const, object } };
    const handling = begin(this.#server.handle({ ...request, ...body, ...(user && { user }) }));
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
