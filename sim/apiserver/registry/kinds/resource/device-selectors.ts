/** Expressions that choose devices: what they may say. Nobody here allocates devices, so they are compiled and never asked. */
import { compile } from '../../../../api/cel/compile.ts';
import { environmentWith } from '../../../../api/cel/environment.ts';
import { QUANTITY } from '../../../../api/cel/library/quantities.ts';
import type { Environment } from '../../../../api/cel/types/declarations.ts';
import {
  ANY,
  BOOL,
  type CelType,
  isSameType,
  mapOf,
  STRING,
  struct,
  typeText,
} from '../../../../api/cel/types/type.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { DeviceSelector } from '../../../../api/types/resource-k8s-io-v1alpha3.ts';
import { internalProblem, invalid, longerThan, required } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';

const DEVICE = struct('kubernetes.DRADevice');
const FIELDS: ReadonlyMap<string, CelType> = new Map([
  ['driver', STRING],
  ['attributes', mapOf(STRING, mapOf(STRING, ANY))],
  ['capacity', mapOf(STRING, mapOf(STRING, QUANTITY))],
]);

const environment = (areStored: boolean): Environment =>
  environmentWith(new Map([['device', DEVICE]]), {
    areStored,
    areOfDevices: true,
    hasLibraryCosts: false,
    fieldsOf: (name) => (name === DEVICE.name ? FIELDS : undefined),
  });

let environments: readonly [fresh: Environment, stored: Environment] | undefined;

const MOST_SELECTORS = 32;

/** `areStored`: they are as they were. */
export function selectorErrors(
  selectors: readonly DeviceSelector[],
  path: FieldPath,
  areStored: boolean,
): readonly FieldError[] {
  const errors = selectors.flatMap(({ cel }, index) => {
    const own = path.index(index).child('cel');
    return cel ? expressionErrors(cel.expression ?? '', own.child('expression'), areStored) : [required(own)];
  });
  return selectors.length > MOST_SELECTORS ? [...errors, longerThan(path, MOST_SELECTORS)] : errors;
}

function expressionErrors(text: string, path: FieldPath, areStored: boolean): readonly FieldError[] {
  const [fresh, stored] = (environments ??= [environment(false), environment(true)]);
  const compiled = compile(text, areStored ? stored : fresh);
  if (compiled.kind === 'failure' && compiled.stage === 'check')
    return [invalid(path, text, `compilation failed: ${compiled.message}`)];
  const type = compiled.kind === 'program' ? compiled.program.type : compiled.type;
  if (type && !isSameType(type, BOOL) && type.kind !== 'any')
    return [invalid(path, text, `must evaluate to bool or the unknown type, not ${typeText(type)}`)];
  return compiled.kind === 'failure'
    ? [internalProblem(path, `program instantiation failed: ${compiled.message}`)]
    : [];
}
