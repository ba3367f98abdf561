/**
 * How many values a body may hold: members and elements, at any depth. Every step of a write goes over all of them, a
 * body at the limit of size can hold a million, and nobody else is served meanwhile. What etcd has room for, and
 * people write, holds far fewer. The real server, which serves others on other cores, has no such bound.
 */
import { ApiError } from '../status.ts';
import { endOfString } from './nesting.ts';

export const MOST_VALUES = 100_000;

export const tooManyValues = (): ApiError =>
  new ApiError({
    reason: 'RequestEntityTooLarge',
    message: `Request entity too large: limit is ${MOST_VALUES} values`,
  });

/** Characters of a value, and of the comma before it. */
const LEAST_OF_VALUE = 2;
/** A text, what is before a value, and what is before the first of several. */
const MARKS = /[",]|[[{](?!\s*[\]}])/g;

/** Of JSON. @throws ApiError RequestEntityTooLarge */
export const checkValuesOfText = (text: string): void => {
  if (text.length <= MOST_VALUES * LEAST_OF_VALUE) return;
  let count = 0;
  MARKS.lastIndex = 0;
  for (let mark = MARKS.exec(text); mark !== null; mark = MARKS.exec(text)) {
    if (mark[0] === '"') MARKS.lastIndex = endOfString(text, mark.index);
    else if (++count > MOST_VALUES) throw tooManyValues();
  }
};

/** @throws ApiError RequestEntityTooLarge */
export const checkValues = (value: unknown): void => {
  let count = 0;
  const pending: unknown[] = [value];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (typeof next !== 'object' || next === null) continue;
    const members: readonly unknown[] = Array.isArray(next) ? next : Object.values(next);
    count += members.length;
    if (count > MOST_VALUES) throw tooManyValues();
    for (const member of members) if (typeof member === 'object') pending.push(member);
  }
};
