/** Canonical form of objects that are well typed already: after defaulting, strategies, patches. */
import type { JsonObject } from '../object.ts';
import type { StructSchema } from '../schema.ts';
import { MISMATCH } from './mismatch.ts';
import { normalizerOf, resetSlots, type Form } from './normalize.ts';

const normalized = (
  schema: StructSchema,
  value: object,
  form: Form,
  base: object | undefined,
): JsonObject => {
  try {
    return normalizerOf(schema, form)(value, undefined, base) as JsonObject;
  } catch (error) {
    resetSlots();
    if (error === MISMATCH) throw new TypeError(`a ${schema.goName} does not fit its schema`);
    throw error;
  }
};

/**
 * Members in the order of their declaration, zero values as a Go encoder writes them, leaf values in
 * canonical text. Parts that are canonical already keep their identity; nothing given is changed.
 * Parts that `base` has at the same place, an object in canonical or in stored form, are taken over unseen.
 * @throws TypeError if the value does not fit the schema, which is a defect of the caller
 */
export const canonical = (schema: StructSchema, value: object, base?: object): JsonObject =>
  normalized(schema, value, 'wire', base);

/**
 * Like `canonical`, but as an object comes back from storage: protobuf cannot tell an empty list or
 * map from none, so a mandatory one that is empty becomes null (`rules: null` of a Role).
 * `base` as `canonical` has it, but in stored form.
 */
export const storedForm = (schema: StructSchema, value: object, base?: object): JsonObject =>
  normalized(schema, value, 'stored', base);
