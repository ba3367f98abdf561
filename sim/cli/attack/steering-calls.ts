/**
 * Requests to the control path, drawn from its own description: bodies of the right shape with values that may be anything.
 * What is described and what is served are attacked alike, so that a new operation is attacked as soon as it is described.
 */
import type { Call } from '../../../model/golden/replay/server-under-test.ts';
import { CONTROL_OPENAPI } from '../../host/control/control-openapi.ts';
import type { Random } from './random.ts';

interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly items?: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: Schema } } };
}

const PATHS: Readonly<Record<string, Readonly<Record<string, Operation>>>> = CONTROL_OPENAPI.paths;
const SCHEMAS: Readonly<Record<string, Schema>> = CONTROL_OPENAPI.components.schemas;

/** Every operation that is described. */
const OPERATIONS = Object.entries(PATHS).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
);

const ACTORS: readonly string[] = [
  'worker-1',
  'worker-2',
  'apiserver/0',
  'controller-manager/0',
  'scheduler/0',
];
/** What makes sense as the value of a member; absent: any of `NAMES`. */
const SENSIBLE: Readonly<Record<string, readonly string[]>> = {
  actor: ACTORS,
  crashed: ACTORS,
  paused: ACTORS,
  partitioned: ACTORS,
  crashes: ACTORS,
  server: ['apiserver/0'],
  serverLagMs: ['apiserver/0'],
  memberLagMs: ['etcd/0'],
  machines: ['worker-1', 'worker-2'],
  failingChecks: ['etcd', 'ping'],
  resource: ['pods', 'leases', 'nodes'],
  advance: ['10m', '1h', '3000h'],
  takes: ['2s', '10m'],
  release: ['1.30', '1.31', '1.24'],
  runtimeConfig: ['batch/v1', 'api/all'],
  featureGates: ['WatchList', 'AllAlpha'],
};

/** Names that mean something in the world that is attacked, and some that mean nothing. */
const NAMES: readonly string[] = [
  'worker-1',
  'apiserver/0',
  'controller-manager/0',
  'node/worker-1',
  'etcd/0',
  'a',
  'b',
  'pods',
  'leases',
  'configmaps',
  'default',
  'admin',
  'attack/1',
  'attack*',
  '*',
  'DELETED',
  '1.30',
  '10m',
  '1h',
  '',
  '__proto__',
  'constructor',
  '../../etc',
  '\u0000',
  'x'.repeat(5_000),
];
const NUMBERS: readonly unknown[] = [
  0,
  1,
  2,
  50,
  100,
  500,
  -1,
  0.5,
  2 ** 31,
  2 ** 53,
  2 ** 53 + 2,
  1e300,
  -1e300,
];
const ANYTHING: readonly unknown[] = [null, true, false, 'x', 7, [], {}, [null], [[]], [{}], { a: null }];
const CLUSTERS: readonly string[] = ['', '', '', '', '', '/clusters/a', '/clusters/__proto__'];

/** One value in so many is of another type than it should be. */
const STRANGE_ONE_IN = 25;
const MOST_ELEMENTS = 3;

export function steeringCall(random: Random): Call {
  const { path, method, operation } = random.pick(OPERATIONS);
  const query = (operation.parameters ?? [])
    .filter(() => !random.oneIn(4))
    .map(
      ({ name }) =>
        `${name}=${encodeURIComponent(String(random.oneIn(2) ? random.pick(NUMBERS) : random.pick(NAMES)))}`,
    );
  const schema = operation.requestBody?.content['application/json']?.schema;
  const headers = { authorization: 'Bearer admin-token', 'user-agent': 'attack/1' };
  const whole = `${random.pick(CLUSTERS)}${path}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  if (!schema) return { method, path: whole, headers };
  const body = new TextEncoder().encode(JSON.stringify(valueOf(schema, random)));
  return { method, path: whole, headers: { ...headers, 'content-type': 'application/json' }, body };
}

/** `member`: what it is the value of, or an element of. */
function valueOf(schema: Schema, random: Random, member = ''): unknown {
  if (random.oneIn(STRANGE_ONE_IN)) return random.pick(ANYTHING);
  if (schema.$ref !== undefined)
    return valueOf(SCHEMAS[schema.$ref.split('/').at(-1) ?? ''] ?? {}, random, member);
  if (schema.oneOf) return valueOf(random.pick(schema.oneOf), random, member);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return random.pick(schema.enum);
  const { properties, additionalProperties, items } = schema;
  if (properties) {
    const drawn = Object.entries(properties).filter(() => random.oneIn(2));
    return Object.fromEntries(drawn.map(([name, member]) => [name, valueOf(member, random, name)]));
  }
  const name = (): string => random.pick(random.oneIn(STRANGE_ONE_IN) ? NAMES : (SENSIBLE[member] ?? NAMES));
  if (additionalProperties)
    return Object.fromEntries(several(random, () => [name(), valueOf(additionalProperties, random)]));
  if (items) return several(random, () => valueOf(items, random, member));
  if (schema.type === 'string') return name();
  if (schema.type === 'boolean') return random.oneIn(2);
  return random.pick(schema.type === undefined ? ANYTHING : NUMBERS);
}

const several = <Item>(random: Random, draw: () => Item): readonly Item[] =>
  Array.from({ length: random.below(MOST_ELEMENTS + 1) }, draw);
