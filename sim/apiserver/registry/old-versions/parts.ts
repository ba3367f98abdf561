/** Members of objects whose shape nobody has checked. */
import type { ApiObject } from '../../../api/object.ts';

export type Fields = Readonly<Record<string, unknown>>;
export type OwnFields = Record<string, unknown>;

export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};

/** Of a draft, to be changed in place; a new one where there is none. */
export const ownFieldsOf = (value: unknown): OwnFields => fieldsOf(value);

export const itemsOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.map((item: unknown) => fieldsOf(item)) : [];

/** Without members that are undefined. */
export const defined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** The object in another version, with other members in place of its own; undefined ones are left out. */
export const inVersion = (object: ApiObject, apiVersion: string, members: Fields = {}): ApiObject =>
  defined({ ...object, ...members, apiVersion }) as ApiObject;

/** The list with each item made anew; nothing stays nothing. */
export const mapped = (list: unknown, make: (item: Fields) => Fields): unknown =>
  Array.isArray(list) ? list.map((item: unknown) => make(fieldsOf(item))) : list;

/** The object with an annotation; undefined: without it. */
export function withAnnotation(object: ApiObject, name: string, value: string | undefined): ApiObject {
  const { annotations, ...metadata } = object.metadata;
  const { [name]: _, ...others } = annotations ?? {};
  const all = value === undefined ? others : { ...others, [name]: value };
  return {
    ...object,
    metadata: { ...metadata, ...(Object.keys(all).length > 0 && { annotations: all }) },
  };
}
