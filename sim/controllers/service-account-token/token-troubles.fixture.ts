/** For properties of tokens: what may come between their controller and the API. */
import fc from 'fast-check';
import type { TroubledManager } from '../../cluster/troubled-manager.fixture.ts';
import { type Act, actsOn, NOTHING } from '../../engine/any-order.arbitrary.ts';
import { seconds } from '../../engine/time.ts';

const MANAGER = 'controller-manager/0';
const WRITES = ['create', 'update', 'patch', 'delete'] as const;

/** Who writes tokens leaves a conflict to whoever wrote first: he is told of none where nobody did. */
export const tokenTroubles = <Subject extends TroubledManager>(): readonly fc.Arbitrary<Act<Subject>>[] => {
  const act = actsOn<Subject>();
  return [
    act('refuse', fc.tuple(fc.constantFrom(...WRITES), fc.constantFrom(1, 2)), ({ cluster }, [verb, count]) =>
      cluster.faults.failRequests({ actor: MANAGER, verb, count, status: 500 }),
    ),
    act('die at a write', fc.tuple(fc.boolean(), fc.constantFrom(...WRITES)), ({ cluster }, [isDone, verb]) =>
      cluster.faults[isDone ? 'crashAfter' : 'crashBefore']({ actor: MANAGER, verb, count: 1 }),
    ),
    act('begin anew', NOTHING, (world) => world.bounce()),
    act('end watches', fc.boolean(), ({ cluster }, expired) => cluster.faults.endWatches({ expired })),
    act('lag', fc.constantFrom(0, 2), ({ cluster }, span) => cluster.lagWatchCaches(seconds(span))),
  ];
};
