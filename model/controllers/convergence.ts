/** Controllers come to an end: at rest they write nothing, also after a restart, and they do not ask without pause. */
import { type Exchange, objectIn } from '../api/exchange.ts';
import { MadeAndRemoved } from './made-and-removed.ts';
import {
  changesText,
  type ControllerRule,
  type ControllerRuleSettings,
  type Deed,
  inSeconds,
  isBesides,
  isController,
  isPerson,
  leafChanges,
  placeText,
  subjectOf,
  titleOf,
} from './observation.ts';

/** So often nobody has to change one object to bring it where it should be, when nothing else changes. */
const MOST_IN_A_ROW = 8;

interface Row {
  count: number;
  readonly since: number;
}

/** A controller stops writing when nothing changes that it looks at. */
export class ControllersConverge implements ControllerRule {
  readonly #settings: ControllerRuleSettings;
  /** By controller and key: changes one after the other, amid which nobody else changed anything that it knows of. */
  readonly #rows = new Map<string, Map<string, Row>>();

  constructor(settings: ControllerRuleSettings) {
    this.#settings = settings;
  }

  changed(deed: Deed): void {
    const { client, key, at, before, after } = deed;
    if (isBesides(key)) return;
    for (const [controller, rows] of this.#rows)
      if (controller !== client && this.#settings.cast.touches(controller, key)) rows.clear();
    if (!isController(client) || !before || !after) return;
    const rows = this.#rows.get(client) ?? new Map<string, Row>();
    this.#rows.set(client, rows);
    const row = rows.get(key) ?? { count: 0, since: at };
    rows.set(key, row);
    row.count++;
    if (row.count !== MOST_IN_A_ROW) return;
    this.#settings.report(
      at,
      `${client} has changed ${titleOf(after)} ${row.count} times since ${inSeconds(row.since)}, although nobody else changed anything that it looks at; last ${changesText(leafChanges(deed))}`,
    );
  }
}

/** Nothing has changed for so long before a restart: there is nothing left to do. */
const REST = 30_000_000;
/** So long a new life looks at everything once. */
const FIRST_LOOK = 60_000_000;

/** A controller that is started anew at rest writes nothing. */
export class ControllersAreIdempotent implements ControllerRule {
  readonly #settings: ControllerRuleSettings;
  /** When something last changed that the controller looks at. */
  readonly #lastChange = new Map<string, number>();
  /** Those that began anew at rest, and since then nobody else changed anything. */
  readonly #anew = new Map<string, number>();
  /** Those that crashed at rest. */
  readonly #rested = new Set<string>();

  constructor(settings: ControllerRuleSettings) {
    this.#settings = settings;
  }

  ended(client: string, at: number): void {
    const last = this.#lastChange.get(client);
    const calm = Math.max(last ?? at, this.#settings.cast.disturbedAt);
    if (at - calm >= REST) this.#rested.add(client);
    this.#anew.delete(client);
  }

  began(client: string, at: number): void {
    if (this.#rested.delete(client)) this.#anew.set(client, at);
  }

  changed(deed: Deed): void {
    const { client, key, at } = deed;
    if (isBesides(key)) return;
    const { cast } = this.#settings;
    const since = this.#anew.get(client);
    if (since !== undefined && at - since <= FIRST_LOOK) {
      this.#anew.delete(client);
      const what = deed.before && deed.after ? ` (${changesText(leafChanges(deed))})` : '';
      this.#settings.report(
        at,
        `${client} was started anew at ${inSeconds(since)}, when nothing had changed for ${inSeconds(since - (this.#lastChange.get(client) ?? 0))}, and ${verbOf(deed)} ${titleOf(subjectOf(deed))}${what}`,
      );
    }
    for (const controller of cast.controllers) {
      if (controller !== client && !cast.touches(controller, key)) continue;
      this.#lastChange.set(controller, at);
      this.#rested.delete(controller);
      if (controller !== client) this.#anew.delete(controller);
    }
  }
}

const verbOf = ({ before, after }: Deed): string => {
  if (!before) return 'created';
  return after ? 'changed' : 'deleted';
};

const WINDOW = 10_000_000;
/** More than one each 100 ms, for a while: no back-off is so short for so long. */
const MOST_IN_WINDOW = 150;

/** A controller waits before it asks the same again that brought nothing. */
export class ControllersDoNotSpin implements ControllerRule {
  readonly #settings: ControllerRuleSettings;
  /** Instants of equal requests in vain, by what was asked. */
  readonly #asked = new Map<string, number[]>();
  /** What the last of them was answered: another version is news. */
  readonly #seen = new Map<string, string>();

  constructor(settings: ControllerRuleSettings) {
    this.#settings = settings;
  }

  askedInVain(exchange: Exchange): void {
    const { at, client, method, place, status } = exchange;
    const { namespace, name } = place;
    const what = `${method} ${placeText(place)} ${namespace === '' ? '' : `${namespace}/`}${name}`.trim();
    const instants = this.#asked.get(`${client} ${what}`) ?? [];
    this.#asked.set(`${client} ${what}`, instants);
    const version = objectIn(exchange)?.metadata.resourceVersion ?? '';
    if (version !== this.#seen.get(`${client} ${what}`)) instants.length = 0;
    this.#seen.set(`${client} ${what}`, version);
    instants.push(at);
    while ((instants[0] ?? at) < at - WINDOW) instants.shift();
    if (instants.length <= MOST_IN_WINDOW) return;
    this.#settings.report(
      at,
      `${client} asked \`${what}\` ${instants.length} times in ${inSeconds(at - (instants[0] ?? at))}, and nothing changed by it; the last answer was ${status}`,
    );
    instants.length = 0;
  }
}

/** So often each of two sets a field to what it wants. */
const MOST_SETS = 6;
/** What is set again after longer, is another story. */
const SAME_STORY = 300_000_000;

interface Setting {
  readonly at: number;
  readonly client: string;
  readonly to: string | undefined;
}

/** No two writers undo each other's work again and again. */
export class ControllersDoNotFight implements ControllerRule {
  readonly #settings: ControllerRuleSettings;
  /** By key and path: who set it to what, the last times. */
  readonly #sets = new Map<string, Map<string, Setting[]>>();
  readonly #lives: MadeAndRemoved;

  constructor(settings: ControllerRuleSettings) {
    this.#settings = settings;
    this.#lives = new MadeAndRemoved(settings.cast);
  }

  changed(deed: Deed): void {
    const { client, key, at, before, after } = deed;
    if (isBesides(key)) return;
    const fight = this.#lives.changed(deed);
    if (fight !== undefined) this.#settings.report(at, fight);
    if (!before || !after) {
      this.#sets.delete(key);
      return;
    }
    const fields = this.#sets.get(key) ?? new Map<string, Setting[]>();
    this.#sets.set(key, fields);
    for (const { path, to } of leafChanges(deed)) {
      const sets = fields.get(path) ?? [];
      fields.set(path, sets);
      sets.push({ at, client, to });
      if (sets.length > MOST_SETS) sets.shift();
      if (!isFight(sets)) continue;
      const [first, second] = sets;
      this.#settings.report(
        at,
        `${first?.client ?? ''} and ${second?.client ?? ''} fight over ${path} of ${titleOf(after)}: since ${inSeconds(first?.at ?? at)} the one sets it to ${first?.to ?? 'nothing'}, the other to ${second?.to ?? 'nothing'}, ${MOST_SETS / 2} times each`,
      );
      sets.length = 0;
    }
  }
}

function isFight(sets: readonly Setting[]): boolean {
  const [one, other] = sets;
  if (!one || !other || sets.length < MOST_SETS || one.client === other.client || one.to === other.to)
    return false;
  if (![one, other].some(({ client }) => isController(client))) return false;
  if ([one, other].some(({ client }) => client === '' || isPerson(client))) return false;
  return sets.every(({ client, to, at }, index) => {
    const mine = index % 2 === 0 ? one : other;
    return client === mine.client && to === mine.to && at - (sets[index - 1]?.at ?? at) < SAME_STORY;
  });
}
