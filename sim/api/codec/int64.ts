/** Whether 64 bits hold a whole number that is kept as a double. */
export const fitsInt64 = (whole: number): boolean => Math.abs(whole) < 2 ** 63;
