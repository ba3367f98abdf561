/**
 * Rollouts that are paused, resumed, rolled back, stuck and helped on, in any order and amid whatever comes between: in the
 * end each goes as far as its pods let it, says how far it has come and when it has stood for too long, remembers as many
 * former templates as it is to, and goes back to the one that it is asked for.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Deployment, ReplicaSet } from '../../api/types/apps-v1.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { amidTroubles, TroubledManager } from '../../cluster/troubled-manager.fixture.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const CONTROLLERS = ['deployment-controller', 'replicaset-controller', 'garbage-collector-controller'];
const NAME = 'd';
const STRAY = 'stray';
const PATH = `/registry/deployments/default/${NAME}`;
const ROLLBACK = 'deprecated.deployment.rollback.to';
const REVISION = 'deployment.kubernetes.io/revision';
const LABELS = { app: 'd' };
/** Its pods never run. */
const BAD = 'bad';
const IMAGES = ['a', 'b', 'c', BAD] as const;
type Image = (typeof IMAGES)[number];
/** Seconds; the other stands for none. */
const DEADLINES = [20, 2_147_483_647] as const;
/** Pods come and go one by one. */
const ROUNDS = 8;
/** Longer than anybody hears late. */
const LATE_MS = 40_000;

const templateOf = (image: string) => ({
  metadata: { labels: LABELS },
  spec: { containers: [{ name: 'main', image }] },
});
const imageOf = ({ spec }: Deployment | ReplicaSet): string | undefined =>
  spec?.template?.spec?.containers[0]?.image;
const noteOf = ({ metadata }: Deployment | ReplicaSet): string | undefined => metadata.annotations?.['note'];
const revisionOf = ({ metadata }: Deployment | ReplicaSet): number =>
  Number(metadata.annotations?.[REVISION] ?? 0);

class World extends TroubledManager {
  readonly #wrong: string[] = [];
  #pausedMs = 0;
  #resumedMs = 0;
  #limitedMs = 0;
  /** By uid: sets that go, and are held. */
  readonly #held = new Set<string>();
  #isStrayAdopted = false;

  constructor() {
    super(CONTROLLERS);
    tryTo(() =>
      this.cluster.client.deployments.create({
        metadata: { name: NAME },
        spec: {
          replicas: 2,
          progressDeadlineSeconds: DEADLINES[0],
          revisionHistoryLimit: 2,
          selector: { matchLabels: LABELS },
          template: templateOf('a'),
        },
      }),
    );
    this.eachWrite<Deployment>(PATH, (now, before) => this.#lookAtDeployment(now, before));
    this.eachWrite<ReplicaSet>('/registry/replicasets/', (now, before) => this.#lookAtSet(now, before));
    this.settle(2);
  }

  get deployment(): Deployment {
    return this.stored(PATH)[0] as Deployment;
  }

  get sets(): readonly ReplicaSet[] {
    return this.stored('/registry/replicasets/') as readonly ReplicaSet[];
  }

  #lookAtDeployment(now: Deployment | undefined, before: Deployment | undefined): void {
    if (now?.spec?.paused && !before?.spec?.paused) this.#pausedMs = this.nowMs;
    // Who has not heard of the pause cannot take it into account.
    if (before?.spec?.paused && !now?.spec?.paused)
      this.#resumedMs = progressOf(before) === 'DeploymentPaused' ? this.nowMs : 0;
    if (now?.spec?.revisionHistoryLimit !== before?.spec?.revisionHistoryLimit) this.#limitedMs = this.nowMs;
    if (progressOf(now) === TIMED_OUT && progressOf(before) !== TIMED_OUT) {
      const deadline = now?.spec?.progressDeadlineSeconds ?? 0;
      // Times of conditions have whole seconds.
      if (this.nowMs - this.#resumedMs < (deadline - 1) * 1_000 && this.#resumedMs > 0)
        this.#wrong.push('the time of a pause counts for the deadline');
    }
  }

  #lookAtSet(now: ReplicaSet | undefined, before: ReplicaSet | undefined): void {
    if (now?.metadata.name === STRAY && now.metadata.ownerReferences) this.#isStrayAdopted = true;
    const { spec } = this.deployment;
    if (!before && spec?.paused && this.nowMs - this.#pausedMs > LATE_MS)
      this.#wrong.push('a set is made while its Deployment is paused');
    if (!now && before && ((before.spec?.replicas ?? 0) > 0 || (before.status?.replicas ?? 0) > 0))
      this.#wrong.push('a set goes that has pods');
    const { revisionHistoryLimit = 10 } = spec ?? {};
    const isMeant = this.#held.has(before?.metadata.uid ?? '');
    const present = this.sets.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    if (
      !now &&
      !isMeant &&
      this.nowMs - this.#limitedMs > LATE_MS &&
      present.length - 1 < revisionHistoryLimit
    )
      this.#wrong.push('a set goes that is to be remembered');
    if (!now && this.sets.length === 0) this.#wrong.push('the only set goes');
  }

  change(spec: object): void {
    tryTo(() => this.cluster.client.deployments.patch(NAME, { type: 'merge', body: { spec } }));
  }

  /** Paused soon after it has begun, for a while. */
  stand(image: Image, rounds: number): void {
    this.change({ template: templateOf(image) });
    this.cluster.advance(seconds(2));
    this.change({ paused: true });
    this.settle(rounds);
    this.change({ paused: false });
  }

  set(image: Image): void {
    const body = { metadata: { annotations: { note: image } }, spec: { template: templateOf(image) } };
    tryTo(() => this.cluster.client.deployments.patch(NAME, { type: 'merge', body }));
  }

  askBack(revision: number): void {
    const body = { metadata: { annotations: { [ROLLBACK]: String(revision) } } };
    tryTo(() => this.cluster.client.deployments.patch(NAME, { type: 'merge', body }));
  }

  /** Pods of all templates but one run at once, and those that are to go are gone. */
  override live(): void {
    for (const { metadata, status, spec } of this.stored('/registry/pods/') as readonly Pod[]) {
      const { name = '', deletionTimestamp } = metadata;
      if (deletionTimestamp !== undefined)
        tryTo(() => this.cluster.client.pods.delete(name, { gracePeriodSeconds: 0 }));
      else if (status?.phase !== 'Running' && spec?.containers[0]?.image !== BAD) this.#run(name);
    }
  }

  #run(name: string): void {
    const body = { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } };
    tryTo(() => this.cluster.client.pods.patch(name, { type: 'merge', body }, { subresource: 'status' }));
  }

  override settle(rounds: number): void {
    super.settle(rounds, 4);
  }

  /** A set is made of which the controller hears late, and not by the answer. */
  setUnheard(image: Image): void {
    this.cluster.lagWatchCaches(seconds(4));
    const made = { actor: this.actor.name, verb: 'create', resource: 'replicasets' } as const;
    this.cluster.faults.loseAnswers({ ...made, count: 1, resets: true });
    this.set(image);
    this.cluster.advance(seconds(8));
    this.cluster.lagWatchCaches(seconds(0));
  }

  end(): void {
    this.endAllTroubles();
    this.cluster.advance(seconds(5));
    this.settle(ROUNDS);
    this.calm();
    this.settle(ROUNDS);
    this.expectRight();
    expect(this.deployment.status?.collisionCount, 'sets of its names that are not its own').toBeUndefined();
    this.#expectLatenessKept();
    if (this.deployment.spec?.paused) return;
    this.#expectPatience();
    this.#expectSizedAmidPause();
    this.#expectRemembered();
    this.#expectAdopted();
    for (const revision of [0, Math.min(...this.sets.map(revisionOf))]) this.#goBack(revision);
  }

  /** Whoever has stood for too long says so, paused and resumed, until it goes on. */
  #expectLatenessKept(): void {
    if (progressOf(this.deployment) !== TIMED_OUT) return;
    const { paused = false } = this.deployment.spec ?? {};
    for (const isPaused of [!paused, paused]) {
      this.change({ paused: isPaused });
      this.cluster.advance(seconds(3));
      expect(progressOf(this.deployment), 'of who was late before its pause').toBe(TIMED_OUT);
    }
  }

  /** What is asked for during a pause is done after it. */
  #expectPatience(): void {
    const before = imageOf(this.deployment);
    this.change({ paused: true });
    this.cluster.advance(seconds(2));
    this.askBack(0);
    this.cluster.advance(seconds(5));
    expect(imageOf(this.deployment), 'the template during a pause').toBe(before);
    expect(this.deployment.metadata.annotations, 'a wish during a pause').toHaveProperty([ROLLBACK]);
    this.change({ paused: false });
    this.settle(2 * ROUNDS);
    this.cluster.advance(seconds(DEADLINES[0]));
    this.expectRight();
  }

  /** More or fewer pods are had during a pause, too. */
  #expectSizedAmidPause(): void {
    const replicas = ((this.deployment.spec?.replicas ?? 0) % 4) + 1;
    this.change({ paused: true });
    this.cluster.advance(seconds(2));
    this.change({ replicas });
    this.cluster.advance(seconds(5));
    const sizes = this.sets.map(({ spec }) => spec?.replicas ?? 0).filter((size) => size > 0);
    const sum = sizes.reduce((total, size) => total + size, 0);
    expect(sum, 'pods asked for during a pause').toBeGreaterThanOrEqual(replicas);
    if (sizes.length === 1) expect(sum, 'pods asked for during a pause').toBe(replicas);
    this.change({ paused: false });
    this.settle(2 * ROUNDS);
    this.cluster.advance(seconds(DEADLINES[0]));
    this.expectRight();
  }

  /** A former set that goes, and is held, takes the place of no other. */
  #expectRemembered(): void {
    const current = imageOf(this.deployment);
    const [old] = this.sets.filter((set) => imageOf(set) !== current && set.spec?.replicas === 0);
    const next = IMAGES.find((image) => image !== current && image !== imageOf(old ?? this.deployment));
    const { name = '', uid = '' } = old?.metadata ?? {};
    if (!old || next === undefined || next === BAD) return;
    const { replicaSets } = this.cluster.client;
    this.#held.add(uid);
    const held = (finalizers: readonly string[] | null): void =>
      void replicaSets.patch(name, { type: 'merge', body: { metadata: { finalizers } } });
    held(['test/hold']);
    replicaSets.delete(name);
    for (const image of [next, current as Image]) {
      this.set(image);
      this.settle(2 * ROUNDS);
    }
    held(null);
    this.cluster.advance(seconds(DEADLINES[0]));
    this.expectRight();
  }

  /** A set of nobody that comes to be labelled so is its own. */
  #expectAdopted(): void {
    const { replicaSets } = this.cluster.client;
    const labels = { ...LABELS, stray: 'yes' };
    const { metadata } = replicaSets.create({
      metadata: { name: STRAY, labels: { app: 'other' } },
      spec: {
        replicas: 0,
        selector: { matchLabels: labels },
        template: { ...templateOf('z'), metadata: { labels } },
      },
    });
    this.#held.add(metadata.uid ?? '');
    this.cluster.advance(seconds(2));
    expect(this.#isStrayAdopted, 'a set that is labelled otherwise').toBe(false);
    replicaSets.patch(STRAY, { type: 'merge', body: { metadata: { labels: LABELS } } });
    this.cluster.advance(seconds(3));
    expect(this.#isStrayAdopted, 'a set that is labelled so is adopted').toBe(true);
    tryTo(() => replicaSets.delete(STRAY));
    this.cluster.advance(seconds(5));
  }

  #goBack(asked: number): void {
    const revisions = this.sets.map(revisionOf).toSorted((a, b) => b - a);
    const revision = asked === 0 ? (revisions[1] ?? 0) : asked;
    const named = this.sets.filter((set) => revisionOf(set) === revision);
    if (named.length > 1) return;
    const image = imageOf(named[0] ?? this.deployment);
    const note = noteOf(image === imageOf(this.deployment) ? this.deployment : (named[0] ?? this.deployment));
    this.askBack(asked);
    this.cluster.advance(seconds(2));
    expect(this.deployment.metadata.annotations, 'a wish that was met').not.toHaveProperty([ROLLBACK]);
    expect(imageOf(this.deployment), `the template of revision ${asked}`).toBe(image);
    expect(noteOf(this.deployment), 'what was noted with that template').toBe(note);
    this.settle(ROUNDS);
    this.expectRight();
  }

  expectRight(): void {
    expect(this.#wrong).toEqual([]);
    const { deployment, sets } = this;
    const { spec, status, metadata } = deployment;
    expect(status?.observedGeneration).toBe(metadata.generation);
    const size = spec?.replicas ?? 0;
    const sum = sets.reduce((total, set) => total + (set.spec?.replicas ?? 0), 0);
    expect(sum).toBeGreaterThanOrEqual(size);
    const hasDeadline = spec?.progressDeadlineSeconds === DEADLINES[0];
    if (spec?.paused) {
      if (hasDeadline) expect(['DeploymentPaused', TIMED_OUT]).toContain(progressOf(deployment));
      return;
    }
    expect(metadata.annotations, 'a wish that was met').not.toHaveProperty([ROLLBACK]);
    const own = sets.filter((set) => imageOf(set) === imageOf(deployment));
    expect(own.length, 'sets of the template').toBe(1);
    const revisions = sets.map(revisionOf);
    const newest = Math.max(...revisions);
    // Former ones may share a number: whoever hears late gives it twice.
    expect(revisions.filter((revision) => revision === newest).length, `revisions ${revisions.join()}`).toBe(
      1,
    );
    expect(own.map(revisionOf), 'the newest revision').toEqual([newest]);
    expect(revisionOf(deployment)).toBe(newest);
    const isBad = imageOf(deployment) === BAD;
    const isStuck = isBad && !isBegunUntold(deployment, own[0] as ReplicaSet);
    expect(progressOf(deployment)).toBe(hasDeadline ? (isStuck ? TIMED_OUT : AVAILABLE) : undefined);
    const failure = status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
    expect(failure, 'a failure that is over').toBeUndefined();
    if (isBad) return;
    expect(sum, 'pods of all sets').toBe(size);
    expect(own[0]?.spec?.replicas).toBe(size);
    expect(status?.availableReplicas ?? 0).toBe(size);
    expect(sets.length - 1, 'former sets').toBeLessThanOrEqual(spec?.revisionHistoryLimit ?? 10);
  }
}

const TIMED_OUT = 'ProgressDeadlineExceeded';
const AVAILABLE = 'NewReplicaSetAvailable';
/** Nobody waits for a rollout whose begin was not told, as who made its set died then: here as in a real cluster. */
const isBegunUntold = ({ status }: Deployment, { metadata }: ReplicaSet): boolean =>
  Date.parse(status?.conditions?.find(({ type }) => type === 'Progressing')?.lastUpdateTime ?? '') <
  Date.parse(metadata.creationTimestamp ?? '');
const progressOf = (deployment: Deployment | undefined): string | undefined =>
  deployment?.status?.conditions?.find(({ type }) => type === 'Progressing')?.reason;

const act = actsOn<World>();
const live = act('live', NOTHING, (world) => world.live());

it('go as far as pods let them, and say so', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [
      ...amidTroubles<World>([
        live,
        act('settle', fc.constantFrom(1, 3, 8), (world, rounds) => world.settle(rounds)),
        act('settle', fc.constantFrom(1, 3, 8), (world, rounds) => world.settle(rounds)),
        ...[1, 2, 3].map(() => act('set', fc.constantFrom(...IMAGES), (world, image) => world.set(image))),
        act('set unheard', fc.constantFrom(...IMAGES), (world, image) => world.setUnheard(image)),
        act('size', fc.integer({ min: 1, max: 4 }), (world, replicas) => world.change({ replicas })),
        act('pause', fc.boolean(), (world, paused) => world.change({ paused })),
        act('stand', fc.tuple(fc.constantFrom(...IMAGES), fc.constantFrom(1, 8)), (world, drawn) =>
          world.stand(...drawn),
        ),
        act('ask back', fc.nat(4), (world, revision) => world.askBack(revision)),
        act('deadline', fc.constantFrom(...DEADLINES), (world, progressDeadlineSeconds) =>
          world.change({ progressDeadlineSeconds }),
        ),
        act('remember', fc.nat(2), (world, revisionHistoryLimit) => world.change({ revisionHistoryLimit })),
      ]),
    ],
    compare: () => undefined,
    end: (world) => world.end(),
    most: 20,
    runs: 10,
    isDear: true,
  });
});
