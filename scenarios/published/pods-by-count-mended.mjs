import { countsPods } from './operators.mjs';

export const main = countsPods(true);
