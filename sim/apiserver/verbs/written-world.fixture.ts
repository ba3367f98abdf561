/**
 * For properties of writes: a server with an object of several kinds, a client that has seen them, and writes of all sorts
 * that others may come before, between their reading and their writing.
 */
import { expect } from 'vitest';
import type { ApiObject, ManagedFieldsEntry } from '../../api/object.ts';
import { createApiServer } from '../../cluster/control-plane.ts';
import { begin } from '../../engine/process.ts';
import { MemoryStorage } from '../../storage/memory-storage.ts';
import type { Transaction, TransactionResult } from '../../storage/storage.ts';
import type { ApiServer } from '../api-server.ts';
import { type ApiResponse, QueryParameters } from '../request/request.ts';
import type { StoredObject } from '../stores/stored-object.ts';
import { edited, type RandomWrite, turned } from './random-writes.arbitrary.ts';
import { SteppedSurroundings } from './stepped-surroundings.fixture.ts';

const USER = { name: 'admin', groups: ['system:masters'] };
const START_MS = Date.parse('2025-03-01T00:00:00Z');

/** What somebody else does to the object while a request is under way. */
export type Other = 'label' | 'status' | 'delete' | 'remake';

/** Lets others write between the reading and the writing of a request, each time that it tries. */
class InterruptibleStorage extends MemoryStorage<StoredObject> {
  interruptions: readonly (() => void)[] = [];

  override transact(transaction: Transaction<StoredObject>): TransactionResult<StoredObject> {
    const [next, ...rest] = this.interruptions;
    if (next) {
      this.interruptions = [];
      next();
      this.interruptions = rest;
    }
    return super.transact(transaction);
  }
}

/** What others do before the request and amid its tries. */
export interface Met {
  readonly before?: readonly Other[];
  readonly amid?: readonly Other[];
}

interface Kind {
  readonly path: string;
  readonly object: object;
  readonly status: boolean;
}

const conditions = ['Ready', 'DiskPressure'].map((type) => ({
  type,
  status: 'False',
  lastHeartbeatTime: '2025-01-01T00:00:00Z',
  lastTransitionTime: '2025-01-01T00:00:00Z',
  reason: 'Started',
  message: 'is fine',
}));

const KINDS: readonly Kind[] = [
  {
    path: '/apis/coordination.k8s.io/v1/namespaces/default/leases',
    status: false,
    object: {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: 'a', ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' }] },
      spec: { holderIdentity: 'n', leaseDurationSeconds: 40, renewTime: '2025-01-01T00:00:00.000000Z' },
    },
  },
  {
    path: '/api/v1/nodes',
    status: true,
    object: {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'a', labels: { 'kubernetes.io/os': 'linux' }, annotations: { a: 'b' } },
      spec: { podCIDR: '10.0.0.0/24', taints: [{ key: 'k', effect: 'NoSchedule' }] },
      status: {
        capacity: { cpu: '8', memory: '1Gi' },
        conditions,
        addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
        images: [{ names: ['x', 'y'], sizeBytes: 5 }],
      },
    },
  },
  {
    path: '/api/v1/namespaces/default/pods',
    status: true,
    object: {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a', labels: { app: 'x' }, finalizers: ['example.com/keep'] },
      spec: {
        containers: [
          { name: 'main', image: 'i', resources: { limits: { cpu: '1' } }, ports: [{ containerPort: 80 }] },
        ],
        nodeName: 'n',
      },
    },
  },
  {
    path: '/api/v1/namespaces/default/configmaps',
    status: false,
    object: {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'a', labels: { app: 'x' }, finalizers: ['example.com/keep'] },
      data: { one: 'x', two: 'y' },
      binaryData: { three: 'YQ==' },
    },
  },
  {
    path: '/apis/example.com/v1/namespaces/default/things',
    status: true,
    object: {
      apiVersion: 'example.com/v1',
      kind: 'Thing',
      metadata: { name: 'a', labels: { app: 'x' } },
      spec: { size: 3, names: ['a', 'b'], free: { a: { b: 1 } } },
    },
  },
  {
    path: '/apis/apps/v1/namespaces/default/deployments',
    status: true,
    object: {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'a', labels: { app: 'x' } },
      spec: {
        replicas: 2,
        selector: { matchLabels: { app: 'x' } },
        template: { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'm', image: 'i' }] } },
      },
    },
  },
  {
    path: '/apis/rbac.authorization.k8s.io/v1/clusterroles',
    status: false,
    object: {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: 'a' },
      rules: [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }],
    },
  },
];

const ACCOUNT = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } };

const DEFINITION = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer', default: 1 },
                  names: { type: 'array', items: { type: 'string' } },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                },
              },
              status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
            },
          },
        },
      },
    ],
  },
};

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  json: 'application/json-patch+json',
  apply: 'application/apply-patch+yaml',
};

/** One server and what its client has seen of it. */
export class WrittenWorld {
  readonly storage = new InterruptibleStorage();
  readonly #server: ApiServer;
  readonly #seen = new Map<Kind, ApiObject[]>();
  readonly #surroundings = new SteppedSurroundings(START_MS);
  #met = 0;

  constructor(writesByDelta: boolean) {
    const surroundings = this.#surroundings.given;
    // A defect that both have is another test's.
    const onDefect = (): void => undefined;
    this.#server = createApiServer({ surroundings, storage: this.storage, writesByDelta, onDefect });
    this.call('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', DEFINITION);
    // The definition's resource appears a little later.
    this.#surroundings.runSoon();
    this.call('POST', '/api/v1/namespaces/default/serviceaccounts', ACCOUNT);
    for (const kind of KINDS) {
      const response = this.call('POST', kind.path, kind.object);
      expect(textOf(response)).toMatch(/^.{1,12}201/);
      this.#see(kind, response);
    }
  }

  /** How many of those who were to come amid the last write did so. */
  get met(): number {
    return this.#met;
  }

  write(
    write: RandomWrite,
    { before = [], amid = write.isInterrupted ? ['label'] : [] }: Met = {},
  ): ApiResponse {
    const kind = KINDS[write.kind % KINDS.length] as Kind;
    if (this.call('GET', `${kind.path}/a`).status === 404) this.call('POST', kind.path, kind.object);
    this.#surroundings.nowMs += write.seconds * 1_000;
    const [method, body] = bodyOf(write, kind, this.#seen.get(kind) ?? []);
    const isPart = write.isOfStatus && kind.status && method !== 'POST' && method !== 'DELETE';
    const path = method === 'POST' ? kind.path : `${kind.path}/a${isPart ? '/status' : ''}`;
    const type = CONTENT_TYPES[write.verb];
    const headers = { 'user-agent': write.agent, ...(type !== undefined && { 'content-type': type }) };
    for (const other of before) this.#meet(kind, other);
    this.storage.interruptions = amid.map((other) => () => this.#meet(kind, other));
    const query =
      write.verb === 'apply' ? { fieldManager: 'applier', force: 'true', ...write.query } : write.query;
    const response = this.call(method, path, body, headers, query);
    this.#met = amid.length - this.storage.interruptions.length;
    this.storage.interruptions = [];
    this.#see(kind, this.call('GET', `${kind.path}/a`));
    return response;
  }

  call(
    method: string,
    path: string,
    object?: unknown,
    headers: Readonly<Record<string, string>> = { 'user-agent': 'kubelet/1' },
    query: Readonly<Record<string, string>> = {},
  ): ApiResponse {
    const body = object === undefined ? {} : { body: { kind: 'object' as const, object } };
    const handling = begin(
      this.#server.handle({
        method,
        path,
        query: QueryParameters.of(query),
        headers,
        user: USER,
        wire: false,
        ...body,
      }),
    );
    if (!handling.isOver) throw new Error(`${method} ${path} waits`);
    return handling.value;
  }

  #meet({ path, object, status }: Kind, other: Other): void {
    if (other === 'delete' || other === 'remake') this.call('DELETE', `${path}/a`);
    if (other === 'remake') this.call('POST', path, object, { 'user-agent': 'other' });
    if (other === 'delete' || other === 'remake') return;
    const headers = { 'user-agent': 'other', 'content-type': 'application/merge-patch+json' };
    const isPart = other === 'status' && status;
    const labels = { interrupted: String(this.storage.revision) };
    const patch = isPart ? { status: { conditions: null } } : { metadata: { labels } };
    this.call('PATCH', `${path}/a${isPart ? '/status' : ''}`, patch, headers);
  }

  #see(kind: Kind, { status, body }: ApiResponse): void {
    if (status >= 400 || body.kind !== 'object') return;
    const seen = this.#seen.get(kind) ?? [];
    this.#seen.set(kind, [...seen, body.object as ApiObject].slice(-3));
  }
}

function bodyOf(write: RandomWrite, kind: Kind, seen: readonly ApiObject[]): [string, unknown] {
  const read = seen.at(-1 - Math.min(write.age, seen.length - 1));
  const change = (object: unknown): unknown => write.edits.reduce(edited, object);
  switch (write.verb) {
    case 'create':
      return ['POST', change(kind.object)];
    case 'delete':
      return ['DELETE', undefined];
    case 'update':
      return ['PUT', change(withEntries(write, read))];
    case 'json':
      return [
        'PATCH',
        write.edits.map(({ value }, at) => ({ op: 'add', path: PATHS[at % PATHS.length], value })),
      ];
    case 'apply': {
      const { status: _, ...rest } = kind.object as Record<string, unknown>;
      return ['PATCH', change(rest)];
    }
    default: {
      const { kind: _, apiVersion: __, ...rest } = (change(read) ?? {}) as Record<string, unknown>;
      return ['PATCH', rest];
    }
  }
}

const PATHS = ['/metadata/labels/new', '/spec', '/status', '/data/new'];

function withEntries({ entries, isUnversioned }: RandomWrite, read: ApiObject | undefined): unknown {
  if (!read) return undefined;
  const { metadata } = read;
  const managedFields = entriesAs(entries, metadata.managedFields);
  const isAsRead = managedFields === metadata.managedFields;
  if (isAsRead && !isUnversioned) return { ...read };
  const { resourceVersion, managedFields: _, ...rest } = metadata;
  return {
    ...read,
    metadata: {
      ...rest,
      ...(!isUnversioned && { resourceVersion }),
      ...(managedFields && { managedFields }),
    },
  };
}

function entriesAs(
  how: RandomWrite['entries'],
  entries: readonly ManagedFieldsEntry[] | undefined,
): readonly unknown[] | undefined {
  switch (how) {
    case 'as read':
      return entries;
    case 'none':
      return undefined;
    case 'empty':
      return [];
    case 'blank':
      return [{}];
    case 'turned':
      return entries && (turned(entries) as readonly unknown[]);
    case 'copied':
      return entries && (JSON.parse(JSON.stringify(entries)) as readonly unknown[]);
  }
}

export const textOf = ({ status, headers, body }: ApiResponse): string =>
  JSON.stringify({ status, headers, body: body.kind === 'object' ? body.object : body.kind });
