/**
 * Containers whose images a registry has or has not, and a machine that keeps what it has pulled, with every policy: each
 * start asks the registry where the policy says so, though the image is there, and does without where it may; who cannot
 * have its image is started once it can.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Container, Pod } from '../../api/types/core-v1.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { create } from '../../cluster/pod-world.fixture.ts';
import { tryTo } from '../../cluster/troubled-client.fixture.ts';
import { actsOn, holdsInAnyOrder, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { minutes, seconds } from '../../engine/time.ts';

const [NODE, AGENT] = ['worker-1', 'node/worker-1'];
const NAMES = ['p', 'q', 'r'] as const;
/** Without a tag it is the latest, which is always pulled where nothing is said. */
const IMAGES = ['app:1', 'app', 'db:2'] as const;
const POLICIES = ['Always', 'IfNotPresent', 'Never', undefined] as const;
/** A pull takes no longer, nor do those before it, and a container begins right after it. */
const LONGEST_MS = 16_000;
/** The longest pause between two tries, and what those take. */
const LONGEST_PAUSE = minutes(6);

type Image = (typeof IMAGES)[number];
type Policy = (typeof POLICIES)[number];

interface Plan {
  readonly image: Image;
  readonly policy: Policy;
}

const policyOf = ({ image, policy }: Plan): Exclude<Policy, undefined> =>
  policy ?? (image === 'app' ? 'Always' : 'IfNotPresent');

class World {
  readonly cluster = createCluster({
    ...{ nodes: 1, controllers: [], scheduler: false, settled: true },
    disabledAdmissionPlugins: ['ServiceAccount'],
  });
  readonly #machine = this.cluster.machine(NODE);
  /** By uid. */
  readonly #plans = new Map<string, Plan>();
  /** What the registry does not have; since when it has the others, or has no more. */
  readonly #missing = new Set<Image>();
  readonly #turnedMs = new Map<Image, number>();
  readonly #seen = new Set<string>();

  get #nowMs(): number {
    return this.cluster.now / 1_000;
  }

  run(name: string, plan: Plan): void {
    tryTo(() => this.cluster.client.pods.delete(name, { gracePeriodSeconds: 0 }));
    const { image, policy } = plan;
    const container: Partial<Container> = { image, ...(policy && { imagePullPolicy: policy }) };
    create(this.cluster, name, {
      containers: [container],
      behaviours: { main: { imageMissing: this.#missing.has(image) } },
    });
    this.#plans.set(this.cluster.client.pods.get(name).metadata.uid ?? '', plan);
  }

  /** The registry has it, or has it no more. */
  offer(image: Image, isOffered: boolean): void {
    if (isOffered !== this.#missing.has(image)) return;
    if (isOffered) this.#missing.delete(image);
    else this.#missing.add(image);
    this.#turnedMs.set(image, this.#nowMs);
    const behaviour = JSON.stringify({ imageMissing: !isOffered });
    const body = { metadata: { annotations: { 'behaviour.kubesim.dev/main': behaviour } } };
    for (const { metadata, spec } of this.pods)
      if (spec?.containers[0]?.image === image)
        this.cluster.client.pods.patch(metadata.name ?? '', { type: 'merge', body });
  }

  /** All begin anew. */
  reboot(): void {
    this.cluster.faults.crash(AGENT);
    this.#machine.reboot();
    this.cluster.advance(seconds(2));
    this.cluster.faults.restart(AGENT);
  }

  get pods(): readonly Pod[] {
    return this.cluster.client.pods.list().items;
  }

  /** Each container that has begun meanwhile might. */
  compare(): void {
    for (const { id, podUid, startedAtMs } of this.#machine.runtime.all()) {
      const plan = this.#plans.get(podUid);
      if (this.#seen.has(id) || !plan) continue;
      this.#seen.add(id);
      expect(this.#machine.runtime.hasImage(plan.image), `${plan.image} is there`).toBe(true);
      const turnedMs = this.#turnedMs.get(plan.image) ?? -Infinity;
      const isLong = turnedMs < startedAtMs - LONGEST_MS;
      if (policyOf(plan) === 'Always' && isLong)
        expect(this.#missing, `asked before ${JSON.stringify(plan)} begins`).not.toContain(plan.image);
    }
  }

  #expectEach(): void {
    for (const { metadata, status } of this.pods) {
      const plan = this.#plans.get(metadata.uid ?? '');
      if (!plan) continue;
      const { state } = status?.containerStatuses?.[0] ?? {};
      const isThere = this.#machine.runtime.hasImage(plan.image);
      const isOffered = !this.#missing.has(plan.image);
      const may = { Always: isOffered, IfNotPresent: isOffered || isThere, Never: isThere }[policyOf(plan)];
      expect(state?.running !== undefined, `${JSON.stringify(plan)} runs`).toBe(may);
    }
  }

  end(): void {
    this.reboot();
    this.cluster.advance(LONGEST_PAUSE);
    this.compare();
    this.#expectEach();
    for (const image of IMAGES) this.offer(image, true);
    this.cluster.advance(LONGEST_PAUSE);
    this.compare();
    this.#expectEach();
  }
}

const act = actsOn<World>();
const image = fc.constantFrom(...IMAGES);
const plan: fc.Arbitrary<Plan> = fc.record({ image, policy: fc.constantFrom(...POLICIES) });
const run = act('run', fc.tuple(fc.constantFrom(...NAMES), plan), (world, drawn) => world.run(...drawn));
const offer = act('offer', fc.tuple(image, fc.boolean()), (world, drawn) => world.offer(...drawn));
const pass = act('pass', fc.constantFrom(0.5, 5, 20, 60), ({ cluster }, span) =>
  cluster.advance(seconds(span)),
);

it('are pulled as their policies say, and found again once they are there', () => {
  holdsInAnyOrder<World>({
    begin: () => new World(),
    acts: [run, run, offer, offer, pass, pass, act('reboot', NOTHING, (world) => world.reboot())],
    compare: (world) => world.compare(),
    end: (world) => world.end(),
    most: 16,
    runs: 20,
  });
});
