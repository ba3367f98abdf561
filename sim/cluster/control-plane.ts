/**
 * Assembly of one API server: its registry, what it serves beside resources, who it believes and what
 * it allows. Wires, decides nothing. Specification: "What the service does".
 */
import { ApiServer, type RequestObserver } from '../apiserver/api-server.ts';
import { ALWAYS_ALLOW, ALWAYS_DENY, type Authorizer } from '../apiserver/authorization/authorizer.ts';
import type { FeatureGates } from '../apiserver/feature-gates.ts';
import { builtinRows } from '../apiserver/registry/builtin.ts';
import { Registry } from '../apiserver/registry/registry.ts';
import { parseRuntimeConfig } from '../apiserver/registry/runtime-config.ts';
import type { TokenAuthenticator } from '../apiserver/stages/authenticate.ts';
import type { StoredObject } from '../apiserver/stored-object.ts';
import type { ApiServerSurroundings } from '../apiserver/surroundings.ts';
import type { Storage } from '../storage/storage.ts';

export type AuthorizationMode = 'AlwaysAllow' | 'AlwaysDeny';

export interface ControlPlaneOptions {
  readonly surroundings: ApiServerSurroundings;
  readonly storage: Storage<StoredObject>;
  readonly featureGates?: FeatureGates;
  /** As `--runtime-config` takes it. */
  readonly runtimeConfig?: string;
  readonly authorizationMode?: AuthorizationMode;
  readonly tokenAuthenticators?: readonly TokenAuthenticator[];
  readonly observers?: readonly RequestObserver[];
  readonly compactionIntervalMs?: number;
  readonly watchCacheLagMs?: number;
}

const AUTHORIZERS: Readonly<Record<AuthorizationMode, Authorizer>> = {
  AlwaysAllow: ALWAYS_ALLOW,
  AlwaysDeny: ALWAYS_DENY,
};

export function createApiServer(options: ControlPlaneOptions): ApiServer {
  const { authorizationMode = 'AlwaysAllow', runtimeConfig, ...rest } = options;
  const registry = new Registry(builtinRows(parseRuntimeConfig(runtimeConfig)));
  const server = new ApiServer({ ...rest, registry, authorizer: AUTHORIZERS[authorizationMode] });
  server.upkeep.start();
  return server;
}
