/**
 * Words to say how documents of OpenAPI are written as protobuf: a message is a table of the members of a JSON object, each with
 * its number and how its value is written. Members that no table names are left out, as there is no place for them, and
 * so are the zero values of scalars; extensions (`x-…`) are YAML. Pure.
 */
import { encodeYaml } from '../../../api/codec/encode-yaml.ts';
import {
  createWriter,
  LENGTH_DELIMITED,
  tagOf,
  VARINT,
  FIXED64,
  type Writer,
  writeInteger,
} from '../../../api/codec/protobuf-wire.ts';

/** It stands for what is described elsewhere. */
export const isReference = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && '$ref' in value;

/** Writes a value as the field of a number. */
export type Put = (writer: Writer, number: number, value: unknown) => void;

/** Writes what stands in a message. */
type Content = (writer: Writer, value: unknown) => void;

/** The values of members, by name; the number of each, and how it is written. */
type Members = Readonly<Record<string, readonly [number: number, put: Put]>>;

export const bytesOf = (content: Content, value: unknown): Uint8Array => {
  const writer = createWriter();
  content(writer, value);
  return writer.finish();
};

export const text: Put = (writer, number, value) => {
  writer.uint32(tagOf(number, LENGTH_DELIMITED)).string(String(value));
};

export const flag: Put = (writer, number, value) => {
  writer.uint32(tagOf(number, VARINT)).bool(value === true);
};

export const integer: Put = (writer, number, value) => {
  writer.uint32(tagOf(number, VARINT));
  writeInteger(writer, typeof value === 'bigint' ? value : Math.trunc(Number(value)));
};

export const double: Put = (writer, number, value) => {
  writer.uint32(tagOf(number, FIXED64)).double(Number(value));
};

export const message =
  (content: Content): Put =>
  (writer, number, value) => {
    writer.uint32(tagOf(number, LENGTH_DELIMITED)).fork();
    content(writer, value);
    writer.ldelim();
  };

/** A field for each element. */
export const each =
  (put: Put): Put =>
  (writer, number, value) => {
    for (const element of elementsOf(value)) put(writer, number, element);
  };

const elementsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** A field for each member: its name, and its value. */
export const named =
  (put: Put): Put =>
  (writer, number, value) => {
    for (const [name, part] of entriesOf(value)) namedOne(writer, number, { name, part, put });
  };

function namedOne(
  writer: Writer,
  number: number,
  { name, part, put }: { readonly name: string; readonly part: unknown; readonly put: Put },
): void {
  writer.uint32(tagOf(number, LENGTH_DELIMITED)).fork();
  text(writer, 1, name);
  put(writer, 2, part);
  writer.ldelim();
}

const entriesOf = (value: unknown): readonly (readonly [string, unknown])[] =>
  typeof value === 'object' && value !== null ? Object.entries(value) : [];

/** A message of nothing but a field for each member. */
export const namedAlone = (put: Put, number = 1): Put =>
  message((writer, value) => named(put)(writer, number, value));

/** A message of nothing but a field for each element. */
export const eachAlone = (put: Put): Put => message((writer, value) => each(put)(writer, 1, value));

const anything: Content = (writer, value) => text(writer, 2, encodeYaml(value));
export const any: Put = message(anything);

/** A message of one of several forms. */
export const oneOf = (choose: (value: unknown) => readonly [number: number, put: Put]): Put =>
  message((writer, value) => {
    const [number, put] = choose(value);
    put(writer, number, value);
  });

/** @param extensions the number of what begins with `x-` */
export function membersOf(members: () => Members, extensions?: number): Content {
  let sorted: readonly (readonly [string, number, Put])[] | undefined;
  return (writer, value) => {
    sorted ??= Object.entries(members())
      .map(([name, [number, put]]) => [name, number, put] as const)
      .sort(([, a], [, b]) => a - b);
    const object = new Map(entriesOf(value));
    for (const [name, number, put] of sorted) {
      const part = object.get(name);
      if (part !== undefined && !(isScalar(put) && isZero(part))) put(writer, number, part);
    }
    if (extensions === undefined) return;
    for (const [name, part] of object)
      if (name.startsWith('x-')) namedOne(writer, extensions, { name, part, put: any });
  };
}

const SCALARS: ReadonlySet<Put> = new Set([text, flag, integer, double]);
const isScalar = (put: Put): boolean => SCALARS.has(put);
const isZero = (value: unknown): boolean => value === '' || value === false || value === 0;
