/** Strings: positions are counted in characters. Version 2 of the extension, as 1.31 has it. */
import { type Library, method, overload } from '../types/declarations.ts';
import { BOOL, DYN, INT, listOf, STRING } from '../types/type.ts';
import { itemsOf, ValueList } from '../values/containers.ts';
import { spend } from '../values/effort.ts';
import { shown } from '../values/text.ts';
import { CelError, type CelValue, isInt, isList, NO_OVERLOAD, type Result } from '../values/value.ts';
import { formatText } from './format.ts';

const outOfRange = (index: bigint | number): CelError => new CelError(`index out of range: ${index}`);

function charactersOf(text: string): readonly string[] {
  spend(text.length);
  return [...text];
}

/** Looking for a text in another may take as many steps as both have characters, but they are quick ones. */
function spendOnSearch(text: string, part: string): void {
  spend((text.length * part.length) / 100);
}

function charAt(text: CelValue = null, index: CelValue = null): Result {
  if (typeof text !== 'string' || !isInt(index)) return NO_OVERLOAD;
  const characters = charactersOf(text);
  if (index < 0 || index > characters.length) return outOfRange(index);
  return characters[Number(index)] ?? '';
}

function startsAt(characters: readonly string[], part: readonly string[], at: number): boolean {
  const other = part.findIndex((character, index) => characters[at + index] !== character);
  spend(other < 0 ? part.length : other + 1);
  return other < 0;
}

function indexOf(text: CelValue = null, part: CelValue = null, from: CelValue = 0): Result {
  if (typeof text !== 'string' || typeof part !== 'string' || !isInt(from)) return NO_OVERLOAD;
  if (part === '') return from;
  const [characters, sought] = [charactersOf(text), charactersOf(part)];
  if (from < 0 || from >= characters.length) return outOfRange(from);
  for (let at = Number(from); at <= characters.length - sought.length; at++)
    if (startsAt(characters, sought, at)) return at;
  return -1;
}

function lastIndexOf(text: CelValue = null, part: CelValue = null, from?: CelValue): Result {
  if (typeof text !== 'string' || typeof part !== 'string') return NO_OVERLOAD;
  const [characters, sought] = [charactersOf(text), charactersOf(part)];
  const offset = from === undefined ? characters.length - (part === '' ? 0 : 1) : from;
  if (!isInt(offset)) return NO_OVERLOAD;
  if (part === '') return offset;
  if (offset < 0 || offset >= characters.length) return outOfRange(offset);
  for (let at = Math.min(Number(offset), characters.length - sought.length); at >= 0; at--)
    if (startsAt(characters, sought, at)) return at;
  return -1;
}

/** Go's `strings.Replace`: an empty old text stands before every character and at the end. */
function replace(
  text: CelValue = null,
  old: CelValue = null,
  by: CelValue = null,
  limit: CelValue = -1,
): Result {
  if (typeof text !== 'string' || typeof old !== 'string' || typeof by !== 'string' || !isInt(limit))
    return NO_OVERLOAD;
  const most = limit < 0 ? Number.POSITIVE_INFINITY : Number(limit);
  if (old === by || most === 0) return text;
  if (old === '') {
    spend(Math.min(text.length + 1, most) * by.length);
    const parts = charactersOf(text);
    return [...parts, ''].map((part, index) => (index < most ? by + part : part)).join('');
  }
  spendOnSearch(text, old);
  const parts = text.split(old);
  spend(Math.min(parts.length - 1, most) * by.length);
  return parts.map((part, index) => (index === 0 ? part : (index <= most ? by : old) + part)).join('');
}

function split(text: CelValue = null, separator: CelValue = null, limit: CelValue = -1): Result {
  if (typeof text !== 'string' || typeof separator !== 'string' || !isInt(limit)) return NO_OVERLOAD;
  if (limit === 0) return new ValueList([]);
  spendOnSearch(text, separator);
  const parts = separator === '' ? charactersOf(text) : text.split(separator);
  const most = Number(limit);
  if (limit < 0 || parts.length <= most) return new ValueList(parts);
  return new ValueList([...parts.slice(0, most - 1), parts.slice(most - 1).join(separator)]);
}

function substring(text: CelValue = null, start: CelValue = null, end?: CelValue): Result {
  if (typeof text !== 'string' || !isInt(start)) return NO_OVERLOAD;
  const characters = charactersOf(text);
  if (end === undefined) {
    if (start < 0 || start > characters.length) return outOfRange(start);
    return characters.slice(Number(start)).join('');
  }
  if (!isInt(end)) return NO_OVERLOAD;
  if (start > end) return new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0 || start > characters.length) return outOfRange(start);
  if (end < 0 || end > characters.length) return outOfRange(end);
  return characters.slice(Number(start), Number(end)).join('');
}

/** Unicode's white space, of which JavaScript's `trim` knows one character more and one less. */
const trim = (text: CelValue = null): Result =>
  typeof text === 'string'
    ? text.replace(/^[\s\u0085]+|[\s\u0085]+$/gu, (space) => (space.includes('\ufeff') ? space : ''))
    : NO_OVERLOAD;

const ascii =
  (pattern: RegExp, change: (character: string) => string) =>
  (text: CelValue = null): Result =>
    typeof text === 'string' ? text.replace(pattern, change) : NO_OVERLOAD;

function join(list: CelValue = null, separator: CelValue = ''): Result {
  if (!isList(list) || typeof separator !== 'string') return NO_OVERLOAD;
  const items = itemsOf(list);
  if (items instanceof CelError) return items;
  const texts: string[] = [];
  for (const item of items) {
    if (typeof item !== 'string') return new CelError(`join: invalid input: ${shown(item)}`);
    spend(item.length + separator.length);
    texts.push(item);
  }
  return texts.join(separator);
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\x07': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
  '"': '\\"',
};

function quote(text: CelValue = null): Result {
  if (typeof text !== 'string') return NO_OVERLOAD;
  return `"${charactersOf(text)
    .map((character) => ESCAPES[character] ?? character)
    .join('')}"`;
}

function format(text: CelValue = null, args: CelValue = null): Result {
  return typeof text === 'string' && isList(args) ? formatText(text, args) : NO_OVERLOAD;
}

const tested =
  (test: (text: string, part: string) => boolean) =>
  (text: CelValue = null, part: CelValue = null): Result => {
    return typeof text === 'string' && typeof part === 'string' ? test(text, part) : NO_OVERLOAD;
  };

/** Part of the language itself. */
export const STRING_TESTS: Library = {
  functions: (
    [
      [
        'contains',
        (text: string, part: string) => {
          spendOnSearch(text, part);
          return text.includes(part);
        },
      ],
      ['endsWith', (text: string, part: string) => text.endsWith(part)],
      ['startsWith', (text: string, part: string) => text.startsWith(part)],
    ] as const
  ).map(([name, test]) => ({
    name,
    overloads: [
      method(
        `${name === 'contains' ? name : name.replace('W', '_w').toLowerCase()}_string`,
        [STRING, STRING],
        BOOL,
      ),
    ],
    call: tested(test),
  })),
};

export const STRINGS: Library = {
  functions: [
    { name: 'charAt', overloads: [method('string_char_at_int', [STRING, INT], STRING, charAt)] },
    {
      name: 'indexOf',
      overloads: [
        method('string_index_of_string', [STRING, STRING], INT, indexOf),
        method('string_index_of_string_int', [STRING, STRING, INT], INT, indexOf),
      ],
    },
    {
      name: 'lastIndexOf',
      overloads: [
        method('string_last_index_of_string', [STRING, STRING], INT, lastIndexOf),
        method('string_last_index_of_string_int', [STRING, STRING, INT], INT, lastIndexOf),
      ],
    },
    {
      name: 'lowerAscii',
      overloads: [
        method(
          'string_lower_ascii',
          [STRING],
          STRING,
          ascii(/[A-Z]/g, (c) => c.toLowerCase()),
        ),
      ],
    },
    {
      name: 'replace',
      overloads: [
        method('string_replace_string_string', [STRING, STRING, STRING], STRING, replace),
        method('string_replace_string_string_int', [STRING, STRING, STRING, INT], STRING, replace),
      ],
    },
    {
      name: 'split',
      overloads: [
        method('string_split_string', [STRING, STRING], listOf(STRING), split),
        method('string_split_string_int', [STRING, STRING, INT], listOf(STRING), split),
      ],
    },
    {
      name: 'substring',
      overloads: [
        method('string_substring_int', [STRING, INT], STRING, substring),
        method('string_substring_int_int', [STRING, INT, INT], STRING, substring),
      ],
    },
    { name: 'trim', overloads: [method('string_trim', [STRING], STRING, trim)] },
    {
      name: 'upperAscii',
      overloads: [
        method(
          'string_upper_ascii',
          [STRING],
          STRING,
          ascii(/[a-z]/g, (c) => c.toUpperCase()),
        ),
      ],
    },
    { name: 'format', overloads: [method('string_format', [STRING, listOf(DYN)], STRING, format)] },
    { name: 'strings.quote', overloads: [overload('strings_quote', [STRING], STRING, quote)] },
    {
      name: 'join',
      overloads: [
        method('list_join', [listOf(STRING)], STRING, join),
        method('list_join_string', [listOf(STRING), STRING], STRING, join),
      ],
    },
  ],
};
