/**
 * Whether one type may stand where another is wanted, while type parameters are found out. What is found is kept only
 * if the whole question is answered yes.
 */
import {
  type CelType,
  DYN,
  isDyn,
  isDynOrError,
  isSameType,
  listOf,
  mapOf,
  opaque,
  typeOfType,
} from './type.ts';

export class Substitution {
  readonly #found = new Map<string, CelType>();
  /** What was known before each change since the question under way began: there may be many parameters. */
  readonly #before: [name: string, type: CelType | undefined][] = [];

  get(type: CelType): CelType | undefined {
    return type.kind === 'parameter' ? this.#found.get(type.name) : undefined;
  }

  set(type: CelType, to: CelType): void {
    this.#before.push([type.name, this.#found.get(type.name)]);
    this.#found.set(type.name, to);
  }

  keep(): void {
    this.#before.length = 0;
  }

  /** All is as it was when something was kept last. */
  takeBack(): void {
    for (let last = this.#before.pop(); last; last = this.#before.pop()) {
      const [name, type] = last;
      if (type) this.#found.set(name, type);
      else this.#found.delete(name);
    }
  }

  /** `toDyn`: parameters that nothing is known of become dyn. */
  apply(type: CelType, toDyn: boolean): CelType {
    const known = this.get(type);
    if (known) return this.apply(known, toDyn);
    if (type.kind === 'parameter') return toDyn ? DYN : type;
    if (type.parameters.length === 0) return type;
    const parameters = type.parameters.map((each) => this.apply(each, toDyn));
    const [first = DYN, second = DYN] = parameters;
    switch (type.kind) {
      case 'list':
        return listOf(first);
      case 'map':
        return mapOf(first, second);
      case 'type':
        return typeOfType(first);
      default:
        return opaque(type.name, ...parameters);
    }
  }
}

/** Whether all of `types` may stand for `wanted`, pair by pair; if so, the substitution says from now on how. */
export function unify(
  substitution: Substitution,
  types: readonly CelType[],
  wanted: readonly CelType[],
): boolean {
  const areFit = areAssignable(substitution, types, wanted);
  if (areFit) substitution.keep();
  else substitution.takeBack();
  return areFit;
}

const areAssignable = (tried: Substitution, types: readonly CelType[], wanted: readonly CelType[]): boolean =>
  types.length === wanted.length &&
  types.every((type, index) => isAssignable(tried, type, wanted[index] ?? DYN));

function isAssignable(tried: Substitution, a: CelType, b: CelType): boolean {
  if (b.kind === 'parameter') {
    const { isValid, isKnown } = substitutes(tried, a, b);
    if (isValid) return true;
    if (isKnown) return false;
  }
  if (a.kind === 'parameter') return substitutes(tried, b, a).isValid;
  if (isDynOrError(a) || isDynOrError(b)) return true;
  if (a.kind === 'null') return isNullable(b);
  if (b.kind === 'null') return isNullable(a);
  switch (a.kind) {
    case 'type':
      return b.kind === 'type';
    case 'opaque':
    case 'list':
    case 'map':
      return a.kind === b.kind && a.name === b.name && areAssignable(tried, a.parameters, b.parameters);
    default:
      return a.kind === b.kind && a.name === b.name;
  }
}

const isNullable = ({ kind, isWrapper }: CelType): boolean =>
  isWrapper === true || ['null', 'opaque', 'struct', 'any', 'duration', 'timestamp'].includes(kind);

/** Whether parameter `b` may be `a`. */
function substitutes(
  tried: Substitution,
  a: CelType,
  b: CelType,
): { readonly isValid: boolean; readonly isKnown: boolean } {
  if (isSameType(a, b)) return { isValid: true, isKnown: true };
  const known = tried.get(b);
  if (known) {
    if (isSameType(a, known)) return { isValid: true, isKnown: true };
    if (!isAssignable(tried, a, known)) return { isValid: false, isKnown: true };
    const general = mostGeneral(a, known);
    if (!isReferencedIn(tried, b, general)) tried.set(b, general);
    return { isValid: true, isKnown: true };
  }
  if (isReferencedIn(tried, b, a)) return { isValid: false, isKnown: false };
  tried.set(b, a);
  return { isValid: true, isKnown: false };
}

function isReferencedIn(tried: Substitution, type: CelType, within: CelType): boolean {
  if (isSameType(type, within)) return true;
  const known = tried.get(within);
  if (known) return isReferencedIn(tried, type, known);
  return within.parameters.some((each) => isReferencedIn(tried, type, each));
}

export const mostGeneral = (a: CelType, b: CelType): CelType => (isLessSpecific(a, b) ? a : b);

function isLessSpecific(a: CelType, b: CelType): boolean {
  if (isDyn(a) || a.kind === 'parameter') return true;
  if (isDyn(b) || b.kind === 'parameter') return false;
  if (a.kind !== b.kind) return false;
  if (a.kind === 'type') return true;
  if (a.kind !== 'opaque' && a.kind !== 'list' && a.kind !== 'map') return isSameType(a, b);
  return (
    a.name === b.name &&
    a.parameters.length === b.parameters.length &&
    a.parameters.every((each, index) => isLessSpecific(each, b.parameters[index] ?? DYN))
  );
}
