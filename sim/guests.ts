/**
 * The door of guests (`kubesim/guests`): gives a cluster of `kubesim/core` asynchronous code that lives in it. Needs
 * Node. `sim/index.ts` has both in one.
 */
export { GuestFailure, type GuestVerbs, StoodStill, withGuests } from './host/guest-cluster.ts';
export {
  type GuestElector,
  type GuestElectorOptions,
  type GuestInformer,
  type GuestInformerOptions,
  type GuestTools,
  type GuestWorkQueue,
  keyOfObject,
} from './host/guest/guest-tools.ts';
export type { PromiseClient, PromiseResource, PromiseWatch } from './host/guest/promise-client.ts';
export type { GuestOptions, RestartPolicy } from './host/guest/guest.ts';
export { GoExit, goProgram, type GoProgramOptions } from './host/go/go-program.ts';
export type { GuestState } from './host/guest/guest-life.ts';
export type {
  GuestEnvironment,
  GuestFunction,
  GuestHandler,
  GuestProgram,
} from './host/guest/guest-program.ts';
export { GuestVerdict, OutsideTurn, type VerdictKind } from './host/guest/verdicts.ts';
export type { DeterminismVerdict } from './engine/run-twice.ts';
export { runTwice, type TracedRun } from './host/run-twice.ts';
