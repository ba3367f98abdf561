/** The same controller, that reads anew what it acts on, and clears up whatever it finds. */
import { stepsWith } from './steps-by-old-view.mjs';

export const main = stepsWith(true);
