/**
 * Members of the storage behind API servers, as actors `etcd/0` and on: each API server talks to one of them
 * (`apiserver/1` to `etcd/1`, in turn). They agree on one history, so there is one storage; what they can fail at is
 * simulated here: a member tells the watch caches of its servers late or not at all, and without a majority, without a
 * leader, or cut off from it, a server can neither write nor read what is surely the latest.
 *
 * It promises that a server's caches show the state at some revision, and learn of every later one in order, whatever
 * fails, and also after a restart of the server. Requests reach a storage that works or does not when they arrive.
 */
import type { CacheSource } from '../apiserver/api-server.ts';
import type { StoredObject } from '../apiserver/stores/stored-object.ts';
import type { Actor } from '../engine/actor.ts';
import type { Simulation } from '../engine/simulation.ts';
import { after, milliseconds, type Micros } from '../engine/time.ts';
import type {
  RangeRequest,
  RangeResult,
  Revision,
  Storage,
  StorageEvent,
  StorageWatch,
  WatchRequest,
} from '../storage/storage.ts';

/** How long a storage is without a leader when it chooses another. */
const ELECTION = milliseconds(1_200);

/** What a request that needs the storage is told. */
export type StorageTrouble =
  'etcdserver: leader changed' | 'etcdserver: request timed out' | 'etcdserver: no leader';

export class StorageMembers {
  readonly #simulation: Simulation;
  readonly #members: readonly Member[];
  readonly #servers: readonly string[];
  #leader: Member | undefined;
  #electingUntil = -Infinity;

  constructor(
    simulation: Simulation,
    {
      count,
      servers,
      storage,
    }: {
      readonly count: number;
      readonly servers: readonly string[];
      readonly storage: Storage<StoredObject>;
    },
  ) {
    this.#simulation = simulation;
    this.#servers = servers;
    this.#members = Array.from(
      { length: count },
      (_, index) => new Member(simulation, simulation.actor(`etcd/${index}`), storage),
    );
    this.#leader = this.#members[0];
  }

  /** What the caches of a server learn from. */
  sourceOf(server: string): CacheSource {
    return this.#memberOf(server).feedOf(server);
  }

  /** Everybody can work, and nobody is late. */
  get isWhole(): boolean {
    return this.#servers.every(
      (server) => this.troubleOf(server) === undefined && this.#memberOf(server).lagMicros === 0,
    );
  }

  /** Why a server can neither write nor read the latest at present. */
  troubleOf(server: string): StorageTrouble | undefined {
    const member = this.#memberOf(server);
    if (!this.#isJoined(server, member.actor) || !this.#hasMajority(member))
      return 'etcdserver: request timed out';
    if (this.#simulation.now < this.#electingUntil) return 'etcdserver: leader changed';
    return undefined;
  }

  /** From now on a member tells its servers what it learns so much later; 0 undoes it. */
  lag(actor: string, by: Micros): void {
    const member = this.#members.find((each) => each.actor.name === actor);
    if (!member) throw new RangeError(`${actor} is no member of the storage`);
    member.setLag(by);
  }

  changeLeader(takes: Micros = ELECTION): void {
    const able = this.#members.filter((member) => this.#hasMajority(member));
    const at = this.#leader ? able.indexOf(this.#leader) : -1;
    this.#leader = able[(at + 1) % Math.max(1, able.length)];
    this.#electingUntil = after(this.#simulation.now, takes);
  }

  /** Something was done to actors or to links: who can follow, follows. */
  look(): void {
    for (const member of this.#members) member.follow((server) => this.#isFed(server, member));
    const leader = this.#leader;
    if (leader && !this.#hasMajority(leader)) this.changeLeader();
    else if (!leader) {
      this.#leader = this.#members.find((member) => this.#hasMajority(member));
      if (this.#leader) this.#electingUntil = after(this.#simulation.now, ELECTION);
    }
  }

  #isFed(server: string, member: Member): boolean {
    return this.#isJoined(server, member.actor) && this.#hasMajority(member);
  }

  #memberOf(server: string): Member {
    const index = Math.max(0, this.#servers.indexOf(server));
    return this.#members[index % this.#members.length] as Member;
  }

  #hasMajority(member: Member): boolean {
    if (member.actor.state !== 'running') return false;
    const reached = this.#members.filter(
      (other) =>
        other === member ||
        (other.actor.state === 'running' && this.#isJoined(member.actor.name, other.actor)),
    );
    return reached.length * 2 > this.#members.length;
  }

  #isJoined(name: string, { name: other, state }: Actor): boolean {
    const { network } = this.#simulation;
    return (
      state === 'running' &&
      network.linkBetween(name, other).state === 'healthy' &&
      network.linkBetween(other, name).state === 'healthy'
    );
  }
}

class Member {
  readonly actor: Actor;
  lagMicros = 0 as Micros;
  readonly #simulation: Simulation;
  readonly #storage: Storage<StoredObject>;
  readonly #feeds = new Map<string, Feed>();

  constructor(simulation: Simulation, actor: Actor, storage: Storage<StoredObject>) {
    this.#simulation = simulation;
    this.actor = actor;
    this.#storage = storage;
  }

  /** One for all lives of a server: what it has not been told is not forgotten. */
  feedOf(server: string): Feed {
    const known = this.#feeds.get(server);
    if (known) return known;
    const feed = new Feed(this.#storage, this.#later);
    this.#feeds.set(server, feed);
    return feed;
  }

  setLag(by: Micros): void {
    this.lagMicros = by;
    for (const feed of this.#feeds.values()) feed.setLate(by > 0);
  }

  follow(isFed: (server: string) => boolean): void {
    for (const [server, feed] of this.#feeds) feed.setHeld(!isFed(server));
  }

  readonly #later = (act: () => void): void => {
    this.#simulation.at(after(this.#simulation.now, this.lagMicros), 'etcd applies', act);
  };
}

interface Listener {
  readonly prefix: string;
  readonly onEvents: WatchRequest<StoredObject>['onEvents'];
  /** Not told yet. */
  readonly waiting: { readonly events: readonly StorageEvent<StoredObject>[]; readonly revision: Revision }[];
}

/** What one server is told of the storage: everything in order, at once or later. */
class Feed implements CacheSource {
  readonly #storage: Storage<StoredObject>;
  readonly #later: (act: () => void) => void;
  readonly #listeners: Listener[] = [];
  /** What has been told; undefined: everything. */
  #applied: Revision | undefined;
  #isHeld = false;
  #isLate = false;
  /** Reached in time, but held back. */
  #due: Revision | undefined;
  #ownWatch: StorageWatch | undefined;

  constructor(storage: Storage<StoredObject>, later: (act: () => void) => void) {
    this.#storage = storage;
    this.#later = later;
  }

  get revision(): Revision {
    return this.#applied ?? this.#storage.revision;
  }

  range(request: RangeRequest): RangeResult<StoredObject> {
    if (this.#applied === undefined) return this.#storage.range(request);
    const { compactedRevision } = this.#storage;
    const revision = Math.max(this.#applied, compactedRevision) as Revision;
    return { ...this.#storage.range({ ...request, revision }), revision };
  }

  watch({ prefix, startRevision, onEvents }: WatchRequest<StoredObject>): StorageWatch {
    const listener: Listener = { prefix, onEvents, waiting: [] };
    // Those of longer directories hear first, as from the storage itself.
    const at = this.#listeners.findIndex((other) => other.prefix.length < prefix.length);
    this.#listeners.splice(at < 0 ? this.#listeners.length : at, 0, listener);
    const from = startRevision ?? (this.#applied === undefined ? undefined : this.#next(this.#applied));
    const watch = this.#storage.watch({
      prefix,
      ...(from !== undefined && { startRevision: from }),
      onEvents: (events, revision) => {
        if (this.#applied === undefined) onEvents(events, revision);
        else listener.waiting.push({ events, revision });
      },
    });
    return {
      close: () => {
        watch.close();
        const index = this.#listeners.indexOf(listener);
        if (index >= 0) this.#listeners.splice(index, 1);
      },
    };
  }

  setHeld(isHeld: boolean): void {
    if (isHeld === this.#isHeld) return;
    this.#isHeld = isHeld;
    this.#turn();
    if (!isHeld && this.#due !== undefined) this.#apply(this.#due);
  }

  setLate(isLate: boolean): void {
    this.#isLate = isLate;
    if (!isLate && this.#due !== undefined) this.#due = this.#storage.revision;
    this.#turn();
  }

  /** Between telling everything at once and keeping it. */
  #turn(): void {
    const keeps = this.#isHeld || this.#isLate;
    if (keeps && this.#applied === undefined) {
      this.#applied = this.#due = this.#storage.revision;
      this.#ownWatch = this.#storage.watch({ prefix: '', onEvents: (_, revision) => this.#heard(revision) });
    } else if (!keeps && this.#applied !== undefined) {
      this.#apply(this.#storage.revision);
      this.#ownWatch?.close();
      this.#applied = this.#due = this.#ownWatch = undefined;
    }
  }

  #heard(revision: Revision): void {
    if (!this.#isLate) this.#due = revision;
    else
      this.#later(() => {
        if (this.#due === undefined || this.#due >= revision) return;
        this.#due = revision;
        if (!this.#isHeld) this.#apply(revision);
      });
  }

  #apply(revision: Revision): void {
    if (this.#applied === undefined || revision < this.#applied) return;
    this.#applied = revision;
    for (const { waiting, onEvents } of [...this.#listeners])
      while (waiting[0] && waiting[0].revision <= revision) {
        const [first] = waiting.splice(0, 1);
        if (first) onEvents(first.events, first.revision);
      }
  }

  #next(revision: Revision): Revision {
    return (Math.max(revision, this.#storage.compactedRevision) + 1) as Revision;
  }
}
