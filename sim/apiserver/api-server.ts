/**
 * The API server: takes a request, sends it through the stages of `pipeline.ts`, and answers. It
 * owns the registry of resources, the stores with their watch caches, and the clients' identities.
 * It knows no transport: `handle` is a process from request to response, `repeat` the short way for
 * what was said before. Several servers may run over one storage. Specification: "What the service does".
 */
import type { Process } from '../engine/process.ts';
import type { Release } from '../api/release/release.ts';
import { inWordsOf } from '../api/release/wording.ts';
import { ApiError, defectError } from '../api/status.ts';
import { type Revision, type Storage, type StorageWatch, StorageWriteError } from '../storage/storage.ts';
import { MeteredSteps } from './admission/metered-steps.ts';
import { Admission, type AdmissionPlugin } from './admission/admission.ts';
import { PolicySource } from './admission/policies/policy-source.ts';
import { WebhookSource } from './admission/webhooks/webhook-source.ts';
import { ForeignServices } from './aggregation/foreign-services.ts';
import { ALWAYS_ALLOW, type Authorizer } from './authorization/authorizer.ts';
import { DeprecatedUse } from './metrics/deprecated-use.ts';
import { Endpoints } from './endpoints/endpoints.ts';
import { Exchange } from './request/exchange.ts';
import { FeatureGates } from './feature-gates.ts';
import { DanglingSchemas } from './flow-control/dangling-schemas.ts';
import { FlowSchemas } from './flow-control/flow-schemas.ts';
import { type Features, featuresOf, type Machinery, machineryOf } from './machinery.ts';
import { RepeatedRequests } from './verbs/repeated/repeated-requests.ts';
import { type Stage, stagesOf } from './pipeline.ts';
import { ObservedStream } from './streams/observed-stream.ts';
import type { Registry } from './registry/registry.ts';
import type { Resource } from './registry/resource.ts';
import type { ApiRequest, ApiResponse, UserInfo } from './request/request.ts';
import { NoRoute } from './representation/no-route.ts';
import { requestInfoOf } from './request/request-info.ts';
import type { RequestObserver } from './request/request-observer.ts';
import type { Meters, ServerView } from './request/server-view.ts';
import { finishResponse, statusResponse } from './representation/finish-response.ts';
import type { KeptConfigMap } from './stores/kept-config-map.ts';
import { ResourceStore } from './stores/resource-store.ts';
import { StorageUpkeep } from './stores/storage-upkeep.ts';
import { Surface } from './surface/surface.ts';
import { type AuthenticationTrust, keepTrust } from './authentication/authentication-trust.ts';
import type { AccountToken, AccountTokens } from './authentication/account-token.ts';
import type { JwtAuthenticators } from './authentication/jwt/jwt-authenticators.ts';
import type { ServerAccess } from './configuration/server-access.ts';
import { LegacyTokenTracking } from './authentication/legacy-token-tracking.ts';
import type { ServiceAccountTokens } from './authentication/service-account-tokens.ts';
import type { TokenAuthenticator } from './authentication/token-authenticator.ts';
import { ANONYMOUS } from './stages/authenticate.ts';
import type { ApiServerSurroundings } from './surroundings.ts';
import type { StoredObject } from './stores/stored-object.ts';
import { Progress } from './watch-cache/progress.ts';
import { type Lag, WatchCache } from './watch-cache/watch-cache.ts';

export interface ApiServerOptions {
  readonly release: Release;
  readonly surroundings: ApiServerSurroundings;
  readonly storage: Storage<StoredObject>;
  readonly registry: Registry;
  readonly featureGates?: FeatureGates;
  readonly authorizer?: Authorizer;
  /** What files say of access; its chain is the authorizer, if it has one. */
  readonly access?: ServerAccess | undefined;
  readonly serviceAccountTokens: ServiceAccountTokens;
  /** Whom aggregated servers are told to believe; default: nobody. */
  readonly trust?: AuthenticationTrust;
  /** Tokens that secrets hold. */
  readonly accountTokens: AccountTokens;
  /** Beside the tokens of service accounts. */
  readonly tokenAuthenticators?: readonly TokenAuthenticator[];
  /** Whether whoever shows no credentials is `system:anonymous`; default true. */
  readonly allowsAnonymous?: boolean;
  /** The only paths on which it may be; default: all. */
  readonly anonymousPaths?: ReadonlySet<string> | undefined;
  /** Whether containers may be privileged; default false. */
  readonly allowsPrivileged?: boolean;
  /** In the order in which they run. */
  readonly admission?: readonly AdmissionPlugin[];
  readonly observers?: readonly RequestObserver[];
  readonly endpoints?: Endpoints;
  readonly surface?: Surface;
  /** Hears of defects and keeps the server alive; without it they end the run. */
  readonly onDefect?: (error: unknown) => void;
  readonly meters?: Meters | undefined;
  /** See `ServerView`; default true. */
  readonly writesByDelta?: boolean;
  /** 0 keeps the whole history. */
  readonly compactionIntervalMs?: number;
  /** What watch caches learn from, where that is not the storage itself. */
  readonly cacheSource?: CacheSource;
  /** How late events reach the watch caches, in milliseconds of the server's clock. */
  readonly watchCacheLagMs?: number;
}

/** What watch caches learn from: the storage, or something that tells later what it tells. */
export type CacheSource = Pick<Storage<StoredObject>, 'range' | 'watch' | 'revision'>;

export class ApiServer implements ServerView {
  readonly release: Release;
  readonly surroundings: ApiServerSurroundings;
  readonly storage: Storage<StoredObject>;
  readonly registry: Registry;
  readonly featureGates: FeatureGates;
  readonly machinery: Machinery;
  readonly features: Features;
  readonly authorizer: Authorizer;
  readonly admission: Admission;
  readonly meters: Meters | undefined;
  readonly policies = new PolicySource();
  readonly webhooks = new WebhookSource(this);
  readonly foreignServices = new ForeignServices(this);
  readonly writesByDelta: boolean;
  /** Authorization cannot refuse anything, so nobody need ask. */
  readonly allowsEverything: boolean;
  readonly allowsAnonymous: boolean;
  readonly anonymousPaths: ReadonlySet<string> | undefined;
  /** What files say of access, where there are such files. */
  readonly access: ServerAccess | undefined;
  readonly allowsPrivileged: boolean;
  /** Host and port under which clients reach the server; empty: as they say. */
  publicAddress = '';
  /** Names of health checks that fail at present: a fault. */
  readonly failingChecks = new Set<string>();
  readonly deprecatedUse = new DeprecatedUse();
  readonly serviceAccountTokens: ServiceAccountTokens;
  readonly upkeep: StorageUpkeep;
  /** Where nobody looks on who has to see every request as a whole. */
  readonly #repeated: RepeatedRequests | undefined;
  readonly #tokenAuthenticators: readonly TokenAuthenticator[];
  readonly #stages: readonly Stage[];
  readonly #observers: readonly RequestObserver[];
  readonly #onDefect: ((error: unknown) => void) | undefined;
  readonly #progress: Progress;
  readonly #cacheSource: CacheSource;
  #watchCacheLagMs: number;
  readonly #stores = new Map<string, ResourceStore>();
  readonly #retiredCaches = new Set<WatchCache>();
  readonly #danglingSchemas = new DanglingSchemas();
  readonly #accountTokens: AccountTokens;
  readonly #tokenTracking = new LegacyTokenTracking();
  readonly #trust: AuthenticationTrust;
  #keptTrust: KeptConfigMap | undefined;
  readonly #ownWatches: StorageWatch[] = [];

  constructor(options: ApiServerOptions) {
    this.release = options.release;
    this.surroundings = options.surroundings;
    this.storage = options.storage;
    this.registry = options.registry;
    this.featureGates = options.featureGates ?? new FeatureGates(options.release.gates);
    this.machinery = machineryOf(this.release, this.featureGates);
    this.features = featuresOf(this);
    this.authorizer = options.authorizer ?? ALWAYS_ALLOW;
    this.allowsEverything = this.authorizer === ALWAYS_ALLOW;
    this.allowsAnonymous = options.allowsAnonymous ?? true;
    this.anonymousPaths = options.anonymousPaths;
    this.access = options.access;
    this.allowsPrivileged = options.allowsPrivileged ?? false;
    this.meters = options.meters;
    this.admission = new Admission(
      options.admission,
      options.meters && new MeteredSteps(options.meters.admission),
    );
    this.writesByDelta = options.writesByDelta ?? true;
    this.#watchCacheLagMs = options.watchCacheLagMs ?? 0;
    this.#cacheSource = options.cacheSource ?? options.storage;
    this.#progress = new Progress(this.#cacheSource);
    this.upkeep = new StorageUpkeep({ ...options, onCompacted: (revision) => this.#forgetUpTo(revision) });
    this.serviceAccountTokens = options.serviceAccountTokens;
    this.#accountTokens = options.accountTokens;
    this.#trust = options.trust ?? {};
    const given = options.tokenAuthenticators ?? [];
    this.#tokenAuthenticators = [...given, this.#accountTokens, this.serviceAccountTokens];
    this.#observers = options.observers ?? [];
    this.#onDefect = options.onDefect;
    if (this.writesByDelta && !this.meters && this.#observers.every(({ repeated }) => repeated))
      this.#repeated = new RepeatedRequests(this, (info) => {
        for (const observer of this.#observers) observer.repeated?.(info);
      });
    this.#stages = stagesOf({
      observers: this.#observers,
      flowSchemas: new FlowSchemas(this),
      surface: options.surface ?? new Surface(),
      endpoints: options.endpoints ?? new Endpoints(),
    });
  }

  /** The answer to what a first-party component has said before; undefined: it is to be handled. */
  repeat(request: ApiRequest): ApiResponse | undefined {
    return this.#repeated?.answer(request);
  }

  *handle(request: ApiRequest): Process<ApiResponse> {
    const exchange = new Exchange(this, request, requestInfoOf(request), request.user ?? ANONYMOUS);
    for (const observer of this.#observers) observer.started?.(exchange);
    try {
      for (let index = 0; index < this.#stages.length && !exchange.response; index++) {
        const waiting = this.#stages[index]?.(exchange);
        if (waiting) yield* waiting;
      }
    } catch (error) {
      exchange.isUnrouted = error instanceof NoRoute;
      exchange.isDefective = !(error instanceof ApiError || error instanceof StorageWriteError);
      exchange.response = statusResponse(
        exchange,
        inWordsOf(this.release.rules.wording, this.#asApiError(error)),
      );
    }
    const response = finishResponse(exchange);
    this.#repeated?.learn(exchange, response);
    return this.#observers.length === 0 ? response : this.#observed(exchange, response);
  }

  #observed(exchange: Exchange, response: ApiResponse): ApiResponse {
    for (const observer of this.#observers) observer.responded?.(exchange, response);
    const complete = (streamed?: number): void => {
      for (const observer of this.#observers) observer.completed?.(exchange, response, streamed);
    };
    if (response.body.kind === 'stream') {
      return {
        ...response,
        body: { kind: 'stream', stream: new ObservedStream(response.body.stream, complete) },
      };
    }
    complete();
    return response;
  }

  /** Begins to watch the storage, so that watches can start from any version after this one, and to keep it. */
  start(): void {
    for (const resource of this.registry.all()) this.storeOf(resource);
    this.upkeep.start();
    this.policies.start(this);
    this.#danglingSchemas.start(this);
    this.#tokenTracking.start(this);
    this.#keptTrust = keepTrust(this, this.#trust);
  }

  userOfToken(token: string): UserInfo | undefined {
    for (const authenticator of this.#tokenAuthenticators) {
      const user = authenticator.authenticate(token);
      if (user) return user;
    }
    return undefined;
  }

  get jwt(): JwtAuthenticators | undefined {
    return this.access?.jwt;
  }

  useOfAccountToken(token: string): AccountToken | undefined {
    const used = this.#accountTokens.find(token);
    if (used) this.#tokenTracking.noteUse(this, used.secret);
    return used;
  }

  storeOf(resource: Pick<Resource, 'storagePrefix' | 'isNamespaced'>): ResourceStore {
    const known = this.#stores.get(resource.storagePrefix);
    if (known) return known;
    const cache = new WatchCache({
      storage: this.#cacheSource,
      prefix: resource.storagePrefix,
      progress: this.#progress,
      nowMs: () => this.surroundings.wallMs(),
    });
    cache.setLag(this.#lag());
    const store = new ResourceStore({
      prefix: resource.storagePrefix,
      storage: this.storage,
      isNamespaced: resource.isNamespaced,
      cache,
    });
    this.#stores.set(resource.storagePrefix, store);
    return store;
  }

  /**
   * The custom resource is another one, or gone: who comes now finds another store, and who watches what there was hears of
   * it until the function that comes back is called.
   */
  retireStore(storagePrefix: string): () => void {
    const { cache } = this.#stores.get(storagePrefix) ?? {};
    if (!cache) return () => undefined;
    this.#stores.delete(storagePrefix);
    this.#retiredCaches.add(cache);
    return () => {
      this.#retiredCaches.delete(cache);
      cache.retire();
    };
  }

  get watchCacheLagMs(): number {
    return this.#watchCacheLagMs;
  }

  /** From now on events reach the watch caches so many milliseconds late. */
  setWatchCacheLag(milliseconds: number): void {
    this.#watchCacheLagMs = milliseconds;
    for (const cache of this.#caches()) cache.setLag(this.#lag());
  }

  #forgetUpTo(revision: Revision): void {
    for (const cache of this.#caches()) cache.forgetUpTo(revision);
  }

  #caches(): readonly WatchCache[] {
    return [...Array.from(this.#stores.values(), ({ cache }) => cache), ...this.#retiredCaches];
  }

  /** What a part of the server watches for as long as the server lives. */
  endWithServer(watch: StorageWatch): void {
    this.#ownWatches.push(watch);
  }

  /** The server goes down: all its watches end. */
  close(): void {
    for (const watch of this.#ownWatches.splice(0)) watch.close();
    for (const cache of this.#caches()) cache.close();
    this.#progress.close();
    this.#danglingSchemas.close();
    this.#tokenTracking.close();
    this.#keptTrust?.close();
  }

  /** A defect of the server ends a simulation; a server on a real port answers 500 and stays alive. */
  #asApiError(error: unknown): ApiError {
    if (error instanceof ApiError) return error;
    if (error instanceof StorageWriteError)
      return new ApiError({ reason: '', message: error.message, code: 500 });
    if (!this.#onDefect) throw error;
    this.#onDefect(error);
    return defectError();
  }

  #lag(): Lag | undefined {
    const milliseconds = this.#watchCacheLagMs;
    return milliseconds === 0 ? undefined : (deliver) => void this.surroundings.after(milliseconds, deliver);
  }
}
