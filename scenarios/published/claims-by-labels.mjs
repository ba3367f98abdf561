import { buriesLabelled } from './operators.mjs';

export const main = buriesLabelled(false);
