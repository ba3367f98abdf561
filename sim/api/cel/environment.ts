/** The language as Kubernetes 1.31 configures it: libraries, and what variables an expression may use. */
import { ADDRESSES, RANGES } from './library/addresses.ts';
import { AUTHORIZATION } from './library/authorizer.ts';
import { CONVERSIONS } from './library/conversions.ts';
import { NAMED_FORMATS } from './library/formats.ts';
import { LISTS, SETS } from './library/lists.ts';
import { EMPTY, MESSAGE_TYPES } from './library/messages.ts';
import { OPERATORS } from './library/operators.ts';
import { OPTIONALS } from './library/optional.ts';
import { QUANTITIES } from './library/quantities.ts';
import { MATCHES, REGEX } from './library/regex.ts';
import { STRING_TESTS, STRINGS } from './library/strings.ts';
import { TIMES } from './library/times.ts';
import { URLS } from './library/urls.ts';
import { type Environment, type FieldsOf, type Library, mergedFunctions } from './types/declarations.ts';
import type { CelType } from './types/type.ts';

/** What new expressions of a 1.31 server may use: the libraries of 1.30, so that a downgrade still reads them. */
const LIBRARIES: readonly Library[] = [
  MESSAGE_TYPES,
  OPERATORS,
  CONVERSIONS,
  MATCHES,
  STRING_TESTS,
  TIMES,
  URLS,
  REGEX,
  LISTS,
  AUTHORIZATION,
  OPTIONALS,
  QUANTITIES,
  STRINGS,
  SETS,
  ADDRESSES,
  RANGES,
];

const FUNCTIONS = mergedFunctions(LIBRARIES);
/** What has been stored already, or is no API's, may use all that the server knows. */
const STORED_FUNCTIONS = mergedFunctions([...LIBRARIES, NAMED_FORMATS]);
const TYPE_NAMES: ReadonlyMap<string, CelType> = new Map(
  LIBRARIES.flatMap(({ variables }) => [...(variables ?? [])]),
);

const NO_FIELDS: ReadonlyMap<string, CelType> = new Map();

export interface EnvironmentOptions {
  readonly fieldsOf?: FieldsOf;
  /** Functions of libraries cost what they read; otherwise one, as in policies of 1.31. Default true. */
  readonly hasLibraryCosts?: boolean;
  /** The expressions are in force already: they may use all that the server knows. Default false. */
  readonly areStored?: boolean;
}

export const environmentWith = (
  variables: ReadonlyMap<string, CelType>,
  { fieldsOf = () => undefined, hasLibraryCosts = true, areStored = false }: EnvironmentOptions = {},
): Environment => ({
  functions: areStored ? STORED_FUNCTIONS : FUNCTIONS,
  variables: new Map([...TYPE_NAMES, ...variables]),
  fieldsOf: (name) => (name === EMPTY.name ? NO_FIELDS : fieldsOf(name)),
  hasOptionals: true,
  hasLibraryCosts,
});
