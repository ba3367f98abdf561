/**
 * Events that a component writes, in any order of things to tell, refusals and meddling: each counts how often it was told,
 * also what was too much to be written then; whoever was refused is lost, and nobody who waits behind him; and who is gone is
 * told anew.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createCluster } from '../cluster/create-cluster.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../engine/any-order.arbitrary.ts';
import { seconds } from '../engine/time.ts';
import { EventRecorder } from './event-recorder.ts';

const BURST = 25;
const REFILL_MS = 300_000;

interface Line {
  count: number;
  /** Told too often to be written then: with the next one that is written, unless the line is forgotten before. */
  onlyCounted: number;
  isThere: boolean;
}

class Teller {
  readonly #cluster = createCluster({ controllers: [], scheduler: false });
  readonly #recorder = new EventRecorder(this.#cluster.userClient, 'teller');
  /** By object and message: all that were written, the last of which is known, unless its writing has failed. */
  readonly #lines = new Map<string, Line[]>();
  readonly #forgotten = new Set<string>();
  readonly #buckets = new Map<string, { tokens: number; atMs: number }>();
  #refusals = 0;

  constructor() {
    this.#cluster.advance(seconds(1));
  }

  tell(name: string, message: string, times: number): void {
    const key = `${name} ${message}`;
    const lines = this.#lines.get(key) ?? [];
    this.#lines.set(key, lines);
    const pod = { kind: 'Pod', apiVersion: 'v1', metadata: { name, namespace: 'default', uid: name } };
    const known = this.#forgotten.has(key) ? undefined : lines.at(-1);
    let waiting = 0;
    for (let time = 0; time < times; time++) {
      this.#recorder.record(pod, { type: 'Normal', reason: 'Told', message });
      if (this.#spend(name)) waiting++;
    }
    const onlyCounted = times - waiting;
    for (; waiting > 0; waiting--) this.#write(key, lines);
    if (known && known === lines.at(-1) && !this.#forgotten.has(key)) known.onlyCounted += onlyCounted;
    this.#cluster.advance(seconds(2));
  }

  /** Of what comes too often only the count is kept. */
  #spend(name: string): boolean {
    const nowMs = this.#cluster.userClient.context.wallMs();
    const { tokens, atMs } = this.#buckets.get(name) ?? { tokens: BURST, atMs: nowMs };
    const filled = Math.min(BURST, tokens + (nowMs - atMs) / REFILL_MS);
    this.#buckets.set(name, { tokens: filled < 1 ? filled : filled - 1, atMs: nowMs });
    return filled >= 1;
  }

  #write(key: string, lines: Line[]): void {
    if (this.#refusals > 0) {
      this.#refusals--;
      this.#forgotten.add(key);
      for (const line of lines) line.onlyCounted = 0;
      return;
    }
    const known = this.#forgotten.delete(key) ? undefined : lines.at(-1);
    if (known?.isThere === true) {
      known.count += 1 + known.onlyCounted;
      known.onlyCounted = 0;
    } else lines.push({ count: 1, onlyCounted: 0, isThere: true });
  }

  remove(): void {
    for (const { metadata } of this.#cluster.client.events.list({ namespace: 'default' }).items)
      this.#cluster.client.events.delete(metadata.name ?? '');
    for (const line of [...this.#lines.values()].flat()) line.isThere = false;
  }

  refuse(count: number): void {
    if (this.#refusals > 0) return;
    this.#cluster.faults.failRequests({ resource: 'events', verb: ['create', 'patch'], count });
    this.#refusals = count;
  }

  pass(): void {
    this.#cluster.advance(seconds(250));
  }

  /** What is only counted is seen with the next one that is written. */
  compare(): void {
    const { items } = this.#cluster.client.events.list({ namespace: 'default' });
    for (const [key, lines] of this.#lines) {
      const said = items
        .filter(({ involvedObject, message }) => `${involvedObject.name} ${message}` === key)
        .map(({ count = 0 }) => count);
      const there = lines
        .filter(({ isThere }) => isThere)
        .map(({ count, onlyCounted }) => count + onlyCounted);
      expect(said.length, key).toBe(there.length);
      const [most, mostSaid] = [there, said].map((counts) => counts.reduce((sum, count) => sum + count, 0));
      expect(mostSaid, `${key} is told no oftener than it was`).toBeLessThanOrEqual(most ?? 0);
    }
  }

  /** Once there is room again everybody is told, and then the counts are whole. */
  end(): void {
    this.#cluster.advance(seconds(1_300));
    while (this.#refusals > 0) this.tell('spare', 'one', 1);
    for (const key of this.#lines.keys()) {
      const [name = '', message = ''] = key.split(' ');
      if (name !== 'spare') this.tell(name, message, 1);
    }
    const { items } = this.#cluster.client.events.list({ namespace: 'default' });
    for (const [key, lines] of this.#lines)
      expect(
        items
          .filter(({ involvedObject, message }) => `${involvedObject.name} ${message}` === key)
          .map(({ count = 0 }) => count)
          .toSorted((a, b) => a - b),
        key,
      ).toEqual(
        lines
          .filter(({ isThere }) => isThere)
          .map(({ count }) => count)
          .toSorted((a, b) => a - b),
      );
  }
}

const act = actsOn<Teller>();

it('count how often they were told', () => {
  const tell = act(
    'tell',
    fc.tuple(fc.constantFrom('a', 'b'), fc.constantFrom('one', 'two'), fc.constantFrom(1, 1, 2, 4, 28)),
    (teller, drawn) => teller.tell(...drawn),
  );
  holdsInAnyOrder<Teller>({
    begin: () => new Teller(),
    acts: [
      ...[tell, tell, tell],
      act('remove', NOTHING, (teller) => teller.remove()),
      act('refuse', fc.integer({ min: 1, max: 3 }), (teller, count) => teller.refuse(count)),
      act('pass', NOTHING, (teller) => teller.pass()),
    ],
    compare: (teller) => teller.compare(),
    end: (teller) => teller.end(),
    most: 9,
    runs: 50,
    hasSomeOnly: true,
  });
});
