/**
 * Whether those that serve groups of their own can be reached: the condition `Available` of their APIServices, looked at
 * after each change of the APIService, its Service or its Endpoints, and every 30 s. What they say of themselves is
 * asked on the way (`foreign-documents.ts`). Without an APIService that has a service nothing ever happens here.
 * Specification: not shown (Kubernetes: the available controller of the aggregation layer).
 */
import { goQuote } from '../../api/go-text.ts';
import type { HttpOutcome } from '../../api/http-call.ts';
import { formatTime } from '../../api/time-format.ts';
import type { APIService, APIServiceCondition } from '../../api/types/apiregistration-k8s-io-v1.ts';
import type { Endpoints, Service } from '../../api/types/core-v1.ts';
import type { Process } from '../../engine/process.ts';
import type { Storage, StorageEvent, StorageWatch } from '../../storage/storage.ts';
import { callTarget, problemOf } from '../admission/webhooks/call-target.ts';
import type { Meters } from '../request/server-view.ts';
import { writeOwnStatus } from '../stores/own-status.ts';
import type { StoredObject } from '../stores/stored-object.ts';
import { untilWritten } from '../stores/until-written.ts';
import { firstSuccess } from './first-success.ts';
import { ForeignDocuments } from './foreign-documents.ts';
import { API_SERVICES, type ForeignService, type ForeignServices } from './foreign-services.ts';
import { cachedObject, viewOf } from '../stores/cached-object.ts';
import { type ForeignHost, targetOfForeign } from './foreign-target.ts';
import { userHeaders } from './passed-headers.ts';

const ROUND_MS = 30_000;
const REACTION_MS = 2;
const CHECK_MS = 5_000;
/** So many at the same time: one that answers is enough. */
const ATTEMPTS = 5;
/** Unlike callers, the check itself is made by the server. */
const CHECKER = { name: 'system:kube-aggregator', groups: ['system:masters'] };

export interface AvailabilityHost extends ForeignHost {
  readonly storage: Storage<StoredObject>;
  readonly foreignServices: ForeignServices;
  readonly meters: Pick<Meters, 'aggregator'> | undefined;
  endWithServer(watch: StorageWatch): void;
}

type Finding = Pick<APIServiceCondition, 'status' | 'reason' | 'message'>;

const failure = (reason: string, message: string): Finding => ({ status: 'False', reason, message });
const PASSED: Finding = { status: 'True', reason: 'Passed', message: 'all checks passed' };

export class Availability {
  readonly #host: AvailabilityHost;
  readonly #documents: ForeignDocuments;
  #isScheduled = false;
  #isBusy = false;
  #isStale = false;
  #cancelRound: (() => void) | undefined;

  /** From now on, in this life of the server. */
  static start(host: AvailabilityHost): void {
    const resource = host.registry.findByText(API_SERVICES);
    if (!resource) return;
    const availability = new Availability(host);
    const soon = (): void => availability.#schedule(REACTION_MS);
    const { services } = host.foreignServices;
    const isForeign = (event: StorageEvent<StoredObject>): boolean =>
      namesForeign(host, keyOfEvent(event)) ||
      (event.kind === 'put' && (event.entry.value as APIService).spec?.service !== undefined);
    const watch = host.storage.watch({
      prefix: resource.storagePrefix,
      onEvents: (events) => {
        if (events.some(isForeign)) soon();
      },
    });
    host.endWithServer(watch);
    for (const text of ['services', 'endpoints']) availability.#follow(text, soon);
    if (services.size > 0) soon();
  }

  #follow(text: string, soon: () => void): void {
    const host = this.#host;
    const row = host.registry.findByText(text);
    if (!row) return;
    const keyOf = ({ service }: ForeignService): string =>
      host.storeOf(row).key(service.namespace, service.name);
    const watch = host.storage.watch({
      prefix: row.storagePrefix,
      onEvents: (events) => {
        const { services } = host.foreignServices;
        if (services.size === 0) return;
        const keys = [...services.values()].map(keyOf);
        if (events.some((event) => keys.includes(keyOfEvent(event)))) soon();
      },
    });
    host.endWithServer(watch);
  }

  private constructor(host: AvailabilityHost) {
    this.#host = host;
    this.#documents = new ForeignDocuments(host);
  }

  #schedule(delayMs: number): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#host.surroundings.after(delayMs, () => {
      this.#isScheduled = false;
      if (this.#host.foreignServices.services.size === 0) return;
      if (this.#isBusy) this.#isStale = true;
      else this.#host.surroundings.start(this.#lookAtAll());
    });
  }

  *#lookAtAll(): Process<void> {
    this.#isBusy = true;
    this.#isStale = false;
    this.#cancelRound?.();
    for (const service of [...this.#host.foreignServices.services.values()]) {
      const finding = yield* this.#findingOf(service);
      untilWritten(this.#host.surroundings, () => this.#write(service.name, finding));
      this.#documents.refresh(service);
    }
    this.#isBusy = false;
    if (this.#isStale) this.#schedule(REACTION_MS);
    this.#cancelRound = this.#host.surroundings.after(ROUND_MS, () => this.#schedule(0));
  }

  *#findingOf(service: ForeignService): Process<Finding> {
    const known = knownProblem(this.#host, service);
    if (known) return known;
    // Whatever certificate it shows: whether it is believed is for those who ask for something.
    const target = targetOfForeign(this.#host, { ...service, isUnverified: true });
    // Where it does not even lead anywhere, nobody is asked.
    if (target.place.kind === 'problem' && target.address === '')
      return failure('FailedDiscoveryCheck', target.place.text);
    const path = `/apis/${service.group}/${service.version}`;
    const call = { method: 'GET', path, headers: userHeaders(CHECKER) } as const;
    const { surroundings } = this.#host;
    const attempts = Array.from({ length: ATTEMPTS }, () => callTarget(surroundings, target, call, CHECK_MS));
    const url = `https://${target.address}${path}`;
    const problem = (outcome: HttpOutcome | undefined): string | undefined =>
      problemOfCheck(outcome, target.address, url);
    const first = yield* firstSuccess(surroundings, attempts, {
      isSuccess: (outcome) => problem(outcome) === undefined,
      timeoutMs: CHECK_MS + REACTION_MS,
    });
    const why = problem(first);
    if (why === undefined) return PASSED;
    return failure('FailedDiscoveryCheck', `failing or missing response from ${url}: ${why}`);
  }

  /** What others have written meanwhile is looked at in the next round. */
  #write(name: string, finding: Finding): void {
    const resource = this.#host.registry.findByText(API_SERVICES);
    if (!resource) return;
    const store = this.#host.storeOf(resource);
    const entry = store.get(store.key('', name));
    if (!entry) return;
    const service = entry.value as APIService;
    const old = service.status?.conditions?.find(({ type }) => type === 'Available');
    const isSame =
      old?.status === finding.status && old.reason === finding.reason && old.message === finding.message;
    if (isSame) return;
    if (old?.status === 'True' && finding.status !== 'True')
      this.#host.meters?.aggregator.lost(name, finding.reason ?? '');
    const now = formatTime(this.#host.surroundings.wallMs());
    const lastTransitionTime = (old?.status === finding.status && old.lastTransitionTime) || now;
    const condition = { type: 'Available', ...finding, lastTransitionTime };
    const others = service.status?.conditions?.filter(({ type }) => type !== 'Available') ?? [];
    const status = { ...service.status, conditions: [...others, condition] };
    writeOwnStatus({ store, resource, now }, entry, { ...service, status });
  }
}

/** Undefined: it answered as it should. */
function problemOfCheck(outcome: HttpOutcome | undefined, address: string, url: string): string | undefined {
  if (!outcome) return `timed out waiting for ${url}`;
  if (outcome.kind !== 'answer') return `Get ${goQuote(url)}: ${problemOf(outcome, address)}`;
  const { status } = outcome.answer;
  return status >= 200 && status < 300 ? undefined : `bad status from ${url}: ${status}`;
}

const keyOfEvent = (event: StorageEvent<StoredObject>): string =>
  event.kind === 'put' ? event.entry.key : event.key;

const namesForeign = ({ foreignServices }: AvailabilityHost, key: string): boolean =>
  foreignServices.services.has(key.slice(key.lastIndexOf('/') + 1));

const CLUSTER_IP = 'ClusterIP';

/** What is wrong without asking the service. */
function knownProblem(host: ForeignHost, { service }: ForeignService): Finding | undefined {
  const { namespace, name, port } = service;
  const text = `service/${name} in ${goQuote(namespace)}`;
  const view = viewOf(host);
  const found = cachedObject(view, 'services', namespace, name) as Service | undefined;
  if (!found) return failure('ServiceNotFound', `${text} is not present`);
  // Others are reached in ways of their own.
  if ((found.spec?.type ?? CLUSTER_IP) !== CLUSTER_IP) return undefined;
  const servicePort = found.spec?.ports?.find((each) => each.port === port);
  if (!servicePort) return failure('ServicePortError', `${text} is not listening on port ${port}`);
  // Whoever is asked in place of the service needs no pods.
  const isElsewhere =
    host.surroundings.forwardOf?.(service) !== undefined ||
    host.surroundings.actorOf?.(`${name}.${namespace}.svc`) !== undefined;
  if (isElsewhere) return undefined;
  const endpoints = cachedObject(view, 'endpoints', namespace, name) as Endpoints | undefined;
  if (!endpoints) return failure('EndpointsNotFound', `cannot find endpoints for ${text}`);
  const portName = servicePort.name ?? '';
  const hasAddress = (endpoints.subsets ?? []).some(
    ({ addresses = [], ports = [] }) =>
      addresses.length > 0 && ports.some((each) => (each.name ?? '') === portName),
  );
  if (hasAddress) return undefined;
  return failure(
    'MissingEndpoints',
    `endpoints for ${text} have no addresses with port name ${goQuote(portName)}`,
  );
}
