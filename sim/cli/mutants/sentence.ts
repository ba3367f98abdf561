const LONGEST = 400;

/** As tables keep what is told of a bug. */
export const shortened = (sentence: string): string => sentence.slice(0, LONGEST);
