/** Digests of texts, for identifiers that depend on a text alone. Not for secrets. Pure. */

/** So many words of 8 hexadecimal digits. */
export const hexDigest = (text: string, words: number): string =>
  Array.from({ length: words }, (_, index) => hexWord(hash32(text, 0x811c9dc5 + index * 0x01000193))).join(
    '',
  );

const hexWord = (word: number): string => word.toString(16).padStart(8, '0');

/** FNV-1a of 32 bits, mixed once more at the end. */
export function hash32(text: string, start = 0x811c9dc5): number {
  let word = start | 0;
  for (let index = 0; index < text.length; index += 1)
    word = Math.imul(word ^ text.charCodeAt(index), 0x01000193);
  word = Math.imul(word ^ (word >>> 15), 0x85ebca6b);
  return (word ^ (word >>> 13)) >>> 0;
}
