/**
 * A name outlives objects: what was seen under it may be gone, and another be there. A controller that acts on an old view
 * (it was begun anew and found a server that is late) and deletes by name alone, deletes what nobody has told it of; and what belongs to
 * an owner that it takes for a former one.
 */
import {
  type ControllerRule,
  type ControllerRuleSettings,
  type Deed,
  inSeconds,
  isBesides,
  isController,
  titleOf,
} from './observation.ts';
import { at as valueAt } from '../api/json.ts';

interface Incarnation {
  readonly uid: string;
  readonly madeAt: number;
}

/** So many of one name are remembered. */
const MOST = 20;

export class ControllersDeleteWhatTheySaw implements ControllerRule {
  readonly #settings: ControllerRuleSettings;
  /** By key, in the order in which they were made. */
  readonly #incarnations = new Map<string, Incarnation[]>();
  /** Keys by uid. */
  readonly #keys = new Map<string, string>();
  /** Uids that a controller was shown in its present life. */
  readonly #shown = new Map<string, Set<string>>();

  constructor(settings: ControllerRuleSettings) {
    this.#settings = settings;
  }

  shown(client: string, uid: string): void {
    const known = this.#shown.get(client);
    if (known) known.add(uid);
    else this.#shown.set(client, new Set([uid]));
  }

  ended(client: string): void {
    this.#shown.delete(client);
  }

  changed(deed: Deed): void {
    const { client, key, at, before, after, exchange } = deed;
    if (isBesides(key)) return;
    if (!before && after) this.#note(key, { uid: after.metadata.uid ?? '', madeAt: at });
    if (!before || !isController(client) || exchange?.method !== 'DELETE') return;
    const isGoing = before.metadata.deletionTimestamp !== undefined;
    if (isGoing || (after && after.metadata.deletionTimestamp === undefined)) return;
    const { uid = '', ownerReferences = [] } = before.metadata;
    const deleted = `${client} deleted ${titleOf(before)}`;
    const self = saysWhichOne(exchange.sent) ? undefined : this.#mistaken(client, uid);
    if (self) this.#settings.report(at, `${deleted}, made at ${self}, and names no uid`);
    for (const owner of self ? [] : ownerReferences) {
      const parent = this.#mistaken(client, owner.uid ?? '');
      if (parent)
        this.#settings.report(
          at,
          `${deleted}, which belongs to ${owner.kind ?? ''} ${owner.name ?? ''} made at ${parent}`,
        );
    }
  }

  /** What the controller takes it for, if it has not heard of it but of a former one of the same name. */
  #mistaken(client: string, uid: string): string | undefined {
    const shown = this.#shown.get(client) ?? new Set<string>();
    const all = this.#incarnations.get(this.#keys.get(uid) ?? '') ?? [];
    const present = all.find((each) => each.uid === uid);
    const seen = all.findLast((each) => each.uid !== uid && shown.has(each.uid));
    if (shown.has(uid) || !present || !seen) return undefined;
    return `${inSeconds(present.madeAt)}, of which nobody had told it: it had seen the one of ${inSeconds(seen.madeAt)} under that name`;
  }

  #note(key: string, incarnation: Incarnation): void {
    const all = this.#incarnations.get(key) ?? [];
    all.push(incarnation);
    this.#keys.set(incarnation.uid, key);
    if (all.length > MOST) this.#keys.delete(all.shift()?.uid ?? '');
    this.#incarnations.set(key, all);
  }
}

const saysWhichOne = (sent: unknown): boolean =>
  ['uid', 'resourceVersion'].some((member) => valueAt(sent, 'preconditions', member) !== undefined);
