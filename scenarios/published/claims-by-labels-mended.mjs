import { buriesLabelled } from './operators.mjs';

export const main = buriesLabelled(true);
