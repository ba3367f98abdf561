/** Names of Go types, as decoding errors print them: `v1.PodSpec`, `[]v1.Container`, `map[string]string`. */
import type { ScalarName, OpaqueName, Schema } from '../schema.ts';

const LEAVES: Readonly<Record<ScalarName | OpaqueName, string>> = {
  string: 'string',
  boolean: 'bool',
  int32: 'int32',
  int64: 'int64',
  float64: 'float64',
  bytes: '[]uint8',
  timestamp: 'v1.Time',
  microtime: 'v1.MicroTime',
  duration: 'v1.Duration',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
  rawExtension: 'runtime.RawExtension',
  fieldsV1: 'v1.FieldsV1',
  json: 'v1.JSON',
  any: 'interface {}',
};

/** The package is called as the version: `apps/v1.Deployment` is `v1.Deployment`. */
export const goTypeOf = (schema: Schema): string => {
  switch (schema.kind) {
    case 'scalar':
      return schema.goType ?? LEAVES[schema.scalar];
    case 'opaque':
      return LEAVES[schema.opaque];
    case 'struct':
      return schema.key.slice(schema.key.indexOf('/') + 1);
    case 'list':
      return schema.goType ?? `[]${goTypeOf(schema.items)}`;
    case 'map':
      return schema.goType ?? `map[string]${goTypeOf(schema.values)}`;
  }
};
