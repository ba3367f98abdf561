/**
 * Whether what is asked of a cluster can be had. Types say most of it to whoever has them; others are told by name which
 * option is wrong, and what was expected. What is inside of nodes, releases and configurations is judged where it is read.
 */
import type { ClusterOptions } from './cluster-options.ts';
import { shown } from '../engine/shown.ts';
import { isSpan, SPAN } from './check-span.ts';

interface Check {
  readonly expected: string;
  accepts(value: unknown): boolean;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const flag: Check = { expected: 'true or false', accepts: (value) => typeof value === 'boolean' };

const text: Check = { expected: 'a text', accepts: (value) => typeof value === 'string' };

const callback: Check = { expected: 'a function', accepts: (value) => typeof value === 'function' };

const settings: Check = {
  expected: 'an object',
  accepts: (value) => isObject(value) && !Array.isArray(value),
};

const words = (...known: readonly string[]): Check => ({
  expected: `one of ${known.join(', ')}`,
  accepts: (value) => known.includes(value as string),
});

const count = (least: number, most: number): Check => ({
  expected: `a whole number from ${least} to ${most}`,
  accepts: (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
});

const span: Check = { expected: SPAN, accepts: isSpan };

const names: Check = {
  expected: 'a list of names',
  accepts: (value) => Array.isArray(value) && value.every((each) => typeof each === 'string'),
};

const isRelease = (value: unknown): boolean => isObject(value) && 'versionInfo' in value && 'gates' in value;

const POLICIES = ['first-come', 'random', 'priorities', 'delays'];
const isWindow = (window: unknown): boolean => window === undefined || span.accepts(window);

const schedule: Check = {
  expected: `one of ${POLICIES.join(', ')}, or an object with such a policy and a window in microseconds`,
  accepts: (value) => {
    const { policy, window } = (isObject(value) ? value : { policy: value }) as Record<string, unknown>;
    return POLICIES.includes(policy as string) && isWindow(window);
  },
};

const latency: Check = {
  expected: 'min, typical and max in microseconds, none less than the one before',
  accepts: (value) => {
    const { min, typical, max } = (isObject(value) ? value : {}) as Record<string, unknown>;
    return (
      [min, typical, max].every(span.accepts) &&
      Number(min) <= Number(typical) &&
      Number(typical) <= Number(max)
    );
  },
};

const trace: Check = {
  expected: 'an object; it keeps a number of records, or `all`',
  accepts: (value) => {
    if (!settings.accepts(value)) return false;
    const { keeps } = value as Record<string, unknown>;
    return keeps === undefined || keeps === 'all' || (typeof keeps === 'number' && keeps >= 0);
  },
};

/** What clocks can show, and still will after a long run. */
const FIRST_MS = Date.UTC(1970, 0, 1);
const LAST_MS = Date.UTC(9000, 0, 1);

/** Servers, managers, schedulers and members of the storage. */
const MOST = 9;

const CHECKS: Readonly<Record<keyof ClusterOptions, Check>> = {
  nodes: {
    expected: 'a number, a fleet, or a list of names, templates and fleets',
    accepts: (value) => typeof value === 'number' || isObject(value),
  },
  seed: { expected: 'a safe integer', accepts: Number.isSafeInteger },
  replay: {
    expected: 'the choices of a report',
    accepts: (value) => isObject(value) && typeof Reflect.get(value, Symbol.iterator) === 'function',
  },
  settled: flag,
  onAssembled: callback,
  epochMs: {
    expected: 'milliseconds since 1970, before the year 9000',
    accepts: (value) => Number.isSafeInteger(value) && Number(value) >= FIRST_MS && Number(value) < LAST_MS,
  },
  latency,
  schedule,
  onDecision: callback,
  trace,
  isRecording: flag,
  apiServers: count(1, MOST),
  controllers: names,
  controllerManagers: count(1, MOST),
  scheduler: {
    expected: 'true, false, or a configuration',
    accepts: (value) => flag.accepts(value) || settings.accepts(value),
  },
  schedulers: count(1, MOST),
  leaderElect: flag,
  metricsServer: flag,
  authorizationMode: words('AlwaysAllow', 'AlwaysDeny', 'RBAC'),
  release: { expected: "a release, such as findRelease('1.30')", accepts: isRelease },
  serverReleases: {
    expected: "a list of releases, such as findRelease('1.30')",
    accepts: (value) => Array.isArray(value) && value.every((each) => each === undefined || isRelease(each)),
  },
  featureGates: {
    expected: 'feature gates of a release, such as new FeatureGates(release.gates, { WatchList: true })',
    accepts: (value) => isObject(value) && 'isEnabled' in value,
  },
  runtimeConfig: text,
  showsHiddenMetricsFor: text,
  admission: {
    expected: 'a list of plugins, each with a `name` and `handles`',
    accepts: (value) =>
      Array.isArray(value) && value.every((each) => isObject(each) && 'name' in each && 'handles' in each),
  },
  disabledAdmissionPlugins: names,
  allowsPrivileged: flag,
  compactionInterval: span,
  watchCacheLag: span,
  storageMembers: count(0, MOST),
  isFirstBoot: flag,
  writesByDelta: flag,
  agents: settings,
};

/** @throws RangeError */
export function checkOptions(options: unknown): void {
  if (!settings.accepts(options))
    throw new RangeError(`the options of a cluster are an object, not ${shown(options)}`);
  for (const [name, value] of Object.entries(options as object)) {
    if (!Object.hasOwn(CHECKS, name))
      throw new RangeError(
        `a cluster has no option \`${name}\`; there are ${Object.keys(CHECKS).join(', ')}`,
      );
    const { expected, accepts } = CHECKS[name as keyof ClusterOptions];
    if (value !== undefined && !accepts(value))
      throw new RangeError(`the option \`${name}\` of a cluster is ${expected}, not ${shown(value)}`);
  }
}
