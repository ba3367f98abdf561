/**
 * What happened before a cluster came to rest that nothing mends, here as in a real cluster: watched from outside, over
 * the stream of observations of whole runs. Whoever is to be excused by it asks; nothing else is.
 */
import type { ApiObject } from '../../sim/api/object.ts';
import type { Service } from '../../sim/api/types/core-v1.ts';
import type { CustomResourceDefinition } from '../../sim/api/types/apiextensions-k8s-io-v1.ts';
import { SECOND, type Observation, type ObservationOf } from '../nodes/observation.ts';
import { controllerOf, nameOf } from '../workloads/owned-pods.ts';
import type { PastFacts } from './facts.ts';
import { CLOUD_FINALIZER } from './keepers.ts';
import { LostUntold, type MadeByItself } from './lost-untold.ts';
import { Miscounted } from './miscounted.ts';
import { OrphansAgain } from './orphans-again.ts';
import { PassedOver } from '../scheduling/passed-over.ts';

const CERTIFICATE = 'kube-root-ca.crt';
/** Of a Service, or of a Node. */
const WATCHED_PATH = /^\/api\/v1\/(?:namespaces\/([^/]+)\/services|nodes)\/([^/]+)(?:\/status)?$/;
/** Another server hears by then that a definition goes. */
const HEARSAY = SECOND;
/** What is told of an object may come before the answer to who has written it just now. */
const ANSWERED_WITHIN = SECOND / 10;
/** They follow owners, and collect nothing. */
const SCHEDULERS = 'scheduler/';
const OF_SERVICE = 'kubernetes.io/service-name';
/** Of these it matters in which order they were written. */
const WATCHED = /^(Service|Node)$/;
/** Of these it matters whether somebody was told that they were there. */
const KNOWN = /^(ConfigMap|EndpointSlice)$/;

export class Past implements PastFacts {
  /** Owners of pods as they were told, by who was told and the pod's uid. */
  readonly #told = new Map<string, Map<string, string | undefined>>();
  /** Revisions at which owners lost pods of which nobody had told that they were theirs, by the owner's uid. */
  readonly #losses = new Map<string, number>();
  /** Uids of certificates and slices of which somebody was told, by who was told. */
  readonly #known = new Map<string, Set<string>>();
  /** Revisions at which certificates were changed of which nobody had been told, by their uid. */
  readonly #unheard = new Map<string, string>();
  /** When slices were written, by uid. */
  readonly #writtenAt = new Map<string, number>();
  /** Services whose makers of slices may still wait for one that is gone. */
  readonly #stuck = new Set<string>();
  readonly #sentAt = new WeakMap<object, number>();
  /** When the newest request was sent that was heard, by who and for what. */
  readonly #newest = new Map<string, number>();
  /** Who asked last for a Service or a Node what he had revoked since. */
  readonly #asksLate = new Map<string, string>();
  readonly #overtaken = new Map<string, string>();
  /** Services of which their keeper let go when they were wanted again. */
  readonly #letGo = new Set<string>();
  /** Since when definitions go, by group and kind. */
  readonly #ends = new Map<string, number>();
  readonly #madeLate = new Set<string>();
  readonly #orphans = new OrphansAgain();
  readonly #miscounted = new Miscounted();
  readonly #passedOver = new PassedOver();
  readonly #lost = new LostUntold();

  observe(observation: Observation): void {
    switch (observation.kind) {
      case 'stored':
        this.#store(observation);
        break;
      case 'objects-heard':
        this.#hear(observation);
        break;
      case 'crashed':
        this.#forget(observation.actor);
        break;
      case 'request-sent':
        if (typeof observation.body === 'object' && observation.body !== null)
          this.#sentAt.set(observation.body, observation.at);
        break;
      case 'request-heard':
        this.#ask(observation);
        break;
      default:
      // Nothing else leaves anything behind.
    }
  }

  lostUnseen({ metadata: { uid = '', resourceVersion } }: ApiObject): boolean {
    return Number(resourceVersion) < (this.#losses.get(uid) ?? 0);
  }

  changedUnseen({ metadata: { uid = '', resourceVersion } }: ApiObject): boolean {
    return this.#unheard.get(uid) === resourceVersion;
  }

  slicesAreStuck(service: string): boolean {
    return this.#stuck.has(service);
  }

  isLost(kind: MadeByItself, name: string): boolean {
    return this.#lost.isLost(kind, name);
  }

  isOvertaken(object: ApiObject): boolean {
    const name = nameOf(object);
    const isOvertaken = WATCHED.test(object.kind ?? '') && this.#overtaken.has(name);
    return isOvertaken || (object.kind === 'Service' && this.#letGo.has(name));
  }

  wasMadeLate({ metadata: { uid = '' } }: ApiObject): boolean {
    return this.#madeLate.has(uid);
  }

  isToOrphanUnseen(object: ApiObject): boolean {
    return this.#orphans.areUnseen(object);
  }

  isMiscounted(object: ApiObject): boolean {
    return this.#miscounted.isMiscounted(object);
  }

  isPassedOver(pod: ApiObject): boolean {
    return this.#passedOver.isPassedOver(pod);
  }

  #store({ at, revision, before, after }: ObservationOf<'stored'>): void {
    const { kind, apiVersion } = after ?? before ?? {};
    this.#orphans.store(before, after);
    this.#miscounted.store(at, before, after);
    this.#passedOver.store(at, before, after);
    this.#lost.store(before, after);
    if (kind === 'Pod' && before && !after) this.#lose(before, revision);
    else if (WATCHED.test(kind ?? '')) this.#write(before, after);
    else if (kind === 'ConfigMap' && before && after) this.#change(after);
    else if (kind === 'EndpointSlice') this.#slice(at, before, after);
    else if (kind === 'CustomResourceDefinition')
      this.#define(at, after as CustomResourceDefinition | undefined);
    else if (after && !before && this.#ends.size > 0) {
      const end = this.#ends.get(`${apiVersion?.split('/')[0] ?? ''} ${kind ?? ''}`);
      if (end !== undefined && at - end <= HEARSAY) this.#madeLate.add(after.metadata.uid ?? '');
    }
  }

  #hear({ by, objects }: ObservationOf<'objects-heard'>): void {
    for (const object of objects) {
      if (!by.startsWith(SCHEDULERS)) this.#orphans.hear(object);
      if (KNOWN.test(object.kind ?? '')) this.#know(by, object);
      this.#lost.hear(by, object);
      if (object.kind !== 'Pod') continue;
      const told = this.#told.get(by) ?? new Map<string, string | undefined>();
      this.#told.set(by, told);
      told.set(object.metadata.uid ?? '', controllerOf(object)?.uid);
    }
  }

  /** Who is not told that a pod was his is not told either that it has gone. */
  #lose(pod: ApiObject, revision: number): void {
    const owner = controllerOf(pod)?.uid;
    const { uid = '' } = pod.metadata;
    for (const told of this.#told.values()) {
      if (owner !== undefined && told.get(uid) !== owner) this.#losses.set(owner, revision);
      told.delete(uid);
    }
  }

  /** Who begins anew lists everything and waits for nothing. */
  #forget(actor: string): void {
    if (this.#known.has(actor)) this.#stuck.clear();
    this.#lost.forget(actor);
    this.#told.delete(actor);
    this.#known.delete(actor);
  }

  #know(by: string, { kind, metadata: { name, uid = '' } }: ApiObject): void {
    if (kind === 'ConfigMap' && name !== CERTIFICATE) return;
    const known = this.#known.get(by) ?? new Set<string>();
    this.#known.set(by, known.add(uid));
  }

  /** Who makes it takes what he is told of first for what he has made. */
  #change({ metadata: { name, uid = '', resourceVersion = '' } }: ApiObject): void {
    if (name === CERTIFICATE && [...this.#known.values()].some((known) => !known.has(uid)))
      this.#unheard.set(uid, resourceVersion);
  }

  /** Who has written a slice waits until he is told of it: in vain, if he was told of its end already, or never is. */
  #slice(at: number, before: ApiObject | undefined, after: ApiObject | undefined): void {
    const { uid = '', namespace = '', labels = {} } = ((after ?? before) as ApiObject).metadata;
    const service = `${namespace}/${labels[OF_SERVICE] ?? ''}`;
    if (after) {
      this.#writtenAt.set(uid, at);
      this.#stuck.delete(service);
      return;
    }
    const isRace = at - (this.#writtenAt.get(uid) ?? at) <= ANSWERED_WITHIN;
    if (isRace || [...this.#known.values()].some((known) => !known.has(uid))) this.#stuck.add(service);
    this.#writtenAt.delete(uid);
  }

  #ask({ at, user, path, body }: ObservationOf<'request-heard'>): void {
    const [, namespace = '', name] = WATCHED_PATH.exec(path) ?? [];
    if (name === undefined) return;
    const object = `${namespace}/${name}`;
    const sentAt = (typeof body === 'object' && body !== null && this.#sentAt.get(body)) || at;
    const newest = this.#newest.get(`${user} ${object}`) ?? 0;
    this.#asksLate.delete(object);
    if (sentAt < newest) {
      this.#asksLate.set(object, user);
      return;
    }
    this.#newest.set(`${user} ${object}`, sentAt);
    if (this.#overtaken.get(object) === user) this.#overtaken.delete(object);
  }

  #write(before: ApiObject | undefined, after: ApiObject | undefined): void {
    const name = nameOf((after ?? before) as ApiObject);
    const user = this.#asksLate.get(name);
    if (!after || !before) this.#overtaken.delete(name);
    else if (user !== undefined) this.#overtaken.set(name, user);
    const isHeld = isHeldForCloud(after);
    if (isHeldForCloud(before) && !isHeld && (after as Service | undefined)?.spec?.type === 'LoadBalancer')
      this.#letGo.add(name);
    else if (isHeld || !after) this.#letGo.delete(name);
  }

  #define(at: number, definition: CustomResourceDefinition | undefined): void {
    if (!definition) return;
    const { spec, metadata } = definition;
    const key = `${spec.group} ${spec.names.kind}`;
    if (metadata.deletionTimestamp === undefined) this.#ends.delete(key);
    else if (!this.#ends.has(key)) this.#ends.set(key, at);
  }
}

/** Who has just let go looks at the Service as he knew it, and takes it for held. */
const isHeldForCloud = (service: ApiObject | undefined): boolean =>
  service?.metadata.finalizers?.includes(CLOUD_FINALIZER) === true;
