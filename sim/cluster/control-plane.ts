/**
 * Assembly of one API server: its registry, what it serves beside resources, who it believes and what
 * it allows. Wires, decides nothing. Specification: "What the service does".
 */
import { ApiServer, type RequestObserver } from '../apiserver/api-server.ts';
import { ALWAYS_ALLOW, ALWAYS_DENY, type Authorizer } from '../apiserver/authorization/authorizer.ts';
import { BUILTIN_ENDPOINTS } from '../apiserver/endpoints/builtin-endpoints.ts';
import { Endpoints } from '../apiserver/endpoints.ts';
import type { FeatureGates } from '../apiserver/feature-gates.ts';
import { RbacAuthorizer } from '../apiserver/authorization/rbac.ts';
import { bootstrap } from '../apiserver/bootstrap.ts';
import type { ResourceStore } from '../apiserver/resource-store.ts';
import { standardSurface } from '../apiserver/surface/standard-surface.ts';
import { builtinRows } from '../apiserver/registry/builtin.ts';
import { Registry } from '../apiserver/registry/registry.ts';
import { parseRuntimeConfig } from '../apiserver/registry/runtime-config.ts';
import type { TokenAuthenticator } from '../apiserver/stages/authenticate.ts';
import type { StoredObject } from '../apiserver/stored-object.ts';
import type { ApiServerSurroundings } from '../apiserver/surroundings.ts';
import type { Storage } from '../storage/storage.ts';

export type AuthorizationMode = 'AlwaysAllow' | 'AlwaysDeny' | 'RBAC';

export interface ControlPlaneOptions {
  readonly surroundings: ApiServerSurroundings;
  readonly storage: Storage<StoredObject>;
  readonly featureGates?: FeatureGates;
  /** As `--runtime-config` takes it. */
  readonly runtimeConfig?: string;
  readonly authorizationMode?: AuthorizationMode;
  readonly tokenAuthenticators?: readonly TokenAuthenticator[];
  readonly observers?: readonly RequestObserver[];
  readonly onDefect?: (error: unknown) => void;
  readonly compactionIntervalMs?: number;
  readonly watchCacheLagMs?: number;
}

export function createApiServer(options: ControlPlaneOptions): ApiServer {
  const { authorizationMode = 'AlwaysAllow', runtimeConfig, ...rest } = options;
  const registry = new Registry(builtinRows(parseRuntimeConfig(runtimeConfig)));
  const server: ApiServer = new ApiServer({ ...rest, registry, authorizer: authorizerOf(authorizationMode, () => server), endpoints: new Endpoints(BUILTIN_ENDPOINTS), surface: standardSurface() });
  bootstrap(server);
  server.start();
  return server;
}

function authorizerOf(mode: AuthorizationMode, serverOf: () => ApiServer): Authorizer {
  if (mode === 'AlwaysAllow') return ALWAYS_ALLOW;
  if (mode === 'AlwaysDeny') return ALWAYS_DENY;
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
