/** The same operator, that names what it makes. */
import { countsWith } from './copies-by-count.mjs';

export const main = countsWith(true);
