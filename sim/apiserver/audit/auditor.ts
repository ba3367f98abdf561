/**
 * Audit: who asked what, when, and what came of it, as one event for each stage of a request. A policy
 * says how much is kept. Hears of requests as an observer and hands events to a sink; knows no files.
 * Specification: "Audit", "Behavior on requests to deprecated endpoints".
 */
import { byKey } from '../../api/go-text.ts';
import { formatMicroTime } from '../../api/time-format.ts';
import type { RequestObserver } from '../request/request-observer.ts';
import type { Exchange } from '../request/exchange.ts';
import { requestUri } from '../request/request-uri.ts';
import type { ApiResponse, UserInfo } from '../request/request.ts';
import { requestContent, responseContent, withoutManagedFields } from './content.ts';
import type { AuditDecision, AuditLevel, AuditPolicy, AuditStage } from './policy.ts';

/** An `Event` of `audit.k8s.io/v1`, its members in the order in which Kubernetes writes them. */
export type AuditEvent = Readonly<Record<string, unknown>>;

export interface AuditorOptions {
  readonly policy: Pick<AuditPolicy, 'decide'>;
  readonly write: (event: AuditEvent) => void;
}

const TOLD: Readonly<Record<AuditLevel, Exchange['told']>> = {
  None: 'nothing',
  Metadata: 'metadata',
  Request: 'object',
  RequestResponse: 'object',
};

const UNAUTHORIZED = 401;

export class Auditor implements RequestObserver {
  readonly #options: AuditorOptions;
  readonly #decisions = new WeakMap<Exchange, AuditDecision>();
  readonly #refused = new WeakSet<Exchange>();
  readonly #requestsByLevel = new Map<AuditLevel, number>();
  #eventCount = 0;

  constructor(options: AuditorOptions) {
    this.#options = options;
  }

  /** Events written so far. */
  get eventCount(): number {
    return this.#eventCount;
  }

  /** Requests by the level that the policy gave them. */
  get requestsByLevel(): ReadonlyMap<AuditLevel, number> {
    return this.#requestsByLevel;
  }

  authenticated(exchange: Exchange): void {
    this.#note(exchange, 'RequestReceived', undefined);
  }

  responded(exchange: Exchange, response: ApiResponse): void {
    // Nobody is known who asked, so this one event stands for the whole request.
    const isRefused = !this.#decisions.has(exchange);
    if (isRefused || response.body.kind === 'stream') this.#note(exchange, 'ResponseStarted', response);
    if (isRefused) this.#refused.add(exchange);
  }

  completed(exchange: Exchange, response: ApiResponse): void {
    if (this.#refused.has(exchange)) return;
    this.#note(exchange, exchange.isDefective ? 'Panic' : 'ResponseComplete', response);
  }

  #note(exchange: Exchange, stage: AuditStage, response: ApiResponse | undefined): void {
    const decision = this.#decisionOf(exchange);
    if (decision.level === 'None' || decision.omits.has(stage)) return;
    this.#eventCount += 1;
    const event = auditEvent(exchange, decision, stage, response);
    const isRefused = stage === 'ResponseStarted' && response?.status === UNAUTHORIZED;
    this.#options.write(isRefused ? { ...event, user: {} } : event);
  }

  /** Settled by the user who asked, before anybody else is impersonated. */
  #decisionOf(exchange: Exchange): AuditDecision {
    const known = this.#decisions.get(exchange);
    if (known) return known;
    const decision = this.#options.policy.decide(exchange.info, exchange.impersonator ?? exchange.user);
    this.#decisions.set(exchange, decision);
    exchange.told = TOLD[decision.level];
    this.#requestsByLevel.set(decision.level, (this.#requestsByLevel.get(decision.level) ?? 0) + 1);
    return decision;
  }
}

function auditEvent(
  exchange: Exchange,
  { level, omitsManagedFields }: AuditDecision,
  stage: AuditStage,
  response: ApiResponse | undefined,
): AuditEvent {
  const { request, info, server } = exchange;
  const annotations = annotationsOf(exchange);
  const { impersonator, user } = exchange;
  const keep = (value: unknown): unknown => (omitsManagedFields ? withoutManagedFields(value) : value);
  const isRead = hasReadBody(exchange);
  const sent = isRead && exchange.told === 'object' ? requestContent(exchange) : undefined;
  const answer = response && responseContent(response);
  const isAnswerKept = level === 'RequestResponse' && answer !== undefined && stage === 'ResponseComplete';
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level,
    auditID: exchange.auditId,
    stage,
    requestURI: requestUri(exchange.request),
    verb: info.verb || request.method.toLowerCase(),
    user: userOf(impersonator ?? user),
    ...(impersonator && { impersonatedUser: userOf(user) }),
    sourceIPs: sourceIps(exchange),
    ...(request.headers['user-agent'] !== undefined && { userAgent: request.headers['user-agent'] }),
    ...(info.isResourceRequest && { objectRef: objectReference(exchange, isRead) }),
    ...(response && { responseStatus: responseStatus(response, answer) }),
    ...(sent !== undefined && { requestObject: keep(sent) }),
    ...(isAnswerKept && { responseObject: keep(answer) }),
    requestReceivedTimestamp: timestamp(exchange.receivedMs),
    stageTimestamp: timestamp(
      stage === 'RequestReceived' ? exchange.receivedMs : server.surroundings.wallMs(),
    ),
    ...(annotations.length > 0 && { annotations: Object.fromEntries(annotations) }),
  };
}

const userOf = ({ name, uid, groups, extra }: UserInfo): object => ({
  username: name,
  ...(uid !== undefined && uid !== '' && { uid }),
  ...(groups.length > 0 && { groups }),
  ...(extra && { extra }),
});

/** Proxies on the way first, the peer last. */
function sourceIps({ request }: Exchange): readonly string[] {
  const forwarded = (request.headers['x-forwarded-for'] ?? '')
    .split(',')
    .map((address) => address.trim())
    .filter((address) => address !== '');
  const peer = request.remoteAddress;
  return peer === undefined || forwarded.at(-1) === peer ? forwarded : [...forwarded, peer];
}

/** Nobody reads what is not allowed, or not yet, and what could not be read is not known; a patch is read as it is. */
const hasReadBody = ({ requestObject, decision, info, isUnrouted }: Exchange): boolean =>
  requestObject !== undefined || (info.verb === 'patch' && decision?.isAllowed === true && !isUnrouted);

/** What the path says; and what a body says that was read as an object. */
function objectReference(exchange: Exchange, isRead: boolean): object {
  const { info } = exchange;
  const sent = isRead && info.verb !== 'patch' ? metadataOf(requestContent(exchange)) : {};
  const name = info.name || sent['name'];
  return {
    ...(info.resource && { resource: info.resource }),
    ...(info.namespace && { namespace: info.namespace }),
    ...(name ? { name } : {}),
    ...(sent['uid'] ? { uid: sent['uid'] } : {}),
    ...(info.group && { apiGroup: info.group }),
    ...(info.version && { apiVersion: info.version }),
    ...(sent['resourceVersion'] ? { resourceVersion: sent['resourceVersion'] } : {}),
    ...(info.subresource && { subresource: info.subresource }),
  };
}

function metadataOf(object: unknown): Readonly<Record<string, unknown>> {
  const metadata: unknown =
    typeof object === 'object' && object !== null ? Reflect.get(object, 'metadata') : undefined;
  return typeof metadata === 'object' && metadata !== null
    ? (metadata as Readonly<Record<string, unknown>>)
    : {};
}

/** Of a Status the parts of bounded size; of everything else its code alone. */
function responseStatus({ status: code }: ApiResponse, answer: unknown): object {
  const members =
    typeof answer === 'object' && answer !== null ? (answer as Readonly<Record<string, unknown>>) : {};
  if (members['kind'] !== 'Status') return { metadata: {}, code };
  const { status, message, reason, details } = members;
  return {
    metadata: {},
    ...(status !== undefined && { status }),
    ...(message !== undefined && { message }),
    ...(reason !== undefined && { reason }),
    ...(details !== undefined && { details }),
    code,
  };
}

const timestamp = (epochMs: number): string =>
  formatMicroTime({ epochSeconds: Math.floor(epochMs / 1_000), micros: Math.floor(epochMs % 1_000) * 1_000 });

/** Sorted. */
function annotationsOf({ auditAnnotations, decision }: Exchange): readonly (readonly [string, string])[] {
  const annotations: [string, string][] = [...auditAnnotations];
  if (decision)
    annotations.push(
      ['authorization.k8s.io/decision', decision.isAllowed ? 'allow' : 'forbid'],
      ['authorization.k8s.io/reason', decision.reason],
    );
  return annotations.sort(byKey);
}
