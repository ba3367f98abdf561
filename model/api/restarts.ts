/** The agent of a node counts how often it has restarted a container, and never takes one back. */
import type { ApiObject } from '../../sim/api/object.ts';
import { at } from './json.ts';
import { type ApiRule, changeBy } from './writes.ts';

export const restartsOnlyGrow: ApiRule = (exchange, past) => {
  // Two machines that take themselves for one node count each for itself.
  if (!exchange.client.startsWith('node/') || past.hasTwins || exchange.place.resource !== 'pods')
    return undefined;
  const { before, after } = changeBy(exchange, past) ?? {};
  return before && after && restartsTakenBack(before, after);
};

function restartsTakenBack(before: ApiObject, after: ApiObject): string | undefined {
  const counts = (object: ApiObject): ReadonlyMap<unknown, number> => {
    const statuses = at(object, 'status', 'containerStatuses');
    return new Map(
      (Array.isArray(statuses) ? statuses : []).map((one: unknown) => [
        at(one, 'name'),
        Number(at(one, 'restartCount') ?? 0),
      ]),
    );
  };
  const later = counts(after);
  for (const [name, count] of counts(before)) {
    const now = later.get(name);
    if (now !== undefined && now < count)
      return `${String(name)} had restarted ${count} times and now ${now}`;
  }
  return undefined;
}
