/** Shapes of built-in kinds as types of expressions. What has no single type in OpenAPI is unknown to expressions. */
import type { OpaqueName, ScalarName, Schema, StructSchema } from '../../schema.ts';
import {
  BOOL,
  BYTES,
  type CelType,
  DOUBLE,
  DYN,
  INT,
  listOf,
  mapOf,
  STRING,
  struct,
  TIMESTAMP,
} from '../types/type.ts';
import { escapedName } from './names.ts';

const SCALARS: Readonly<Record<ScalarName, CelType | undefined>> = {
  string: STRING,
  boolean: BOOL,
  int32: INT,
  int64: INT,
  float64: DOUBLE,
  bytes: BYTES,
  timestamp: TIMESTAMP,
  microtime: TIMESTAMP,
  duration: STRING,
  quantity: undefined,
  intOrString: DYN,
};

const OBJECT = struct('object');
const OPAQUE: Readonly<Record<OpaqueName, CelType | undefined>> = {
  rawExtension: OBJECT,
  fieldsV1: OBJECT,
  json: undefined,
  any: undefined,
};

type Fields = ReadonlyMap<string, CelType>;

/** Members are looked up when they are asked for: shapes may contain themselves. */
export class KindTypes {
  readonly #shapes = new Map<string, StructSchema>();
  readonly #fields = new Map<string, Fields>([[OBJECT.name, new Map()]]);

  typeOf(schema: Schema): CelType | undefined {
    switch (schema.kind) {
      case 'scalar':
        return SCALARS[schema.scalar];
      case 'opaque':
        return OPAQUE[schema.opaque];
      case 'list': {
        const items = this.typeOf(schema.items);
        return items && listOf(items);
      }
      case 'map': {
        const values = this.typeOf(schema.values);
        return values && mapOf(STRING, values);
      }
      case 'struct':
        if (schema.customJson !== undefined) return undefined;
        this.#shapes.set(schema.key, schema);
        return struct(schema.key);
    }
  }

  readonly fieldsOf = (name: string): Fields | undefined => {
    const known = this.#fields.get(name);
    if (known) return known;
    const shape = this.#shapes.get(name);
    if (!shape) return undefined;
    const fields = new Map<string, CelType>();
    for (const { name: member, schema } of shape.fields) {
      const type = this.typeOf(schema);
      const spelling = escapedName(member);
      if (type && spelling !== undefined) fields.set(spelling, type);
    }
    this.#fields.set(name, fields);
    return fields;
  };
}
