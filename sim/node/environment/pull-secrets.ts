/** The secrets by which an agent asks registries for images: images may be pulled without them all the same. */
import type { Pod } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import type { Process } from '../../engine/process.ts';
import { readConfig } from './config-source.ts';

/** Names of those that cannot be had. References without a name are none. */
export function* missingPullSecrets(client: ApiClient, { metadata, spec }: Pod): Process<readonly string[]> {
  const missing: string[] = [];
  for (const { name } of spec?.imagePullSecrets ?? []) {
    if (!name) continue;
    const reference = { kind: 'secret', namespace: metadata.namespace ?? '', name } as const;
    if ((yield* readConfig(client, reference)).kind !== 'found') missing.push(name);
  }
  return missing;
}
