/** What agents and controllers tell of the past is told once: when something began stays so, and how it ended last. */
import type { ApiObject } from '../../sim/api/object.ts';
import type { Exchange } from './exchange.ts';
import { at, textAt } from './json.ts';
import type { Past } from './past.ts';
import { type ApiRule, changeBy } from './writes.ts';

/**
 * Pods and Jobs began when they began, whoever comes to look after them; a Job that was suspended begins anew. What an
 * agent that begins anew runs of its own it runs before it hears what was told of that.
 */
export const startsStay: ApiRule = (exchange, past) => {
  const { before, after } = ownChange(exchange, past) ?? {};
  if (!before || !after || isOrWasSuspended(before) || isOrWasSuspended(after)) return undefined;
  if (isMirror(after)) return undefined;
  const [was, is] = [textAt(before, 'status', 'startTime'), textAt(after, 'status', 'startTime')];
  return was === '' || was === is ? undefined : `it began at ${was} and says now ${is || 'nothing'}`;
};

/** How a container ended last is known until it ends again; once it is not to begin again, that is what it is. */
export const endsAreRemembered: ApiRule = (exchange, past) => {
  if (!exchange.client.startsWith('node/')) return undefined;
  const { before, after } = ownChange(exchange, past) ?? {};
  if (!before || !after) return undefined;
  const later = new Map(statusesOf(after).map((status) => [at(status, 'name'), status]));
  const forgotten = statusesOf(before).find((status) => {
    const now = later.get(at(status, 'name'));
    return (
      now !== undefined &&
      at(now, 'restartCount') === at(status, 'restartCount') &&
      at(status, 'lastState', 'terminated') !== undefined &&
      at(now, 'lastState', 'terminated') === undefined &&
      at(now, 'state', 'terminated') === undefined
    );
  });
  return forgotten === undefined
    ? undefined
    : `it is not told any more how ${String(at(forgotten, 'name'))} ended last`;
};

const TOLD: ReadonlySet<string> = new Set(['pods', 'jobs']);
const TELLERS = /^(node|controller-manager)\//;

/** Two machines that take themselves for one node tell two stories. */
const ownChange = (exchange: Exchange, past: Past): ReturnType<typeof changeBy> =>
  TOLD.has(exchange.place.resource) && TELLERS.test(exchange.client) && !past.hasTwins
    ? changeBy(exchange, past)
    : undefined;

const isMirror = (object: ApiObject): boolean =>
  object.metadata.annotations?.['kubernetes.io/config.mirror'] !== undefined;

function isOrWasSuspended(object: ApiObject): boolean {
  const conditions = at(object, 'status', 'conditions');
  const told =
    Array.isArray(conditions) && conditions.some((one: unknown) => at(one, 'type') === 'Suspended');
  return told || at(object, 'spec', 'suspend') === true;
}

function statusesOf(pod: ApiObject): readonly unknown[] {
  const statuses = at(pod, 'status', 'containerStatuses');
  return Array.isArray(statuses) ? statuses : [];
}
