/** What other servers say of themselves, beside what this one says: its own word comes first, then theirs by priority. */
import { byKey } from '../../api/go-text.ts';
import type { JsonObject } from '../../api/object.ts';
import { mergedSwagger } from '../openapi/merge-swagger.ts';
import type { ForeignService, ForeignServices } from './foreign-services.ts';

function byPriority(foreign: ForeignServices): readonly ForeignService[] {
  return [...foreign.services.values()].sort(
    (a, b) => b.groupPriority - a.groupPriority || b.versionPriority - a.versionPriority,
  );
}

/** Whoever has said to have a document of that name. */
export const publisherOf = (foreign: ForeignServices, name: string): ForeignService | undefined =>
  byPriority(foreign).find((service) => foreign.indexOf(service.name)?.has(name));

/** `/openapi/v3`. */
export function withForeignIndex(own: JsonObject, foreign: ForeignServices): JsonObject {
  if (foreign.services.size === 0) return own;
  const paths = new Map(Object.entries(own['paths'] as JsonObject));
  for (const { name } of byPriority(foreign))
    for (const [document, serverRelativeURL] of foreign.indexOf(name) ?? [])
      if (!paths.has(document)) paths.set(document, { serverRelativeURL });
  return { ...own, paths: Object.fromEntries([...paths].sort(byKey)) };
}

/** `/openapi/v2`. */
export function withForeignSwagger(own: JsonObject, foreign: ForeignServices): JsonObject {
  const others = byPriority(foreign).flatMap(({ name, group, version }) => {
    const document = foreign.swaggerOf(name);
    return document ? [{ prefix: `/apis/${group}/${version}/`, document }] : [];
  });
  return others.length === 0 ? own : mergedSwagger(own, others);
}
