import { expect, it } from 'vitest';
import type { ApiObject } from '../../sim/api/object.ts';
import { deedsAreTold } from './deeds-are-told.ts';
import { RestView } from './rest-view.ts';

const START = '2025-01-01T00:00:00Z';
const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: {
    name: 'a-1',
    generateName: 'a-',
    namespace: 'd',
    uid: 'p',
    creationTimestamp: START,
    ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'a', uid: 'o', controller: true }],
  },
  spec: { nodeName: 'n' },
  status: { containerStatuses: [{ name: 'c', state: { running: {} } }] },
};
const event = (uid: string, reason: string, message: string) => ({
  apiVersion: 'v1',
  kind: 'Event',
  metadata: { name: reason, namespace: 'd' },
  involvedObject: { uid },
  reason,
  message,
});
const TOLD = [
  event('o', 'SuccessfulCreate', 'Created pod: a-1'),
  event('p', 'Scheduled', 'Successfully assigned d/a-1 to n'),
  event('p', 'Started', 'Started container c'),
];

interface Untold {
  readonly isCalm: boolean;
  readonly minutes: number;
  readonly of: object;
}

function untold(
  events: readonly object[],
  { isCalm = true, minutes = 1, of = pod }: Partial<Untold> = {},
): readonly string[] {
  const objects = [of, ...events] as object[] as ApiObject[];
  return deedsAreTold(new RestView(objects, { nowMs: Date.parse(START) + minutes * 60_000, isCalm }));
}

it('misses what nobody was told of: who made a pod, where it was placed, that it was started', () => {
  expect(untold(TOLD)).toEqual([]);
  expect(untold([])).toEqual([
    'Pod d/a-1 was made, and ReplicaSet a has told nobody',
    'Pod d/a-1 was placed, and nobody was told',
    'containers of Pod d/a-1 were started, and nobody was told',
  ]);
});

it('misses nothing of containers that never started', () => {
  const ended = (containerStatuses?: object) => ({ ...pod, status: { phase: 'Failed', containerStatuses } });
  const [created, scheduled] = TOLD;
  const told = [created ?? {}, scheduled ?? {}];
  expect(untold(told, { of: ended() })).toEqual([]);
  expect(untold(told, { of: ended([{ name: 'c', state: { terminated: { startedAt: null } } }]) })).toEqual(
    [],
  );
  expect(
    untold(told, { of: ended([{ name: 'c', state: { terminated: { startedAt: START } } }]) }),
  ).toHaveLength(1);
});

it('takes what a former owner has told of a pod that was adopted', () => {
  expect(untold([event('former', 'SuccessfulCreate', 'Created pod: a-1'), ...TOLD.slice(1)])).toEqual([]);
});

it('misses no maker of a pod that was made by hand and adopted, but whatever else', () => {
  const { generateName: _, ...metadata } = pod.metadata;
  const byHand = { ...pod, metadata };
  expect(untold(TOLD.slice(1), { of: byHand })).toEqual([]);
  expect(untold(TOLD.slice(1))).toHaveLength(1);
  expect(untold([], { of: byHand })).toHaveLength(2);
});

it('misses nothing where something went wrong, nor of what is long ago', () => {
  expect(untold([], { isCalm: false })).toEqual([]);
  expect(untold([], { minutes: 51 })).toEqual([]);
});
