/**
 * What a server counts of requests, in any order: each that came to a handler once, under what it asked for and how it was
 * answered, with a duration, and a size where it read; none that found no way to a handler. Beside a list of what each
 * request counts as, written from the documentation of the labels and from what a real server said.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createApiServer } from '../../cluster/control-plane.ts';
import { engineSurroundings } from '../../cluster/engine-surroundings.ts';
import { actsOn, holdsInAnyOrder } from '../../engine/any-order.arbitrary.ts';
import { Simulation } from '../../engine/simulation.ts';
import { seconds } from '../../engine/time.ts';
import { MemoryStorage } from '../../storage/memory-storage.ts';
import { type ApiResponse, QueryParameters } from '../request/request.ts';
import type { StoredObject } from '../stores/stored-object.ts';

const user = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
const MAPS = '/api/v1/namespaces/default/configmaps';
const SETS = '/apis/apps/v1/namespaces/default/replicasets';
const PODS = '/api/v1/namespaces/default/pods';
const NAMES = ['a', 'b'] as const;

const body = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

/** What a request counts as; undefined: as nothing. */
interface Counted {
  readonly verb: string;
  readonly scope?: string;
  readonly subresource?: string;
  readonly kind?: 'configmaps' | 'replicasets' | 'pods';
  /** It reads, so that its size counts. */
  readonly reads?: boolean;
  /** It is not to be over soon. */
  readonly lasts?: boolean;
}

interface Drawn {
  readonly name: (typeof NAMES)[number];
  readonly dryRun: string | undefined;
  readonly other: boolean;
}

const drawn = fc.record({
  name: fc.constantFrom(...NAMES),
  dryRun: fc.constantFrom(undefined, undefined, 'All', 'Some', ''),
  other: fc.boolean(),
});

const MERGE = 'application/merge-patch+json';
const APPLY = 'application/apply-patch+yaml';
const ONE = { scope: 'resource', kind: 'configmaps' } as const;

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly counted: Counted | undefined;
}

/** By what is done: the request, and what it counts as. */
const REQUESTS: Readonly<Record<string, (drawn: Drawn) => Asked>> = {
  create: ({ name }) => ({
    ...{ method: 'POST', path: MAPS, body: body(name) },
    counted: { verb: 'POST', ...ONE },
  }),
  get: ({ name, other }) => ({
    ...{ method: 'GET', path: `${MAPS}/${name}`, ...(other && { query: { watch: 'true' } }) },
    counted: { verb: other ? 'WATCH' : 'GET', ...ONE, reads: true },
  }),
  list: ({ other }) => ({
    ...{ method: 'GET', path: other ? '/api/v1/configmaps' : MAPS },
    counted: { verb: 'LIST', kind: 'configmaps', scope: other ? 'cluster' : 'namespace', reads: true },
  }),
  // The size of what comes by the path of old is not told.
  watch: ({ other }) => ({
    ...{ method: 'GET', path: other ? MAPS.replace('/v1/', '/v1/watch/') : MAPS },
    ...(!other && { query: { watch: '1' } }),
    counted: { verb: 'WATCH', kind: 'configmaps', scope: 'namespace', reads: !other, lasts: true },
  }),
  update: ({ name }) => ({
    ...{ method: 'PUT', path: `${MAPS}/${name}`, body: body(name) },
    counted: { verb: 'PUT', ...ONE },
  }),
  patch: ({ name, other }) => ({
    ...{ method: 'PATCH', path: `${MAPS}/${name}`, body: { data: { of: name } } },
    headers: { 'content-type': other ? 'text/plain' : MERGE },
    counted: other ? undefined : { verb: 'PATCH', ...ONE },
  }),
  apply: ({ name, other }) => ({
    ...{ method: 'PATCH', path: `${MAPS}/${name}`, body: body(name) },
    ...{ query: { fieldManager: 'me' }, headers: { 'content-type': other ? `${APPLY};q=1` : APPLY } },
    counted: { verb: other ? 'PATCH' : 'APPLY', ...ONE },
  }),
  delete: ({ name }) => ({
    ...{ method: 'DELETE', path: `${MAPS}/${name}` },
    counted: { verb: 'DELETE', ...ONE },
  }),
  'delete many': ({ name }) => ({
    ...{ method: 'DELETE', path: MAPS, query: { fieldSelector: `metadata.name=${name}` } },
    counted: { verb: 'DELETE', scope: 'namespace', kind: 'configmaps' },
  }),
  scale: ({ name }) => ({
    ...{ method: 'GET', path: `${SETS}/${name}/scale` },
    counted: { verb: 'GET', scope: 'resource', kind: 'replicasets', subresource: 'scale', reads: true },
  }),
  connect: ({ name, other }) => ({
    ...{ method: other ? 'GET' : 'POST', path: `${PODS}/${name}/${other ? 'log' : 'proxy/x'}` },
    counted: { verb: 'CONNECT', scope: 'resource', kind: 'pods', subresource: other ? 'log' : 'proxy' },
  }),
  'in no form': ({ name }) => ({
    ...{ method: 'GET', path: `${MAPS}/${name}`, headers: { accept: 'text/csv' } },
    counted: undefined,
  }),
  'in no form of ours': ({ name }) => ({
    ...{ method: 'GET', path: `${MAPS}/${name}` },
    headers: { accept: 'application/json;as=Map;g=meta.k8s.io;v=v1' },
    counted: { verb: 'GET', ...ONE, reads: true },
  }),
  'what there is not': ({ other }) => ({
    ...{ method: 'GET', path: other ? '/api/v1/maps' : '/apis/none/v1/maps' },
    counted: undefined,
  }),
  'with a method that it lacks': () => ({ method: 'PUT', path: MAPS, body: body('a'), counted: undefined }),
  health: ({ other }) => ({
    ...{ method: other ? 'HEAD' : 'GET', path: '/livez' },
    counted: { verb: 'GET', subresource: '/livez', reads: true },
  }),
  'part of health': () => ({ method: 'GET', path: '/livez/ping', counted: undefined }),
  'bare form': ({ name }) => ({
    ...{
      method: 'PUT',
      path: `${MAPS}/${name}`,
      body: body(name),
      headers: { 'content-type': 'text/plain' },
    },
    counted: { verb: 'PUT', ...ONE },
  }),
  openapi: ({ other }) => ({
    ...{ method: 'GET', path: other ? '/openapi/v3/apis/none/v1' : '/openapi/v3' },
    counted: { verb: 'GET', subresource: other ? 'openapi/v3/' : 'openapi/v3', reads: true },
  }),
  surface: ({ other }) => ({ method: 'GET', path: other ? '/version' : '/apis/apps', counted: undefined }),
};

const GROUPS = { configmaps: '', replicasets: 'apps', pods: '' } as const;

function labelsOf({ verb, kind, scope = '', subresource = '' }: Counted, dryRun: string): readonly string[] {
  const place = kind
    ? { component: 'apiserver', group: GROUPS[kind], resource: kind, version: 'v1' }
    : { component: '', group: '', resource: '', version: '' };
  const { component, group, resource, version } = place;
  return [
    `component="${component}"`,
    `dry_run="${dryRun}"`,
    `group="${group}"`,
    `resource="${resource}"`,
    `scope="${scope}"`,
    `subresource="${subresource}"`,
    `verb="${verb}"`,
    `version="${version}"`,
  ];
}

const OF_ALL =
  /^apiserver_(request_total|request(?:_sli)?_duration_seconds_count|response_sizes_count)\{(.*)\} (\d+)$/gm;
const ASKED = /resource="(configmaps|replicasets|pods)"|component="",.*subresource="(\/livez|openapi)/;
const SIZES = /^apiserver_response_sizes_sum\{.*\} (\d+)$/gm;
const IN_FLIGHT = /^apiserver_current_inflight_requests\{.*\} (\d+)$/gm;

/** What is there of a watch is read, and then nobody reads any more. */
function sizeOf({ body: sent }: ApiResponse): number {
  if (sent.kind === 'text') return sent.text.length;
  if (sent.kind === 'bytes') return (sent.head?.length ?? 0) + sent.bytes.length;
  if (sent.kind !== 'stream') return 0;
  const { stream } = sent;
  stream.subscribe(() => undefined);
  let size = 0;
  for (let piece = stream.read(); piece instanceof Uint8Array; piece = stream.read()) size += piece.length;
  stream.close();
  stream.close();
  return size;
}

class World {
  readonly #simulation = new Simulation({ seed: 1 });
  readonly #context = this.#simulation.actor('apiserver/0').context;
  readonly #server = createApiServer({
    surroundings: engineSurroundings(this.#context),
    storage: new MemoryStorage<StoredObject>(),
    metersRequests: true,
  });
  readonly #before = this.#told();
  readonly #counts = new Map<string, number>();
  #bytes = 0;

  #send({ method, path, query = {}, headers = {}, body: sent }: Omit<Asked, 'counted'>): ApiResponse {
    let answer: ApiResponse | undefined;
    const request = {
      ...{ method, path, headers, user, wire: true, remoteAddress: '10.0.0.9' },
      query: QueryParameters.parse(new URLSearchParams(query).toString()),
      ...(sent !== undefined && {
        body: { kind: 'bytes', bytes: new TextEncoder().encode(JSON.stringify(sent)) } as const,
      }),
    };
    const server = this.#server;
    this.#context.spawn(
      'request',
      (function* () {
        answer = yield* server.handle(request);
      })(),
    );
    this.#simulation.runFor(seconds(1));
    if (!answer) throw new Error('no answer');
    return answer;
  }

  #metrics(): string {
    const { body: told } = this.#send({ method: 'GET', path: '/metrics' });
    return told.kind === 'text' ? told.text : '';
  }

  #told(): ReadonlyMap<string, number> {
    const told = [...this.#metrics().matchAll(OF_ALL)].filter(([, , labels = '']) => ASKED.test(labels));
    return new Map(told.map(([, family = '', labels = '', count]) => [`${family} ${labels}`, Number(count)]));
  }

  #count(family: string, labels: readonly string[]): void {
    const key = `${family} ${labels.join(',')}`;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }

  ask({ counted, ...asked }: Asked, { dryRun }: Drawn): void {
    const answer = this.#send({
      ...asked,
      query: { ...asked.query, ...(dryRun !== undefined && { dryRun }) },
    });
    const size = sizeOf(answer);
    if (!counted) return;
    const labels = labelsOf(counted, dryRun === undefined || dryRun === 'All' ? (dryRun ?? '') : 'invalid');
    this.#count('request_total', [`code="${answer.status}"`, ...labels]);
    this.#count('request_duration_seconds_count', labels);
    const plain = labels.filter((label) => !label.startsWith('dry_run='));
    if (counted.lasts !== true) this.#count('request_sli_duration_seconds_count', plain);
    if (counted.reads !== true) return;
    this.#count('response_sizes_count', plain);
    this.#bytes += size;
  }

  check(): void {
    const moved = [...this.#told()]
      .map(([key, count]) => [key, count - (this.#before.get(key) ?? 0)] as const)
      .filter(([, count]) => count > 0);
    expect(Object.fromEntries(moved)).toEqual(Object.fromEntries(this.#counts));
    const sizes = [...this.#metrics().matchAll(SIZES)].map(([, size]) => Number(size));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(this.#bytes);
    const inFlight = [...this.#metrics().matchAll(IN_FLIGHT)].map(([, count]) => Number(count));
    // The question itself.
    expect(inFlight).toEqual([0, 1]);
  }
}

const act = actsOn<World>();

it('counts every request that comes to a handler once, under what it asked for', () => {
  holdsInAnyOrder({
    begin: () => new World(),
    acts: Object.entries(REQUESTS).map(([name, requestOf]) =>
      act(name, drawn, (world, draws) => world.ask(requestOf(draws), draws)),
    ),
    compare: () => undefined,
    end: (world) => world.check(),
    most: 40,
    runs: 25,
  });
});
