/**
 * Requests that come to grief although nothing is wrong with them: refused, done but not answered, or the last thing that
 * somebody lives to see. Each fault chooses requests by who asks whom for what, lets some pass, and then strikes each of
 * them, the nth, so many, or some by chance. It is over when it has struck as often as it may, or when it is ended.
 */
import { ApiError, internalError, OUT_OF_TIME, type Status, type StatusReason } from '../api/status.ts';
import { type RequestInfo, requestInfoOf } from '../apiserver/request/request-info.ts';
import { QueryParameters } from '../apiserver/request/request.ts';
import type { ApiCall } from '../client/protocol.ts';

export type RequestVerb =
  'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

export const REQUEST_VERBS: readonly RequestVerb[] = [
  'get',
  'list',
  'watch',
  'create',
  'update',
  'patch',
  'delete',
  'deletecollection',
];
export const WRITE_VERBS: readonly RequestVerb[] = REQUEST_VERBS.slice(3);

/** Which writes: whatever is absent does not matter. */
export interface WriteSelection {
  /** Plural, such as `leases`. */
  readonly resource?: string;
  /** Such as `status`; '' for the object itself. Absent: both. */
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** Who asks, such as `system:node:worker-1`; `system:node:*` for all that begin so. */
  readonly user?: string;
  /** Name of the actor that asks, such as `controller-manager/0`; `node/*` for all that begin so. */
  readonly actor?: string;
  /** Name of the API server that is asked, such as `apiserver/1`. */
  readonly server?: string;
  /** What the client calls itself, such as `kubectl/v1.31.0`; `kubectl/*` for all that begin so. */
  readonly userAgent?: string;
}

/** Which requests: whatever is absent does not matter. */
export interface RequestSelection extends WriteSelection {
  readonly verb?: RequestVerb | readonly RequestVerb[];
}

/** Which of the chosen requests are struck, in the order in which they reach API servers; default all. */
export interface RequestCount {
  /** Only this one, counted from 1. */
  readonly nth?: number;
  /** So many pass before. */
  readonly after?: number;
  /** So many are struck, and then no more. */
  readonly count?: number;
  /** Of a hundred that could be struck, so many are, by chance. */
  readonly percent?: number;
  /** Counted by itself for what each asker asks of each kind, or of each object: one fault strikes all of them alike. */
  readonly each?: CountedFor;
}

export const COUNTED_FOR = ['kind', 'object'] as const;
export type CountedFor = (typeof COUNTED_FOR)[number];

/** Answers that a server gives without doing anything. */
export const REFUSALS = [400, 401, 403, 404, 409, 410, 422, 429, 500, 502, 503, 504] as const;
export type RefusalStatus = (typeof REFUSALS)[number];

export interface FailedRequests extends RequestSelection, RequestCount {
  /** Default 500. */
  readonly status?: RefusalStatus;
  /** In the header `Retry-After`; default 1 with 429, none otherwise. */
  readonly retryAfterSeconds?: number;
}

export interface WriteFault extends WriteSelection, RequestCount {
  /** Default 500. */
  readonly status?: RefusalStatus;
}

export interface LostAnswers extends RequestSelection, RequestCount {
  /** The connection breaks. Default: nothing comes back, until whoever waits gives up. */
  readonly resets?: boolean;
}

export interface FatalRequests extends RequestSelection, RequestCount {
  /** Name of who crashes; default: who asks. */
  readonly crashes?: string;
}

export type RequestEffect =
  | { readonly kind: 'fail'; readonly answer: Status }
  | { readonly kind: 'lose'; readonly resets: boolean }
  | { readonly kind: 'crash'; readonly when: 'before' | 'after'; readonly victim: string | undefined };

type EffectKind = 'fail' | 'fail-writes' | 'lose' | 'crash-before' | 'crash-after';

interface Standing {
  readonly kind: EffectKind;
  readonly selection: RequestSelection;
  readonly count: RequestCount;
  readonly effect: RequestEffect;
  /** One for all, or by who asks what of whom. */
  readonly tallies: Map<string, Tally>;
}

/** Requests that were chosen, and of them those that were struck. */
interface Tally {
  seen: number;
  struck: number;
}

export class RequestFaults {
  readonly #standing: Standing[] = [];
  /** Decides for faults that strike by chance. */
  readonly #chance: (percent: number) => boolean;
  /** One of them has struck for the last time. */
  onOver: (() => void) | undefined;

  constructor(chance: (percent: number) => boolean) {
    this.#chance = chance;
  }

  /** Whoever asks. */
  get hinderAnybody(): boolean {
    return this.#standing.some((each) => !isOver(each));
  }

  /** Whether requests of controllers are struck: what only nodes, users and guests ask is their own trouble. */
  get hinderControlPlane(): boolean {
    return this.#standing.some(
      (each) => !isOver(each) && isOfControllers(each.selection) && each.selection.resource !== 'leases',
    );
  }

  /** Those by which a leader that does its work otherwise loses its lease. */
  get hinderElections(): boolean {
    return this.#standing.some(
      (each) =>
        !isOver(each) &&
        isOfControllers(each.selection) &&
        (each.selection.resource ?? 'leases') === 'leases' &&
        (each.selection.namespace ?? 'kube-system') === 'kube-system' &&
        (each.selection.name ?? 'kube-controller-manager') === 'kube-controller-manager',
    );
  }

  begin(kind: EffectKind, effect: RequestEffect, fault: RequestSelection & RequestCount): void {
    const { nth, after, count, percent, each } = fault;
    checkCount(fault);
    this.#standing.push({
      kind,
      selection: selectionOf(fault),
      count: {
        after: after ?? (nth === undefined ? 0 : nth - 1),
        ...(nth !== undefined && { count: 1 }),
        ...(count !== undefined && { count }),
        ...(percent !== undefined && { percent }),
        ...(each !== undefined && { each }),
      },
      effect,
      tallies: new Map(),
    });
  }

  /** Ends the faults of this kind and exactly this selection, those that are over too; false: there were none. */
  end(kinds: readonly EffectKind[], selection: RequestSelection): boolean {
    const before = this.#standing.length;
    const wanted = keyOf(selectionOf(selection));
    for (let index = before - 1; index >= 0; index--) {
      const each = this.#standing[index];
      if (each && kinds.includes(each.kind) && keyOf(each.selection) === wanted)
        this.#standing.splice(index, 1);
    }
    return this.#standing.length < before;
  }

  /** What becomes of a request that has reached a server; undefined: nothing unusual. Counts it. */
  strike(call: ApiCall, actor: string, server: string): RequestEffect | undefined {
    if (this.#standing.length === 0) return undefined;
    const info = requestInfoOf({ ...call, query: QueryParameters.of(call.query) });
    return this.strikeOne(info, { user: call.user.name, userAgent: call.userAgent, actor, server });
  }

  /** As `strike`, for a request that came another way. */
  strikeOne(
    { verb, resource, subresource, namespace, name }: RequestInfo,
    by: Pick<Target, 'user' | 'userAgent' | 'actor' | 'server'>,
  ): RequestEffect | undefined {
    const target = { verb, resource, subresource, namespace, name, ...by };
    let effect: RequestEffect | undefined;
    for (const each of this.#standing) {
      if (isOver(each) || !isChosen(target, each.selection)) continue;
      // Each fault counts for itself, whatever others make of the request.
      if (this.#strikes(each, target)) effect ??= each.effect;
    }
    return effect;
  }

  #strikes(each: Standing, target: Target): boolean {
    const { after = 0, percent } = each.count;
    const tally = tallyOf(each, target);
    tally.seen += 1;
    if (isDone(each.count, tally)) return false;
    if (tally.seen <= after || (percent !== undefined && !this.#chance(percent))) return false;
    tally.struck += 1;
    if (isOver(each)) this.onOver?.();
    return true;
  }
}

function tallyOf({ count, tallies }: Standing, target: Target): Tally {
  const key = count.each === undefined ? '' : COUNTED_BY[count.each].map((name) => target[name]).join(' ');
  let tally = tallies.get(key);
  if (!tally) tallies.set(key, (tally = { seen: 0, struck: 0 }));
  return tally;
}

const isDone = ({ count }: RequestCount, { struck }: Tally): boolean =>
  count !== undefined && struck >= count;

/** What is counted for each is never over by itself: somebody may always ask for something new. */
const isOver = ({ count, tallies }: Standing): boolean => {
  const tally = tallies.get('');
  return tally !== undefined && isDone(count, tally);
};

type Target = Readonly<Record<Exclude<keyof RequestSelection, 'verb'> | 'verb', string>>;

const OF_KIND = ['user', 'actor', 'verb', 'resource', 'subresource'] as const;
const COUNTED_BY = { kind: OF_KIND, object: [...OF_KIND, 'namespace', 'name'] } as const;

const TEXTS = ['resource', 'subresource', 'namespace', 'name', 'server'] as const;

function isChosen(target: Target, { verb, actor, user, userAgent, ...texts }: RequestSelection): boolean {
  if (verb !== undefined && !(typeof verb === 'string' ? verb === target.verb : includes(verb, target.verb)))
    return false;
  if (actor !== undefined && !isCalled(target.actor, actor)) return false;
  if (user !== undefined && !isLike(target.user, user)) return false;
  if (userAgent !== undefined && !isLike(target.userAgent, userAgent)) return false;
  return TEXTS.every((member) => texts[member] === undefined || texts[member] === target[member]);
}

const includes = (verbs: readonly string[], verb: string): boolean => verbs.includes(verb);

const isLike = (text: string, wanted: string): boolean =>
  wanted.endsWith('*') ? text.startsWith(wanted.slice(0, -1)) : text === wanted;

const isCalled = (actor: string, name: string): boolean =>
  name.endsWith('*')
    ? actor.startsWith(name.slice(0, -1))
    : actor === name || actor === `node/${name}` || actor === `guest/${name}`;

/** Nodes, users and guests by their name or their actor's. */
function isOfControllers({ user, actor }: RequestSelection): boolean {
  if (user?.startsWith('system:node:') === true) return false;
  return actor === undefined || actor.startsWith('controller') || actor === '*';
}

const selectionOf = ({
  verb,
  resource,
  subresource,
  namespace,
  name,
  user,
  actor,
  server,
  userAgent,
}: RequestSelection): RequestSelection => ({
  ...(verb !== undefined && { verb: typeof verb === 'string' ? [verb] : [...verb].sort() }),
  ...(resource !== undefined && { resource }),
  ...(subresource !== undefined && { subresource }),
  ...(namespace !== undefined && { namespace }),
  ...(name !== undefined && { name }),
  ...(user !== undefined && { user }),
  ...(actor !== undefined && { actor }),
  ...(server !== undefined && { server }),
  ...(userAgent !== undefined && { userAgent }),
});

const keyOf = (selection: RequestSelection): string => JSON.stringify(selection);

function checkCount({ nth, after, count, percent }: RequestCount): void {
  const whole = { nth, after, count };
  for (const [name, value] of Object.entries(whole))
    if (value !== undefined && (!Number.isSafeInteger(value) || value < (name === 'after' ? 0 : 1)))
      throw new RangeError(`${name}: ${value} is no count of requests`);
  if (nth !== undefined && (after !== undefined || count !== undefined))
    throw new RangeError('nth is one request: there is no `after` and no `count` beside it');
  if (percent !== undefined && !(percent >= 0 && percent <= 100))
    throw new RangeError(`percent: ${percent} is not from 0 to 100`);
}

const REASONS: Readonly<Record<RefusalStatus, readonly [StatusReason, string]>> = {
  400: ['BadRequest', 'the server rejected our request for an unknown reason'],
  401: ['Unauthorized', 'Unauthorized'],
  403: ['Forbidden', 'the request was forbidden'],
  404: ['NotFound', 'the server could not find the requested resource'],
  409: [
    'Conflict',
    'the object has been modified; please apply your changes to the latest version and try again',
  ],
  410: ['Expired', 'The resourceVersion for the provided watch is too old.'],
  422: ['Invalid', 'the server rejected our request due to an error in our request'],
  429: ['TooManyRequests', 'Too many requests, please try again later.'],
  500: ['InternalError', 'etcdserver: request timed out'],
  502: ['', 'bad gateway'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', OUT_OF_TIME],
};

/** The answer of a server that does nothing. */
export function refusalOf({
  status = 500,
  retryAfterSeconds = status === 429 ? 1 : undefined,
}: Pick<FailedRequests, 'status' | 'retryAfterSeconds'>): Status {
  const [reason, message] = REASONS[status];
  if (status === 500) return internalError(message).status;
  const details = retryAfterSeconds === undefined ? undefined : { retryAfterSeconds };
  return new ApiError({ reason, message, code: status, details: details ?? {} }).status;
}
