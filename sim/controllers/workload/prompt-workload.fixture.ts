/**
 * For properties of workloads of every kind: what hinders nobody for long is made up for soon. Wishes change, pods go, a
 * workload is made anew under the same name, and whoever keeps it hears of that late, of much at once, or of the end of it
 * alone; a write or two are refused. None of that is an excuse for waiting: who waits for news that are no more, or forgets
 * to come back, is late. `troubled-workload.fixture.ts` asks the same after longer trouble, and leaves more time.
 */
import fc from 'fast-check';
import { holdsInAnyOrderAsBefore } from '../../cli/accounts/accounted-order.fixture.ts';
import { refusedWritesOf } from '../../cluster/troubled-manager.fixture.ts';
import { type Act, actsOn, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { milliseconds, minutes, seconds } from '../../engine/time.ts';
import {
  changesOf,
  makesAnew,
  MORE,
  podsGo,
  podsEnd,
  podsSucceed,
  type WorkloadKind,
  WorkloadWorld,
} from './troubled-workload.fixture.ts';

/** Pods come and go one by one, and after each somebody has to look. */
const ROUNDS = 10;
const ROUND = seconds(6);

const act = actsOn<WorkloadWorld>();
type Acts = fc.Arbitrary<Act<WorkloadWorld>>;
const spans = fc.constantFrom(0.004, 0.02, 0.5, 2, 12);

/**
 * Several things happen, and whoever looks hears of all of them at once, or of what has come of them; perhaps of the first
 * before, so that he has begun something, and hears of that as late. Pods that came and went unheard are waited for, which
 * takes long; of all else the last is enough.
 */
const atOnce = (acts: readonly Acts[], resource: string): Acts =>
  fc
    .record({
      first: fc.oneof(...acts),
      rest: fc.array(fc.oneof(...acts), { minLength: 1, maxLength: 2, size: 'max' }),
      firstHeardMs: fc.constantFrom(0, 0, 1, 2, 3),
      span: spans,
      isUnheard: fc.boolean(),
    })
    .map(({ first, rest, firstHeardMs, span, isUnheard }) => {
      const how = isUnheard ? `what came of it is heard after ${span} s` : `heard at once after ${span} s`;
      const name = `${how}, the first after ${firstHeardMs} ms: ${[first, ...rest].map((each) => each.name).join(', ')}`;
      return {
        name,
        on: (world: WorkloadWorld) => {
          const { cluster } = world;
          if (firstHeardMs > 0) {
            first.on(world);
            cluster.advance(milliseconds(firstHeardMs));
          }
          cluster.lagWatchCaches(minutes(1));
          for (const each of firstHeardMs > 0 ? rest : [first, ...rest]) each.on(world);
          cluster.advance(milliseconds(span * 1_000));
          if (isUnheard) cluster.faults.endWatches({ expired: true, resource });
          cluster.lagWatchCaches(seconds(0));
        },
        [fc.toStringMethod]: () => name,
      };
    });

type PromptKind = Exclude<WorkloadKind, 'CronJob'>;

const live = act('live', NOTHING, (world) => world.live());
const hindrances: readonly Acts[] = [
  refusedWritesOf<WorkloadWorld>(),
  refusedWritesOf<WorkloadWorld>(),
  act('end watches', NOTHING, ({ cluster }) => cluster.faults.endWatches({ expired: false })),
  act('lag', fc.constantFrom(0, 0.3, 2), ({ cluster }, span) =>
    cluster.lagWatchCaches(milliseconds(span * 1_000)),
  ),
  act('pass', spans, ({ cluster }, span) => cluster.advance(milliseconds(span * 1_000))),
  act('pass', spans, ({ cluster }, span) => cluster.advance(milliseconds(span * 1_000))),
];

/** Of a Job that was called over not all can be asked. */
const rarely = (done: Acts): Acts => fc.oneof({ weight: 1, arbitrary: done }, { weight: 4, arbitrary: live });

/**
 * What a real cluster is soon done with, too. A Deployment that begins all pods anew is not told when the last of them goes
 * while one that has ended is there. Of a StatefulSet that is made anew the former's status may be said; of a Job, its pods
 * are waited for.
 */
const ODD: Readonly<Record<PromptKind, readonly Acts[]>> = {
  ReplicaSet: [makesAnew, makesAnew, podsEnd],
  DaemonSet: [makesAnew, makesAnew, podsEnd],
  Deployment: [makesAnew, makesAnew],
  StatefulSet: [podsEnd],
  Job: [podsSucceed, podsSucceed, rarely(act('call over', NOTHING, (world) => world.callOver()))],
};

/** @throws with the shortest list of acts after which something is late */
export function isSoonWhatItIsToBe(kind: PromptKind): void {
  const own = [live, changesOf, changesOf, podsGo, ...ODD[kind]];
  const doings = [...own, ...MORE[kind]];
  const late = atOnce(own, `${kind.toLowerCase()}s`);
  holdsInAnyOrderAsBefore<WorkloadWorld>({
    begin: () => new WorkloadWorld(kind),
    acts: [live, ...doings, ...hindrances, late, late, late],
    compare: () => undefined,
    end: (world) => {
      world.endAllTroubles();
      world.openNodes();
      for (let round = 0; round < ROUNDS; round++) {
        world.live();
        world.cluster.advance(ROUND);
      }
      world.expectDone();
    },
    most: 16,
    runs: 8,
  });
}
