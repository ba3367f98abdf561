/**
 * Texts of scenarios and objects as a terminal may show them: whatever would move its cursor, change its colours or turn
 * the direction of writing is shown by its code instead. Lines and tabulators stay.
 */
const TELLING =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

export const printable = (text: string): string =>
  text.replace(TELLING, (character) => `\\u{${character.charCodeAt(0).toString(16)}}`);
