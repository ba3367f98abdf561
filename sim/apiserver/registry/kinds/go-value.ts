/** Values of built-in types in messages, as Go prints them. */
import { RELEASE_1_31 } from '../../../api/release/release-1-31.ts';
import { goValueText } from '../../../api/codec/go-value.ts';
import { goValueJson } from '../../../api/codec/go-value-json.ts';
import type { Schema } from '../../../api/schema.ts';
import { escapeHtml, GoSyntax } from '../../../api/go-text.ts';
import type { FieldError } from '../../../api/status.ts';
import { unifiedDiff } from '../../../api/unified-diff.ts';
import { forbidden } from '../../../api/validation/field-error.ts';
import { invariant } from '../../../engine/invariant.ts';
import type { FieldPath } from '../../../api/validation/field-path.ts';

/** `type` is the catalog's name, such as `v1.PodTemplateSpec`. */
export const goValue = (type: string, value: unknown): GoSyntax =>
  shown(RELEASE_1_31.catalog.types.structOf(type), value);

/** The value of one member of it, which may be a list. */
export function goMemberValue(type: string, member: string, value: unknown): GoSyntax {
  const field = RELEASE_1_31.catalog.types.structOf(type).fieldsByName.get(member);
  invariant(field, 'the type has the member', { type, member });
  return shown(field.schema, value);
}

/** That what is fixed has changed; releases since 1.34 show what of it, as they print values. */
export function changedDespite(
  path: FieldPath,
  why: string,
  { type, before, after }: { readonly type: string; readonly before: unknown; readonly after: unknown },
): FieldError {
  const error = forbidden(path, why);
  const schema = RELEASE_1_31.catalog.types.structOf(type);
  const linesOf = (value: unknown): string[] =>
    escapeHtml(JSON.stringify(JSON.parse(goValueJson(schema, value)), null, 1)).split('\n');
  const withJsonValue = (): string =>
    `${error.message}${why.endsWith('\n') ? '' : '\n'}${unifiedDiff(linesOf(before), linesOf(after))}`;
  return { ...error, withJsonValue };
}

const shown = (schema: Schema, value: unknown): GoSyntax =>
  new GoSyntax(goValueText(schema, value), () => goValueJson(schema, value));
