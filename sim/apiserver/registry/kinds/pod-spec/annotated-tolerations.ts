/** Tolerations as an annotation once said them: nobody heeds them, but they have to make sense. */
import { DecodeError } from '../../../../api/codec/decode-error.ts';
import { parseNodes } from '../../../../api/codec/json-nodes.ts';
import type { FieldError } from '../../../../api/status.ts';
import type { Toleration } from '../../../../api/types/core-v1.ts';
import { invalid } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { validateTolerations } from './validate-scheduling.ts';

export const TOLERATIONS = 'scheduler.alpha.kubernetes.io/tolerations';

export function tolerationErrors(text: string, path: FieldPath): readonly FieldError[] {
  const tolerations = readTolerations(text);
  return typeof tolerations === 'string'
    ? [invalid(path, TOLERATIONS, tolerations)]
    : validateTolerations(tolerations, path.child(TOLERATIONS));
}

const TEXTS = ['Key', 'Operator', 'Value', 'Effect'];

/** A text: what is wrong with it, as Go's decoder says. */
function readTolerations(text: string): readonly Toleration[] | string {
  const value = parsed(text);
  if (value instanceof DecodeError) return value.message;
  if (value === null) return [];
  if (!Array.isArray(value)) return misfit(value, 'value of type []core.Toleration');
  for (const item of value as readonly unknown[]) {
    const problem = problemOf(item);
    if (problem !== undefined) return problem;
  }
  return (value as readonly (Toleration | null)[]).map((item) => item ?? { operator: '' });
}

function parsed(text: string): unknown {
  try {
    parseNodes(text);
    return JSON.parse(text) as unknown;
  } catch (error) {
    if (error instanceof DecodeError) return error;
    throw error;
  }
}

function problemOf(item: unknown): string | undefined {
  if (item === null) return undefined;
  if (typeof item !== 'object' || Array.isArray(item)) return misfit(item, 'value of type core.Toleration');
  for (const [name, value] of Object.entries(item)) {
    const member = TEXTS.find((each) => each.toLowerCase() === name.toLowerCase());
    if (member !== undefined && value !== null && typeof value !== 'string')
      return misfit(value, `struct field Toleration.${member} of type string`);
  }
  return undefined;
}

function misfit(value: unknown, wanted: string): string {
  const found = Array.isArray(value) ? 'array' : typeof value === 'boolean' ? 'bool' : typeof value;
  return `json: cannot unmarshal ${found} into Go ${wanted}`;
}
