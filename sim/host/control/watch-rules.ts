/**
 * Rules for what clients hear of their watches: events of one client are held until they are released, come late, or not at
 * all. The order of events within a watch stays what it is: what follows a held one waits behind it. A rule that drops
 * breaks a promise of the API on purpose: real servers end a watch rather than leave something out.
 */
import { isAgent, type ClientName } from './client-ledger.ts';

const KINDS = ['hold', 'delay', 'drop'] as const;

/** Whatever is absent does not matter. */
export interface WatchRule {
  readonly kind: (typeof KINDS)[number];
  readonly user?: string;
  /** `NAME*` for all that begin so. */
  readonly userAgent?: string;
  /** Plural, such as `pods`. */
  readonly resource?: string;
  /** Of the object. */
  readonly namespace?: string;
  readonly name?: string;
  /** Such as `DELETED`. */
  readonly type?: string;
  /** Of `delay`: virtual milliseconds. */
  readonly delayMs?: number;
  /** Of `drop`: so many pass before, and so many are dropped. */
  readonly after?: number;
  readonly count?: number;
}

const TEXTS = ['user', 'userAgent', 'resource', 'namespace', 'name', 'type'] as const;
const COUNTS = ['delayMs', 'after', 'count'] as const;
const KNOWN: readonly string[] = ['kind', ...TEXTS, ...COUNTS];

/** @throws RangeError for what is no list of rules */
export function watchRulesFrom(value: unknown): readonly WatchRule[] {
  if (!Array.isArray(value)) throw new RangeError('rules: expected a list');
  return value.map((each: unknown, index) => checked(each, `rules[${index}]`));
}

function checked(value: unknown, path: string): WatchRule {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RangeError(`${path}: expected a mapping`);
  const members = value as Readonly<Record<string, unknown>>;
  for (const [name, member] of Object.entries(members)) {
    if (!KNOWN.includes(name))
      throw new RangeError(`${path}: there is no ${name}; there are ${KNOWN.join(', ')}`);
    const isText = TEXTS.some((text) => text === name);
    if (isText && typeof member !== 'string') throw new RangeError(`${path}.${name}: expected a string`);
    if (!isText && name !== 'kind' && !(Number.isSafeInteger(member) && Number(member) >= 0))
      throw new RangeError(`${path}.${name}: expected a whole number from 0 on`);
  }
  if (!KINDS.some((kind) => kind === members['kind']))
    throw new RangeError(`${path}.kind: expected one of ${KINDS.join(', ')}`);
  if (members['kind'] === 'delay' && members['delayMs'] === undefined)
    throw new RangeError(`${path}.delayMs: expected, as the kind is delay`);
  return value as WatchRule;
}

/** One event on its way to a client. */
export interface WatchedEvent {
  readonly client: ClientName;
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
  readonly type?: string;
}

/** Which watches: whatever is absent does not matter. */
export interface WatchSelection {
  readonly user?: string;
  readonly userAgent?: string;
  readonly resource?: string;
}

/** A watch that rules may concern. */
export interface RuledWatch {
  readonly client: ClientName;
  readonly resource: string;
  /** There are other rules. */
  reconsider(): void;
  end(isExpired: boolean): void;
}

/** The rules of a world at present. */
export class WatchRules {
  #rules: readonly { readonly rule: WatchRule; seen: number }[] = [];
  readonly #watches = new Set<RuledWatch>();

  get list(): readonly WatchRule[] {
    return this.#rules.map(({ rule }) => rule);
  }

  /** Those that stay go on counting; what was held by one that goes is released. */
  replace(rules: readonly WatchRule[]): void {
    const before = new Map(this.#rules.map((each) => [JSON.stringify(each.rule), each]));
    this.#rules = rules.map((rule) => before.get(JSON.stringify(rule)) ?? { rule, seen: 0 });
    for (const watch of [...this.#watches]) watch.reconsider();
  }

  /** A watch is served from now on; the result ends that. */
  add(watch: RuledWatch): () => void {
    this.#watches.add(watch);
    return () => void this.#watches.delete(watch);
  }

  /** As the server does when they get old; the number of those that there were. */
  endWatches({ user, userAgent, resource }: WatchSelection, isExpired: boolean): number {
    const chosen = [...this.#watches].filter(
      (watch) =>
        (user ?? watch.client.user) === watch.client.user &&
        isAgent(watch.client.userAgent, userAgent) &&
        (resource ?? watch.resource) === watch.resource,
    );
    for (const watch of chosen) watch.end(isExpired);
    return chosen.length;
  }

  isHeld(event: WatchedEvent): boolean {
    return this.#rules.some(({ rule }) => rule.kind === 'hold' && concerns(rule, event));
  }

  delayMsOf(event: WatchedEvent): number {
    const late = this.#rules.filter(({ rule }) => rule.kind === 'delay' && concerns(rule, event));
    return Math.max(0, ...late.map(({ rule }) => rule.delayMs ?? 0));
  }

  /** Counts the event. */
  drops(event: WatchedEvent): boolean {
    let isDropped = false;
    for (const each of this.#rules) {
      const { kind, after = 0, count = Infinity } = each.rule;
      if (kind !== 'drop' || !concerns(each.rule, event)) continue;
      each.seen++;
      isDropped ||= each.seen > after && each.seen <= after + count;
    }
    return isDropped;
  }
}

const concerns = (rule: WatchRule, { client, ...event }: WatchedEvent): boolean =>
  (rule.user ?? client.user) === client.user &&
  isAgent(client.userAgent, rule.userAgent) &&
  (['resource', 'namespace', 'name', 'type'] as const).every(
    (member) => rule[member] === undefined || rule[member] === event[member],
  );
