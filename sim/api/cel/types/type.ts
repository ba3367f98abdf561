/** Types of expressions, and how messages name them. */

export type TypeKind =
  | 'any'
  | 'bool'
  | 'bytes'
  | 'double'
  | 'duration'
  | 'dyn'
  | 'error'
  | 'int'
  | 'list'
  | 'map'
  | 'null'
  | 'opaque'
  | 'string'
  | 'struct'
  | 'timestamp'
  | 'type'
  | 'parameter'
  | 'uint';

export interface CelType {
  readonly kind: TypeKind;
  /** As `type(x)` shows it. */
  readonly name: string;
  readonly parameters: readonly CelType[];
  /** May be null; else as the type itself is. */
  readonly isWrapper?: true;
}

const simple = (kind: TypeKind, name: string = kind): CelType => ({ kind, name, parameters: [] });

/** What may be any message. */
export const ANY = simple('any', 'google.protobuf.Any');
export const BOOL = simple('bool');
export const BYTES = simple('bytes');
export const DOUBLE = simple('double');
export const DURATION = simple('duration', 'google.protobuf.Duration');
export const DYN = simple('dyn');
export const ERROR = simple('error');
export const INT = simple('int');
export const NULL = simple('null', 'null_type');
export const STRING = simple('string');
export const TIMESTAMP = simple('timestamp', 'google.protobuf.Timestamp');
export const TYPE = simple('type');
export const UINT = simple('uint');

export const listOf = (element: CelType): CelType => ({ kind: 'list', name: 'list', parameters: [element] });
export const mapOf = (key: CelType, value: CelType): CelType => ({
  kind: 'map',
  name: 'map',
  parameters: [key, value],
});
export const opaque = (name: string, ...parameters: readonly CelType[]): CelType => ({
  kind: 'opaque',
  name,
  parameters,
});
export const optionalOf = (value: CelType): CelType => opaque('optional_type', value);
export const parameter = (name: string): CelType => simple('parameter', name);
export const struct = (name: string): CelType => simple('struct', name);
export const wrapperOf = (type: CelType): CelType => ({ ...type, isWrapper: true });
export const typeOfType = (type: CelType): CelType => ({ kind: 'type', name: 'type', parameters: [type] });

export const isOptional = ({ kind, name }: CelType): boolean => kind === 'opaque' && name === 'optional_type';
export const isDyn = ({ kind }: CelType): boolean => kind === 'dyn' || kind === 'any';
export const isDynOrError = (type: CelType): boolean => isDyn(type) || type.kind === 'error';

/** The type inside an optional, or the type itself. */
export const unwrapped = (type: CelType): CelType => (isOptional(type) ? (type.parameters[0] ?? DYN) : type);

export function isSameType(a: CelType, b: CelType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind || a.name !== b.name || a.parameters.length !== b.parameters.length) return false;
  return a.parameters.every((each, index) => isSameType(each, b.parameters[index] ?? ERROR));
}

/** As errors of the checker name a type. */
export function typeText(type: CelType): string {
  if (type.isWrapper) return `wrapper(${type.name})`;
  switch (type.kind) {
    case 'any':
    case 'duration':
    case 'null':
    case 'timestamp':
      return type.kind;
    case 'error':
      return '!error!';
    default: {
      if (type.parameters.length === 0) return type.name;
      return `${type.name}(${type.parameters.map(typeText).join(', ')})`;
    }
  }
}

/** `int.(string)` for a method, `(int, string)` for a function. */
export function signatureText(types: readonly CelType[], isMethod: boolean): string {
  const [target, ...rest] = types;
  if (isMethod && target) return `${typeText(target)}.(${rest.map(typeText).join(', ')})`;
  return `(${types.map(typeText).join(', ')})`;
}
