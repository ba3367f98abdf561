/**
 * What a query asks for, beside the rules as the documentation tells them: what may not be said together is refused, what
 * is said of nothing counts as said, and what is not refused is taken as it was meant.
 */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { RELEASE_1_31 } from '../../api/release/release-1-31.ts';
import { ApiError } from '../../api/status.ts';
import { asOftenAs } from '../../engine/any-order.arbitrary.ts';
import type { Exchange } from '../request/exchange.ts';
import { QueryParameters } from '../request/request.ts';
import { deleteOptionsOf } from './delete-options.ts';
import { listOptionsOf } from './list-options.ts';
import { requestDeadlineMs } from './request-deadline.ts';
import { writeOptionsOf } from './write-options.ts';

const MACHINERY = {
  pages: true,
  sendsBookmarks: true,
  matchesVersions: true,
  streamsLists: 'on',
  unknownFields: 'told',
  dryRuns: true,
};

type Query = Readonly<Record<string, string | undefined>>;
type Asked = Pick<Exchange, 'request' | 'server'>;

function asked(query: Query): Asked & Exchange {
  const text = Object.entries(query)
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]))
    .join('&');
  const request = { query: QueryParameters.parse(text) };
  return {
    request,
    server: { machinery: MACHINERY, release: RELEASE_1_31 },
    receivedMs: 0,
  } as unknown as Asked & Exchange;
}

/** Or why not. */
const orWhy = <T>(run: () => T): T | number => {
  try {
    return run();
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
};
const INVALID = 422;
const maybe = <T>(...values: T[]) => fc.constantFrom(undefined, ...values);

const lists = fc.record({
  resourceVersion: maybe('', '0', '7'),
  resourceVersionMatch: maybe('', 'Exact', 'NotOlderThan', 'Other'),
  continue: maybe('', 'token'),
  sendInitialEvents: maybe('', 'true', 'false'),
  limit: maybe('0', '2'),
  timeoutSeconds: maybe('0', '5'),
  allowWatchBookmarks: maybe('true', 'false'),
});
/** Nothing, and what begins like a no, is one; all else that is there is meant. */
const isMeant = (text: string | undefined): boolean => text !== undefined && text !== 'false';

it('a list and a watch say of versions what goes together', () => {
  let taken = 0;
  fc.assert(
    fc.property(lists, fc.boolean(), (query, isWatch) => {
      const match = query.resourceVersionMatch ?? '';
      const isPage = (query.continue ?? '') !== '';
      const isStream = query.sendInitialEvents !== undefined;
      const isListWrong =
        isStream ||
        (match !== '' &&
          ((query.resourceVersion ?? '') === '' ||
            isPage ||
            match === 'Other' ||
            (match === 'Exact' && query.resourceVersion === '0')));
      const isWatchWrong = (isStream || match !== '') && !(isStream && match === 'NotOlderThan' && !isPage);
      const found = orWhy(() =>
        listOptionsOf(asked({ ...query, ...(isWatch && { watch: 'true' }) }), { isWatch }),
      );
      if (isWatch ? isWatchWrong : isListWrong) {
        expect(found).toBe(INVALID);
        return;
      }
      taken++;
      expect(found).toMatchObject({
        isWatch,
        limit: Number(query.limit ?? 0),
        timeoutSeconds: query.timeoutSeconds === undefined ? undefined : Number(query.timeoutSeconds),
        continueToken: query.continue ?? '',
        resourceVersion: query.resourceVersion ?? '',
        resourceVersionMatch: match,
        allowsBookmarks: isMeant(query.allowWatchBookmarks),
        sendInitialEvents: isStream ? isMeant(query.sendInitialEvents) : undefined,
      });
    }),
    asOftenAs(500),
  );
  expect(taken).toBeGreaterThan(20);
});

const writes = fc.record({
  dryRun: maybe('All', '', 'Some'),
  fieldManager: maybe('', 'm'),
  fieldValidation: maybe('', 'Ignore', 'Warn', 'Strict', 'Lax'),
  force: maybe('', 'true', 'false'),
});

it('a write says whether it is meant, by whom, and how strictly', () => {
  fc.assert(
    fc.property(
      writes,
      fc.constantFrom('CreateOptions', 'UpdateOptions', 'PatchOptions'),
      fc.boolean(),
      (query, kind, drawn) => {
        const isApply = drawn && kind === 'PatchOptions';
        const manager = query.fieldManager ?? '';
        const isWrong =
          (query.dryRun ?? 'All') !== 'All' ||
          query.fieldValidation === 'Lax' ||
          (isApply && manager === '') ||
          (!isApply && kind === 'PatchOptions' && query.force !== undefined);
        const found = orWhy(() => writeOptionsOf(asked(query), kind, { isApply }));
        if (isWrong) {
          expect(found).toBe(INVALID);
          return;
        }
        expect(found).toEqual({
          isDryRun: query.dryRun === 'All',
          fieldManager: manager,
          fieldValidation: query.fieldValidation || 'Warn',
          force: isMeant(query.force),
        });
      },
    ),
    asOftenAs(500),
  );
});

const deletions = fc.record({
  gracePeriodSeconds: maybe('0', '1', '30'),
  propagationPolicy: maybe('Orphan', 'Foreground', 'Background', 'Other'),
  orphanDependents: maybe('true', 'false'),
  dryRun: maybe('All', 'Some'),
});

it('a deletion says how long it waits, and what becomes of what depends on it, in one way', () => {
  fc.assert(
    fc.property(deletions, (query) => {
      const { gracePeriodSeconds, propagationPolicy, orphanDependents, dryRun } = query;
      const isWrong =
        propagationPolicy === 'Other' ||
        dryRun === 'Some' ||
        (propagationPolicy !== undefined && orphanDependents !== undefined);
      const found = orWhy(() => deleteOptionsOf(asked(query)));
      if (isWrong) {
        expect(found).toBe(INVALID);
        return;
      }
      expect(found).toEqual({
        ...(gracePeriodSeconds !== undefined && { gracePeriodSeconds: Number(gracePeriodSeconds) }),
        ...(propagationPolicy !== undefined && { propagationPolicy }),
        ...(orphanDependents !== undefined && { orphanDependents: isMeant(orphanDependents) }),
        ...(dryRun !== undefined && { dryRun: [dryRun] }),
      });
    }),
    asOftenAs(300),
  );
});

it('a request is done after the time that it says, or a minute', () => {
  fc.assert(
    fc.property(fc.integer({ min: -5, max: 200 }), fc.constantFrom('s', 'm', 'ms'), (count, unit) => {
      const wantedMs = count * { s: 1_000, m: 60_000, ms: 1 }[unit];
      const wanted = wantedMs > 0 && wantedMs < 60_000 ? wantedMs : 60_000;
      expect(requestDeadlineMs(asked({ timeout: `${count}${unit}` }))).toBe(wanted);
      expect(requestDeadlineMs(asked({}))).toBe(60_000);
    }),
    asOftenAs(300),
  );
});
