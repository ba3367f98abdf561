/** Values of built-in types in messages, as Go prints them. */
import { RELEASE_1_31 } from '../../../api/release/release-1-31.ts';
import { goValueText } from '../../../api/codec/go-value.ts';
import { goValueJson } from '../../../api/codec/go-value-json.ts';
import type { Schema } from '../../../api/schema.ts';
import { GoSyntax } from '../../../api/go-text.ts';

/** `type` is the catalog's name, such as `v1.PodTemplateSpec`. */
export const goValue = (type: string, value: unknown): GoSyntax =>
  shown(RELEASE_1_31.catalog.types.structOf(type), value);

const shown = (schema: Schema, value: unknown): GoSyntax =>
  new GoSyntax(goValueText(schema, value), goValueJson(schema, value));
