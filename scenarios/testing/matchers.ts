/** What can be expected of a cluster: `toHaveObject`, `toConverge`, and both in time with `.eventually`. */
import { chai, expect } from 'vitest';
import {
  type ApiObject,
  type EventuallyOptions,
  formatMicros,
  type Micros,
  type ObjectMeta,
  microseconds,
  minutes,
  type ResourceHandle,
  seconds,
} from '../../sim/index.ts';
import { knownKind } from '../world/kinds.ts';
import { CONTROLLER_RULES, type ControllerRuleName } from '../../model/controllers/controller-rules.ts';
import { brokenRules, type TestCluster } from './test-run.ts';

/** Names an object, and says what it must look like: members that are not named do not matter. */
export interface ExpectedObject {
  readonly apiVersion: string;
  readonly kind: string;
  /** With a name at the least. */
  readonly metadata: { readonly [Name in keyof ObjectMeta]?: unknown };
  readonly [more: string]: unknown;
}

export interface ConvergeOptions {
  /** For so long nobody but heartbeats writes; default 6 s, one more than the slowest loop of a controller. */
  readonly quiet?: Micros;
  /** Default 10 minutes. */
  readonly within?: Micros;
}

export interface KeptRules {
  /** Default: all. */
  readonly only?: readonly ControllerRuleName[];
  /** These do not count. */
  readonly exempt?: readonly ControllerRuleName[];
}

interface ClusterMatchers<R> {
  /** The API serves such an object. Await it. */
  toHaveObject(expected: ExpectedObject): Promise<R>;
  /** Lets time go by until nobody but heartbeats writes any more. Await it. */
  toConverge(options?: ConvergeOptions): Promise<R>;
  /** Up to now no guest has broken a rule about controllers: it converges, cleans up, respects others, and so on. */
  toKeepControllerRules(options?: KeptRules): R;
}

declare module 'vitest' {
  // eslint-disable-next-line typescript/no-empty-object-type
  interface Matchers<T> extends ClusterMatchers<T> {}
  interface Assertion<T> {
    /** Lets time go by until it is so; by default for 5 minutes at the most. Await it. */
    readonly eventually: {
      toHaveObject(expected: ExpectedObject, options?: EventuallyOptions): Promise<T>;
    };
  }
}

interface Verdict {
  readonly pass: boolean;
  readonly message: () => string;
  readonly actual?: unknown;
  readonly expected?: unknown;
}

/** The handle of a kind: a built-in one, or one that a definition in the cluster names. */
export function handleOf(
  { storage }: TestCluster,
  { apiVersion = '', kind = '' }: Pick<ApiObject, 'apiVersion' | 'kind'>,
): ResourceHandle {
  const slash = apiVersion.indexOf('/');
  const group = slash < 0 ? '' : apiVersion.slice(0, slash);
  const version = apiVersion.slice(slash + 1);
  const known = knownKind(apiVersion, kind);
  if (known.kind === 'found') {
    const { resource, isNamespaced } = known.place;
    return { group, version, kind, resource, isNamespaced };
  }
  const definitions = storage.range({ prefix: '/registry/apiextensions.k8s.io/customresourcedefinitions/' });
  for (const { value } of definitions.entries) {
    const { spec } = value as ApiObject & { readonly spec?: DefinitionSpec };
    if (spec?.group === group && spec.names.kind === kind)
      return { group, version, kind, resource: spec.names.plural, isNamespaced: spec.scope === 'Namespaced' };
  }
  throw new RangeError(`the cluster serves no kind ${kind} in ${apiVersion}`);
}

interface DefinitionSpec {
  readonly group: string;
  readonly scope: string;
  readonly names: { readonly kind: string; readonly plural: string };
}

function requireCluster(received: unknown): TestCluster {
  if (typeof received === 'object' && received !== null && 'guests' in received)
    return received as TestCluster;
  throw new TypeError('expected a cluster: expect(cluster)');
}

/** @throws TypeError */
function keyOf({ metadata: { name, namespace } }: ExpectedObject): {
  readonly name: string;
  readonly namespace?: string;
} {
  if (typeof name !== 'string') throw new TypeError('expected an object with metadata.name');
  return { name, ...(typeof namespace === 'string' && { namespace }) };
}

function nameOf(expected: ExpectedObject): string {
  const { name, namespace } = keyOf(expected);
  return `${expected.kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

async function lookedUp(cluster: TestCluster, expected: ExpectedObject): Promise<ApiObject | Error> {
  const { name, namespace } = keyOf(expected);
  const handle = handleOf(cluster, expected);
  try {
    return await cluster.guests.client
      .resource(handle)
      .get(namespace === undefined ? name : { name, namespace });
  } catch (error) {
    if (error instanceof Error && 'status' in error) return error;
    throw error;
  }
}

expect.extend({
  async toHaveObject(received: unknown, expected: ExpectedObject): Promise<Verdict> {
    const found = await lookedUp(requireCluster(received), expected);
    const { subsetEquality, iterableEquality } = this.utils;
    const pass =
      !(found instanceof Error) && this.equals(found, expected, [iterableEquality, subsetEquality]);
    const said = found instanceof Error ? found.message : 'it looks different';
    return {
      pass,
      message: () =>
        pass ? `there is such a ${nameOf(expected)}` : `there is no such ${nameOf(expected)}: ${said}`,
      ...(!(found instanceof Error) && { actual: found, expected }),
    };
  },

  async toConverge(received: unknown, options: ConvergeOptions = {}): Promise<Verdict> {
    const { quiet = seconds(6), within = minutes(10) } = options;
    const last = await lastWriteInTime(requireCluster(received), quiet, within);
    return {
      pass: last === undefined,
      message: () =>
        last === undefined
          ? 'the cluster has come to rest'
          : `the cluster was still writing after ${formatMicros(within)}: ${last}`,
    };
  },

  toKeepControllerRules(received: unknown, options: KeptRules = {}): Verdict {
    const broken = brokenRules(requireCluster(received), wantedRules(options));
    return {
      pass: broken.length === 0,
      message: () => (broken.length === 0 ? 'the guests have kept the rules' : broken.join('\n')),
    };
  },
});

const wantedRules = ({ only = CONTROLLER_RULES, exempt = [] }: KeptRules): readonly ControllerRuleName[] =>
  only.filter((rule) => !exempt.includes(rule));

/** Undefined: for a while nothing was written; otherwise what came last. */
async function lastWriteInTime(
  cluster: TestCluster,
  quiet: Micros,
  within: Micros,
): Promise<string | undefined> {
  let last = '';
  let writes = 0;
  const stop = cluster.storage.watch({
    prefix: '',
    onEvents: (events) => {
      for (const event of events) {
        const key = event.kind === 'put' ? event.entry.key : event.key;
        if (key.startsWith('/registry/leases/')) continue;
        writes++;
        last = `${event.kind} of ${key.slice('/registry/'.length)}`;
      }
    },
  });
  try {
    for (const deadline = cluster.now + within; cluster.now <= deadline;) {
      writes = 0;
      await cluster.guests.advance(quiet);
      if (writes === 0) return undefined;
    }
    return `${last}, ${writes} writes in the last ${formatMicros(quiet)}`;
  } finally {
    stop.close();
  }
}

chai.use((chaiApi, utils) => {
  utils.addProperty(chaiApi.Assertion.prototype, 'eventually', function (this: object) {
    const cluster = requireCluster(utils.flag(this, 'object'));
    return {
      toHaveObject: (expected: ExpectedObject, options?: EventuallyOptions) =>
        cluster.guests.eventually(
          async () => {
            await expect(cluster).toHaveObject(expected);
            return true;
          },
          { every: microseconds(100_000), ...options },
        ),
    };
  });
});
