/** What an environment knows: functions with their overloads, variables, and the fields of its structures. */
import { type CelValue, type Result } from '../values/value.ts';
import type { CelType } from './type.ts';

export type Implementation = (...args: readonly CelValue[]) => Result;

export interface Overload {
  readonly id: string;
  /** The target of a method is the first. */
  readonly args: readonly CelType[];
  readonly result: CelType;
  readonly isMethod: boolean;
  /** Absent where the function as a whole has one, or the evaluator acts itself. */
  readonly call?: Implementation;
}

export interface FunctionDeclaration {
  readonly name: string;
  readonly overloads: readonly Overload[];
  /** One implementation for all overloads, which tells types apart itself. */
  readonly call?: Implementation;
}

/** Undefined: there is no such structure, or it has no such field. */
export type FieldsOf = (structName: string) => ReadonlyMap<string, CelType> | undefined;

export interface Environment {
  readonly functions: ReadonlyMap<string, FunctionDeclaration>;
  readonly variables: ReadonlyMap<string, CelType>;
  readonly fieldsOf: FieldsOf;
  readonly hasOptionals: boolean;
  /** `cel.bind(…)` is known; absent: not. */
  readonly hasBindings?: boolean;
  /** Functions of libraries cost what they read; otherwise one. */
  readonly hasLibraryCosts: boolean;
}

/** Declared by a library. */
export interface Library {
  readonly functions: readonly FunctionDeclaration[];
  readonly variables?: ReadonlyMap<string, CelType>;
}

export const overload = (
  id: string,
  args: readonly CelType[],
  result: CelType,
  call?: Implementation,
): Overload => ({ id, args, result, isMethod: false, ...(call && { call }) });

export const method = (
  id: string,
  args: readonly CelType[],
  result: CelType,
  call?: Implementation,
): Overload => ({ id, args, result, isMethod: true, ...(call && { call }) });

/** Functions of one name that several libraries declare become one, in the order of the libraries. */
export function mergedFunctions(libraries: readonly Library[]): ReadonlyMap<string, FunctionDeclaration> {
  const merged = new Map<string, FunctionDeclaration>();
  for (const { functions } of libraries) {
    for (const declared of functions) {
      const before = merged.get(declared.name);
      const call = before?.call ?? declared.call;
      merged.set(declared.name, {
        name: declared.name,
        overloads: [...(before?.overloads ?? []), ...declared.overloads],
        ...(call && { call }),
      });
    }
  }
  return merged;
}
