/**
 * Evictions that are asked for at the same instant, on one budget that takes its time to be charged and that others write
 * meanwhile: in whatever order they come, as many go as the budget has for them, each of these is charged once, and who is
 * refused stays as he was. What the budget says of itself (who went, whether and since when nobody may go) follows.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Condition } from '../../api/types/meta-k8s-io-v1.ts';
import type { PodDisruptionBudget } from '../../api/types/policy-v1.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { type WireRequest, WireUser } from '../../cluster/wire-user.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';
import type { AdmissionPlugin } from '../admission/admission.ts';

const PODS = ['p', 'q', 'r', 's'] as const;
const BUDGETS = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
const SINCE = '2024-01-01T00:00:00Z';
/** With more pods of which nobody has heard yet a budget lets nobody go. */
const FULL = 2_000;
/** The condition that tells whether somebody may go. */
const OWN = 'DisruptionAllowed';
const user = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

interface Wish {
  readonly allowed: number;
  readonly unheard: number;
  /** What it says of whether somebody may go, before. */
  readonly said: 'True' | 'False' | null;
  readonly isObserved: boolean;
}

interface Round {
  readonly names: readonly string[];
  readonly pauseMs: number;
  /** Somebody else writes the budget at the same instant, who has nothing to say about it. */
  readonly isTouched: boolean;
}

const other: Condition = {
  type: 'Other',
  status: 'True',
  reason: 'X',
  message: '',
  lastTransitionTime: SINCE,
};

class World {
  readonly cluster;
  readonly #wire: WireUser;
  #pauseMs = 0;
  #touches = 0;

  constructor() {
    const slow: AdmissionPlugin = {
      name: 'slow',
      handles: (_, { resource }, subresource) =>
        resource === 'poddisruptionbudgets' && subresource === 'status',
      validate: ({ context }) =>
        this.#pauseMs > 0 ? context.surroundings.sleepMs(this.#pauseMs) : undefined,
    };
    this.cluster = createCluster({
      ...{ controllers: [], scheduler: false, nodes: 0, disabledAdmissionPlugins: ['ServiceAccount'] },
      admission: [slow],
    });
    this.#wire = new WireUser(this.cluster);
    this.promise({ allowed: 1, unheard: 0, said: null, isObserved: true });
    this.fill();
  }

  #stored(prefix: string): readonly unknown[] {
    return this.cluster.storage.range({ prefix }).entries.map(({ value }) => value);
  }

  get #budget(): PodDisruptionBudget {
    return this.#stored('/registry/poddisruptionbudgets/')[0] as PodDisruptionBudget;
  }

  /** Whoever went is there again, as another. */
  fill(): void {
    const { pods } = this.cluster.client;
    for (const name of PODS) {
      if (this.#pod(name)) continue;
      const spec = { containers: [{ name: 'c', image: 'i' }] };
      pods.create({ metadata: { name, labels: { app: 'a' } }, spec });
      const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
      pods.patch(name, { type: 'merge', body: { status } }, { subresource: 'status' });
    }
  }

  #pod(name: string): unknown {
    return this.#stored(`/registry/pods/default/${name}`)[0];
  }

  /** A new budget, of which it is told what whoever counts has found. */
  promise({ allowed, unheard, said, isObserved }: Wish): void {
    const { podDisruptionBudgets } = this.cluster.client;
    if (this.#stored('/registry/poddisruptionbudgets/').length > 0) podDisruptionBudgets.delete('b');
    const spec = { maxUnavailable: 1, selector: { matchLabels: { app: 'a' } } };
    podDisruptionBudgets.create({ metadata: { name: 'b' }, spec });
    const own = { ...other, type: OWN, status: said };
    const status = {
      ...{ disruptionsAllowed: allowed, currentHealthy: 4, desiredHealthy: 1, expectedPods: 4 },
      observedGeneration: isObserved ? 1 : 0,
      disruptedPods: Object.fromEntries(Array.from({ length: unheard }, (_, at) => [`gone-${at}`, SINCE])),
      conditions: said === null ? [other] : [own, other],
    };
    podDisruptionBudgets.patch('b', { type: 'merge', body: { status } }, { subresource: 'status' });
  }

  /** All at once; what is told to whom is up to who is faster, how many are told what is not. */
  evict({ names, pauseMs, isTouched }: Round): void {
    const before = this.#budget;
    const pods = new Map<string, unknown>(PODS.map((name) => [name, this.#pod(name)]));
    const present = names.filter((name) => pods.get(name));
    const requests = names.map(evictionOf);
    this.#pauseMs = pauseMs;
    this.#touches += 1;
    const asked = isTouched ? [...requests, touchOf(this.#touches)] : requests;
    const answers = this.cluster.finish(this.#wire.askingAll(asked)).map((answer) => answer?.status ?? 0);
    this.#pauseMs = 0;
    const codes = [
      ...verdicts(before, present.length),
      ...names.filter((name) => !pods.get(name)).map(() => 404),
    ];
    expect(counted(answers.slice(0, names.length)), 'what they are told').toEqual(counted(codes));
    const went = names.filter((_, at) => answers[at] === 201);
    for (const name of PODS)
      expect(this.#pod(name), name).toEqual(went.includes(name) ? undefined : pods.get(name));
    this.#expectCharged(before, went);
  }

  #expectCharged({ status: before }: PodDisruptionBudget, went: readonly string[]): void {
    const { status } = this.#budget;
    const left = (before?.disruptionsAllowed ?? 0) - went.length;
    expect(status?.disruptionsAllowed, 'what is left').toBe(left);
    const known = new Set([...Object.keys(before?.disruptedPods ?? {}), ...went]);
    expect(new Set(Object.keys(status?.disruptedPods ?? {})), 'who went').toEqual(known);
    const { conditions = [] } = before ?? {};
    if (went.length === 0 || left > 0) {
      expect(status?.conditions).toEqual(conditions);
      return;
    }
    const own = conditions.find(({ type }) => type === OWN);
    const [now] = (status?.conditions ?? []).filter(({ type }) => type === OWN);
    expect(now).toMatchObject({ status: 'False', reason: 'InsufficientPods' });
    expect(now?.lastTransitionTime === own?.lastTransitionTime, 'since when').toBe(own?.status === 'False');
    const rest = (status?.conditions ?? []).filter((condition) => condition !== now);
    expect(rest).toEqual(conditions.filter((condition) => condition !== own));
  }
}

const counted = (codes: readonly number[]): readonly number[] => codes.toSorted((a, b) => a - b);

function evictionOf(name: string): WireRequest {
  const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace: 'default' } };
  return { method: 'POST', path: `/api/v1/namespaces/default/pods/${name}/eviction`, body, user };
}

function touchOf(count: number): WireRequest {
  const headers = { 'content-type': 'application/merge-patch+json' };
  const body = { metadata: { annotations: { touched: String(count) } } };
  return { method: 'PATCH', path: `${BUDGETS}/b`, headers, body, user };
}

/** What so many pods are told whose budget this is, if each comes after the one before. */
function verdicts({ status, metadata }: PodDisruptionBudget, pods: number): readonly number[] {
  const { disruptionsAllowed = 0, disruptedPods = {}, observedGeneration = 0 } = status ?? {};
  let [allowed, unheard] = [disruptionsAllowed, Object.keys(disruptedPods).length];
  return Array.from({ length: pods }, () => {
    if (observedGeneration < (metadata.generation ?? 0)) return 429;
    if (unheard > FULL) return 403;
    if (allowed <= 0) return 429;
    allowed -= 1;
    unheard += 1;
    return 201;
  });
}

const act = actsOn<World>();
const wish: fc.Arbitrary<Wish> = fc.record({
  allowed: fc.nat(4),
  unheard: fc.constantFrom(0, 0, 0, 2, FULL - 1, FULL, FULL + 1),
  said: fc.constantFrom(null, 'True', 'False'),
  isObserved: fc.constantFrom(true, true, true, true, false),
});
const round: fc.Arbitrary<Round> = fc.record({
  names: fc.shuffledSubarray([...PODS], { minLength: 1 }),
  pauseMs: fc.constantFrom(0, 0, 1, 30),
  isTouched: fc.boolean(),
});
const promise = act('promise', wish, (world, drawn) => world.promise(drawn));
const evict = act('evict', round, (world, drawn) => world.evict(drawn));

it('let go as many as there is a budget for, whoever is faster', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...[promise, evict, evict],
      act('fill', NOTHING, (world) => world.fill()),
      act('pass', fc.constantFrom(1, 40), ({ cluster }, span) => cluster.advance(seconds(span))),
    ],
    compare: () => undefined,
    most: 25,
    runs: 20,
  });
});
