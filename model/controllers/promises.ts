/** Controllers keep what they have begun: finalizers go, status catches up, and nothing is left behind. */
import type { ApiObject } from '../../sim/api/object.ts';
import { at as valueAt } from '../api/json.ts';
import {
  type ControllerRule,
  type ControllerRuleSettings,
  type Deed,
  inSeconds,
  isBesides,
  isController,
  isCustom,
  isNamedAfter,
  titleOf,
} from './observation.ts';

const LETS_GO_WITHIN = 300_000_000;

/** A finalizer that a controller put on an object goes when the object is to go. */
export class ControllersLetGo implements ControllerRule {
  readonly #settings: ControllerRuleSettings;
  /** Who put which finalizer on an object, by its key. */
  readonly #holders = new Map<string, Map<string, string>>();
  readonly #going = new Map<string, { readonly since: number; readonly object: ApiObject }>();

  constructor(settings: ControllerRuleSettings) {
    this.#settings = settings;
  }

  changed({ client, key, at, before, after }: Deed): void {
    if (!after) {
      this.#holders.delete(key);
      this.#going.delete(key);
      return;
    }
    const { finalizers = [], deletionTimestamp } = after.metadata;
    const former = new Set(before?.metadata.finalizers);
    for (const name of finalizers)
      if (isController(client) && !former.has(name)) this.#holdersOf(key).set(name, client);
    if (deletionTimestamp !== undefined)
      this.#going.set(key, { since: this.#going.get(key)?.since ?? at, object: after });
  }

  look(now: number): void {
    for (const [key, { since, object }] of this.#going)
      for (const finalizer of object.metadata.finalizers ?? []) {
        const holder = this.#holders.get(key)?.get(finalizer);
        if (holder === undefined) continue;
        if (this.#settings.cast.timeSince(holder, since, now) <= LETS_GO_WITHIN) continue;
        if (this.#isWaitedFor(object)) continue;
        this.#holders.get(key)?.delete(finalizer);
        this.#settings.report(
          now,
          `${titleOf(object)} was to go at ${inSeconds(since)}, and ${holder} has not taken its finalizer \`${finalizer}\` away, which it put there`,
        );
      }
  }

  #holdersOf(key: string): Map<string, string> {
    const known = this.#holders.get(key) ?? new Map<string, string>();
    this.#holders.set(key, known);
    return known;
  }

  /** What belongs to it is going as well. */
  #isWaitedFor({ metadata: { uid } }: ApiObject): boolean {
    for (const [, { metadata }] of this.#settings.cast.scene.objects())
      if (
        metadata.deletionTimestamp !== undefined &&
        metadata.ownerReferences?.some((owner) => owner.uid === uid) === true
      )
        return true;
    return false;
  }
}

const CURRENT_WITHIN = 120_000_000;

interface Behind {
  readonly client: string;
  readonly since: number;
  readonly object: ApiObject;
}

/** Who says which generation its status is about, says so of the newest one before long. */
export class ControllersKeepStatusCurrent implements ControllerRule {
  readonly #settings: ControllerRuleSettings;
  /** Who tells the status of an object, by its key. */
  readonly #tellers = new Map<string, string>();
  readonly #behind = new Map<string, Behind>();

  constructor(settings: ControllerRuleSettings) {
    this.#settings = settings;
  }

  changed({ client, key, at, before, after }: Deed): void {
    const observed = after && observedGeneration(after);
    if (!after || observed === undefined || after.metadata.deletionTimestamp !== undefined) {
      this.#behind.delete(key);
      if (!after) this.#tellers.delete(key);
      return;
    }
    if (observed !== (before && observedGeneration(before))) this.#tellers.set(key, client);
    const teller = this.#tellers.get(key) ?? '';
    const { generation = 0 } = after.metadata;
    if (!isController(teller) || generation <= observed) this.#behind.delete(key);
    else this.#behind.set(key, { client: teller, since: this.#behind.get(key)?.since ?? at, object: after });
  }

  look(now: number): void {
    for (const [key, { client, since, object }] of this.#behind) {
      if (this.#settings.cast.timeSince(client, since, now) <= CURRENT_WITHIN) continue;
      this.#behind.delete(key);
      this.#settings.report(
        now,
        `${titleOf(object)} has had generation ${object.metadata.generation ?? 0} since ${inSeconds(since)}, and ${client}, who tells its status, still says observedGeneration ${observedGeneration(object) ?? 0}`,
      );
    }
  }
}

function observedGeneration(object: ApiObject): number | undefined {
  const value = valueAt(object, 'status', 'observedGeneration');
  return typeof value === 'number' ? value : undefined;
}

const CLEAN_WITHIN = 120_000_000;

interface Child {
  readonly client: string;
  readonly object: ApiObject;
  readonly parent: ApiObject;
  orphanedAt: number | undefined;
}

/** What a controller made for an object that is gone, and what nobody owns, goes too. */
export class ControllersLeaveNoGarbage implements ControllerRule {
  readonly #settings: ControllerRuleSettings;
  readonly #children = new Map<string, Child>();

  constructor(settings: ControllerRuleSettings) {
    this.#settings = settings;
  }

  changed({ client, key, at, before, after }: Deed): void {
    if (isBesides(key)) return;
    if (!before && after && isController(client)) this.#born(client, key, after);
    const child = this.#children.get(key);
    if (child && (!after || (after.metadata.ownerReferences ?? []).length > 0)) this.#children.delete(key);
    if (!before || after) return;
    for (const each of this.#children.values())
      if (each.parent.metadata.uid === before.metadata.uid) each.orphanedAt = at;
  }

  look(now: number): void {
    for (const [key, { client, object, parent, orphanedAt }] of this.#children) {
      if (orphanedAt === undefined) continue;
      if (this.#settings.cast.timeSince(client, orphanedAt, now) <= CLEAN_WITHIN) continue;
      this.#children.delete(key);
      if (this.#hasNewParent(client, object)) continue;
      this.#settings.report(
        now,
        `${titleOf(object)}, which ${client} made for ${titleOf(parent)}, has no owner and is still there, ${inSeconds(now - orphanedAt)} after that was gone`,
      );
    }
  }

  #born(client: string, key: string, object: ApiObject): void {
    if ((object.metadata.ownerReferences ?? []).length > 0) return;
    const parent = this.#parentsOf(client, object).toSorted(byLengthOfName).at(-1);
    if (parent) this.#children.set(key, { client, object, parent, orphanedAt: undefined });
  }

  #parentsOf(client: string, object: ApiObject): readonly ApiObject[] {
    const { cast } = this.#settings;
    return [...cast.scene.objects()]
      .filter(([key]) => cast.touches(client, key))
      .map(([, each]) => each)
      .filter(
        (each) =>
          each.metadata.uid !== object.metadata.uid &&
          cast.makerOf(each) !== client &&
          (isCustom(each) || cast.hasWritten(client, each)) &&
          isNamedAfter(object, each),
      );
  }

  #hasNewParent(client: string, object: ApiObject): boolean {
    return this.#parentsOf(client, object).length > 0;
  }
}

const byLengthOfName = (left: ApiObject, right: ApiObject): number =>
  (left.metadata.name ?? '').length - (right.metadata.name ?? '').length;
