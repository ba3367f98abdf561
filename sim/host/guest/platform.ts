/**
 * The globals of the platform itself: some test runners give tests others, and load this program again and again within one
 * process. What a process has but once is kept here, under a name that all copies know.
 */
import { Script } from 'node:vm';

export const platform = new Script('globalThis').runInThisContext() as object;
