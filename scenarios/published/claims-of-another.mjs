import { buriesClaims } from './operators.mjs';

export const main = buriesClaims(false);
