/** The same operator, that goes by what there is. */
import { givesBackWith } from './claims-by-glimpse.mjs';

export const main = givesBackWith(true);
