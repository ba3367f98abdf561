import { describe, expect, it } from 'vitest';
import type { ApiObject } from '../../sim/api/object.ts';
import { type Exchange, placeIn } from './exchange.ts';
import { Past } from './past.ts';
import { endsAreRemembered, startsStay } from './told-once.ts';
import type { ApiRule } from './writes.ts';

const KEY = '/registry/pods/default/a';
const MORNING = '2025-01-01T08:00:00Z';
const NOON = '2025-01-01T12:00:00Z';
const END = { lastState: { terminated: { exitCode: 1 } } };

const object = (revision: number, status: object, spec: object = {}): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'a', namespace: 'default', uid: 'u', resourceVersion: String(revision) },
  spec,
  status,
});

/** What a rule says of a write of the status, by whom. */
function said(
  rule: ApiRule,
  before: object,
  after: object,
  more: { client?: string; spec?: object } = {},
): boolean {
  const { client = 'node/worker-1', spec = {} } = more;
  const past = new Past();
  const [old, now] = [object(1, before, spec), object(2, after, spec)];
  past.stored(KEY, { revision: 1, before: undefined, after: old });
  past.stored(KEY, { revision: 2, before: old, after: now });
  const place = placeIn('/api/v1/namespaces/default/pods/a/status');
  if (!place) return false;
  const exchange: Exchange = {
    at: 1,
    client,
    method: 'PATCH',
    place,
    key: KEY,
    query: {},
    contentType: 'application/merge-patch+json',
    sent: {},
    status: 200,
    answer: now,
    warnings: [],
    revisionBefore: 1,
    revisionAfter: 2,
    isAlone: true,
  };
  return rule(exchange, past) !== undefined;
}

describe('when something began', () => {
  it('does not change by who looks after it', () => {
    expect(said(startsStay, { startTime: MORNING }, { startTime: NOON })).toBe(true);
    expect(said(startsStay, { startTime: MORNING }, {})).toBe(true);
    expect(said(startsStay, { startTime: MORNING }, { startTime: MORNING })).toBe(false);
    expect(said(startsStay, {}, { startTime: NOON })).toBe(false);
  });

  it('changes by a user, who may say what he likes, and with what was suspended', () => {
    expect(said(startsStay, { startTime: MORNING }, { startTime: NOON }, { client: 'user/test' })).toBe(
      false,
    );
    expect(said(startsStay, { startTime: MORNING }, {}, { spec: { suspend: true } })).toBe(false);
    const suspended = { startTime: MORNING, conditions: [{ type: 'Suspended', status: 'True' }] };
    expect(said(startsStay, suspended, { startTime: NOON })).toBe(false);
  });
});

describe('how a container ended last', () => {
  const of = (restartCount: number, last: object) => ({
    containerStatuses: [{ name: 'main', restartCount, ...last }],
  });

  it('is told until it ends again', () => {
    expect(said(endsAreRemembered, of(1, END), of(1, {}))).toBe(true);
    expect(said(endsAreRemembered, of(1, END), of(1, END))).toBe(false);
    expect(said(endsAreRemembered, of(1, END), of(2, {}))).toBe(false);
    expect(said(endsAreRemembered, of(0, {}), of(0, {}))).toBe(false);
    expect(said(endsAreRemembered, of(1, END), of(1, { state: END.lastState }))).toBe(false);
  });
});
