/**
 * The way of every request: one visible list of stages, run in order until one has responded.
 * A stage that has to wait returns a process; most return nothing. The stages after a refusal do
 * not run; closing work (audit, metrics) belongs to `ApiServer.handle`.
 */
import type { Process } from '../engine/process.ts';
import { announce } from './stages/announce.ts';
import { authenticate } from './stages/authenticate.ts';
import { authorize } from './stages/authorize.ts';
import { classify } from './stages/classify.ts';
import { impersonate } from './stages/impersonate.ts';
import { prepareAnswer } from './stages/prepare-answer.ts';
import { route } from './stages/route.ts';
import { serveNonResource } from './stages/serve-non-resource.ts';
import { serveVerb } from './stages/serve-verb.ts';
import type { Exchange } from './request/exchange.ts';

export type Stage = (exchange: Exchange) => Process<void> | void;

export const STAGES: readonly Stage[] = [
  authenticate,
  // Who asked is what counts for audit, not whom they impersonate.
  announce,
  impersonate,
  classify,
  // Refusals say nothing of what exists, so they come before anything is looked up.
  authorize,
  serveNonResource,
  route,
  // A representation that cannot be met must have no effect, so it is settled before the verb runs.
  prepareAnswer,
  serveVerb,
];
