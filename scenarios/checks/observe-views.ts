/**
 * Looks on at what clients are told of objects, and by which server, and holds it against what was stored when they changed
 * something: who acts on an old view is kept with what it had read. It changes nothing in the cluster. Clients that
 * speak HTTP in bytes are told of only in so far as they write: what they read stays unknown.
 */
import { type Exchange, isDryRun, isSuccess, isWrite } from '../../model/api/exchange.ts';
import { at } from '../../model/api/json.ts';
import type { StoredChange } from '../../model/api/object-marks.ts';
import { isBesides, titleOf } from '../../model/controllers/observation.ts';
import type { ApiObject, Cluster } from '../../sim/index.ts';
import { jsonOrText } from '../world/wire-exchange.ts';
import type { DeedOnOldView, OldView } from '../world/world.ts';
import { observeExchanges } from './observe-exchanges.ts';

/** An object as it has been stored from a revision on. */
interface Stand {
  readonly at: number;
  readonly revision: number;
  /** When it was made; the same for all stands of one object. */
  readonly created: number;
  readonly title: string;
  readonly isGone: boolean;
}

/** The last that a client was told of an object. */
interface Telling {
  readonly revision: number;
  readonly server: string;
}

interface Told {
  readonly event?: { readonly type?: string; readonly object?: unknown };
  readonly body?: { readonly body?: unknown };
}

const LONGEST_LIST = 2;
const VERBS: Readonly<Record<string, string>> = {
  POST: 'created',
  PUT: 'updated',
  PATCH: 'patched',
  DELETE: 'deleted',
};

/** All that was done on old views, as it comes. */
export function observeViews(cluster: Cluster): readonly DeedOnOldView[] {
  const observer = new ViewObserver(cluster);
  observer.listen();
  return observer.deeds;
}

/** Whoever speaks as over a wire gets a text. */
const inForm = (body: unknown): unknown => (typeof body === 'string' ? jsonOrText(body) : body);

class ViewObserver {
  readonly deeds: DeedOnOldView[] = [];
  readonly #cluster: Cluster;
  readonly #stands = new Map<string, Stand[]>();
  readonly #keys = new Map<string, string>();
  readonly #views = new Map<string, { readonly life: number; readonly told: Map<string, Telling> }>();

  constructor(cluster: Cluster) {
    this.#cluster = cluster;
  }

  listen(): void {
    observeExchanges(this.#cluster, this);
    this.#cluster.simulation.eachActor((actor) => {
      if (actor.name.startsWith('apiserver/')) return;
      actor.overhear({
        received: (message, { remote }) => this.#received(actor.name, message as Told, remote),
      });
    });
  }

  stored(instant: number, key: string, { revision, before, after }: StoredChange): void {
    const object = after ?? before;
    if (!object || isBesides(key)) return;
    const stands = this.#stands.get(key) ?? [];
    const last = stands.at(-1);
    const isSame = before !== undefined && last !== undefined;
    const created = isSame ? last.created : revision;
    stands.push({ at: instant, revision, created, title: titleOf(object), isGone: after === undefined });
    this.#stands.set(key, stands);
    if (object.metadata.uid !== undefined) this.#keys.set(object.metadata.uid, key);
  }

  answered(exchange: Exchange): void {
    const { client, key, method, revisionBefore, at: instant } = exchange;
    if (key === undefined || !isWrite(exchange) || !isSuccess(exchange) || isDryRun(exchange)) return;
    const views = this.#oldViews(client, key, revisionBefore);
    const before = this.#standAt(key, revisionBefore);
    const subject = this.#standAt(key, exchange.revisionAfter);
    // It knows what it has taken away itself.
    if (subject?.isGone === true) this.#toldTo(client).delete(key);
    if (views.length === 0 || !subject) return;
    const { subresource } = exchange.place;
    const did = `${VERBS[method] ?? method} ${subresource === '' ? '' : `the ${subresource} of `}${subject.title}`;
    const name = key.slice(key.lastIndexOf('/') + 1);
    const made = before && !before.isGone ? { created: before.created } : {};
    this.deeds.push({ at: instant, client, did, name, ...made, views });
  }

  #received(client: string, { event, body }: Told, server: string): void {
    this.#tell(client, event?.object, server);
    const answer = inForm(body?.body);
    this.#tell(client, answer, server);
    const items = at(answer, 'items');
    if (Array.isArray(items)) for (const item of items) this.#tell(client, item, server);
  }

  #tell(client: string, object: unknown, server: string): void {
    const key = this.#keys.get(String(at(object, 'metadata', 'uid')));
    if (key === undefined) return;
    const revision = Number((object as ApiObject).metadata.resourceVersion);
    this.#toldTo(client).set(key, { revision, server });
  }

  /** Who begins anew knows nothing. */
  #toldTo(client: string): Map<string, Telling> {
    const life = this.#cluster.simulation.findActor(client)?.context.incarnation ?? 1;
    const known = this.#views.get(client);
    if (known?.life === life) return known.told;
    const told = new Map<string, Telling>();
    this.#views.set(client, { life, told });
    return told;
  }

  #standAt(key: string, revision: number): Stand | undefined {
    return this.#stands.get(key)?.findLast((stand) => stand.revision <= revision);
  }

  /** What it changes comes first, then what it was told of longest ago. */
  #oldViews(client: string, key: string, revision: number): readonly OldView[] {
    const views: (OldView & { readonly key: string })[] = [];
    for (const [about, told] of this.#toldTo(client)) {
      const stands = this.#stands.get(about) ?? [];
      const missed = stands.filter((each) => each.revision > told.revision && each.revision <= revision);
      const [first, last] = [missed[0], missed.at(-1)];
      if (!first || !last) continue;
      const lag = this.#cluster.now - first.at;
      const { title, created, isGone } = last;
      const stood = isGone
        ? 'gone'
        : created > told.revision
          ? `another, created at ${created}`
          : `at ${last.revision}`;
      views.push({ key: about, title, revision: told.revision, server: told.server, lag, stood });
    }
    return views
      .toSorted((a, b) => Number(b.key === key) - Number(a.key === key) || b.lag - a.lag)
      .slice(0, LONGEST_LIST)
      .map(({ key: _, ...view }) => view);
  }
}
