/** Regular expressions in Go's syntax: `matches`, `find`, `findAll`. */
import type { RE2JS } from 're2js';
import { goPattern } from '../../go-pattern.ts';
import { type Library, method, overload } from '../types/declarations.ts';
import { BOOL, INT, listOf, STRING } from '../types/type.ts';
import { ValueList } from '../values/containers.ts';
import { CelError, type CelValue, isInt, NO_OVERLOAD, type Result } from '../values/value.ts';

export function patternOf(text: string): RE2JS | CelError {
  const made = goPattern(text);
  return made.kind === 'pattern' ? made.pattern : new CelError(made.problem);
}

function matches(text: CelValue = null, pattern: CelValue = null): Result {
  if (typeof text !== 'string') return new CelError('no such overload: matches');
  if (typeof pattern !== 'string') return NO_OVERLOAD;
  const regex = patternOf(pattern);
  return regex instanceof CelError ? regex : regex.test(text);
}

const illegal = ({ message }: CelError): CelError => new CelError(`Illegal regex: ${message}`);

function find(text: CelValue = null, pattern: CelValue = null): Result {
  if (typeof text !== 'string' || typeof pattern !== 'string') return NO_OVERLOAD;
  const regex = patternOf(pattern);
  if (regex instanceof CelError) return illegal(regex);
  const matcher = regex.matcher(text);
  return matcher.find() ? (matcher.group() ?? '') : '';
}

function findAll(text: CelValue = null, pattern: CelValue = null, limit: CelValue = -1): Result {
  if (typeof text !== 'string' || typeof pattern !== 'string' || !isInt(limit)) return NO_OVERLOAD;
  const regex = patternOf(pattern);
  if (regex instanceof CelError) return illegal(regex);
  const found: string[] = [];
  const matcher = regex.matcher(text);
  const most = limit < 0 ? Number.POSITIVE_INFINITY : Number(limit);
  let last = -1;
  while (found.length < most && matcher.find()) {
    // Right after a match an empty one does not count.
    const isEmpty = matcher.start() === matcher.end();
    if (!isEmpty || matcher.start() !== last) found.push(matcher.group() ?? '');
    last = matcher.end();
  }
  return new ValueList(found);
}

export const MATCHES: Library = {
  functions: [
    {
      name: 'matches',
      overloads: [
        overload('matches', [STRING, STRING], BOOL),
        method('matches_string', [STRING, STRING], BOOL),
      ],
      call: matches,
    },
  ],
};

export const REGEX: Library = {
  functions: [
    { name: 'find', overloads: [method('string_find_string', [STRING, STRING], STRING, find)] },
    {
      name: 'findAll',
      overloads: [
        method('string_find_all_string', [STRING, STRING], listOf(STRING), findAll),
        method('string_find_all_string_int', [STRING, STRING, INT], listOf(STRING), findAll),
      ],
    },
  ],
};
