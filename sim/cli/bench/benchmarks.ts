/** All measurements of `kubesim bench`, by a short name. */
import { measureApplies, measureCreates } from './api-server.ts';
import { measureCreatesOverNetwork, measureGetsOverNetwork, measureIdleNodes } from './cluster.ts';
import { measureColdStart } from './cold-start.ts';
import {
  measureCalls,
  measureInjections,
  measureKernel,
  measureResumptions,
  type Measurement,
} from './engine.ts';

export type { Measurement };

export const BENCHMARKS: Readonly<Record<string, () => Measurement | Promise<Measurement>>> = {
  kernel: () => measureKernel(),
  resumptions: () => measureResumptions(),
  calls: () => measureCalls(),
  injections: () => measureInjections(),
  creates: () => measureCreates(),
  applies: () => measureApplies(),
  'creates-over-network': () => measureCreatesOverNetwork(),
  'gets-over-network': () => measureGetsOverNetwork(),
  'idle-nodes': () => measureIdleNodes(),
  'cold-start': () => measureColdStart(),
};
