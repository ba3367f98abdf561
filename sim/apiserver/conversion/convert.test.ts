import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../api/object.ts';
import { RELEASE_1_31 } from '../../api/release/release-1-31.ts';
import { EVENT_CONVERSION } from '../registry/kinds/events/event-conversion.ts';
import { coreEventKind, eventsGroupKind } from '../registry/kinds/events/event.ts';
import { PRIORITY_LEVEL_CONVERSION } from '../registry/kinds/flowcontrol/priority-level-conversion.ts';
import { converted } from './convert.ts';

const { types } = RELEASE_1_31.catalog;
const RULES = { conversion: EVENT_CONVERSION, types };
const EVENTS = 'events.k8s.io/v1';
const V1 = 'flowcontrol.apiserver.k8s.io/v1';
const V1BETA3 = 'flowcontrol.apiserver.k8s.io/v1beta3';

describe('an event', () => {
  const event: ApiObject = {
    kind: 'Event',
    apiVersion: 'v1',
    metadata: { name: 'e', namespace: 'default', creationTimestamp: null },
    involvedObject: { kind: 'Pod', name: 'p' },
    reason: 'Started',
    message: 'it began',
    source: { component: 'kubelet', host: 'n' },
    firstTimestamp: '2024-01-01T00:00:00Z',
    lastTimestamp: '2024-01-01T00:00:01Z',
    count: 2,
    type: 'Normal',
    eventTime: null,
    reportingComponent: 'kubelet',
    reportingInstance: 'n',
  };

  it('is stored in the shape of core, whichever group it came through', () => {
    expect(eventsGroupKind.conversion?.storage).toBe('v1');
    expect(coreEventKind.conversion?.storage).toBe('v1');
  });

  it('has other names for its facts in events.k8s.io', () => {
    expect(converted(event, EVENTS, RULES)).toMatchObject({
      apiVersion: EVENTS,
      regarding: event['involvedObject'],
      note: 'it began',
      deprecatedSource: { component: 'kubelet', host: 'n' },
      deprecatedCount: 2,
      reportingController: 'kubelet',
    });
  });

  it('comes back as it was', () => {
    expect(converted(converted(event, EVENTS, RULES), 'v1', RULES)).toEqual(event);
  });
});

describe('a priority level', () => {
  const levelOf = (
    apiVersion: string,
    shares: number,
    annotations?: Readonly<Record<string, string>>,
  ): ApiObject => ({
    kind: 'PriorityLevelConfiguration',
    apiVersion,
    metadata: { name: 'x', ...(annotations && { annotations }) },
    spec: {
      type: 'Limited',
      limited: { nominalConcurrencyShares: shares, limitResponse: { type: 'Reject' } },
    },
  });
  const toVersion = (object: ApiObject, apiVersion: string) =>
    converted(object, apiVersion, { conversion: PRIORITY_LEVEL_CONVERSION, types });
  const mark = { 'flowcontrol.k8s.io/v1beta3-preserve-zero-concurrency-shares': '' };

  it('marks zero shares for v1beta3, which cannot tell them from none', () => {
    expect(toVersion(levelOf(V1, 0), V1BETA3)).toEqual(levelOf(V1BETA3, 0, mark));
    expect(toVersion(levelOf(V1, 7), V1BETA3)).toEqual(levelOf(V1BETA3, 7));
  });

  it('never shows the mark in v1', () => {
    expect(toVersion(levelOf(V1BETA3, 0, { ...mark, a: 'b' }), V1)).toEqual(levelOf(V1, 0, { a: 'b' }));
    expect(toVersion(levelOf(V1BETA3, 0, mark), V1)).toEqual(levelOf(V1, 0));
  });
});
