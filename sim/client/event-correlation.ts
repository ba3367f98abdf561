/**
 * How a component keeps its Events few: after nine of one reason about one object that differ only in their words, the
 * others count up one that has the words of the last; and of one object it tells no more than 25 at once and then one
 * in five minutes. Of many objects it remembers those that it was told of last. It writes nothing. Kubernetes 1.31
 * (client-go: event correlation).
 */
import type { ObjectReference } from '../api/types/core-v1.ts';
import type { EventFacts } from './event-facts.ts';
import { RecentlyUsed } from './recently-used.ts';

/** So many different texts are one too many. */
const DIFFERENT = 10;
const MEMORY_MS = 600_000;
const BURST = 25;
const REFILL_MS = 300_000;
export const MOST_REMEMBERED = 4096;

export interface CorrelatedEvent {
  /** What makes two events the same. */
  readonly key: string;
  readonly facts: EventFacts;
  /** Nobody is to be told. */
  readonly isTooMuch: boolean;
}

interface Alike {
  readonly messages: Set<string>;
  lastMs: number;
}

interface Bucket {
  tokens: number;
  filledMs: number;
}

export class EventCorrelation {
  readonly #alike = new RecentlyUsed<Alike>(MOST_REMEMBERED);
  readonly #buckets = new RecentlyUsed<Bucket>(MOST_REMEMBERED);

  /** `nowMs` does not go back. */
  take(reference: ObjectReference, facts: EventFacts, nowMs: number): CorrelatedEvent {
    const { kind = '', apiVersion = '', namespace = '', name = '', uid = '', fieldPath = '' } = reference;
    const object = keyOf(kind, apiVersion, namespace, name, uid);
    const group = keyOf(object, facts.type, facts.reason);
    const isTooMuch = !this.#spend(object, nowMs);
    if (!this.#isCombined(group, facts.message, nowMs))
      return { key: keyOf(group, fieldPath, facts.message), facts, isTooMuch };
    const message = `(combined from similar events): ${facts.message}`;
    return { key: group, facts: { ...facts, message }, isTooMuch };
  }

  #isCombined(group: string, message: string, nowMs: number): boolean {
    let known = this.#alike.get(group);
    if (!known || nowMs - known.lastMs > MEMORY_MS)
      this.#alike.set(group, (known = { messages: new Set(), lastMs: nowMs }));
    known.lastMs = nowMs;
    known.messages.add(message);
    if (known.messages.size < DIFFERENT) return false;
    const [first = ''] = known.messages;
    known.messages.delete(first);
    return true;
  }

  #spend(object: string, nowMs: number): boolean {
    let bucket = this.#buckets.get(object);
    if (!bucket) this.#buckets.set(object, (bucket = { tokens: BURST, filledMs: nowMs }));
    bucket.tokens = Math.min(BURST, bucket.tokens + (nowMs - bucket.filledMs) / REFILL_MS);
    bucket.filledMs = nowMs;
    if (bucket.tokens < 1) return false;
    bucket.tokens -= 1;
    return true;
  }
}

const keyOf = (...parts: readonly string[]): string => parts.join('\u0000');
