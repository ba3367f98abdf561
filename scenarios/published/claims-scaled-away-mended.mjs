import { shrinksClaims } from './operators.mjs';

export const main = shrinksClaims(true);
