/**
 * What a world costs in a process that has made many: a new cluster until its nodes are ready, and whole runs of small
 * scenarios. Campaigns make thousands of them, so most of their time goes here.
 */
import { executeRun } from '../../../scenarios/runner/execute-run.ts';
import { loadScenario, type LoadedScenario } from '../../../scenarios/language/load-scenario.ts';
import { createClusterWorld } from '../../../scenarios/world/cluster-world.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { milliseconds } from '../../engine/time.ts';
import type { Measurement } from './engine.ts';

const NODES = 3;
/** By then each node has registered and said that it is ready. */
const BOOT = milliseconds(100);

/** Milliseconds of real time, the least and the median of many, after as many that do not count. */
export function measureWarmStart(count = 50): Measurement[] {
  const times = Array.from({ length: 2 * count }, () => {
    const start = performance.now();
    const cluster = createCluster({ nodes: NODES, isRecording: false });
    cluster.advance(BOOT);
    return performance.now() - start;
  });
  const sorted = times.slice(count).toSorted((a, b) => a - b);
  const name = `new cluster of ${NODES} nodes in a warm process`;
  return [
    { name: `${name}, least`, value: twoDigits(sorted[0]), unit: 'ms' },
    { name: `${name}, median`, value: twoDigits(sorted[count >> 1]), unit: 'ms' },
  ];
}

const twoDigits = (value = 0): number => Math.round(value * 100) / 100;

const smallScenario = (nodes: number): string => `apiVersion: kubesim.dev/v1
kind: Scenario
metadata: { name: small-${nodes} }
spec:
  cluster: { nodes: ${nodes} }
  steps:
    - create: { apiVersion: v1, kind: ConfigMap, metadata: { name: a, namespace: default }, data: { key: value } }
      capture: { version: body.metadata.resourceVersion }
    - get: { kind: ConfigMap, name: a }
      expect: { body: { data: { key: value } } }
    - patch: { kind: ConfigMap, name: a, patch: { data: { key: other } } }
    - update:
        apiVersion: v1
        kind: ConfigMap
        metadata: { name: a, namespace: default, resourceVersion: '\${version}' }
      expect: { status: 409, body: { reason: Conflict } }
    - delete: { kind: ConfigMap, name: a }
    - get: { kind: ConfigMap, name: a }
      expect: { status: 404 }
`;

/** Runs per second in one process, with seeds of their own. */
export async function measureSmallScenarios(count = 300): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const nodes of [0, 2]) {
    const loaded = loadedOf(smallScenario(nodes));
    await runSome(loaded, count);
    const start = performance.now();
    await runSome(loaded, count);
    const value = Math.round((count / (performance.now() - start)) * 1_000);
    measurements.push({ name: `small scenario, ${nodes} nodes`, value, unit: 'runs/s' });
  }
  return measurements;
}

/** A story of so many operations on config maps, and on pods where there are nodes for them, as its seed draws it. */
const smallProperty = (operations: number, nodes: number): string => `apiVersion: kubesim.dev/v1
kind: Property
metadata: { name: drawn-${operations} }
spec:
  cluster: ${nodes === 0 ? '{ controllers: [], scheduler: false }' : `{ nodes: ${nodes} }`}
  generate:
    atLeast: ${operations}
    atMost: ${operations}
    pause: { $between: [0s, 1s] }
    operations:
      - create: { apiVersion: v1, kind: ConfigMap, metadata: { name: { $oneOf: [a, b] }, namespace: default } }
      - patch: { kind: ConfigMap, name: { $oneOf: [a, b] }, patch: { data: { key: { $oneOf: ['1', '2'] } } } }
      - delete: { kind: ConfigMap, name: { $oneOf: [a, b] } }
      - list: { kind: ConfigMap, limit: { $between: [1, 3] } }
${nodes === 0 ? '' : PODS}`;

const PODS = `      - create:
          apiVersion: v1
          kind: Pod
          metadata: { name: { $oneOf: [a, b] }, namespace: default }
          spec: { containers: [{ name: main, image: 'app:1' }] }
      - delete: { kind: Pod, name: { $oneOf: [a, b] } }
`;

/** Runs of properties per second of the processor, all of its threads counted, after as many that do not count. */
export async function measureSmallProperties(): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  for (const [operations, nodes, count] of [
    [10, 0, 200],
    [50, 3, 150],
  ] as const) {
    const loaded = loadedOf(smallProperty(operations, nodes));
    await runSome(loaded, count);
    const start = process.cpuUsage();
    await runSome(loaded, count);
    const { user, system } = process.cpuUsage(start);
    const name = `property of ${operations} operations, ${nodes} nodes: per second of the processor`;
    const value = Math.round((count / ((user + system) / 1_000_000)) * 10) / 10;
    measurements.push({ name, value, unit: 'runs/s' });
  }
  return measurements;
}

async function runSome(loaded: LoadedScenario, count: number): Promise<void> {
  for (let seed = 1; seed <= count; seed++) {
    const { verdict, failure } = await executeRun(loaded, { seed, makeWorld: createClusterWorld });
    if (verdict !== 'passed') throw new Error(`the small scenario ${verdict}: ${failure?.details.join()}`);
  }
}

function loadedOf(text: string): LoadedScenario {
  const result = loadScenario('small.yaml', text);
  if (result.kind === 'invalid') throw new Error('the small scenario is not valid');
  return result.loaded;
}
