/**
 * Which cases of the public conformance suite are not about the language as Kubernetes 1.31 configures it, and why. Of
 * the others some come to something else there: a real 1.31 server was asked about each, and the simulation says the same.
 */
import type { ConformanceCase } from './conformance-case.ts';

interface Reason {
  readonly why: string;
  readonly isTrueOf: (one: ConformanceCase) => boolean;
}

const named =
  (pattern: RegExp): Reason['isTrueOf'] =>
  ({ name }) =>
    pattern.test(name);

const REASONS: readonly Reason[] = [
  {
    why: 'messages and enumerations of protocol buffers: objects of Kubernetes are no messages',
    isTrueOf: ({ text }) =>
      /TestAllTypes|NestedEnum|Global|google\.protobuf\.[A-Z]\w*\{|cel\.expr\.conf|@type/.test(text),
  },
  {
    why: 'names within a container: expressions of Kubernetes have none',
    isTrueOf: ({ container }) => container !== '',
  },
  { why: 'the extension math is not configured in 1.31', isTrueOf: named(/^math_ext\//) },
  {
    why: 'the extensions bindings, block and encoders are not configured',
    isTrueOf: named(/^(bindings|block|encoders)_ext\//),
  },
  { why: 'macros with two variables came with 1.33', isTrueOf: named(/^macros2\//) },
  { why: 'expressions are always checked', isTrueOf: ({ isUnchecked }) => isUnchecked },
  {
    why: 'functions that the case declares itself',
    isTrueOf: ({ text }) => text.includes('"function":{'),
  },
];

/** Undefined: it applies. */
export const whyNot = (one: ConformanceCase): string | undefined =>
  REASONS.find(({ isTrueOf }) => isTrueOf(one))?.why;

/** What comes to something else in 1.31, and why. */
const OTHERWISE: readonly (readonly [why: string, names: RegExp])[] = [
  ['a constant that can be no key refuses the whole expression', /map_bad_key_type_(or_true|and_false)$/],
  [
    'elements of a list, and keys and values of a map, have to be of one type',
    /mixed|null$|elem_type_|key_type_|_vs_types$|heterogeneous|map_key_u?int64$|map_value_mix_type$|in\/mixed_|optional_chaining_13$|optional_dyn_promotion/,
  ],
  ['names of fields in backquotes came later', /^fields\/quoted_map_fields\//],
  ['a key that is written twice counts once', /map_value_repeat_key$/],
  ['a macro whose target has no certain type looks at it twice', /_optMap_hasValue$|_optFlatMap_hasValue$/],
  ['a selection of what has no fields is none', /map_null_entry_no_such_key$|map_present_key_invalid_field$/],
  ['the empty text has no last index', /^string_ext\/last_index_of\/empty_string$/],
  ['numbers are formatted as they are in English, and nested values as literals', /^string_ext\/format\//],
  ['null is no optional', /^type_deductions\/legacy_nullable_types\//],
];

/** Undefined: it comes to what the suite says, unless the case is in the list by mistake. */
export const whyOtherwise = ({ name }: ConformanceCase): string | undefined =>
  OTHERWISE.find(([, names]) => names.test(name))?.[0];
