import { growsBySet } from './operators.mjs';

export const main = growsBySet(true);
