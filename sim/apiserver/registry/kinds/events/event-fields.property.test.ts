/**
 * What events may say, field by field, beside a plain reading of their documentation ("Event v1", "Event v1
 * events.k8s.io"): those of the older group may say almost anything and change it; those of the newer one say what
 * happened once, and only how often is written again.
 */
import { it } from 'vitest';
import { type Field, type FieldRules, holdFieldByField } from '../field-rules.fixture.ts';

const or =
  (usual: unknown) =>
  (value: unknown): unknown =>
    value ?? usual;
const TIMES = ['2026-01-01T00:00:00Z', '2026-01-01T00:00:01Z'];
const MICRO_TIMES = ['2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:01.500000Z'];
const WORD = 'a'.repeat(128);
const TEXT = 'a'.repeat(1_024);

const CORE = { apiVersion: 'v1', kind: 'Event', resource: 'events', isNamespaced: true };
const POD = { kind: 'Pod', name: 'p' };

/** In the namespace that it is about, which for things without one is the usual one. */
const OLD: FieldRules = {
  ...CORE,
  fields: [
    {
      at: 'involvedObject',
      may: [POD, {}, { ...POD, namespace: 'default' }, { kind: 'Node', name: 'n', fieldPath: 'spec' }],
      mayNot: [{ value: { ...POD, namespace: 'other' }, at: ['involvedObject.namespace'] }],
    },
    { at: 'reason', may: [undefined, 'A', `${WORD}a`] },
    { at: 'message', may: [undefined, 'a', `${TEXT}a`] },
    { at: 'type', may: [undefined, 'Normal', 'Other'] },
    { at: 'count', may: [undefined, 1, 2] },
    { at: 'firstTimestamp', may: [undefined, ...TIMES], shows: or(null) },
    { at: 'lastTimestamp', may: [undefined, ...TIMES], shows: or(null) },
    { at: 'source', may: [undefined, { component: 'c' }, { component: 'c', host: 'h' }], shows: or({}) },
    { at: 'reportingComponent', may: [undefined, 'a b'], shows: or('') },
    { at: 'series', may: [undefined, { count: 1, lastObservedTime: null }] },
  ],
};

const word = (at: string, more: Partial<Field> = {}): Field => ({
  at,
  may: ['a', 'B c', WORD],
  mayNot: ['', `${WORD}a`],
  ...more,
});

/** Whoever says when it happened says who saw it. */
const TIMED: FieldRules = {
  ...CORE,
  fields: [
    { at: 'eventTime', may: MICRO_TIMES },
    { at: 'involvedObject', may: [POD, { ...POD, namespace: 'default' }, { ...POD, namespace: 'other' }] },
    { at: 'reportingComponent', may: ['a', 'b.c/d'], mayNot: ['', 'a b'] },
    word('reportingInstance'),
    word('action'),
    word('reason'),
    { at: 'message', may: [undefined, TEXT], mayNot: [`${TEXT}a`] },
    { at: 'type', may: [undefined, 'Other'] },
    { at: 'count', may: [undefined, 3] },
  ],
};

/** It has happened, and that is that. */
const NEW: FieldRules = {
  ...CORE,
  apiVersion: 'events.k8s.io/v1',
  fields: [
    { at: 'eventTime', may: MICRO_TIMES, isFixed: true },
    {
      at: 'regarding',
      may: [POD, { ...POD, namespace: 'other' }, { ...POD, name: 'q' }],
      isFixed: 'involvedObject',
    },
    { at: 'related', may: [undefined, POD, { kind: 'Node', name: 'n' }], isFixed: true },
    { at: 'reportingController', may: ['a', 'b.c/d'], mayNot: ['', 'a b'], isFixed: true },
    word('reportingInstance', { isFixed: true }),
    word('action', { isFixed: true }),
    word('reason', { isFixed: true }),
    {
      at: 'note',
      may: [undefined, 'a', TEXT],
      mayNot: [{ value: `${TEXT}a`, at: ['message'] }],
      isFixed: 'message',
    },
    {
      at: 'type',
      may: ['Normal', 'Warning'],
      mayNot: ['Other', ''].map((value) => ({ value, onUpdate: [] })),
      isFixed: true,
    },
    {
      at: 'series',
      may: [
        undefined,
        { count: 2, lastObservedTime: MICRO_TIMES[0] },
        { count: 3, lastObservedTime: MICRO_TIMES[0] },
        { count: 3, lastObservedTime: MICRO_TIMES[1] },
      ],
      mayNot: [
        { value: { count: 1, lastObservedTime: MICRO_TIMES[0] }, at: ['series.count'] },
        { value: { count: 0, lastObservedTime: MICRO_TIMES[0] }, at: ['series.count'] },
        { value: { count: 2, lastObservedTime: null }, at: ['series.lastObservedTime'] },
      ],
    },
    // What events once said stands in other fields now.
    ...[
      ['deprecatedFirstTimestamp', 'firstTimestamp', TIMES[0], null] as const,
      ['deprecatedLastTimestamp', 'lastTimestamp', TIMES[0], null] as const,
      ['deprecatedCount', 'count', 1, undefined] as const,
      ['deprecatedSource', 'source', { component: 'c' }, {}] as const,
    ].map(([at, place, value, usual]): Field => ({
      at,
      may: [undefined],
      mayNot: [{ value, at: [place], onUpdate: [] }],
      shows: or(usual),
      isFixed: place,
    })),
  ],
};

it('Event', () => holdFieldByField(OLD));
it('Event at a time', () => holdFieldByField(TIMED));
it('Event of events.k8s.io', () => holdFieldByField(NEW));
