/** Truths in flags, as Go's `strconv.ParseBool` reads them. */
const TRUTHS: ReadonlyMap<string, boolean> = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
]);

/** Undefined: it is none. */
export const parseGoBool = (text: string): boolean | undefined => TRUTHS.get(text);

/** What Go says of a text that is none. */
export const goBoolProblem = (text: string): string =>
  `strconv.ParseBool: parsing ${JSON.stringify(text)}: invalid syntax`;
