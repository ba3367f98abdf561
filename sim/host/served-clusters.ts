/**
 * The clusters behind one port: the one that it serves, and any number of others, each a world of its own, below
 * `/clusters/NAME/`. Snapshots are of storages: a cluster that begins with one finds all objects, their history and the
 * time as they were, and everything else as after a restart of all machines.
 */
import type { ApiRequest, ApiResponse } from '../apiserver/request/request.ts';
import type { StoredObject } from '../apiserver/stores/stored-object.ts';
import { invariant } from '../engine/invariant.ts';
import { MemoryStorage } from '../storage/memory-storage.ts';
import type { JournalRecord } from '../storage/journal.ts';
import type { Storage } from '../storage/storage.ts';
import type { World } from './world.ts';

/** What a world begins with; absent: nothing, at the present time. */
export interface WorldStart {
  readonly storage: Storage<StoredObject>;
  readonly seed?: number;
  /** Milliseconds since 1970. */
  readonly epochMs?: number;
}

interface Snapshot {
  readonly records: readonly JournalRecord<StoredObject>[];
  readonly epochMs: number;
  readonly revision: number;
}

export interface ClusterStart {
  readonly seed?: number;
  /** Name of a snapshot. */
  readonly snapshot?: string;
}

const PREFIX = '/clusters/';
const NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const MOST_CLUSTERS = 1_000;

export class ServedClusters {
  readonly #make: (start: WorldStart) => World;
  #main: World | undefined;
  readonly #others = new Map<string, World>();
  readonly #snapshots = new Map<string, Snapshot>();

  constructor(make: (start: WorldStart) => World) {
    this.#make = make;
  }

  begin(storage: Storage<StoredObject>): World {
    this.#main = this.#make({ storage });
    return this.#main;
  }

  get main(): World {
    invariant(this.#main !== undefined, 'nobody is served before there is a world');
    return this.#main;
  }

  get hasBegun(): boolean {
    return this.#main !== undefined;
  }

  get all(): readonly World[] {
    return [...(this.#main ? [this.#main] : []), ...this.#others.values()];
  }

  get names(): readonly string[] {
    return [...this.#others.keys()];
  }

  get snapshots(): readonly { readonly name: string; readonly revision: number; readonly at: string }[] {
    return [...this.#snapshots].map(([name, { revision, epochMs }]) => ({
      name,
      revision,
      at: new Date(epochMs).toISOString(),
    }));
  }

  /** '' is the one that the port serves; undefined: there is none of that name. */
  find(name: string): World | undefined {
    return name === '' ? this.main : this.#others.get(name);
  }

  /** @throws RangeError for names that cannot be, or that there are */
  create(name: string, start: ClusterStart): void {
    if (!NAME.test(name)) throw new RangeError(`name: ${JSON.stringify(name)} is no DNS label`);
    if (this.#others.has(name)) throw new RangeError(`name: there is a cluster ${name}`);
    if (this.#others.size >= MOST_CLUSTERS) throw new RangeError(`there are ${MOST_CLUSTERS} clusters`);
    this.#others.set(name, this.#make(this.#startOf(start)));
  }

  /** @throws RangeError */
  remove(name: string): void {
    const world = this.#others.get(name);
    if (!world) throw new RangeError(`name: there is no cluster ${JSON.stringify(name)}`);
    this.#others.delete(name);
    world.end();
  }

  /** @throws RangeError for a snapshot that there is not */
  reset(name: string, start: ClusterStart): void {
    const begin = this.#startOf(start);
    this.find(name)?.end();
    const world = this.#make(begin);
    if (name === '') this.#main = world;
    else this.#others.set(name, world);
  }

  /** Keeps what is stored in a cluster now. @throws RangeError where that is not in memory */
  freeze(name: string, snapshot: string): void {
    const { storage, simulation } = this.find(name) ?? this.main;
    if (!(storage instanceof MemoryStorage))
      throw new RangeError('only what is kept in memory can be frozen');
    this.#snapshots.set(snapshot, {
      records: [...(storage as MemoryStorage<StoredObject>).snapshot()],
      epochMs: simulation.epochMs + Math.floor(simulation.now / 1_000),
      revision: storage.revision,
    });
  }

  forget(snapshot: string): void {
    if (!this.#snapshots.delete(snapshot))
      throw new RangeError(`name: there is no snapshot ${JSON.stringify(snapshot)}`);
  }

  #startOf({ seed, snapshot }: ClusterStart): WorldStart {
    const storage = new MemoryStorage<StoredObject>();
    const start = { storage, ...(seed !== undefined && { seed }) };
    if (snapshot === undefined) return start;
    const frozen = this.#snapshots.get(snapshot);
    if (!frozen) throw new RangeError(`snapshot: there is no ${JSON.stringify(snapshot)}`);
    for (const record of frozen.records) storage.replay(record);
    return { ...start, epochMs: frozen.epochMs };
  }
}

/** Which cluster a path is about; '': the one that the port serves. */
export function clusterOf(path: string): { readonly cluster: string; readonly path: string } {
  if (!path.startsWith(PREFIX)) return { cluster: '', path };
  const end = path.indexOf('/', PREFIX.length);
  const name = end < 0 ? path.slice(PREFIX.length) : path.slice(PREFIX.length, end);
  return { cluster: name === '' ? NAMELESS : name, path: end < 0 ? '/' : path.slice(end) };
}

/** Whoever has left the name out does not mean the one that the port serves; nobody can be called so. */
const NAMELESS = '(no name)';

/** Within the server it is a header that says which cluster is meant; clients cannot set it. */
const HEADER = 'x-kubesim-cluster';

export function addressed(request: ApiRequest): ApiRequest {
  const { cluster, path } = clusterOf(request.path);
  const { [HEADER]: _, ...headers } = request.headers;
  return { ...request, path, headers: cluster === '' ? headers : { ...headers, [HEADER]: cluster } };
}

export const addressOf = ({ headers }: ApiRequest): string => headers[HEADER] ?? '';

export const noSuchCluster = (name: string): ApiResponse => ({
  status: 404,
  headers: [['content-type', 'text/plain; charset=utf-8']],
  body: { kind: 'text', text: `there is no cluster ${name}: POST /kubesim/v1/clusters makes one\n` },
});

/** What its client does later happens in the world that it came from. */
export function within(world: World, response: ApiResponse): ApiResponse {
  const { body } = response;
  const { driver } = world;
  const act = (work: () => void): void => {
    driver.stir();
    driver.act(work);
  };
  const stirring =
    (onReady: () => void): (() => void) =>
    () => {
      driver.stir();
      onReady();
    };
  if (body.kind === 'stream') {
    const { stream } = body;
    const there = {
      subscribe: (onReady: () => void) => stream.subscribe(stirring(onReady)),
      read: () => stream.read(),
      get ended() {
        return stream.ended;
      },
      get isBroken() {
        return stream.isBroken ?? false;
      },
      close: () => act(() => stream.close()),
    };
    return { ...response, body: { kind: 'stream', stream: there } };
  }
  if (body.kind !== 'channels') return response;
  const { channels } = body;
  const there = {
    subscribe: (onReady: () => void) => channels.subscribe(stirring(onReady)),
    read: () => channels.read(),
    get ended() {
      return channels.ended;
    },
    take: (frame: Parameters<typeof channels.take>[0]) => act(() => channels.take(frame)),
    close: () => act(() => channels.close()),
  };
  return { ...response, body: { kind: 'channels', channels: there } };
}
