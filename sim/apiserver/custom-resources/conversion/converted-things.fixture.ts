/** For tests of conversion: a cluster with a kind in two versions, and a webhook that knows how to get from one to the other. */
import { expect } from 'vitest';
import { createCluster, type HttpAnswer, milliseconds, seconds, WireUser } from '../../../index.ts';
import { bodyObject, type HttpCall, objectBody } from '../../../api/http-call.ts';
import type { ApiObject } from '../../../api/object.ts';
import { serveHttp } from '../../../client/http-port.ts';
import type { Process } from '../../../engine/process.ts';

interface Review {
  readonly apiVersion: string;
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly ApiObject[];
  };
}

export interface Answered {
  response: { uid: string; convertedObjects: Draft[]; result: object } | undefined;
}

interface Draft {
  apiVersion: string;
  metadata: Record<string, unknown>;
  spec?: Record<string, unknown>;
}

/** `path`: at which it was asked. */
export type Spoil = (answer: Answered, review: Review, path: string) => void;

const user = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
const PREFIX = '/apis/example.com';

const version = (name: string, isStored: boolean) => ({
  name,
  served: true,
  storage: isStored,
  schema: {
    openAPIV3Schema: {
      type: 'object',
      properties: {
        spec: {
          type: 'object',
          properties:
            name === 'v1'
              ? { host: { type: 'string' }, port: { type: 'string' } }
              : { hostPort: { type: 'string', maxLength: 9 }, replicas: { type: 'integer' } },
          ...(name === 'v1' && { 'x-kubernetes-preserve-unknown-fields': true }),
        },
        status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
  subresources: {
    status: {},
    ...(name === 'v2' && {
      scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
    }),
  },
});

export const definition = (clientConfig: object, stored = 'v1') => ({
  metadata: { name: 'things.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'things', kind: 'Thing' },
    versions: ['v1', 'v2'].map((name) => version(name, name === stored)),
    conversion: { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig } },
  },
});

export function converted(object: ApiObject, apiVersion: string): Draft {
  const draft = structuredClone(object) as unknown as Draft;
  draft.apiVersion = apiVersion;
  // What an apply leaves of an object has not always something to say.
  if (!draft.spec) return draft;
  const { host, port, hostPort, ...rest } = draft.spec;
  const [ownHost, ownPort] = typeof hostPort === 'string' ? hostPort.split(':') : [host, port];
  const isSaid = ownHost !== undefined || ownPort !== undefined;
  const said = apiVersion.endsWith('v2')
    ? { hostPort: `${String(ownHost)}:${String(ownPort)}` }
    : { host: ownHost, port: ownPort };
  draft.spec = { ...rest, ...(isSaid && said) };
  return draft;
}

/** A cluster with a definition whose webhook answers well, or as it is told to. */
export function setUp(clientConfig: object = { url: 'https://converter.example.com/convert' }) {
  const cluster = createCluster({ controllers: [] });
  const state: { spoil?: Spoil | undefined } = {};
  const asked: string[] = [];
  cluster.simulation.actor('converter.example.com', {
    *start(context) {
      serveHttp(context, 443, function* (call: HttpCall): Process<HttpAnswer> {
        const review = bodyObject(call.body) as Review;
        const { uid, desiredAPIVersion, objects } = review.request;
        for (const { metadata } of objects)
          asked.push(`${metadata.name ?? ''} ${desiredAPIVersion.slice(-2)}`);
        const convertedObjects = objects.map((object) => converted(object, desiredAPIVersion));
        const answer = {
          kind: 'ConversionReview',
          apiVersion: review.apiVersion,
          response: { uid, convertedObjects, result: { status: 'Success' } },
        };
        state.spoil?.(answer, review, call.path.split('?')[0] ?? '');
        yield* context.sleep(milliseconds(10));
        return { status: 200, body: objectBody(answer) };
      });
    },
  });
  cluster.advance(milliseconds(100));
  const wire = new WireUser(cluster);
  const ask = (
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    body?: object,
    type?: string,
  ) => {
    const headers = {
      accept: 'application/json',
      'content-type': type ?? (method === 'PATCH' ? 'application/merge-patch+json' : 'application/json'),
    };
    const [route = '', search = ''] = path.split('?', 2);
    const query = Object.fromEntries(new URLSearchParams(search));
    const answer = wire.request({ method, path: route, query, user, headers, ...(body && { body }) });
    return {
      status: answer?.status,
      body: JSON.parse(String(answer?.body)) as ApiObject & {
        readonly items?: ApiObject[];
        readonly message?: string;
      },
    };
  };
  expect(
    ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition(clientConfig)).status,
  ).toBe(201);
  cluster.advance(seconds(1));
  const watch = (name: string, since?: string) => {
    const query = { watch: '1', ...(since !== undefined && { resourceVersion: since }) };
    return wire.watch({ method: 'GET', path: things(name), query, user }).log;
  };
  const stored = () =>
    cluster.storage
      .range({ prefix: '/registry/example.com/things/' })
      .entries.map(({ value: { apiVersion, spec } }) => [apiVersion, spec]);
  return { cluster, state, asked, ask, watch, stored };
}

export const things = (name: string, path = ''): string =>
  `${PREFIX}/${name}/namespaces/default/things${path}`;

export const old = (name: string) => ({
  apiVersion: 'example.com/v1',
  kind: 'Thing',
  metadata: { name },
  spec: { host: 'h', port: '1' },
});
export const young = (name: string, hostPort = 'h:1') => ({
  apiVersion: 'example.com/v2',
  kind: 'Thing',
  metadata: { name },
  spec: { hostPort },
});

export const failing: Spoil = (answer) => {
  if (answer.response) answer.response.result = { status: 'Failure', message: 'down' };
};
