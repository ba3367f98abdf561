/**
 * A StatefulSet whose size and template change while its pods come up, fail and are deleted by others in any order,
 * beside what the documentation promises: pods come and go in order (or all at once), are replaced from the end, one at a
 * time and not below the partition, and in the end all are there that should be.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { StatefulSet, StatefulSetSpec } from '../../api/types/apps-v1.ts';
import type { Pod } from '../../api/types/core-v1.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { planStatefulSet, statefulStatus, type StatefulStep, type StatefulView } from './stateful-plan.ts';
import { identityOf, REVISION_LABEL } from './stateful-pod.ts';

type Spec = Pick<StatefulSetSpec, 'podManagementPolicy' | 'updateStrategy' | 'ordinals' | 'minReadySeconds'>;
type State = 'pending' | 'unready' | 'ready' | 'failed';

interface Kept {
  readonly ordinal: number;
  readonly revision: string;
  state: State;
  readyAt: number;
  isGoing: boolean;
  isMarked: boolean;
}

class World {
  readonly spec: Spec;
  pods: Kept[] = [];
  replicas = 3;
  #revision = 1;
  #current = 'r1';
  #currentReplicas = 0;
  #now = 1_000;

  constructor(spec: Spec) {
    this.spec = spec;
  }

  get latest(): string {
    return `r${this.#revision}`;
  }

  revise(): void {
    this.#revision++;
  }

  pass(seconds: number): void {
    this.#now += seconds;
  }

  become(index: number, state: State): void {
    const pod = this.pods[index % Math.max(1, this.pods.length)];
    if (!pod || pod.state === 'failed' || pod.state === state) return;
    Object.assign(pod, { state, readyAt: this.#now });
  }

  /** Somebody else wants it to go, or has taken its labels. */
  disturb(index: number, how: 'go' | 'unmark'): void {
    const pod = this.pods[index % Math.max(1, this.pods.length)];
    if (pod && how === 'go') pod.isGoing = true;
    else if (pod) pod.isMarked = false;
  }

  leave(): void {
    this.pods = this.pods.filter(({ isGoing }) => !isGoing);
  }

  /** One round of the controller; `most`: so many of its writes are heard. */
  sync(most = Infinity): void {
    const { upkeep, isInOrder, outdated } = planStatefulSet(this.view);
    expect(isInOrder).toBe(this.isInOrder);
    const steps = upkeep.flat();
    const deeds = steps.filter(({ kind }) => kind === 'create' || kind === 'delete');
    if (isInOrder) expect(deeds.length, 'one deed at a time').toBeLessThanOrEqual(1);
    for (const step of steps.slice(0, most)) this.#take(step);
    const removed = outdated.slice(0, most).filter((step) => this.#replaced(step));
    this.#tell(removed.length);
  }

  #take(step: StatefulStep): void {
    const { ordinal } = step;
    const lower = this.wanted.filter((one) => one < ordinal);
    if (step.kind === 'create') {
      expect(this.wanted, 'it is wanted').toContain(ordinal);
      expect(this.at(ordinal), 'it is not there').toBeUndefined();
      if (this.isInOrder)
        expect(
          lower.every((one) => this.serves(this.at(one))),
          `all before ${ordinal} serve`,
        ).toBe(true);
      const revision = step.version === 'update' ? this.latest : this.#current;
      if (ordinal - this.first < this.partition) expect(step.version).toBe('current');
      this.pods.push({ ordinal, revision, state: 'pending', readyAt: 0, isGoing: false, isMarked: true });
      return;
    }
    const pod = this.at(ordinal);
    expect(pod, 'it is there').toBeDefined();
    if (step.kind === 'repair' && pod) pod.isMarked = true;
    if (step.kind !== 'delete' || !pod) return;
    expect(pod.isGoing, 'it goes already').toBe(false);
    if (pod.state !== 'failed') expect(this.wanted, 'one too many').not.toContain(ordinal);
    if (pod.state !== 'failed' && this.isInOrder) {
      expect(Math.max(...this.pods.map((one) => one.ordinal)), 'the last goes first').toBe(ordinal);
      expect(
        this.wanted.every((one) => this.serves(this.at(one))),
        'all that are wanted serve',
      ).toBe(true);
    }
    pod.isGoing = true;
  }

  /** A pod of a former revision. */
  #replaced({ kind, ordinal }: StatefulStep): boolean {
    expect(kind).toBe('delete');
    const pod = this.at(ordinal);
    if (!pod) throw new Error('a pod that there is');
    const { type } = this.spec.updateStrategy ?? {};
    expect(type, 'who replaces').toBe('RollingUpdate');
    expect(pod.revision, 'its revision').not.toBe(this.latest);
    expect(ordinal - this.first, 'it is not kept back').toBeGreaterThanOrEqual(this.partition);
    const later = this.wanted.filter((one) => one > ordinal);
    expect(
      later.every((one) => this.isHealthy(this.at(one))),
      'all behind it are well',
    ).toBe(true);
    expect(
      later.every((one) => this.at(one)?.revision === this.latest),
      'all behind it are new',
    ).toBe(true);
    pod.isGoing = true;
    return true;
  }

  #tell(removed: number): void {
    const { currentRevision = '', currentReplicas = 0 } = statefulStatus(this.view, removed, 0);
    this.#current = currentRevision;
    this.#currentReplicas = currentReplicas;
  }

  at(ordinal: number): Kept | undefined {
    return this.pods.find((pod) => pod.ordinal === ordinal);
  }

  isHealthy(pod: Kept | undefined): boolean {
    return pod?.state === 'ready' && !pod.isGoing;
  }

  serves(pod: Kept | undefined): boolean {
    const least = this.spec.minReadySeconds ?? 0;
    return pod !== undefined && this.isHealthy(pod) && (least === 0 || pod.readyAt + least < this.#now);
  }

  get first(): number {
    return this.spec.ordinals?.start ?? 0;
  }

  get wanted(): readonly number[] {
    return Array.from({ length: this.replicas }, (_, index) => this.first + index);
  }

  get isInOrder(): boolean {
    return this.spec.podManagementPolicy !== 'Parallel';
  }

  get partition(): number {
    return this.spec.updateStrategy?.rollingUpdate?.partition ?? 0;
  }

  get set(): StatefulSet {
    return {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: { name: 'db', namespace: 'default', uid: 'db', generation: 1 },
      spec: { serviceName: 'db', selector: {}, template: {}, ...this.spec, replicas: this.replicas },
      status: { replicas: this.pods.length, currentReplicas: this.#currentReplicas },
    };
  }

  get view(): StatefulView {
    const { set } = this;
    return {
      set,
      pods: this.pods.map((pod) => podOf(set, pod)),
      currentRevision: this.#current,
      updateRevision: this.latest,
      areClaimsRight: () => true,
      nowMs: this.#now * 1_000,
    };
  }
}

const timeOf = (second: number): string => new Date(second * 1_000).toISOString().replace('.000', '');
const PHASES = { pending: 'Pending', unready: 'Running', ready: 'Running', failed: 'Failed' } as const;

const podOf = (set: StatefulSet, { ordinal, revision, state, readyAt, isGoing, isMarked }: Kept): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: `db-${ordinal}`,
    namespace: 'default',
    labels: { ...(isMarked && identityOf(set, ordinal)), [REVISION_LABEL]: revision },
    ...(isGoing && { deletionTimestamp: timeOf(readyAt) }),
  },
  status: {
    phase: PHASES[state],
    conditions: [
      { type: 'Ready', status: state === 'ready' ? 'True' : 'False', lastTransitionTime: timeOf(readyAt) },
    ],
  },
});

function checkCounts(world: World): void {
  const status = statefulStatus(world.view, 0, 0);
  const staying = world.pods.filter(({ isGoing }) => !isGoing);
  expect(status).toMatchObject({
    replicas: world.pods.length,
    readyReplicas: world.pods.filter(({ state }) => state === 'ready').length,
    updatedReplicas: staying.filter(({ revision }) => revision === world.latest).length,
  });
  expect(status.availableReplicas).toBeLessThanOrEqual(status.readyReplicas ?? 0);
}

function comesToRest(world: World): void {
  for (let round = 0; round < 50; round++) {
    world.leave();
    for (const index of world.pods.keys()) world.become(index, 'ready');
    world.pass((world.spec.minReadySeconds ?? 0) + 2);
    world.sync();
  }
  expect(world.pods.map(({ ordinal }) => ordinal).toSorted((a, b) => a - b)).toEqual(world.wanted);
  expect(world.pods.every(({ isMarked }) => isMarked)).toBe(true);
  const isRolling = world.spec.updateStrategy?.type === 'RollingUpdate';
  for (const { ordinal, revision } of world.pods)
    if (isRolling && ordinal - world.first >= world.partition)
      expect(revision, `revision of ${ordinal}`).toBe(world.latest);
  if (isRolling && world.partition === 0 && world.replicas > 0)
    expect(statefulStatus(world.view, 0, 0)).toMatchObject({
      currentRevision: world.latest,
      currentReplicas: world.replicas,
    });
}

const SPECS: readonly Spec[] = [
  { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } } },
  { updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 2 } }, ordinals: { start: 3 } },
  { updateStrategy: { type: 'OnDelete' } },
  {
    podManagementPolicy: 'Parallel',
    updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 0 } },
  },
  { minReadySeconds: 4, updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } },
];
const act = actsOn<World>();
const index = fc.nat(5);

it.each(SPECS)('makes, removes and replaces its pods in its order, whatever becomes of them: %j', (spec) => {
  holdsInAnyOrder({
    begin: () => new World(spec),
    acts: [
      act('sync', NOTHING, (world) => world.sync()),
      act('sync', fc.constantFrom(1, Infinity), (world, most) => world.sync(most)),
      act(
        'become',
        fc.tuple(index, fc.constantFrom<State>('ready', 'unready', 'pending', 'failed')),
        (world, [at, state]) => world.become(at, state),
      ),
      act('become ready', index, (world, at) => world.become(at, 'ready')),
      act('leave', NOTHING, (world) => world.leave()),
      act('disturb', fc.tuple(index, fc.constantFrom('go' as const, 'unmark' as const)), (world, [at, how]) =>
        world.disturb(at, how),
      ),
      act('revise', NOTHING, (world) => world.revise()),
      act('scale', fc.nat(5), (world, to) => (world.replicas = to)),
      act('pass', fc.constantFrom(1, 6), (world, seconds) => world.pass(seconds)),
    ],
    compare: checkCounts,
    end: comesToRest,
    most: 24,
    runs: 180,
  });
});
