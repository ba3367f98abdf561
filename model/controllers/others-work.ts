/** Controllers respect what others did: they overwrite nothing that they have not seen, and delete nothing foreign. */
import type { ApiObject } from '../../sim/api/object.ts';
import type { Exchange } from '../api/exchange.ts';
import { at as valueAt, isMapping } from '../api/json.ts';
import {
  type ControllerRule,
  type ControllerRuleSettings,
  type Deed,
  inSeconds,
  isBesides,
  isController,
  isNamedAfter,
  type LeafChange,
  leafChanges,
  titleOf,
} from './observation.ts';

interface Author {
  readonly client: string;
  readonly value: string | undefined;
  readonly at: number;
}

/** Nobody's view is older than that. */
const OLDEST_VIEW = 600_000_000;

/** What somebody wrote meanwhile is not taken back by who writes on an older view and does not say which. */
export class ControllersOverwriteNothingUnseen implements ControllerRule {
  readonly #settings: ControllerRuleSettings;
  /** By key and path: who wrote the present value, and the one before. */
  readonly #authors = new Map<string, Map<string, readonly [Author, Author | undefined]>>();

  constructor(settings: ControllerRuleSettings) {
    this.#settings = settings;
  }

  changed(deed: Deed): void {
    const { client, key, at, before, after, exchange } = deed;
    if (isBesides(key)) return;
    if (!after) {
      this.#authors.delete(key);
      return;
    }
    const authors = this.#authors.get(key) ?? new Map<string, readonly [Author, Author | undefined]>();
    this.#authors.set(key, authors);
    const changes = leafChanges(deed);
    if (before && exchange && isController(client) && !saysWhichVersion(exchange))
      for (const change of changes) this.#judge({ ...deed, after }, change, authors.get(change.path));
    for (const { path, from, to } of changes) {
      const former = authors.get(path)?.[0] ?? { client: 'somebody', value: from, at: 0 };
      authors.set(path, [{ client, value: to, at }, before ? former : undefined]);
    }
  }

  #judge(
    { client, at, after, exchange }: Deed & { readonly after: ApiObject },
    { path, to }: LeafChange,
    authors: readonly [Author, Author | undefined] | undefined,
  ): void {
    const [last, former] = authors ?? [];
    if (!last || !former || last.client === client || former.client === client) return;
    if (to !== former.value || at - last.at > OLDEST_VIEW || !isByTheWay(exchange, path)) return;
    this.#settings.report(
      at,
      `${client} took ${path} of ${titleOf(after)} back to ${to ?? 'nothing'}: ${last.client} had set it to ${last.value ?? 'nothing'} at ${inSeconds(last.at)}, and the ${exchange?.method ?? 'write'} names no resourceVersion that would have been refused`,
    );
  }
}

/** Applied: by owners of fields. */
const isApply = ({ contentType }: Exchange): boolean => contentType.includes('apply-patch');

function saysWhichVersion(exchange: Exchange): boolean {
  const { sent } = exchange;
  if (isApply(exchange)) return true;
  if (Array.isArray(sent))
    return sent.some((operation) => isMapping(operation) && operation['op'] === 'test');
  const version = valueAt(sent, 'metadata', 'resourceVersion');
  return typeof version === 'string' && version !== '';
}

/** A patch means each value that it names; elements of lists come with their list. */
const isByTheWay = (exchange: Exchange | undefined, path: string): boolean =>
  exchange?.method === 'PUT' || (path.includes('[') && !(exchange?.contentType ?? '').includes('strategic'));

/** What a controller deletes, it has made, or something that it looks after has. */
export class ControllersDeleteTheirOwn implements ControllerRule {
  readonly #settings: ControllerRuleSettings;

  constructor(settings: ControllerRuleSettings) {
    this.#settings = settings;
  }

  changed({ client, key, at, before, after, exchange }: Deed): void {
    if (!isController(client) || isBesides(key) || !before || exchange?.method !== 'DELETE') return;
    const isGoing = before.metadata.deletionTimestamp !== undefined;
    if (isGoing || (after && after.metadata.deletionTimestamp === undefined)) return;
    if (this.#isOwn(client, before)) return;
    this.#settings.report(
      at,
      `${client} deleted ${titleOf(before)}: it has neither made nor ever changed it, ${ownersText(before)}, and nothing that it looks after is named in its name, labels or annotations`,
    );
  }

  #isOwn(client: string, object: ApiObject): boolean {
    const { cast } = this.#settings;
    const isKnown = (each: ApiObject): boolean =>
      cast.makerOf(each) === client || cast.hasWritten(client, each);
    if (isKnown(object)) return true;
    const around = [...cast.around(client, object)];
    if (around.some((each) => isNamedAfter(object, each) && each.kind !== object.kind)) return true;
    const all = [...cast.scene.objects()].map(([, each]) => each);
    const seen = new Set<string>();
    for (let owners = uidsOfOwners(object); owners.length > 0;) {
      const found = [...all, ...around].filter(
        ({ metadata: { uid = '' } }) => owners.includes(uid) && !seen.has(uid),
      );
      if (found.some((each) => isKnown(each) || around.includes(each))) return true;
      for (const { metadata } of found) seen.add(metadata.uid ?? '');
      owners = found.flatMap(uidsOfOwners);
    }
    return false;
  }
}

const uidsOfOwners = ({ metadata: { ownerReferences = [] } }: ApiObject): readonly string[] =>
  ownerReferences.map(({ uid }) => uid ?? '');

function ownersText({ metadata: { ownerReferences = [] } }: ApiObject): string {
  const owners = ownerReferences.map(({ kind, name }) => `${kind ?? ''} ${name ?? ''}`);
  return owners.length === 0 ? 'nobody owns it' : `it belongs to ${owners.join(', ')}`;
}
