/**
 * Reading the `openAPIV3Schema` of a CustomResourceDefinition: which schema describes what is below a
 * value, and the types of JSON values. Specification: not shown (Kubernetes).
 */
import type { JSONSchemaProps } from '../../api/types/apiextensions-k8s-io-v1.ts';

export type { JSONSchemaProps };

export type JsonMap = Record<string, unknown>;

export const isMap = (value: unknown): value is JsonMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Schema of the elements of an array. */
export const itemsOf = ({ items }: JSONSchemaProps): JSONSchemaProps | undefined =>
  isMap(items) ? items : undefined;

/** Schema of values whose keys are not declared; `true`: anything; undefined: none are allowed for. */
export const additionalOf = ({
  additionalProperties,
}: JSONSchemaProps): JSONSchemaProps | true | undefined => {
  if (isMap(additionalProperties)) return additionalProperties;
  return additionalProperties === true ? true : undefined;
};

/** Own property schema; names such as `constructor` are none. */
export const propertyOf = ({ properties }: JSONSchemaProps, name: string): JSONSchemaProps | undefined =>
  properties && Object.hasOwn(properties, name) ? properties[name] : undefined;

export type JsonType = 'null' | 'boolean' | 'integer' | 'number' | 'string' | 'array' | 'object';

/** No 64 bits hold it: it is read as a fraction is. */
const TOO_GREAT = 2 ** 63;

export const typeOfJson = (value: unknown): JsonType => {
  if (value === null || value === undefined) return 'null';
  if (Array.isArray(value)) return 'array';
  switch (typeof value) {
    case 'boolean':
      return 'boolean';
    case 'string':
      return 'string';
    case 'number':
      return Number.isInteger(value) && Math.abs(value) < TOO_GREAT ? 'integer' : 'number';
    case 'bigint':
      return BigInt.asIntN(64, value) === value ? 'integer' : 'number';
    default:
      return 'object';
  }
};
