/** Faults as people write and read them. */
import { formatDuration } from '../language/duration.ts';
import type { Json, JsonMap } from '../language/shape.ts';

/** Spans of time are texts in what people write. */
const SPANS: ReadonlySet<string> = new Set(['by', 'down', 'up', 'min', 'typical', 'max', 'takes']);

/** From a fault as it is done to one as it is written. */
export const writtenFault = (fault: object): JsonMap => written(fault as JsonMap) as JsonMap;

function written(value: Json): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      SPANS.has(name) && typeof inner === 'number' ? formatDuration(inner) : written(inner),
    ]),
  );
}

/** `crash guest/operator`: of a fault as it is written. */
export function faultText(fault: JsonMap): string {
  const [[verb = '', fields = {}] = []] = Object.entries(fault);
  const whom = Object.values(fields as JsonMap)
    .filter((value) => typeof value === 'string')
    .join(' ');
  return `\`${`${verb} ${whom}`.trim()}\``;
}
