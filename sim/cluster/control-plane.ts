/**
 * Assembly of one API server: its registry, what it serves beside resources, who it believes and what
 * it allows. Wires, decides nothing. Specification: "What the service does".
 */
import type { AdmissionPlugin } from '../apiserver/admission/admission.ts';
import { pluginsOf } from '../apiserver/admission/default-plugins.ts';
import { ApiServer, type ApiServerOptions, type CacheSource } from '../apiserver/api-server.ts';
import type { RequestObserver } from '../apiserver/request/request-observer.ts';
import { ALWAYS_ALLOW, ALWAYS_DENY, type Authorizer } from '../apiserver/authorization/authorizer.ts';
import { AutoRegistration } from '../apiserver/aggregation/auto-registration.ts';
import { Availability } from '../apiserver/aggregation/availability.ts';
import { DefinitionSync } from '../apiserver/custom-resources/definition-sync.ts';
import type { Auditor } from '../apiserver/audit/auditor.ts';
import { RELEASE_1_31 } from '../api/release/release-1-31.ts';
import type { Release } from '../api/release/release.ts';
import type { MetricFamily } from '../api/exposition.ts';
import { AggregatorMetrics } from '../apiserver/metrics/aggregator-metrics.ts';
import { AuthenticationMetrics } from '../apiserver/metrics/authentication-metrics.ts';
import { AuthorizationMetrics } from '../apiserver/metrics/authorization-metrics.ts';
import { ReloadMetrics } from '../apiserver/metrics/reload-metrics.ts';
import { type AccessConfiguration, ServerAccess } from '../apiserver/configuration/server-access.ts';
import { CelMetrics } from '../apiserver/metrics/cel-metrics.ts';
import { AdmissionMetrics } from '../apiserver/metrics/admission-metrics.ts';
import { ConversionMetrics } from '../apiserver/metrics/conversion-metrics.ts';
import { RequestMetrics } from '../apiserver/metrics/request-metrics.ts';
import { metricsPaths } from '../apiserver/metrics/server-metrics.ts';
import type { SurfacePath } from '../apiserver/surface/surface.ts';
import { AccountTokens } from '../apiserver/authentication/account-token.ts';
import { ServiceAccountTokens, type TokenWorld } from '../apiserver/authentication/service-account-tokens.ts';
import { Endpoints } from '../apiserver/endpoints/endpoints.ts';
import { scale } from '../apiserver/endpoints/scale.ts';
import type { FeatureGates } from '../apiserver/feature-gates.ts';
import { NodeAuthorizer } from '../apiserver/authorization/node-authorizer.ts';
import { RbacAuthorizer } from '../apiserver/authorization/rbac.ts';
import { bootstrap, type LeftBehind } from '../apiserver/bootstrap/bootstrap.ts';
import { type AdvertisedAddress, keepKubernetesService } from '../apiserver/bootstrap/kubernetes-service.ts';
import { holdIdentityLease } from '../apiserver/bootstrap/identity-lease.ts';
import type { ResourceStore } from '../apiserver/stores/resource-store.ts';
import { standardSurface } from '../apiserver/surface/standard-surface.ts';
import { builtinRows } from '../apiserver/registry/builtin.ts';
import { BUILTIN_KINDS } from '../apiserver/registry/kinds/builtin-kinds.ts';
import type { Resource } from '../apiserver/registry/resource.ts';
import { Registry } from '../apiserver/registry/registry.ts';
import { parseRuntimeConfig } from '../apiserver/registry/runtime-config.ts';
import type { AuthenticationTrust } from '../apiserver/authentication/authentication-trust.ts';
import type { TokenAuthenticator } from '../apiserver/authentication/token-authenticator.ts';
import { StoredForms } from '../apiserver/stores/stored-forms.ts';
import type { StoredObject } from '../apiserver/stores/stored-object.ts';
import { VersionedStorage, versionedSource } from '../apiserver/stores/versioned-storage.ts';
import { untilWritten } from '../apiserver/stores/until-written.ts';
import type { ApiServerSurroundings } from '../apiserver/surroundings.ts';
import type { Storage } from '../storage/storage.ts';

export type AuthorizationMode = 'AlwaysAllow' | 'AlwaysDeny' | 'RBAC';

export interface ControlPlaneOptions {
  readonly surroundings: ApiServerSurroundings;
  readonly storage: Storage<StoredObject>;
  /** What watch caches learn from, where that is not the storage itself. */
  readonly cacheSource?: CacheSource;
  /** Whose API is spoken; default 1.31. */
  readonly release?: Release;
  readonly featureGates?: FeatureGates;
  /** Name of the lease that the server holds in `kube-system`, such as `apiserver-0`; none without it. */
  readonly identity?: string;
  /** Where the service `default/kubernetes` finds the server; without it there is no such service. */
  readonly advertisedAddress?: AdvertisedAddress;
  /** As `--runtime-config` takes it. */
  readonly runtimeConfig?: string;
  readonly authorizationMode?: AuthorizationMode;
  /** With RBAC: agents of nodes may do their work, as with `--authorization-mode=Node,RBAC`. */
  readonly authorizesNodes?: boolean;
  /** Names of admission plugins that do not run. */
  readonly disabledAdmissionPlugins?: readonly string[];
  /** Plugins beside the server's own: after those of them that change objects, before quotas are charged. */
  readonly admission?: readonly AdmissionPlugin[];
  readonly tokenAuthenticators?: readonly TokenAuthenticator[];
  /** Whom aggregated servers are told to believe; default: nobody. */
  readonly trust?: AuthenticationTrust;
  /** Whether whoever shows no credentials is `system:anonymous`; default true. */
  readonly allowsAnonymous?: boolean;
  /** What files say of users and of what they may do, beside the options here or instead of them. */
  readonly access?: AccessConfiguration;
  /** What an empty storage is given beside the server's own objects. */
  readonly leftBehind?: LeftBehind;
  /** Whether containers may be privileged, as `--allow-privileged` says; default false. */
  readonly allowsPrivileged?: boolean;
  readonly observers?: readonly RequestObserver[];
  readonly onDefect?: (error: unknown) => void;
  readonly compactionIntervalMs?: number;
  readonly watchCacheLagMs?: number;
  /** False: every write is examined as a whole, with the same result. */
  readonly writesByDelta?: boolean;
  readonly auditor?: Auditor;
  /** Whether requests are counted; `/metrics` is there in any case. */
  readonly metersRequests?: boolean;
  /** Release before its own, such as `1.30`, whose metrics are shown though they are hidden by now. */
  readonly showsHiddenMetricsFor?: string;
  /** What `/metrics` shows besides, such as facts of the process. */
  readonly moreMetrics?: () => readonly MetricFamily[];
  /** Paths beside those of the API. */
  readonly morePaths?: readonly SurfacePath[];
}

/** By release and text of the runtime configuration; rows are never changed, and worlds are many. */
const knownRows = new WeakMap<Release, Map<string, readonly Resource[]>>();

function rowsOf(release: Release, runtimeConfig = ''): readonly Resource[] {
  let ofRelease = knownRows.get(release);
  if (!ofRelease) knownRows.set(release, (ofRelease = new Map<string, readonly Resource[]>()));
  const known = ofRelease.get(runtimeConfig);
  if (known) return known;
  const rows = builtinRows(release, parseRuntimeConfig(runtimeConfig));
  ofRelease.set(runtimeConfig, rows);
  return rows;
}

/** What is not served is still stored. */
const EVERYTHING = 'api/all=true';

export function createApiServer(options: ControlPlaneOptions): ApiServer {
  const { observers = [], auditor, metersRequests = false, moreMetrics, morePaths = [] } = options;
  const { showsHiddenMetricsFor } = options;
  const requests = new RequestMetrics();
  const meters = metersRequests
    ? {
        admission: new AdmissionMetrics(),
        cel: new CelMetrics(),
        conversion: new ConversionMetrics(),
        aggregator: new AggregatorMetrics(),
        authentication: new AuthenticationMetrics(),
        authorization: new AuthorizationMetrics(),
        reloads: new ReloadMetrics(options.identity ?? ''),
      }
    : undefined;
  const {
    authorizationMode = 'AlwaysAllow',
    authorizesNodes = false,
    runtimeConfig,
    release = RELEASE_1_31,
    disabledAdmissionPlugins = [],
    admission = [],
    tokenAuthenticators = [],
    access: configuration,
    ...rest
  } = options;
  const registry = new Registry(rowsOf(release, runtimeConfig));
  const forms = new StoredForms(release, () => rowsOf(release, EVERYTHING));
  const lookup: TokenWorld['lookup'] = (resource, namespace, name) =>
    storedObject(server, resource, namespace, name);
  const tokens = new ServiceAccountTokens({ nowMs: () => options.surroundings.wallMs(), lookup });
  const rbac = rbacOf(() => server);
  const access =
    configuration &&
    new ServerAccess(configuration, {
      surroundings: options.surroundings,
      meters,
      rbac,
      knowsKind: ({ kind, apiVersion }) =>
        release.catalog.kinds.of(apiVersion).some((known) => known.kind === kind),
      reviewSchema: release.catalog.types.structOf('authorization.k8s.io/v1.SubjectAccessReview'),
    });
  const server: ApiServer = new ApiServer({
    ...rest,
    ...anonymousOf(options, configuration),
    access,
    storage: new VersionedStorage(options.storage, forms),
    ...(options.cacheSource && {
      cacheSource: versionedSource(options.cacheSource, options.storage, forms),
    }),
    release,
    registry,
    authorizer: access?.chain ?? authorizerOf(authorizationMode, authorizesNodes, rbac),
    meters,
    admission: pluginsOf({ disabled: disabledAdmissionPlugins, outside: admission }),
    observers: [...observers, ...(auditor ? [auditor] : []), ...(metersRequests ? [requests] : [])],
    surface: standardSurface([
      ...metricsPaths({
        requests,
        meters,
        auditor,
        showsHidden: showsHiddenMetricsFor !== undefined,
        more: moreMetrics,
      }),
      ...morePaths,
    ]),
    endpoints: new Endpoints(BUILTIN_KINDS, { scale }),
    accountTokens: new AccountTokens({ lookup }),
    tokenAuthenticators,
    serviceAccountTokens: tokens,
  });
  untilWritten(options.surroundings, () => bootstrap(server, options.leftBehind));
  server.start();
  DefinitionSync.start(server);
  AutoRegistration.start(server);
  Availability.start(server);
  if (options.identity !== undefined) holdIdentityLease(server, options.identity);
  if (options.advertisedAddress) keepKubernetesService(server, options.advertisedAddress);
  return server;
}

function storedObject(
  server: ApiServer,
  resource: string,
  namespace: string,
  name: string,
): StoredObject | undefined {
  const row = server.registry.findByText(resource);
  const store = row && server.storeOf(row);
  return store?.get(store.key(namespace, name))?.value;
}

/** A file that says whether nobody may come in says it alone. */
function anonymousOf(
  { allowsAnonymous }: ControlPlaneOptions,
  configuration: AccessConfiguration | undefined,
): Pick<ApiServerOptions, 'allowsAnonymous' | 'anonymousPaths'> {
  const said = configuration?.anonymous;
  if (!said) return allowsAnonymous === undefined ? {} : { allowsAnonymous };
  const paths = (said.conditions ?? []).map(({ path = '' }) => path);
  return {
    allowsAnonymous: said.enabled === true,
    ...(paths.length > 0 && { anonymousPaths: new Set(paths) }),
  };
}

function authorizerOf(mode: AuthorizationMode, authorizesNodes: boolean, rbac: Authorizer): Authorizer {
  if (mode === 'AlwaysAllow') return ALWAYS_ALLOW;
  if (mode === 'AlwaysDeny') return ALWAYS_DENY;
  return authorizesNodes ? new NodeAuthorizer(rbac) : rbac;
}

function rbacOf(serverOf: () => ApiServer): RbacAuthorizer {
  return new RbacAuthorizer({
    get: (resource, namespace, name) => {
      const store = rbacStore(serverOf(), resource);
      return store?.cache.get(store.key(namespace, name))?.value;
    },
    list: (resource, namespace) => {
      const store = rbacStore(serverOf(), resource);
      return store?.cache.list({ prefix: store.range(namespace) }).entries.map(({ value }) => value) ?? [];
    },
  });
}

function rbacStore(server: ApiServer, resource: string): ResourceStore | undefined {
  const row = server.registry.findByText(`${resource}.rbac.authorization.k8s.io`);
  return row && server.storeOf(row);
}
