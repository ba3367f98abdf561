/**
 * What a component tells by Events, in any order of things to tell, time and meddling, beside all that it was asked to tell:
 * nobody is told more than 25 things of an object at once and one in five minutes later, but nobody is forgotten either;
 * who is alike in all but its words is told together; and a series says how often it has happened, soon after it is over.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Event } from '../api/types/events-k8s-io-v1.ts';
import { createCluster } from '../cluster/create-cluster.ts';
import { tryTo } from '../cluster/troubled-client.fixture.ts';
import { actsOn, holdsInAnyOrder } from '../engine/any-order.arbitrary.ts';
import { minutes, seconds } from '../engine/time.ts';
import { BUILTIN_HANDLES } from './builtin-handles.ts';
import { EventCorrelation } from './event-correlation.ts';
import { EventSeriesRecorder } from './event-series-recorder.ts';

const BURST = 25;
const REFILL_MS = 300_000;
const OVER_MS = 600_000;
const COMBINED = '(combined from similar events): ';

interface Told {
  readonly object: string;
  readonly reason: string;
  readonly message: string;
  readonly atMs: number;
  readonly isTooMuch: boolean;
}

class Component {
  readonly #correlation = new EventCorrelation();
  readonly #told: Told[] = [];
  #nowMs = 0;

  tell(name: string, reason: string, message: string, times: number): void {
    for (let time = 0; time < times; time++) this.#tell(name, reason, message);
  }

  #tell(object: string, reason: string, message: string): void {
    const reference = { kind: 'Pod', apiVersion: 'v1', namespace: 'default', name: object, uid: object };
    const facts = { type: 'Normal', reason, message } as const;
    const answer = this.#correlation.take(reference, facts, this.#nowMs);
    const isTooMuch = this.#tokensOf(object) < 1;
    expect(answer.isTooMuch, `too much of ${object}`).toBe(isTooMuch);
    this.#told.push({ object, reason, message, atMs: this.#nowMs, isTooMuch });
    const isCombined = this.#differentOf(object, reason) >= 10;
    expect(answer.facts.message).toBe(isCombined ? COMBINED + message : message);
  }

  /** Tokens that come back one by one, and are never more than all. */
  #tokensOf(object: string): number {
    let [tokens, atMs] = [BURST, 0];
    const own = this.#told.filter((each) => each.object === object);
    for (const each of own) {
      tokens = Math.min(BURST, tokens + (each.atMs - atMs) / REFILL_MS);
      if (!each.isTooMuch) tokens -= 1;
      atMs = each.atMs;
    }
    return Math.min(BURST, tokens + (this.#nowMs - atMs) / REFILL_MS);
  }

  /** Words that are remembered of those alike: at the most nine, without the oldest, beside those of now. */
  #differentOf(object: string, reason: string): number {
    let [words, atMs, most] = [[] as string[], -Infinity, 0];
    for (const each of this.#told.filter((one) => one.object === object && one.reason === reason)) {
      if (most >= 10) words = words.slice(1);
      if (each.atMs - atMs > OVER_MS) words = [];
      if (!words.includes(each.message)) words = [...words, each.message];
      [atMs, most] = [each.atMs, words.length];
    }
    return most;
  }

  pass(spanMs: number): void {
    this.#nowMs += spanMs;
  }
}

const message = fc.nat(13).map((number) => `m${number}`);
const component = actsOn<Component>();

it('are not too many, and are again when it has been quiet', () => {
  const tell = component(
    'tell',
    fc.tuple(fc.constantFrom('a', 'b'), fc.constantFrom('Made', 'Failed'), message, fc.constantFrom(1, 1, 9)),
    (subject, drawn) => subject.tell(...drawn),
  );
  holdsInAnyOrder<Component>({
    begin: () => new Component(),
    acts: [
      ...[tell, tell, tell, tell],
      // Whole parts of five minutes that binary fractions can hold.
      component('pass', fc.constantFrom(0, 0.25, 1, 2, 2.25, 30), (subject, part) =>
        subject.pass(part * REFILL_MS),
      ),
    ],
    compare: () => undefined,
    most: 60,
    runs: 200,
  });
});

/** How long nobody may have seen it for it to be over, and somebody to have noticed. */
const QUIET_MINUTES = 13;
const TOLD_EVERY_MINUTES = 30;

/** So often, so many seconds apart; and once, somebody deletes what was written in between. */
interface Round {
  readonly name: string;
  readonly times: number;
  readonly gap: number;
  readonly deletesAfter: number;
}

class Series {
  readonly cluster = createCluster({ controllers: [], scheduler: false });
  readonly #recorder = new EventSeriesRecorder(this.cluster.userClient, 'here');
  #writes = 0;

  constructor() {
    this.cluster.advance(seconds(1));
    this.cluster.storage.watch({
      prefix: '/registry/events/default/',
      onEvents: (events) => {
        for (const { kind } of events) if (kind === 'put') this.#writes++;
      },
    });
  }

  get events(): readonly Event[] {
    return this.cluster.client.resource(BUILTIN_HANDLES.eventsV1).list({ namespace: 'default' }).items;
  }

  remove(): void {
    const { client } = this.cluster;
    for (const { metadata } of this.events)
      tryTo(() => client.resource(BUILTIN_HANDLES.eventsV1).delete(metadata.name ?? ''));
  }

  /** From its first time until it is over, beside others that go on. */
  run({ name, times, gap, deletesAfter }: Round): void {
    this.remove();
    this.#writes = 0;
    for (let time = 1; time <= times; time++) {
      this.#tell(name, `time ${time}`);
      this.cluster.advance(seconds(gap));
      if (time === deletesAfter) this.remove();
    }
    this.cluster.advance(minutes(QUIET_MINUTES));
    const said = this.events.map(({ series }) => series?.count ?? 1);
    // What was deleted comes back only when there is something to say.
    if (deletesAfter === 0) expect(said, `${times} times, each ${gap} s`).toEqual([times]);
    else for (const count of said) expect(count).toBe(times);
    const lasting = Math.floor((times * gap) / 60 / TOLD_EVERY_MINUTES);
    expect(this.#writes, 'writes').toBeLessThanOrEqual(3 + lasting + (deletesAfter > 0 ? 1 : 0));
  }

  #tell(name: string, note: string): void {
    const pod = { kind: 'Pod', apiVersion: 'v1', metadata: { name, namespace: 'default', uid: name } };
    this.#recorder.record('me', pod, { type: 'Normal', reason: 'R', action: 'A', note });
  }
}

const round = fc.record({
  name: fc.constantFrom('a', 'b'),
  times: fc.constantFrom(1, 2, 3, 4, 30, 60),
  gap: fc.constantFrom(1, 20, 60, 150),
  deletesAfter: fc.constantFrom(0, 0, 1, 2, 5),
});
const series = actsOn<Series>();

it('count how often the same has happened, in few writes', () => {
  holdsInAnyOrder<Series>({
    begin: () => new Series(),
    acts: [series('run', round, (subject, drawn) => subject.run(drawn))],
    compare: () => undefined,
    most: 5,
    runs: 15,
  });
});
