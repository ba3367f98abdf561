import { expect, it } from 'vitest';
import { RELEASE_1_31 } from '../api/release/release-1-31.ts';
import { FeatureGates } from '../apiserver/feature-gates.ts';
import { microseconds, seconds } from '../engine/time.ts';
import type { ClusterOptions } from './cluster-options.ts';
import { createCluster } from './create-cluster.ts';

/** As whoever has no types may ask. */
const make = (options: unknown): unknown => createCluster(options as ClusterOptions);

it.each<readonly [unknown, string]>([
  [{ node: 3 }, 'a cluster has no option `node`; there are nodes, seed'],
  [null, 'an object, not null'],
  [[], 'an object, not []'],
  [{ nodes: '3' }, '`nodes` of a cluster is a number, a fleet'],
  [{ nodes: -1 }, 'there can be 0 to 10000 nodes, not -1'],
  [{ nodes: 1.5 }, '0 to 10000 nodes, not 1.5'],
  [{ nodes: { count: 1e7 } }, '0 to 10000 nodes, not 10000000'],
  [{ nodes: { count: 2, namePrefix: 'Big_' } }, 'a node cannot be called "Big_1"'],
  [{ nodes: [{ nome: 'a' }] }, 'a node has a name'],
  [{ nodes: [3] }, 'a node is a name, a template or a fleet, not 3'],
  [{ nodes: ['a', 'a'] }, 'two nodes "a"'],
  [{ seed: 1.5 }, '`seed` of a cluster is a safe integer, not 1.5'],
  [{ apiServers: 0 }, 'from 1 to 9, not 0'],
  [{ storageMembers: 2.5 }, 'from 0 to 9, not 2.5'],
  [{ controllers: 'deployment-controller' }, 'a list of names, not "deployment-controller"'],
  [{ scheduler: 'yes' }, 'true, false, or a configuration'],
  [{ settled: 'no' }, '`settled` of a cluster is true or false'],
  [{ epochMs: Number.NaN }, 'milliseconds since 1970, before the year 9000, not NaN'],
  [{ latency: { min: 5, typical: 3, max: 9 } }, 'none less than the one before'],
  [{ schedule: 'last' }, 'one of first-come, random'],
  [{ schedule: { policy: 'random', window: -1 } }, 'a window in microseconds'],
  [{ trace: { keeps: Number.NaN } }, 'a number of records, or `all`'],
  [{ trace: { keeps: 'some' } }, 'a number of records, or `all`'],
  [{ authorizationMode: 'Webhook' }, 'one of AlwaysAllow, AlwaysDeny, RBAC'],
  [{ release: '1.30' }, "such as findRelease('1.30')"],
  [{ featureGates: { WatchList: true } }, 'new FeatureGates(release.gates'],
  [{ admission: [{}] }, 'each with a `name` and `handles`'],
  [{ compactionInterval: '5m' }, 'virtual microseconds, such as seconds(5), not "5m"'],
  [{ onAssembled: 'later' }, '`onAssembled` of a cluster is a function'],
])('refuses %j, and says what was expected', (options, message) => {
  expect(() => make(options)).toThrow(RangeError);
  expect(() => make(options)).toThrow(message);
});

it('takes every option that there is', () => {
  const span = microseconds(10);
  const options: Required<Omit<ClusterOptions, 'replay' | 'showsHiddenMetricsFor' | 'runtimeConfig'>> = {
    nodes: ['a', { name: 'b' }, { count: 2, namePrefix: 'c-' }],
    seed: 3,
    settled: false,
    onAssembled: () => undefined,
    epochMs: 0,
    latency: { min: span, typical: span, max: span },
    schedule: { policy: 'delays', window: span },
    onDecision: () => undefined,
    trace: { keeps: 'all' },
    isRecording: false,
    apiServers: 2,
    controllers: ['*', '-ttl-controller'],
    controllerManagers: 2,
    scheduler: { percentageOfNodesToScore: 50 },
    schedulers: 2,
    leaderElect: true,
    metricsServer: true,
    authorizationMode: 'RBAC',
    release: RELEASE_1_31,
    serverReleases: [undefined, RELEASE_1_31],
    featureGates: new FeatureGates(RELEASE_1_31.gates),
    admission: [],
    disabledAdmissionPlugins: ['ServiceAccount'],
    allowsPrivileged: true,
    compactionInterval: microseconds(0),
    watchCacheLag: span,
    storageMembers: 3,
    isFirstBoot: true,
    writesByDelta: true,
    agents: {},
  };
  const cluster = createCluster(options);
  cluster.advance(seconds(1));
  expect(cluster.now).toBe(seconds(1));
  // What is said to be undefined is not said.
  expect(make(Object.fromEntries(Object.keys(options).map((name) => [name, undefined])))).toBeDefined();
});
