/**
 * The way of every request: one visible list of stages, run in order until one has responded.
 * A stage that has to wait returns a process; most return nothing. The stages after a refusal do
 * not run; closing work (audit, metrics) belongs to `ApiServer.handle`.
 */
import type { Process } from '../engine/process.ts';
import { passOn } from './aggregation/pass-on.ts';
import type { Endpoints } from './endpoints/endpoints.ts';
import type { FlowSchemas } from './flow-control/flow-schemas.ts';
import type { Exchange } from './request/exchange.ts';
import type { RequestObserver } from './request/request-observer.ts';
import { announceTo } from './stages/announce.ts';
import { authenticate } from './stages/authenticate.ts';
import { authorize } from './stages/authorize.ts';
import { checkTimeout } from './stages/check-timeout.ts';
import { classifyBy } from './stages/classify.ts';
import { findWay } from './stages/find-way.ts';
import { impersonate } from './stages/impersonate.ts';
import { prepareAnswer } from './stages/prepare-answer.ts';
import { refuseUnreadable } from './stages/refuse-unreadable.ts';
import { readLargeYaml } from './stages/read-large-yaml.ts';
import { route } from './stages/route.ts';
import { serveNonResourceOf } from './stages/serve-non-resource.ts';
import { serveVerbOf } from './stages/serve-verb.ts';
import type { Surface } from './surface/surface.ts';

export type Stage = (exchange: Exchange) => Process<void> | void;

/** What single stages need beside the request: only they get it. */
export interface PipelineParts {
  readonly observers: readonly RequestObserver[];
  readonly flowSchemas: FlowSchemas;
  readonly surface: Surface;
  readonly endpoints: Endpoints;
}

export const stagesOf = ({ observers, flowSchemas, surface, endpoints }: PipelineParts): readonly Stage[] => [
  refuseUnreadable,
  // Whoever asks.
  checkTimeout,
  authenticate,
  // Who asked is what counts for audit, not whom they impersonate.
  announceTo(observers),
  impersonate,
  classifyBy(flowSchemas),
  // Refusals say nothing of what exists, so they come before anything is looked up.
  authorize,
  passOn,
  serveNonResourceOf(surface),
  route,
  findWay,
  // A representation that cannot be met must have no effect, so it is settled before the verb runs.
  prepareAnswer,
  readLargeYaml,
  serveVerbOf(endpoints),
];
