/** All measurements of `kubesim bench`, by a short name. */
import { measureApplies, measureCreates } from './api-server.ts';
import {
  measureCreatesOverNetwork,
  measureGetsOverNetwork,
  measureIdleNodes,
  measureRenewals,
} from './cluster.ts';
import { measureColdStart } from './cold-start.ts';
import { measureFleet } from './fleets.ts';
import { measureClientRuns, measureTestClusters } from './guests.ts';
import { measureResets } from './resets.ts';
import { measureSmallProperties, measureSmallScenarios, measureWarmStart } from './warm-start.ts';
import { measureManyDeployments, measureSmallDeployment } from './workloads.ts';
import {
  measureCalls,
  measureInjections,
  measureKernel,
  measureResumptions,
  type Measurement,
} from './engine.ts';

export type { Measurement };

/** Each may have several figures. */
type Measured = Measurement | readonly Measurement[];

export const BENCHMARKS: Readonly<Record<string, () => Measured | Promise<Measured>>> = {
  kernel: () => measureKernel(),
  resumptions: () => measureResumptions(),
  calls: () => measureCalls(),
  injections: () => measureInjections(),
  creates: () => measureCreates(),
  applies: () => measureApplies(),
  'creates-over-network': () => measureCreatesOverNetwork(),
  'gets-over-network': () => measureGetsOverNetwork(),
  'idle-nodes': () => measureIdleNodes(),
  renewals: () => measureRenewals(),
  'fleet-idle': () => measureFleet({ nodes: 100, podsPerNode: 10 }),
  'fleet-failing': () => measureFleet({ nodes: 1_000, podsPerNode: 10, failingPercent: 1 }),
  'fleet-small': () => measureFleet({ nodes: 100 }),
  'fleet-medium': () => measureFleet({ nodes: 1_000 }),
  'fleet-large': () => measureFleet({ nodes: 5_000 }),
  'deployment-small': () => measureSmallDeployment(),
  'deployments-many': () => measureManyDeployments(),
  'warm-start': () => measureWarmStart(),
  'small-scenarios': () => measureSmallScenarios(),
  'small-properties': () => measureSmallProperties(),
  resets: () => measureResets(),
  'test-clusters': () => measureTestClusters(),
  'client-runs': () => measureClientRuns(),
  'cold-start': () => measureColdStart(),
};
