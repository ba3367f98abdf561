/** All measurements of `kubesim bench`, by a short name. */
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
  'cold-start': () => measureColdStart(),
};
