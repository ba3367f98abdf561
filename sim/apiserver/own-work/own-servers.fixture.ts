/**
 * For the property about what servers do by themselves: a cluster of nothing but servers and a storage, who is up, and
 * since when nothing was done to it.
 */
import { createCluster, type Micros, seconds, WireUser } from '../../index.ts';
import type { ApiObject } from '../../api/object.ts';
import type { WatchLog } from '../../cluster/watch-log.ts';
import type { WireRequest } from '../../cluster/wire-user.ts';
import type { Method } from '../../client/protocol.ts';

const ADMIN = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
const MAJORITY = ['etcd/1', 'etcd/2'] as const;

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ApiObject & { readonly items?: readonly ApiObject[] };
}

export interface Asking {
  readonly server?: string;
  readonly body?: object;
  readonly type?: string;
  readonly accept?: string;
  readonly user?: { readonly name: string; readonly groups: readonly string[] };
}

function requestOf(
  method: Method,
  path: string,
  { server, body, type, accept = 'application/json', user = ADMIN }: Asking & { readonly server: string },
): WireRequest {
  const [route = '', search = ''] = path.split('?', 2);
  const ownType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
  return {
    ...{ method, path: route, user, server },
    query: Object.fromEntries(new URLSearchParams(search)),
    headers: { accept, 'content-type': type ?? ownType },
    ...(body && { body }),
  };
}

export class OwnServers {
  readonly cluster;
  readonly #wire: WireUser;
  readonly #down = new Set<string>();
  #hasMajority = true;

  constructor(apiServers: number) {
    this.cluster = createCluster({
      ...{ controllers: [], scheduler: false, apiServers, storageMembers: 3 },
      authorizationMode: 'RBAC',
      compactionInterval: seconds(10),
    });
    this.#wire = new WireUser(this.cluster);
  }

  /** Names of servers. */
  get up(): readonly string[] {
    return this.cluster.apiServers.map(({ name }) => name).filter((name) => !this.#down.has(name));
  }

  /** Somebody is there to do what is to be done, and it can be written down. */
  get areWell(): boolean {
    return this.#hasMajority && this.up.length > 0;
  }

  crash(index: number): void {
    const name = this.#nameOf(index);
    if (this.#down.has(name)) return;
    this.#down.add(name);
    this.cluster.faults.crash(name);
  }

  /** False: it is up. */
  restart(index: number): boolean {
    const name = this.#nameOf(index);
    if (!this.#down.delete(name)) return false;
    this.cluster.faults.restart(name);
    return true;
  }

  #nameOf(index: number): string {
    return `apiserver/${index % this.cluster.apiServers.length}`;
  }

  /** The storage takes no writes from now on, or takes them again. */
  setMajority(has: boolean): void {
    if (has === this.#hasMajority) return;
    this.#hasMajority = has;
    for (const member of MAJORITY)
      if (has) this.cluster.faults.restart(member);
      else this.cluster.faults.crash(member);
    // Who is back has to be elected first.
    if (has) this.advance(seconds(5));
  }

  advance(span: Micros): void {
    this.cluster.advance(span);
  }

  /** Of one that is up, unless it is said which. Undefined: nobody can do it now. */
  ask(method: Method, path: string, asking: Asking = {}): Answer | undefined {
    const { server = this.up[0] } = asking;
    if (!this.areWell || server === undefined) return undefined;
    const answer = this.#wire.request(requestOf(method, path, { ...asking, server }));
    if (!answer || answer.status >= 500) return undefined;
    const { status, headers, body: shown } = answer;
    // Paths that nobody serves are answered in plain words.
    const text = String(shown).startsWith('{') ? String(shown) : '{}';
    return { status, headers: Object.fromEntries(headers ?? []), body: JSON.parse(text) as Answer['body'] };
  }

  /** All at the same instant and in their order, whatever comes of them. */
  askAll(calls: readonly (readonly [method: Method, path: string, body?: object])[]): void {
    const [server] = this.up;
    if (!this.areWell || server === undefined) return;
    this.cluster.finish(
      this.#wire.askingAll(
        calls.map(([method, path, body]) => requestOf(method, path, { server, ...(body && { body }) })),
      ),
    );
  }

  /** Undefined: it was refused, or nobody is there. */
  watch(path: string): WatchLog | undefined {
    const [server] = this.up;
    if (server === undefined) return undefined;
    return this.#wire.watch(requestOf('GET', `${path}?watch=1`, { server })).log;
  }

  stored(prefix: string): readonly ApiObject[] {
    return this.cluster.storage.range({ prefix }).entries.map(({ value }) => value);
  }

  /** Keys without their prefix. */
  keys(prefix: string): readonly string[] {
    return this.cluster.storage.range({ prefix }).entries.map(({ key }) => key.slice(prefix.length));
  }
}
