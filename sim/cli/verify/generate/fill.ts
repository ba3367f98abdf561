/** Values of a type that fit it: words that its member is known for, times that are ones, deep and wide by chance. */
import type { Json } from '../../../api/object.ts';
import type { FieldSchema, ScalarSchema, Schema, StructSchema } from '../../../api/schema.ts';
import type { Random } from './random.ts';

const CONDITIONS = [
  ...['Ready', 'Available', 'Progressing', 'Complete', 'Failed', 'Suspended', 'PodScheduled', 'Initialized'],
  ...['Approved', 'Denied', 'Established', 'SuccessCriteriaMet', 'ScalingActive', 'DisruptionTarget'],
];
const WORDS: Readonly<Record<string, readonly string[]>> = {
  type: [
    ...CONDITIONS,
    'InternalIP',
    'ExternalIP',
    'Resource',
    'Pods',
    'External',
    'ClusterIP',
    'LoadBalancer',
  ],
  status: ['True', 'True', 'False', 'Unknown'],
  phase: ['Pending', 'Running', 'Succeeded', 'Failed', 'Unknown', 'Bound', 'Active', 'Terminating', 'Lost'],
  reason: [
    ...['', 'Evicted', 'NodeLost', 'SchedulingGated', 'Completed', 'Error', 'CrashLoopBackOff', 'OOMKilled'],
    ...['PodInitializing', 'ContainerCreating', 'DeadlineExceeded', 'BackoffLimitExceeded'],
  ],
  name: ['c', 'first', 'a', 'b', 'cpu', 'memory'],
  apiVersion: ['v1', 'apps/v1', 'events.k8s.io/v1'],
  kind: ['Pod', 'Deployment', 'Node'],
  ip: ['10.0.0.1', '10.0.0.2', '::1'],
  podIP: ['10.0.0.1'],
  hostIP: ['10.0.0.9'],
  hostname: ['a.example.com', 'b'],
  nodeName: ['worker-1'],
  restartPolicy: ['Always', 'Never', 'OnFailure'],
  operator: ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Equal'],
  topologyKey: ['zone', 'kubernetes.io/hostname'],
  image: ['i:1', 'registry.example.com/i:2'],
  protocol: ['TCP', 'UDP', 'SCTP'],
  succeededIndexes: ['0', '0,2', '1-3', '3-1', '0-1-2', '2,2', 'a', '7'],
  completedIndexes: ['0', '0,2-4'],
  mountPath: ['/a', '/b', 'c'],
  cidr: ['10.0.0.0/8', '10.0.0.0/33'],
  resource: ['limits.cpu', 'requests.memory', 'limits.ephemeral-storage', 'requests.hugepages-2Mi', 'cpu'],
  fieldPath: ['metadata.name', "metadata.labels['a']", 'spec.nodeName', 'status.podIP', 'metadata.uid'],
  gmsaCredentialSpec: ['a', 'x'.repeat(65 * 1024)],
  runAsUserName: ['a', 'd\\u', 'd\\', '\\u', 'a\\b\\c', '', ' . ', 'a:b', 'd.e\\f', 'x'.repeat(105), 'a\nb'],
};
const TEXTS = ['a', 'b', 'a-b', 'example.com/a', 'a.example.com', '5', '10%'];
const NUMBERS = [0, 1, 1, 2, 3, 5, 10, 80, 137, 1000, -1];
const QUANTITIES = ['1', '500m', '1Gi', '100Mi', '2', '0', '1.5'];
const TIMES = ['2024-01-02T03:04:05Z', '2024-01-02T05:04:05Z', '2023-12-31T23:59:59Z'];
const MICRO_TIMES = ['2024-01-02T03:04:05.000006Z', '2024-01-02T03:04:06.500000Z'];
const KEYS = ['a', 'example.com/a', 'cpu', 'memory', 'storage', 'app'];
const DEEPEST = 6;

/** Of each hundred members so many are there. */
export function filled(schema: Schema, random: Random, share: number, depth = 0): Json {
  switch (schema.kind) {
    case 'scalar':
      return scalarOf(schema, '', random);
    case 'list':
      return Array.from({ length: 1 + random.below(2) }, () =>
        filled(schema.items, random, share, depth + 1),
      );
    case 'map':
      return Object.fromEntries(
        Array.from({ length: 1 + random.below(2) }, () => [
          random.pick(KEYS),
          filled(schema.values, random, share, depth + 1),
        ]),
      ) as Json;
    case 'struct':
      return filledStruct(schema, random, share, depth);
    case 'opaque':
      return { a: 1 };
  }
}

function filledStruct({ fields }: StructSchema, random: Random, share: number, depth: number): Json {
  if (depth > DEEPEST) return {};
  const chosen = fields.filter(({ required }) =>
    random.chance(required ? 97 : depth > 2 ? share / 2 : share),
  );
  return Object.fromEntries(
    chosen.map((field) => [field.name, filledMember(field, random, share, depth)]),
  ) as Json;
}

function filledMember(
  { name, schema, enum: words = [] }: FieldSchema,
  random: Random,
  share: number,
  depth: number,
): Json {
  if (words.length > 0 && random.chance(97)) return random.pick(words);
  return schema.kind === 'scalar' ? scalarOf(schema, name, random) : filled(schema, random, share, depth + 1);
}

function scalarOf({ scalar }: ScalarSchema, name: string, random: Random): Json {
  switch (scalar) {
    case 'boolean':
      return random.chance(60);
    case 'int32':
    case 'int64':
    case 'float64':
      return random.pick(NUMBERS);
    case 'quantity':
      return random.pick(QUANTITIES);
    case 'intOrString':
      return random.pick<Json>([1, 80, '50%', 'web']);
    case 'timestamp':
      return random.pick(TIMES);
    case 'microtime':
      return random.pick(MICRO_TIMES);
    case 'duration':
      return '1h0m0s';
    case 'bytes':
      return 'YQ==';
    case 'string':
      return random.pick(Object.hasOwn(WORDS, name) ? (WORDS[name] ?? TEXTS) : TEXTS);
  }
}
