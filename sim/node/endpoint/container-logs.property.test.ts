/**
 * Whose log a request for a container means, whatever has become of it: of the one that runs or has ended last, also while the
 * next one waits; of the one before where that is asked for; and of none only where none has ever ended.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import type { ContainerRecord, ContainerState, Terminated } from '../pods/container-state.ts';
import { logSourceOf } from './container-logs.ts';

const ended = (containerId: string): Terminated => ({
  ...{ kind: 'terminated', exitCode: 1, reason: 'Error', containerId },
  ...{ startedAt: '2025-01-01T00:00:00Z', finishedAt: '2025-01-01T00:00:01Z' },
});
const state = fc.constantFrom<ContainerState>(
  { kind: 'running', startedAt: '2025-01-01T00:00:02Z' },
  ended('now'),
  { kind: 'waiting', reason: 'CrashLoopBackOff' },
  { kind: 'waiting', reason: 'ErrImagePull' },
);
const record: fc.Arbitrary<ContainerRecord> = fc.record({
  name: fc.constant('main'),
  state,
  lastTermination: fc.constantFrom(undefined, ended('before')),
  restartCount: fc.nat(3),
  containerId: fc.constant('now'),
  imageId: fc.constant('image'),
  isStarted: fc.boolean(),
  isReady: fc.boolean(),
});

it('is that of whoever wrote last, or of the one before', () => {
  fc.assert(
    fc.property(fc.option(record, { nil: undefined }), fc.boolean(), (known, isPrevious) => {
      const source = logSourceOf(known, { pod: 'web', container: 'main', isPrevious });
      const isOwn = known !== undefined && known.state.kind !== 'waiting' && !isPrevious;
      const wanted = isOwn ? 'now' : known?.lastTermination?.containerId;
      expect(source.kind === 'container' ? source.id : undefined).toBe(wanted);
    }),
    asOftenAs(200),
  );
});
