/**
 * The door of the simulation alone (`kubesim/core`): a cluster without guests, for whoever drives it synchronously, also
 * in a browser. Nothing behind it knows the platform. `sim/index.ts` adds guests to it.
 */
import type { Cluster } from './cluster/cluster.ts';
import type { ClusterOptions } from './cluster/cluster-options.ts';
import { createCluster as assemble } from './cluster/create-cluster.ts';

/**
 * A cluster at virtual time 0: its nodes are Ready and its bootstrap is done, unless `settled` is false. Nothing more
 * happens in it until it is driven.
 */
export const createCluster = (options: ClusterOptions = {}): Cluster =>
  assemble({ settled: true, ...options });

export type { ApiList, ApiObject, ObjectMeta } from './api/object.ts';
export { ApiError, forbidden, type Status, type StatusReason } from './api/status.ts';
export {
  isAlreadyExists,
  isConflict,
  isForbidden,
  isGone,
  isInvalid,
  isNotFound,
  isServerError,
  isTimeout,
  isTooManyRequests,
  retryAfter,
} from './client/api-failure.ts';
export type * from './client/options.ts';
export type { ResourceCalls } from './client/resource-client.ts';
export type { EventuallyOptions, ForkOptions, SettleOptions } from './cluster/cluster.ts';
export type { Faults, Flapping, LinkFault } from './cluster/faults.ts';
export type { SyncClient, SyncResource } from './cluster/sync-client.ts';
export type { AuthorizationMode } from './cluster/control-plane.ts';
export type { CrashOptions } from './engine/actor.ts';
export type { ClockSettings } from './engine/clock.ts';
export type { Latency } from './engine/link.ts';
export type { TraceOptions } from './engine/trace.ts';
export type { AgentSettings } from './node/node-agent.ts';
export { BUILTIN_HANDLES } from './client/builtin-handles.ts';
export { NoAnswer } from './client/no-answer.ts';
export type { ObjectKey, ResourceHandle } from './client/resource-handle.ts';
export type { WatchEvent } from './client/protocol.ts';
export { type Cluster, NotInTime } from './cluster/cluster.ts';
export type { ClusterReport } from './cluster/cluster-report.ts';
export type { ClusterOptions } from './cluster/cluster-options.ts';
export type { Fleet } from './cluster/fleet.ts';
export type { ChoiceLog } from './engine/choices.ts';
export {
  formatMicros,
  hours,
  microseconds,
  milliseconds,
  milliseconds as ms,
  minutes,
  seconds,
  type Micros,
} from './engine/time.ts';
export type { NodeTemplate } from './node/node-template.ts';
export { lifeCycleOf } from './api/life-cycle/life-cycles.ts';
export { everyResource } from './api/release/served-changes.ts';
export { findRelease, nameOfRelease, RELEASE_NAMES } from './api/release/releases.ts';
export { RELEASE_1_31 } from './api/release/release-1-31.ts';
export { checkSchedulerConfiguration } from './scheduler/configuration/make-profiles.ts';
export type { SchedulerConfiguration } from './scheduler/configuration/scheduler-configuration.ts';
export { selectControllers } from './cluster/controller-selection.ts';
export type { Release } from './api/release/release.ts';
export type {
  AdmissionAttributes,
  AdmissionContext,
  AdmissionOperation,
  AdmissionPlugin,
} from './apiserver/admission/admission.ts';
export { migrateStorage, upgrade, upgradeSteps, type Upgrade } from './cluster/upgrade.ts';
export { FeatureGates, FeatureGateError } from './apiserver/feature-gates.ts';
export { type AgentRequest, askAgent, askAgents } from './cluster/agent-user.ts';
export type { Machine } from './node/machine/machine.ts';
export type { NodeAgent } from './node/node-agent.ts';
export type { FaultEvent } from './cluster/faults.ts';
export type { RuntimeContainer } from './node/runtime/container-runtime.ts';
export {
  type FailedRequests,
  type FatalRequests,
  type LostAnswers,
  type RefusalStatus,
  type RequestSelection,
  type RequestVerb,
  COUNTED_FOR,
  REFUSALS,
  REQUEST_VERBS,
  type WriteFault,
  type WriteSelection,
} from './cluster/request-faults.ts';
export type { ServerSettings, WatchSelection } from './cluster/faulty-server.ts';
export { runtimeConfigKeys, strangeRuntimeConfigKey } from './apiserver/registry/runtime-config.ts';
export { behaviourProblem } from './node/runtime/workload-behaviour.ts';
export { ADMISSION_PLUGINS } from './apiserver/admission/default-plugins.ts';
export {
  type CheckpointRestore,
  restoreCheckpoint,
  type RestoreOutcome,
} from './cluster/restore-checkpoint.ts';
export type { Process } from './engine/process.ts';
export { WireUser, type WireAnswer, type WireRequest } from './cluster/wire-user.ts';
export { ScriptedWebhook, WEBHOOK_ANSWERS, type WebhookScript } from './cluster/scripted-webhook.ts';
export type { WatchLog } from './cluster/watch-log.ts';
export type { Decision, Schedule } from './engine/schedule-policy.ts';
export { formatRecord, type TraceRecord } from './engine/trace.ts';
export type {
  HttpAnswer,
  HttpBody,
  HttpCall,
  HttpEndpoint,
  HttpHeaders,
  HttpOutcome,
} from './api/http-call.ts';
export { ExpressionError, PlainExpression } from './api/cel/plain-expression.ts';
