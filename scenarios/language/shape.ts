/**
 * How the scenario language is described: a shape for every value that a scenario may hold. One description
 * drives the reader, the JSON Schema for editors, the reference documentation and the TypeScript types.
 * Shapes are plain data; they know nothing of YAML and nothing of what scenarios mean.
 */

export interface TextShape {
  readonly kind: 'text';
  readonly doc: string;
  /** What the text must look like; `expected` says it in words. */
  readonly pattern?: { readonly source: string; readonly expected: string };
}

/** Whole numbers, both bounds included. */
export interface IntegerShape {
  readonly kind: 'integer';
  readonly doc: string;
  readonly min: number;
  readonly max: number;
}

export interface FlagShape {
  readonly kind: 'flag';
  readonly doc: string;
}

/** `300ms`, `40s`, `1h30m`; read as whole microseconds. */
export interface DurationShape {
  readonly kind: 'duration';
  readonly doc: string;
}

export interface WordShape<W extends string = string> {
  readonly kind: 'word';
  readonly doc: string;
  readonly words: readonly W[];
}

/** Any JSON value; `${variables}` inside are replaced when the step runs. */
export interface JsonShape {
  readonly kind: 'json';
  readonly doc: string;
  readonly only?: 'object';
}

export interface ListShape {
  readonly kind: 'list';
  readonly doc: string;
  readonly item: Shape;
}

export interface MapShape {
  readonly kind: 'map';
  readonly doc: string;
  readonly value: Shape;
}

export interface StructShape {
  readonly kind: 'struct';
  readonly doc: string;
  /** Its name in the reference and among the schema's definitions. */
  readonly name: string;
  readonly fields: Readonly<Record<string, Field>>;
  /** Exactly one of these fields must be there: what the struct is about. */
  readonly verbs?: readonly string[];
  /** The verb's word in messages: `verb`, `fault`. */
  readonly verbWord?: string;
  /** What to say of a field that belongs elsewhere, or that is missing, as it is taken for something else. */
  readonly hints?: Readonly<Record<string, string>>;
}

/** The first option whose YAML form fits: options must differ in it (text, number, list, mapping). */
export interface EitherShape {
  readonly kind: 'either';
  readonly doc: string;
  readonly options: readonly Shape[];
}

/** A shape that contains itself. */
export interface LaterShape {
  readonly kind: 'later';
  readonly doc: string;
  readonly shape: () => StructShape;
}

export type Shape =
  | TextShape
  | IntegerShape
  | FlagShape
  | DurationShape
  | WordShape
  | JsonShape
  | ListShape
  | MapShape
  | StructShape
  | EitherShape
  | LaterShape;

export interface Field {
  readonly shape: Shape;
  readonly isRequired: boolean;
}

export const required = <S extends Shape>(shape: S): { readonly shape: S; readonly isRequired: true } => ({
  shape,
  isRequired: true,
});
export const optional = <S extends Shape>(shape: S): { readonly shape: S; readonly isRequired: false } => ({
  shape,
  isRequired: false,
});

/** A JSON value as scenarios hold them. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };
export type JsonMap = { readonly [name: string]: Json };

/** What a value of a shape is once it has been read. */
export type ValueOf<S> = S extends { kind: 'text' }
  ? string
  : S extends { kind: 'integer' } | { kind: 'duration' }
    ? number
    : S extends { kind: 'flag' }
      ? boolean
      : S extends WordShape<infer W>
        ? W
        : S extends { kind: 'json'; only: 'object' }
          ? JsonMap
          : S extends { kind: 'json' }
            ? Json
            : S extends { kind: 'list'; item: infer I }
              ? readonly ValueOf<I>[]
              : S extends { kind: 'map'; value: infer V }
                ? Readonly<Record<string, ValueOf<V>>>
                : S extends { kind: 'either'; options: readonly (infer O)[] }
                  ? ValueOf<O>
                  : S extends { kind: 'struct'; fields: infer F }
                    ? StructValue<F>
                    : unknown;

type RequiredNames<F> = { [N in keyof F]: F[N] extends { isRequired: true } ? N : never }[keyof F];
type FieldValue<F> = F extends { shape: infer S } ? ValueOf<S> : never;
type StructValue<F> = { readonly [N in RequiredNames<F>]: FieldValue<F[N]> } & {
  readonly [N in Exclude<keyof F, RequiredNames<F>>]?: FieldValue<F[N]>;
};

/** What an author may write, in words: for messages and the reference. */
export function describeShape(shape: Shape): string {
  switch (shape.kind) {
    case 'text':
      return shape.pattern?.expected ?? 'text';
    case 'integer':
      return shape.max === Number.MAX_SAFE_INTEGER
        ? `a whole number from ${shape.min}`
        : `a whole number from ${shape.min} to ${shape.max}`;
    case 'flag':
      return 'true or false';
    case 'duration':
      return 'a duration such as 300ms, 40s, 5m or 1h30m';
    case 'word':
      return shape.words.length === 1 ? `\`${shape.words[0] ?? ''}\`` : `one of ${shape.words.join(', ')}`;
    case 'json':
      return shape.only === 'object' ? 'a mapping' : 'any value';
    case 'list':
      return `a list (each item: ${describeShape(shape.item)})`;
    case 'map':
      return `a mapping (each value: ${describeShape(shape.value)})`;
    case 'struct':
      return `a mapping with ${Object.keys(shape.fields).slice(0, 6).join(', ')}${Object.keys(shape.fields).length > 6 ? ', …' : ''}`;
    case 'either':
      return shape.options.map(describeShape).join(', or ');
    case 'later':
      return describeShape(shape.shape());
  }
}
