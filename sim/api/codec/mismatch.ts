/** Thrown, without a stack, when a value does not fit its schema; what is wrong is found out afterwards. */
export const MISMATCH = Symbol('a value does not fit its schema');
