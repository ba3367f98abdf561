import { buriesSet } from './operators.mjs';

export const main = buriesSet(true);
