import { expect, test } from 'vitest';
import { NodeRules } from './node-rules.ts';
import { SECOND } from './observation.ts';

const lease = (holderIdentity: string, renewTime: string) => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'kube-scheduler', namespace: 'kube-system' },
  spec: { holderIdentity, renewTime, leaseDurationSeconds: 15 },
});
const path = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/kube-scheduler';

/** Hears of the lease at times, and takes it at the last of them. */
function takenAt(
  heard: readonly (readonly [number, string, string])[],
  at: number,
  { crashes = false, isAnswer = true } = {},
): readonly string[] {
  const rules = new NodeRules(['leases-run-out']);
  const by = 'scheduler/1';
  for (const [second, holder, renewed] of heard)
    rules.observe({
      at: second * SECOND,
      clock: second * SECOND,
      kind: 'objects-heard',
      by,
      objects: [lease(holder, renewed)],
      ...(isAnswer && { isAnswer }),
    });
  if (crashes) rules.observe({ at: at * SECOND, kind: 'crashed', actor: by });
  const body = lease('mine', 'later');
  rules.observe({ at: at * SECOND, clock: at * SECOND, kind: 'request-sent', by, method: 'PUT', path, body });
  return rules.violations.map(({ message }) => message);
}

test('a lease that stayed as it was for its whole time may be taken', () => {
  expect(
    takenAt(
      [
        [0, 'other', 'a'],
        [2, 'other', 'a'],
      ],
      15,
    ),
  ).toEqual([]);
});

test('one that was renewed meanwhile may not', () => {
  const early = takenAt(
    [
      [0, 'other', 'a'],
      [2, 'other', 'b'],
    ],
    15,
  );
  expect(early).toEqual([
    'scheduler/1 takes the lease kube-scheduler from other 2s before it has run out by its own clock',
  ]);
});

test('one that was given back, or is one’s own, may be taken at once', () => {
  expect(takenAt([[0, '', 'a']], 1)).toEqual([]);
  expect(takenAt([[0, 'mine', 'a']], 1)).toEqual([]);
});

test('what somebody saw in a former life does not count', () => {
  expect(takenAt([[0, 'other', 'a']], 1, { crashes: true })).toEqual([]);
});

test('who has it by now hears late of the one before, and renews', () => {
  const rules = new NodeRules(['leases-run-out']);
  const by = 'scheduler/1';
  const of = (version: string, holder: string) => {
    const { metadata, ...rest } = lease(holder, version);
    return { ...rest, metadata: { ...metadata, resourceVersion: version } };
  };
  const puts = (second: number, version: string) =>
    rules.observe({
      at: second * SECOND,
      clock: second * SECOND,
      kind: 'request-sent',
      by,
      method: 'PUT',
      path,
      body: of(version, 'mine'),
    });
  const hears = (second: number, version: string) =>
    rules.observe({
      at: second * SECOND,
      clock: second * SECOND,
      kind: 'objects-heard',
      by,
      objects: [of(version, 'other')],
      isAnswer: true,
    });
  puts(20, '7');
  hears(21, '7');
  puts(22, '8');
  expect(rules.violations).toEqual([]);
  hears(23, '9');
  puts(24, '9');
  expect(rules.violations).toHaveLength(1);
});

test('what others in its process were told of does not count', () => {
  expect(takenAt([[0, 'other', 'a']], 1)).toHaveLength(1);
  expect(takenAt([[0, 'other', 'a']], 1, { isAnswer: false })).toEqual([]);
});
