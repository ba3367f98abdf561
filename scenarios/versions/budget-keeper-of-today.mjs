/** The same operator in the version that every release since 1.21 serves. */
import { keeperOf } from './budget-keeper.mjs';

export const main = keeperOf('v1');
