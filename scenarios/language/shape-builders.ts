/** Short words for the shapes of `shape.ts`, with which the language is described. */
import type { Shape, StructShape } from './shape.ts';

export const text = <const D extends string>(doc: D): { kind: 'text'; doc: D } => ({ kind: 'text', doc });
export const flag = (doc: string): { kind: 'flag'; doc: string } => ({ kind: 'flag', doc });
export const duration = (doc: string): { kind: 'duration'; doc: string } => ({ kind: 'duration', doc });
export const integer = (
  doc: string,
  min: number,
  max = Number.MAX_SAFE_INTEGER,
): { kind: 'integer'; doc: string; min: number; max: number } => ({ kind: 'integer', doc, min, max });
export const word = <const W extends readonly string[]>(
  doc: string,
  words: W,
): { kind: 'word'; doc: string; words: W } => ({ kind: 'word', doc, words });
export const json = (doc: string): { kind: 'json'; doc: string } => ({ kind: 'json', doc });
export const mapping = (doc: string): { kind: 'json'; doc: string; only: 'object' } => ({
  kind: 'json',
  doc,
  only: 'object',
});
export const list = <S extends Shape>(doc: string, item: S): { kind: 'list'; doc: string; item: S } => ({
  kind: 'list',
  doc,
  item,
});
export const map = <S extends Shape>(doc: string, value: S): { kind: 'map'; doc: string; value: S } => ({
  kind: 'map',
  doc,
  value,
});
export const struct = <const S extends Omit<StructShape, 'kind'>>(shape: S): S & { kind: 'struct' } => ({
  kind: 'struct',
  ...shape,
});

/** What variables and streams may be called. */
export const VARIABLE_NAME = {
  source: '^[A-Za-z_][A-Za-z0-9_]*$',
  expected: 'a variable name: letters, digits and _',
};
