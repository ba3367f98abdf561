/** Which implementation a call has: that of its overload, or of the first whose types fit the values. */
import type { FunctionDeclaration, Implementation, Overload } from '../types/declarations.ts';
import { type CelType, DYN, isDyn } from '../types/type.ts';
import {
  CelError,
  type CelValue,
  isError,
  isList,
  isMapValue,
  type Result,
  typeOfValue,
} from '../values/value.ts';

/** `isChecked`: the types of all arguments were known when the expression was compiled. */
export function implementationOf(
  { name, overloads, call }: FunctionDeclaration,
  ids: readonly string[],
  isChecked: boolean,
): Implementation {
  if (call) return call;
  const only = ids.length === 1 ? overloads.find(({ id }) => id === ids[0]) : undefined;
  if (only?.call && isChecked) return only.call;
  const candidates = only ? [only] : overloads;
  return (...args) => {
    const fitting = candidates.find((overload) => fits(overload, args));
    return fitting?.call ? fitting.call(...args) : noOverloadFor(name, args);
  };
}

const noOverloadFor = (name: string, args: readonly CelValue[]): CelError =>
  new CelError(`no such overload: ${name}(${args.map((arg) => typeOfValue(arg).name).join(', ')})`);

const fits = ({ args: wanted, call }: Overload, args: readonly CelValue[]): boolean =>
  call !== undefined &&
  wanted.length === args.length &&
  wanted.every((type, index) => hasType(args[index] ?? null, type));

/** Of lists and maps only the first element is looked at. */
function hasType(value: Result, type: CelType): boolean {
  if (isDyn(type) || type.kind === 'parameter') return true;
  if (isError(value) || typeOfValue(value).name !== type.name) return false;
  const [first = DYN, second = DYN] = type.parameters;
  if (isList(value)) return value.size === 0 || hasType(value.get(0), first);
  if (!isMapValue(value) || value.size === 0) return true;
  const [key] = value.keys();
  return key === undefined || (hasType(key, first) && hasType(value.find(key) ?? null, second));
}
