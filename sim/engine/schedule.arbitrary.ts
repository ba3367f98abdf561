/** For tests: all kinds of schedules. */
import fc from 'fast-check';
import type { Schedule } from './schedule-policy.ts';
import { milliseconds } from './time.ts';

export const schedules = fc.constantFrom<Schedule>(
  'first-come',
  'random',
  { policy: 'random', window: milliseconds(2) },
  { policy: 'priorities', changePoints: 5, window: milliseconds(2) },
);
