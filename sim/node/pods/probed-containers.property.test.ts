/**
 * Probes beside what they are for: whatever a container answers and when, it is ready once enough answers in a row were good, is
 * not when enough were bad, and is ended by its startup and liveness probes after as many bad ones in a row, and only then.
 * For an agent that begins anew all is to be found again, so long as its release forgets it (until 1.34, KEP-4781).
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Pod, Probe } from '../../api/types/core-v1.ts';
import { findRelease } from '../../api/release/releases.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { create } from '../../cluster/pod-world.fixture.ts';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import { milliseconds, seconds } from '../../engine/time.ts';
import type { ProbeFailure } from '../runtime/workload-behaviour.ts';

const NODE = 'worker-1';
const LOOKS = 100;
/** What is told takes a moment, and so does a container that is to end. */
const LATE_SECONDS = 1.5;

type Kind = ProbeFailure['probe'];
type Probes = Readonly<Partial<Record<Kind, Probe>>>;

interface Answers {
  readonly readyAfterSeconds: number;
  readonly failsProbes: readonly ProbeFailure[];
}

/** Seconds since the start of a container. */
interface Course {
  /** When it becomes ready, or ceases to be, in turns. */
  readonly turns: readonly number[];
  /** When a probe ends it; Infinity: never. */
  readonly endsAt: number;
}

const isFine = ({ readyAfterSeconds, failsProbes }: Answers, kind: Kind, at: number): boolean =>
  (kind === 'liveness' || at >= readyAfterSeconds) &&
  !failsProbes.some(
    ({ probe, fromSeconds, toSeconds = Infinity }) => probe === kind && at >= fromSeconds && at < toSeconds,
  );

function courseOf({ startup, liveness, readiness }: Probes, answers: Answers, until: number): Course {
  let begunAt = 0;
  if (startup) {
    const found = firstRow(startup, answers, 'startup', { from: 0, until });
    if (found.isBad) return { turns: [], endsAt: found.at };
    begunAt = found.at;
  }
  const ends = liveness && firstRow(liveness, answers, 'liveness', { from: begunAt, until, isPatient: true });
  const endsAt = ends?.isBad ? ends.at : Infinity;
  if (!readiness) return { turns: [begunAt], endsAt };
  return { turns: turnsOf(readiness, answers, { from: begunAt, until: Math.min(until, endsAt) }), endsAt };
}

interface Span {
  readonly from: number;
  readonly until: number;
  /** A good answer is no end. */
  readonly isPatient?: boolean;
}

function* times({ initialDelaySeconds = 0, periodSeconds = 10 }: Probe, { from, until }: Span) {
  for (let at = Math.max(from, initialDelaySeconds); at <= until; at += periodSeconds) yield at;
}

function firstRow(probe: Probe, answers: Answers, kind: Kind, span: Span): { at: number; isBad: boolean } {
  let bad = 0;
  for (const at of times(probe, span)) {
    bad = isFine(answers, kind, at) ? 0 : bad + 1;
    if (bad === 0 && span.isPatient !== true) return { at, isBad: false };
    if (bad >= (probe.failureThreshold ?? 3)) return { at, isBad: true };
  }
  return { at: Infinity, isBad: false };
}

function turnsOf(probe: Probe, answers: Answers, span: Span): readonly number[] {
  const turns: number[] = [];
  let [good, bad] = [0, 0];
  for (const at of times(probe, span)) {
    const fine = isFine(answers, 'readiness', at);
    [good, bad] = fine ? [good + 1, 0] : [0, bad + 1];
    const isReady = turns.length % 2 === 1;
    const turnsNow = isReady ? bad >= (probe.failureThreshold ?? 3) : good >= (probe.successThreshold ?? 1);
    if (turnsNow) turns.push(at);
  }
  return turns;
}

const isReadyAt = ({ turns, endsAt }: Course, at: number): boolean =>
  at < endsAt && turns.filter((turn) => turn <= at).length % 2 === 1;

/** Answers that end amid a second are nobody's. */
const half = (most: number): fc.Arbitrary<number> => fc.integer({ min: 0, max: most }).map((at) => at + 0.5);
const failure: fc.Arbitrary<ProbeFailure> = fc
  .tuple(
    fc.constantFrom<Kind[]>('startup', 'liveness', 'liveness', 'readiness', 'readiness'),
    half(60),
    half(12),
  )
  .map(([probe, fromSeconds, length]) => ({
    probe,
    fromSeconds,
    toSeconds: fromSeconds + Math.floor(length) + 1,
  }));
const answersDrawn: fc.Arbitrary<Answers> = fc.record({
  readyAfterSeconds: fc.constantFrom(0, 0, 3.5, 9.5),
  failsProbes: fc.array(failure, { maxLength: 8 }),
});
const probeOf = (most: number): fc.Arbitrary<Probe> =>
  fc.record({
    tcpSocket: fc.constant({ port: 80 }),
    periodSeconds: fc.constantFrom(1, 2, 5),
    initialDelaySeconds: fc.constantFrom(0, 0, 4),
    failureThreshold: fc.constantFrom(1, 2, 3),
    successThreshold: fc.integer({ min: 1, max: most }),
  });
const probesDrawn: fc.Arbitrary<Probes> = fc.record(
  { startup: probeOf(1), liveness: probeOf(1), readiness: probeOf(3) },
  { requiredKeys: [] },
);

it('are ready, not ready and ended as their probes find them', () => {
  fc.assert(
    fc.property(probesDrawn, answersDrawn, (probes, answers) => {
      const world = createCluster({
        ...{ nodes: 1, controllers: [], scheduler: false, settled: true, isRecording: false },
        disabledAdmissionPlugins: ['ServiceAccount'],
      });
      const { startup, liveness, readiness } = probes;
      create(world, 'p', {
        restartPolicy: 'Never',
        terminationGracePeriodSeconds: 1,
        containers: [
          {
            ...(startup && { startupProbe: startup }),
            ...(liveness && { livenessProbe: liveness }),
            ...(readiness && { readinessProbe: readiness }),
          },
        ],
        behaviours: { main: answers },
      });
      const { runtime } = world.machine(NODE);
      while (runtime.all().length === 0) world.advance(milliseconds(10));
      const [container] = runtime.all();
      const startedAt = (container?.startedAtMs ?? 0) / 1_000;
      const course = courseOf(probes, answers, LOOKS);
      for (let look = 0; look < LOOKS; look++) {
        world.advance(seconds(1));
        const at = world.now / 1_000_000 - startedAt;
        const [told] = world.client.pods.get('p').status?.containerStatuses ?? [];
        const possible = [isReadyAt(course, at), isReadyAt(course, at - LATE_SECONDS)];
        // What turned twice meanwhile may be told either way.
        const isTurning = course.turns.some((turn) => turn <= at && turn > at - LATE_SECONDS);
        if (!isTurning) expect(possible, `ready at ${at} s`).toContain(told?.ready);
        const runs = runtime.running(world.now / 1_000).length === 1;
        if (at < course.endsAt) expect(runs, `runs at ${at} s`).toBe(true);
        if (at > course.endsAt + LATE_SECONDS) expect(runs, `has ended at ${at} s`).toBe(false);
      }
    }),
    asOftenAs(60),
  );
});

const AGENT = `node/${NODE}`;
const RELEASES = ['1.31', '1.34', '1.35', '1.37'] as const;
/** All that a container may be asked has long been answered by then, and again in as long. */
const LONG_SECONDS = 60;
const AWAY_SECONDS = 3;
const KINDS = ['startup', 'liveness', 'readiness'] as const;

interface Story {
  readonly release: (typeof RELEASES)[number];
  readonly probes: Probes;
  /** What fails from then on that the agent is away. */
  readonly failing: readonly Kind[];
}

const stories: fc.Arbitrary<Story> = fc.record({
  release: fc.constantFrom(...RELEASES),
  probes: probesDrawn,
  failing: fc.subarray([...KINDS]),
});

interface Told {
  readonly ready: boolean;
  readonly started: boolean;
}

/** What is told of the container while it runs, from the return of its agent on. */
function toldAfter({ release, probes, failing }: Story): {
  readonly told: readonly Told[];
  readonly runs: boolean;
} {
  const { startup, liveness, readiness } = probes;
  const found = findRelease(release);
  const fromSeconds = LONG_SECONDS + AWAY_SECONDS / 2;
  const failsProbes = failing.map((probe): ProbeFailure => ({ probe, fromSeconds }));
  const world = createCluster({
    ...{ nodes: 1, controllers: [], scheduler: false, settled: true, isRecording: false },
    disabledAdmissionPlugins: ['ServiceAccount'],
    ...(found && { release: found }),
  });
  create(world, 'p', {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 1,
    containers: [
      {
        ...(startup && { startupProbe: startup }),
        ...(liveness && { livenessProbe: liveness }),
        ...(readiness && { readinessProbe: readiness }),
      },
    ],
    behaviours: { main: { failsProbes } },
  });
  const told: Told[] = [];
  const { runtime } = world.machine(NODE);
  while (runtime.all().length === 0) world.advance(milliseconds(10));
  world.advance(seconds(LONG_SECONDS));
  world.faults.crash(AGENT);
  world.storage.watch({
    prefix: '/registry/pods/',
    onEvents: (events) => {
      for (const event of events) {
        if (event.kind !== 'put') continue;
        const [status] = (event.entry.value as Pod).status?.containerStatuses ?? [];
        if (status?.state?.running) told.push({ ready: status.ready, started: status.started === true });
      }
    },
  });
  world.advance(seconds(AWAY_SECONDS));
  world.faults.restart(AGENT);
  world.advance(seconds(LONG_SECONDS));
  return { told, runs: runtime.running(world.now / 1_000).length === 1 };
}

it('are found again by an agent that has begun anew, or are as they were, as its release has it', () => {
  fc.assert(
    fc.property(stories, (story) => {
      const { told, runs } = toldAfter(story);
      const { startup, liveness, readiness } = story.probes;
      const fails = (kind: Kind): boolean => story.failing.includes(kind);
      const forgets = ['1.31', '1.34'].includes(story.release);
      const startsAgain = forgets && startup !== undefined;
      const isEnded = (startsAgain && fails('startup')) || (liveness !== undefined && fails('liveness'));
      expect(runs, 'it runs').toBe(!isEnded);
      const readies = told.map(({ ready }) => ready);
      const losesReadiness = forgets && (startup ?? readiness) !== undefined;
      if (losesReadiness) expect(readies[0], 'ready, as far as is known first').toBe(false);
      expect(
        told.some(({ started }) => !started),
        'has to start again',
      ).toBe(startsAgain);
      if (isEnded) return;
      const isReady = readiness === undefined || !fails('readiness');
      // Nothing is told where nothing has changed.
      expect(readies.at(-1) ?? true, 'ready in the end').toBe(isReady);
      if (isReady && !losesReadiness) expect(readies, 'ready all the time').not.toContain(false);
    }),
    asOftenAs(30),
  );
});
