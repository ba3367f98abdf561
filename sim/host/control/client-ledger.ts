/**
 * What each client of a served world has asked and was told, newest last: for tests that ask what a controller could know.
 * A client is a user with a user agent. Bounded: of old entries, and of clients that come and go, the oldest are forgotten.
 */

export interface ClientName {
  readonly user: string;
  readonly userAgent: string;
}

export type LedgerEntry =
  | {
      readonly kind: 'request';
      readonly atMicros: number;
      readonly method: string;
      /** With its query. */
      readonly path: string;
      /** Of the answer; absent: there was none. */
      readonly status?: number;
      readonly body?: string;
      readonly contentType?: string;
    }
  | {
      readonly kind: 'events';
      readonly atMicros: number;
      /** Path of the watch. */
      readonly of: string;
      /** As they went over the wire. */
      readonly bytes: Uint8Array;
    };

const MOST_CLIENTS = 200;
const MOST_ENTRIES = 2_000;

export class ClientLedger {
  readonly #clients = new Map<string, { readonly name: ClientName; entries: LedgerEntry[]; total: number }>();

  note(name: ClientName, entry: LedgerEntry): void {
    const key = `${name.user}\n${name.userAgent}`;
    const known = this.#clients.get(key) ?? { name, entries: [], total: 0 };
    this.#clients.delete(key);
    this.#clients.set(key, known);
    known.total++;
    known.entries.push(entry);
    if (known.entries.length > 2 * MOST_ENTRIES) known.entries = known.entries.slice(-MOST_ENTRIES);
    const [oldest] = this.#clients.keys();
    if (this.#clients.size > MOST_CLIENTS && oldest !== undefined) this.#clients.delete(oldest);
  }

  /** Who there was, the latest last. */
  list(): readonly (ClientName & { readonly entries: number })[] {
    return [...this.#clients.values()].map(({ name, total }) => ({ ...name, entries: total }));
  }

  /** Of one client, or of all of a user or with a user agent, in the order in which it happened. */
  entriesOf(client: Partial<ClientName>, tail: number): readonly object[] {
    return this.#latest(client, tail).flatMap(({ name, entry }) => shown(name, entry));
  }

  /** As `entriesOf`, but only what was asked. */
  requestsOf(client: Partial<ClientName>): readonly Extract<LedgerEntry, { kind: 'request' }>[] {
    return this.#latest(client, Infinity).flatMap(({ entry }) => (entry.kind === 'request' ? [entry] : []));
  }

  #latest(
    { user, userAgent }: Partial<ClientName>,
    tail: number,
  ): readonly { readonly name: ClientName; readonly entry: LedgerEntry }[] {
    const found = [...this.#clients.values()]
      .filter(({ name }) => (user ?? name.user) === name.user && isAgent(name.userAgent, userAgent))
      .flatMap(({ name, entries }) => entries.slice(-MOST_ENTRIES).map((entry) => ({ name, entry })))
      .sort((a, b) => a.entry.atMicros - b.entry.atMicros);
    return found.slice(Math.max(0, found.length - tail));
  }
}

/** Whether a user agent is the one that is meant: `kubectl/*` for all that begin so. */
export const isAgent = (userAgent: string, wanted: string | undefined): boolean => {
  if (wanted === undefined) return true;
  return wanted.endsWith('*') ? userAgent.startsWith(wanted.slice(0, -1)) : userAgent === wanted;
};

function shown(name: ClientName, entry: LedgerEntry): readonly object[] {
  if (entry.kind === 'request') return [{ ...name, ...entry }];
  const { atMicros, of, bytes } = entry;
  return eventsIn(bytes).map((event) => ({ ...name, kind: 'event', atMicros, of, ...event }));
}

export interface EventFacts {
  readonly type?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly resourceVersion?: string;
}

/** What the events of a piece are about; of those that are not JSON only that they are there. */
export function eventsIn(bytes: Uint8Array): readonly EventFacts[] {
  if (bytes[0] !== BRACE) return [{}];
  return linesOf(bytes).map((line) => {
    const { type, object } = JSON.parse(line) as {
      readonly type?: string;
      readonly object?: { readonly metadata?: Readonly<Record<string, string>> };
    };
    const { name, namespace, resourceVersion } = object?.metadata ?? {};
    return {
      ...(type !== undefined && { type }),
      ...(namespace !== undefined && { namespace }),
      ...(name !== undefined && { name }),
      ...(resourceVersion !== undefined && { resourceVersion }),
    };
  });
}

const BRACE = '{'.charCodeAt(0);
const UTF8 = new TextDecoder();

const linesOf = (bytes: Uint8Array): readonly string[] =>
  UTF8.decode(bytes)
    .split('\n')
    .filter((line) => line !== '');
