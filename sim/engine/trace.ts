/**
 * What happened, in order: one record for every event and for everything a component notes. A record names
 * the event it belongs to and that event's cause, so that happens-before can be read off. The running digest
 * takes every record; the records themselves stay in a ring unless all are asked for.
 */

import { Digest, label, type Label } from './digest.ts';
import { QueuedEvent } from './queued-event.ts';
import { formatMicros, type Micros } from './time.ts';

/** JSON-like facts of a record; they count for the digest, members in their own order. */
export type TraceFacts = Readonly<Record<string, unknown>>;

export interface TraceRecord {
  /** Position in the trace, from 0. */
  readonly serial: number;
  readonly at: Micros;
  /** Name of the actor; '' for the world outside. */
  readonly actor: string;
  /** `timer`, `message`, `crash`, … or a component's own word. */
  readonly kind: string;
  readonly subject: string;
  /** The event during which it was written; an event's own record carries its own id. 0: outside of events. */
  readonly event: number;
  /** The event that scheduled `event`. */
  readonly cause: number;
  /**
   * What it reads or changes: its actor, and the object that it is about where that is known. Two records that touch
   * nothing in common, and of which neither caused the other, may change places.
   */
  readonly touches: readonly string[];
  readonly facts?: TraceFacts;
}

/** Looks on while a run writes its trace. */
export interface TraceObserver {
  /** After each record; `trace.last` is the record. */
  recorded(trace: Trace): void;
}

export interface TraceOptions {
  /** How many records to keep, the latest ones; default 256. */
  readonly keeps?: number | 'all';
  readonly observer?: TraceObserver;
}

const NOBODY = label('');
const DEFAULT_RING = 256;

/** A record without its serial and instant; of an event, what can be kept for long. */
class Note {
  readonly id: number;
  readonly cause: number;
  readonly kind: Label;
  readonly subject: Label;
  readonly actor: Label;
  readonly about: string | undefined;
  readonly facts: TraceFacts | undefined;

  constructor(
    event: { readonly id: number; readonly cause: number } | undefined,
    { label: actor, kind, subject }: Noted,
    about: string | undefined,
    facts: TraceFacts | undefined,
  ) {
    this.id = event === undefined ? 0 : event.id;
    this.cause = event === undefined ? 0 : event.cause;
    this.kind = kind;
    this.subject = subject;
    this.actor = actor;
    this.about = about;
    this.facts = facts;
  }
}

interface Noted {
  readonly label: Label;
  readonly kind: Label;
  readonly subject: Label;
}

const aboutOf = (event: QueuedEvent): string | undefined => event.action.touches?.(event);

const noteOf = (event: QueuedEvent): Note =>
  new Note(
    event,
    { label: event.owner?.label ?? NOBODY, kind: event.kind, subject: event.subject },
    aboutOf(event),
    undefined,
  );

/** Keeps what it is given and makes records only when asked, so that writing one allocates next to nothing. */
export class Trace {
  readonly #ring: number;
  readonly #observer: TraceObserver | undefined;
  readonly #digest = new Digest();
  #count = 0;
  /** Where in the ring the next record goes. */
  #next = 0;
  readonly #at: number[] = [];
  readonly #entries: (QueuedEvent | Note)[] = [];

  constructor({ keeps = DEFAULT_RING, observer }: TraceOptions = {}) {
    this.#ring = keeps === 'all' ? Infinity : Math.max(1, keeps);
    this.#observer = observer;
  }

  /** Records so far. */
  get length(): number {
    return this.#count;
  }

  /** 16 hex digits over all records so far. */
  get digest(): string {
    return this.#digest.toString();
  }

  /** 32 bits of the running digest: to compare runs record by record. */
  get digestLane(): number {
    return this.#digest.lane;
  }

  get last(): TraceRecord | undefined {
    return this.#count === 0 ? undefined : this.#recordAt(this.#count - 1);
  }

  /** The kept records, oldest first; of them the last `count` when given. */
  records(count = Infinity): readonly TraceRecord[] {
    const kept = Math.min(this.#count, this.#ring, count);
    return Array.from({ length: kept }, (_, index) => this.#recordAt(this.#count - kept + index));
  }

  /** For the loop: an event happens. */
  event(at: Micros, event: QueuedEvent): void {
    const { owner, kind, subject, cause } = event;
    const actor = owner === undefined ? NOBODY : owner.label;
    this.#digest.event(at, actor.hash, kind.hash, subject.hash, cause);
    // An event holds on to its action, and that to messages: too much to keep for the whole run.
    this.#keep(at, this.#ring === Infinity ? noteOf(event) : event);
  }

  /** For the loop: something worth knowing within an event. */
  note(
    at: Micros,
    noted: Noted,
    event: QueuedEvent | undefined,
    facts: TraceFacts | undefined,
    skipped?: string,
  ): void {
    const note = new Note(event, noted, noted.subject.text, facts);
    this.#digest.event(at, note.actor.hash, note.kind.hash, note.subject.hash, note.cause);
    if (facts) this.#digest.value(facts, skipped);
    this.#keep(at, note);
  }

  #keep(at: Micros, entry: QueuedEvent | Note): void {
    this.#at[this.#next] = at;
    this.#entries[this.#next] = entry;
    this.#count++;
    if (++this.#next >= this.#ring) this.#next = 0;
    if (this.#observer) this.#observer.recorded(this);
  }

  #recordAt(serial: number): TraceRecord {
    const slot = this.#ring === Infinity ? serial : serial % this.#ring;
    const entry = this.#entries[slot] as QueuedEvent | Note;
    const { id, cause, kind, subject, actor, about, facts } =
      entry instanceof QueuedEvent ? noteOf(entry) : entry;
    return {
      serial,
      at: this.#at[slot] as Micros,
      actor: actor.text,
      kind: kind.text,
      subject: subject.text,
      event: id,
      cause,
      touches: [actor.text, about ?? ''].filter((name) => name !== ''),
      ...(facts && { facts }),
    };
  }
}

/** One line: `#17 3.000500s node/a timer lease (event 12 by 9) {"x":1}`. */
export function formatRecord(record: TraceRecord): string {
  const { serial, at, actor, kind, subject, event, cause, facts } = record;
  const who = [actor || '-', kind, subject].filter((word) => word !== '').join(' ');
  return `#${serial} ${formatMicros(at)} ${who} (event ${event} by ${cause})${facts ? ` ${JSON.stringify(facts)}` : ''}`;
}
