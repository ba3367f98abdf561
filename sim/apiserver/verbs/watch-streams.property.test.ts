/**
 * Watches as clients read them off the wire, in each encoding: streams that are cut amid a frame, servers that begin anew,
 * lag or have forgotten the past, readers that are slow, deadlines. Whoever goes on from where he was hears of every change
 * once and in order, and has in the end what there is; whoever comes too late is told so, and nothing else.
 *
 * @holds sim/apiserver/watch-cache sim/apiserver/representation sim/apiserver/streams sim/apiserver/stores
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { readWatchFrames, unwrapEnvelope } from '../../api/codec/envelope.ts';
import { decodeProtobuf } from '../../api/codec/protobuf.ts';
import type { ApiObject } from '../../api/object.ts';
import { RELEASE_1_31 } from '../../api/release/release-1-31.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import type { Process } from '../../engine/process.ts';
import { milliseconds, minutes, seconds } from '../../engine/time.ts';
import { responsePieces } from '../../host/response-pieces.ts';
import type { ApiServer } from '../api-server.ts';
import { type ApiResponse, QueryParameters, type ResponseStream } from '../request/request.ts';

const PATH = '/api/v1/namespaces/default/configmaps';
const ADMIN = { name: 'admin', groups: ['system:masters'] };
const NAMES = ['a', 'b', 'c', 'd'] as const;
const FORMS = {
  json: 'application/json',
  protobuf: 'application/vnd.kubernetes.protobuf',
  table: 'application/json;as=Table;v=v1;g=meta.k8s.io',
  metadata: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io',
} as const;
const MORE_THAN_KEPT = 1_100;
type Form = keyof typeof FORMS;
const STRUCT = RELEASE_1_31.catalog.types.structOf('v1.ConfigMap');
const STATUS = RELEASE_1_31.catalog.types.structOf('meta.k8s.io/v1.Status');

interface Change {
  readonly version: number;
  readonly name: string;
  readonly before: ApiObject | undefined;
  readonly after: ApiObject | undefined;
}

interface Heard {
  readonly type: string;
  readonly object: ApiObject & { readonly code?: number };
}

/** All that clients have in common: the cluster, and what really happened. */
class World {
  readonly cluster = createCluster({ controllers: [], apiServers: 2, compactionInterval: minutes(1) });
  readonly history: Change[] = [];
  readonly readers: readonly Reader[];

  constructor() {
    this.cluster.storage.watch({
      prefix: '/registry/configmaps/default/',
      onEvents: (events) => {
        for (const event of events) {
          const after = event.kind === 'put' ? event.entry.value : undefined;
          const before = event.previous?.value;
          const version = Number(event.kind === 'put' ? event.entry.modRevision : event.revision);
          this.history.push({ version, name: (after ?? before)?.metadata.name ?? '', before, after });
        }
      },
    });
    this.cluster.advance(seconds(2));
    this.readers = [
      new Reader(this, 'json', undefined),
      new Reader(this, 'protobuf', undefined),
      new Reader(this, 'table', undefined),
      new Reader(this, 'metadata', 'app=a'),
      new Reader(this, 'json', 'app=a'),
      new Reader(this, 'json', 'metadata.name=a'),
    ];
  }

  write(name: string, app: string | undefined, value: string): void {
    const { configMaps } = this.cluster.client;
    const labels = app === undefined ? {} : { app };
    tryTo(() => configMaps.create({ metadata: { name, namespace: 'default', labels }, data: { value } }));
    tryTo(() =>
      configMaps.patch(name, {
        type: 'merge',
        body: { metadata: { labels: { app: app ?? null } }, data: { value } },
      }),
    );
  }

  remove(name: string): void {
    tryTo(() => this.cluster.client.configMaps.delete(name));
  }

  /** More than a server keeps for a reader who takes nothing; straight into the storage, as it would take long. */
  burst(name: string): void {
    this.write(name, 'a', 'first');
    const key = `/registry/configmaps/default/${name}`;
    const [entry] = this.cluster.storage.range({ prefix: key, limit: 1 }).entries;
    if (!entry || entry.key !== key) return;
    const { value } = entry;
    const next = (revision: number): typeof value => ({
      ...value,
      metadata: { ...value.metadata, resourceVersion: String(revision) },
    });
    for (let turn = 0; turn < MORE_THAN_KEPT; turn++)
      this.cluster.storage.transact({ compare: [], success: [{ kind: 'put', key, value: next }] });
  }

  /** A list that is at least as new as what is stored waits for the cache, and has everything. */
  look(index: number): void {
    const { entries, revision } = this.cluster.storage.range({ prefix: '/registry/configmaps/default/' });
    const answer = this.readers[index]?.ask({ resourceVersion: String(revision) }, 'application/json');
    // No server is there, or the cache was too far behind.
    if (!answer || answer.status === 504) return;
    expect(answer.status).toBe(200);
    const { items } = JSON.parse(Buffer.concat(responsePieces(answer.body)).toString()) as {
      readonly items: readonly ApiObject[];
    };
    const wanted = entries.map(({ modRevision }) => String(modRevision));
    expect(items.map(({ metadata }) => metadata.resourceVersion)).toEqual(wanted);
  }

  bounce(index: number): void {
    const { faults } = this.cluster;
    faults.crash(`apiserver/${index}`);
    faults.restart(`apiserver/${index}`);
    // Until then whoever asks would ask the one that is gone.
    this.cluster.advance(milliseconds(1));
  }

  pass(span: number): void {
    this.cluster.advance(milliseconds(span * 1_000));
    for (const reader of this.readers) reader.read();
  }

  end(): void {
    this.cluster.lagWatchCaches(seconds(0));
    for (const reader of this.readers) reader.isSlow = false;
    for (let round = 0; round < 8; round++) this.pass(1);
    for (const reader of this.readers) reader.expectCurrent();
  }
}

class Reader {
  readonly #world: World;
  readonly #form: Form;
  readonly #selector: string | undefined;
  readonly #present = new Map<string, string>();
  #heard: number[] = [];
  #since = 0;
  #version = '';
  #stream: ResponseStream | undefined;
  #server: ApiServer | undefined;
  #rest: Uint8Array = new Uint8Array();
  #turn = 0;
  isSlow = false;

  constructor(world: World, form: Form, selector: string | undefined) {
    this.#world = world;
    this.#form = form;
    this.#selector = selector;
  }

  /** The connection ends, with half a frame in it or not. */
  cut(): void {
    this.#stream?.close();
    this.#stream = undefined;
  }

  read(): void {
    if (this.isSlow) return;
    const gone =
      this.#stream && !this.#world.cluster.apiServers.some(({ server }) => server === this.#server);
    if (gone) this.#stream = undefined;
    if (!this.#stream && !this.#open()) return;
    for (let piece = this.#stream?.read(); piece !== undefined; piece = this.#stream?.read()) {
      expect(piece).toBeInstanceOf(Uint8Array);
      this.#take(Buffer.concat([this.#rest, piece as Uint8Array]));
    }
    if (this.#stream?.ended === true) this.#stream = undefined;
  }

  expectCurrent(): void {
    this.#expectHeardAll();
    const { entries } = this.#world.cluster.storage.range({ prefix: '/registry/configmaps/default/' });
    const wanted = entries
      .filter(({ value }) => this.#fits(value))
      .map(({ value, modRevision }) => [value.metadata.name ?? '', String(modRevision)] as const);
    expect(Object.fromEntries(this.#present), `what ${this.#form} ${this.#selector} has`).toEqual(
      Object.fromEntries(wanted),
    );
  }

  get #selection(): Readonly<Record<string, string>> {
    if (this.#selector === undefined) return {};
    const name = this.#selector.startsWith('metadata.') ? 'fieldSelector' : 'labelSelector';
    return { [name]: this.#selector };
  }

  #open(): boolean {
    if (this.#version === '' && !this.#list()) return false;
    const query = {
      watch: '1',
      resourceVersion: this.#version,
      allowWatchBookmarks: 'true',
      timeoutSeconds: String(20 + (this.#turn % 3)),
      ...this.#selection,
    };
    this.#rest = new Uint8Array();
    const response = this.ask(query);
    if (response?.body.kind === 'stream') {
      this.#stream = response.body.stream;
      this.#stream.subscribe(() => undefined);
    } else if (response?.status === 410) this.#version = '';
    return this.#stream !== undefined;
  }

  #list(): boolean {
    const response = this.ask(this.#selection, 'application/json');
    if (response?.status !== 200) return false;
    this.#expectHeardAll();
    const list = JSON.parse(Buffer.concat(responsePieces(response.body)).toString()) as {
      readonly metadata: { readonly resourceVersion: string };
      readonly items: readonly ApiObject[];
    };
    this.#version = list.metadata.resourceVersion;
    this.#since = Number(this.#version);
    this.#heard = [];
    this.#present.clear();
    for (const { metadata } of list.items)
      this.#present.set(metadata.name ?? '', metadata.resourceVersion ?? '');
    return true;
  }

  ask(query: Readonly<Record<string, string>>, accept: string = FORMS[this.#form]): ApiResponse | undefined {
    const servers = this.#world.cluster.apiServers;
    const { actor, server } = servers[this.#turn++ % servers.length] ?? {};
    if (!actor || !server) return undefined;
    this.#server = server;
    let response: ApiResponse | undefined;
    actor.spawn('read', function* (): Process<void> {
      response = yield* server.handle({
        method: 'GET',
        path: PATH,
        query: QueryParameters.of(query),
        headers: { host: 'a', accept },
        user: ADMIN,
        wire: true,
      });
    });
    for (let round = 0; !response && round < 40; round++) this.#world.cluster.advance(milliseconds(100));
    return response;
  }

  #take(bytes: Buffer): void {
    const { events, rest } = this.#form === 'protobuf' ? protobufEvents(bytes) : jsonEvents(bytes);
    this.#rest = rest;
    for (const event of events) this.#hear(event);
  }

  #hear({ type, object }: Heard): void {
    if (type === 'ERROR') {
      expect(object.code, 'how a watch fails').toBe(410);
      expect(this.#stream?.ended, 'nothing comes after that').toBe(true);
      this.#version = '';
      this.cut();
      return;
    }
    const { name = '', resourceVersion = '' } = metadataOf(object, this.#form);
    expect(Number(resourceVersion), 'versions go forward').toBeGreaterThanOrEqual(Number(this.#version));
    this.#version = resourceVersion;
    if (type === 'BOOKMARK') return;
    expect(this.#heard, 'heard of once').not.toContain(Number(resourceVersion));
    this.#heard.push(Number(resourceVersion));
    expect(this.#present.has(name), `${type} of ${name}`).toBe(type !== 'ADDED');
    if (type === 'DELETED') this.#present.delete(name);
    else this.#present.set(name, resourceVersion);
  }

  /** Everything that concerns him, from where he began to where he is. */
  #expectHeardAll(): void {
    if (this.#since === 0) return;
    const wanted = this.#world.history.filter(
      ({ version, before, after }) =>
        version > this.#since &&
        version <= (this.#heard.at(-1) ?? 0) &&
        [before, after].some((object) => object && this.#fits(object)),
    );
    expect(this.#heard, `what ${this.#form} ${this.#selector} heard`).toEqual(
      wanted.map(({ version }) => version),
    );
  }

  #fits({ metadata: { name: called, labels } }: ApiObject): boolean {
    if (this.#selector === undefined) return true;
    return this.#selector === 'app=a' ? labels?.['app'] === 'a' : called === 'a';
  }
}

function metadataOf(object: ApiObject, form: Form): Partial<ApiObject['metadata']> {
  if (form !== 'table') return object.metadata;
  const { rows = [], metadata } = object as ApiObject & {
    readonly rows?: readonly { readonly object: ApiObject }[];
  };
  return rows[0]?.object.metadata ?? metadata;
}

interface Events {
  readonly events: readonly Heard[];
  readonly rest: Uint8Array;
}

function jsonEvents(bytes: Buffer): Events {
  const end = bytes.lastIndexOf('\n') + 1;
  const lines = bytes.subarray(0, end).toString().split('\n').filter(Boolean);
  return { events: lines.map((line) => JSON.parse(line) as Heard), rest: bytes.subarray(end) };
}

function protobufEvents(bytes: Buffer): Events {
  let end = 0;
  while (end + 4 <= bytes.length && end + 4 + bytes.readUInt32BE(end) <= bytes.length)
    end += 4 + bytes.readUInt32BE(end);
  const events = readWatchFrames(bytes.subarray(0, end)).map(({ type, object }) => {
    const { raw } = unwrapEnvelope(object);
    return { type, object: decodeProtobuf(type === 'ERROR' ? STATUS : STRUCT, raw) as never };
  });
  return { events, rest: bytes.subarray(end) };
}

const name = fc.constantFrom(...NAMES);
const act = actsOn<World>();
const write = act(
  'write',
  fc.tuple(name, fc.constantFrom('a', 'a', 'b', undefined), fc.constantFrom('1', '2', 'x'.repeat(3_000))),
  (world, drawn) => world.write(...drawn),
);
const pass = act('pass', fc.constantFrom(0, 0.01, 0.4, 3, 25), (world, span) => world.pass(span));

it('tells every change once and in order, whatever comes between', () => {
  holdsInAnyOrder({
    begin: () => new World(),
    acts: [
      write,
      write,
      write,
      pass,
      pass,
      act('remove', name, (world, of) => world.remove(of)),
      act('look', fc.nat(5), (world, index) => world.look(index)),
      act('cut', fc.nat(5), (world, index) => world.readers[index]?.cut()),
      act('bounce', fc.nat(1), (world, index) => world.bounce(index)),
      act('lag', fc.constantFrom(0, 1, 8), ({ cluster }, span) => cluster.lagWatchCaches(seconds(span))),
      act('read slowly', fc.tuple(fc.nat(5), fc.boolean()), ({ readers }, [index, isSlow]) => {
        const reader = readers[index];
        if (reader) reader.isSlow = isSlow;
      }),
      fc.oneof(
        act('forget', NOTHING, ({ cluster }) => cluster.advance(minutes(12))),
        act('burst', name, (world, of) => world.burst(of)),
      ),
    ],
    compare: () => undefined,
    end: (world) => world.end(),
    most: 40,
    runs: 12,
  });
});
