/** The public door of kubesim: what controller authors import. */
export { ApiError } from './api/status.ts';
export { builtinResources } from './api/catalog/builtin-resources.ts';
export type { ApiServer } from './apiserver/api-server.ts';
export { FeatureGates } from './apiserver/feature-gates.ts';
export { bytesOfBody, QueryParameters } from './apiserver/request.ts';
export type { ApiRequest, ApiResponse, ResponseStream, UserInfo } from './apiserver/request.ts';
export type { StoredObject } from './apiserver/stored-object.ts';
export { createApiServer } from './cluster/control-plane.ts';
export { engineSurroundings } from './cluster/engine-surroundings.ts';
export type { Actor } from './engine/actor.ts';
export { InvariantViolation } from './engine/invariant.ts';
export type { Process } from './engine/process.ts';
export { Simulation } from './engine/simulation.ts';
export { microseconds, milliseconds, seconds, minutes, hours } from './engine/time.ts';
export type { Micros } from './engine/time.ts';
export { formatRecord } from './engine/trace.ts';
export type { TraceRecord } from './engine/trace.ts';
export { MemoryStorage } from './storage/memory-storage.ts';
