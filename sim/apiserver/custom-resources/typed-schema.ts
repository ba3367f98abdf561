/** A declared schema as the typed shape that apply and its field sets read. */
import type {
  FieldSchema,
  ListSchema,
  OpaqueSchema,
  ScalarName,
  Schema,
  StructSchema,
} from '../../api/schema.ts';
import { additionalOf, itemsOf, type JSONSchemaProps } from './json-schema.ts';

const ANY: OpaqueSchema = { kind: 'opaque', opaque: 'any' };

const SCALARS: Readonly<Record<string, ScalarName>> = {
  string: 'string',
  boolean: 'boolean',
  integer: 'int64',
  number: 'float64',
};

/** The shape of a whole object. `meta`: that of ObjectMeta. */
export function typedObjectSchema(kind: string, declared: JSONSchemaProps, meta: StructSchema): StructSchema {
  return structure({ goName: kind, declared, isResource: true }, { meta, preserves: false });
}

interface Around {
  /** The shape of ObjectMeta. */
  readonly meta: StructSchema;
  /** Something above takes members of any name; so does then all that is below it. */
  readonly preserves: boolean;
}

const within = (declared: JSONSchemaProps, { meta, preserves }: Around): Around => ({
  meta,
  preserves: preserves || declared['x-kubernetes-preserve-unknown-fields'] === true,
});

function typedSchema(declared: JSONSchemaProps, around: Around): Schema {
  // Apply takes anything for what has two types.
  if (declared['x-kubernetes-int-or-string']) return ANY;
  switch (declared.type) {
    case 'object':
      return objectSchema(declared, around);
    case 'array':
      return listSchema(declared, around);
    default: {
      const scalar = scalarOf(declared);
      return scalar ? { kind: 'scalar', scalar } : ANY;
    }
  }
}

/** Texts in a form of their own may be written in another way: as any scalar. */
const scalarOf = ({ type = '', format = '' }: JSONSchemaProps): ScalarName | undefined =>
  type === 'string' && format !== '' && format !== 'byte' ? 'quantity' : SCALARS[type];

function objectSchema(declared: JSONSchemaProps, around: Around): Schema {
  const additional = additionalOf(declared);
  const isEmbedded = declared['x-kubernetes-embedded-resource'] === true;
  if (additional !== undefined && !declared.properties) {
    return {
      kind: 'map',
      values: additional === true ? ANY : typedSchema(additional, within(declared, around)),
      mapType: mapTypeOf(declared),
    };
  }
  const preserves = declared['x-kubernetes-preserve-unknown-fields'] === true;
  const mapType = mapTypeOf(declared);
  const isBare = Object.keys(declared.properties ?? {}).length === 0 && !isEmbedded;
  // Who declares no members at all has none refused, though they are dropped later.
  if (isBare && (mapType === 'granular' || !preserves)) return { kind: 'map', values: ANY, mapType };
  return structure({ goName: '', declared, isResource: isEmbedded }, around);
}

interface Structure {
  readonly goName: string;
  readonly declared: JSONSchemaProps;
  /** It has metadata of its own. */
  readonly isResource: boolean;
}

function structure({ goName, declared, isResource }: Structure, around: Around): StructSchema {
  const inside = within(declared, around);
  const fields: FieldSchema[] = isResource ? resourceFields(around.meta) : [];
  const reserved = new Set(fields.map(({ name }) => name));
  const required = new Set(declared.required);
  for (const name of Object.keys(declared.properties ?? {})) {
    if (reserved.has(name)) continue;
    const property = declared.properties?.[name];
    if (property) fields.push(memberOf(name, typedSchema(property, inside), property, required.has(name)));
  }
  return {
    kind: 'struct',
    key: '',
    goName,
    fields,
    fieldsByName: new Map(fields.map((field) => [field.name, field])),
    mapType: mapTypeOf(declared),
    preservesUnknownFields: inside.preserves,
    inlined: [],
  };
}

const resourceFields = (meta: StructSchema): FieldSchema[] => [
  memberOf('apiVersion', { kind: 'scalar', scalar: 'string' }, {}, false),
  memberOf('kind', { kind: 'scalar', scalar: 'string' }, {}, false),
  memberOf('metadata', meta, {}, false),
];

const memberOf = (
  name: string,
  schema: Schema,
  declared: JSONSchemaProps,
  required: boolean,
): FieldSchema => ({
  name,
  schema,
  // Custom resources keep what was sent: zero values differ from absent ones.
  pointer: true,
  omitEmpty: true,
  required,
  proto: 0,
  ...(declared.default !== undefined && { default: declared.default }),
});

const mapTypeOf = (declared: JSONSchemaProps): 'granular' | 'atomic' =>
  declared['x-kubernetes-map-type'] === 'atomic' ? 'atomic' : 'granular';

function listSchema(declared: JSONSchemaProps, around: Around): ListSchema {
  const items = itemsOf(declared);
  const listType = declared['x-kubernetes-list-type'];
  return {
    kind: 'list',
    items: items ? typedSchema(items, within(declared, around)) : ANY,
    listType: listType === 'set' || listType === 'map' ? listType : 'atomic',
    listMapKeys: declared['x-kubernetes-list-map-keys'] ?? [],
  };
}
