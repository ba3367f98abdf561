/**
 * A short text that stands for the content of a document: entity tags of aggregated discovery, and the hashes in the
 * index of OpenAPI documents. Equal content has an equal tag in every process. Upper-case hexadecimal digits.
 */
export function contentTag(text: string): string {
  // Four independent FNV-1a style lanes: enough that different documents of one server never share a tag.
  const lanes = [0x811c9dc5, 0x01000193, 0x9e3779b9, 0x85ebca6b];
  for (let index = 0; index < text.length; index += 1) {
    const lane = index & 3;
    lanes[lane] = Math.imul((lanes[lane] ?? 0) ^ text.charCodeAt(index), 0x01000193);
    lanes[(lane + 1) & 3] = Math.imul((lanes[(lane + 1) & 3] ?? 0) ^ (lanes[lane] ?? 0), 0x85ebca6b);
  }
  return lanes
    .map((lane) => (lane >>> 0).toString(16).padStart(8, '0'))
    .join('')
    .toUpperCase();
}

/** As the header `ETag` carries it. */
export const entityTag = (text: string): string => `"${contentTag(text)}"`;
