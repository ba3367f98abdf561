/**
 * What rules about controllers are told of a run: who changed what, who asked for what without changing anything, and
 * whose life began. A controller is a guest: a program of the user's own. Nobody tells the rules what it is meant to do.
 */
import type { ApiObject } from '../../sim/api/object.ts';
import type { Exchange, Place } from '../api/exchange.ts';
import { isMapping } from '../api/json.ts';

/** A change of an object, and by whose request it came. */
export interface Deed {
  /** Virtual microseconds. */
  readonly at: number;
  readonly key: string;
  readonly revision: number;
  /** Name of an actor; empty: nobody knows, as a server fell amid it. */
  readonly client: string;
  readonly before: ApiObject | undefined;
  /** Undefined: it is gone. */
  readonly after: ApiObject | undefined;
  readonly exchange: Exchange | undefined;
}

/** The cluster as the rules may ask about it. */
export interface Scene {
  /** Without any there is nothing to watch. */
  readonly hasControllers: boolean;
  /** All stored objects by their keys. */
  objects(): Iterable<readonly [string, ApiObject]>;
  /** Whether the controller runs, reaches every server, and nothing else hinders anybody. */
  isFree(client: string): boolean;
}

export interface ControllerRuleSettings {
  readonly report: (at: number, message: string) => void;
  readonly cast: Cast;
}

export interface ControllerRule {
  /** Somebody changed an object. */
  changed?(deed: Deed): void;
  /** A controller was answered, and nothing had changed by it. */
  askedInVain?(exchange: Exchange): void;
  /** A controller was told of an object. */
  shown?(client: string, uid: string): void;
  /** A controller has crashed. */
  ended?(client: string, at: number): void;
  /** It has another life. */
  began?(client: string, at: number): void;
  /** Time has gone by. */
  look?(now: number): void;
}

export const isController = (client: string): boolean => client.startsWith('guest/');
/** Who acts as he likes: tests and scenarios. */
export const isPerson = (client: string): boolean => client.startsWith('user/');

/** Heartbeats and notes: they say nothing of the work. */
const BESIDES = /^\/registry\/(events|leases|masterleases)\//;
export const isBesides = (key: string): boolean => BESIDES.test(key);

const OF_SOMEBODY = /^(stored as )?([^/]+\.[^/]+)\/[^/]+$/;

/** Of a kind that the cluster was taught. */
export function isCustom({ apiVersion = '' }: ApiObject): boolean {
  const group = OF_SOMEBODY.exec(apiVersion)?.[2] ?? '';
  return group !== '' && !group.endsWith('.k8s.io');
}

export const titleOf = ({ kind = 'object', metadata: { namespace = '', name = '' } }: ApiObject): string =>
  `${kind} ${namespace === '' ? '' : `${namespace}/`}${name}`;

export const inSeconds = (micros: number): string => `${Math.round(micros / 1_000) / 1_000}s`;

export const subjectOf = ({ before, after }: Deed): ApiObject =>
  after ?? before ?? { apiVersion: '', kind: '', metadata: {} };

/** Of the resource, whatever the object is called. */
export const placeText = ({ resource, subresource }: Place): string =>
  subresource === '' ? resource : `${resource}/${subresource}`;

/** What is remembered of everybody, for all rules. */
export class Cast {
  readonly scene: Scene;
  /** Prefixes of keys that a controller has read or written below. */
  readonly #touched = new Map<string, Set<string>>();
  /** Who made an object, by its uid. */
  readonly #makers = new Map<string, string>();
  /** Who has changed an object after it was made, by its uid. */
  readonly #writers = new Map<string, Set<string>>();
  readonly #gone: ApiObject[] = [];
  #disturbedAt = 0;

  constructor(scene: Scene) {
    this.scene = scene;
  }

  get controllers(): readonly string[] {
    return [...this.#touched.keys()];
  }

  touch(client: string, prefix: string): void {
    const known = this.#touched.get(client);
    if (known) known.add(prefix);
    else this.#touched.set(client, new Set([prefix]));
  }

  touches(client: string, key: string): boolean {
    for (const prefix of this.#touched.get(client) ?? []) if (key.startsWith(prefix)) return true;
    return false;
  }

  note({ client, before, after }: Deed): void {
    const { uid = '' } = (after ?? before)?.metadata ?? {};
    if (!before && after) this.#makers.set(uid, client);
    else if (after) {
      const writers = this.#writers.get(uid);
      if (writers) writers.add(client);
      else this.#writers.set(uid, new Set([client]));
    }
    if (before && !after) this.#gone.push(before);
    if (this.#gone.length > 2 * MOST_GONE) this.#gone.splice(0, MOST_GONE);
  }

  makerOf({ metadata: { uid = '' } }: ApiObject): string | undefined {
    return this.#makers.get(uid);
  }

  hasWritten(client: string, { metadata: { uid = '' } }: ApiObject): boolean {
    return this.#writers.get(uid)?.has(client) === true;
  }

  /** Something was broken or mended: from now on everybody has time again. */
  disturbed(at: number): void {
    this.#disturbedAt = at;
  }

  get disturbedAt(): number {
    return this.#disturbedAt;
  }

  /** How long a controller could have done since an instant what it had to do. */
  timeSince(client: string, instant: number, now: number): number {
    return this.scene.isFree(client) ? now - Math.max(instant, this.#disturbedAt) : 0;
  }

  /** What there is and was below what a controller touches, itself aside. */
  *around(client: string, { metadata: { uid } }: ApiObject): Iterable<ApiObject> {
    for (const [key, object] of this.scene.objects())
      if (object.metadata.uid !== uid && this.touches(client, key)) yield object;
    yield* this.#gone;
  }
}

const MOST_GONE = 1_000;

/** Whether an object was made for another, by what it is called and what its labels and annotations say. */
export function isNamedAfter(object: ApiObject, parent: ApiObject): boolean {
  const { name = '', namespace = '', labels = {}, annotations = {} } = object.metadata;
  const { name: of = '', namespace: at = '', uid = '' } = parent.metadata;
  if (of === '' || (at !== '' && namespace !== '' && at !== namespace)) return false;
  const said = [...Object.values(labels), ...Object.values(annotations)];
  return (
    name === of ||
    name.startsWith(`${of}-`) ||
    name.endsWith(`-${of}`) ||
    said.some((value) => value === of || value === uid)
  );
}

/** Single values of an object by their paths; elements of lists by what they are called. */
export function leavesOf(object: ApiObject | undefined): ReadonlyMap<string, string> {
  const leaves = new Map<string, string>();
  if (object) gather(object, '', leaves);
  return leaves;
}

const UNTOLD: ReadonlySet<string> = new Set([
  'metadata.managedFields',
  'metadata.resourceVersion',
  'metadata.generation',
]);
const CALLED = ['name', 'type', 'uid', 'key', 'ip', 'containerPort', 'port'];

function gather(value: unknown, path: string, leaves: Map<string, string>): void {
  if (UNTOLD.has(path)) return;
  if (Array.isArray(value)) {
    for (const item of value) {
      const called = elementName(item);
      if (isMapping(item) && called !== undefined) gather(item, `${path}[${called}]`, leaves);
      else leaves.set(`${path}[${JSON.stringify(item)}]`, JSON.stringify(item));
    }
  } else if (isMapping(value)) {
    for (const [name, inner] of Object.entries(value))
      gather(inner, path === '' ? name : `${path}.${name}`, leaves);
  } else if (value !== undefined) leaves.set(path, JSON.stringify(value));
}

function elementName(item: unknown): string | undefined {
  if (!isMapping(item)) return undefined;
  for (const member of CALLED) {
    const value = item[member];
    if (typeof value === 'string' || typeof value === 'number') return String(value);
  }
  return undefined;
}

export interface LeafChange {
  readonly path: string;
  /** As JSON; undefined: there was none. */
  readonly from: string | undefined;
  readonly to: string | undefined;
}

export function leafChanges({ before, after }: Pick<Deed, 'before' | 'after'>): readonly LeafChange[] {
  const [old, young] = [leavesOf(before), leavesOf(after)];
  const changes: LeafChange[] = [];
  for (const [path, to] of young) {
    const from = old.get(path);
    if (from !== to) changes.push({ path, from, to });
  }
  for (const [path, from] of old) if (!young.has(path)) changes.push({ path, from, to: undefined });
  return changes;
}

const MOST_SHOWN = 3;
const LONGEST = 60;

const shown = (value: string | undefined): string => {
  if (value === undefined) return 'nothing';
  return value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value;
};

export const changeText = ({ path, from, to }: LeafChange): string =>
  `${path} from ${shown(from)} to ${shown(to)}`;

export function changesText(changes: readonly LeafChange[]): string {
  const more = changes.length - MOST_SHOWN;
  const some = changes.slice(0, MOST_SHOWN).map(changeText).join(', ');
  return `${some}${more > 0 ? ` and ${more} more` : ''}`;
}
