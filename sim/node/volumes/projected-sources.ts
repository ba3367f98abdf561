/** Which ConfigMaps and Secrets the volumes of a pod are made of, and what is said of those that lack something. Pure. */
import type { Volume } from '../../api/types/core-v1.ts';

export interface VolumeSource {
  readonly kind: 'configmap' | 'secret';
  readonly name: string;
  readonly isOptional: boolean;
  /** Keys that have to be there. */
  readonly keys: readonly string[];
}

/** Every pod has this volume, made by the server; what it is made of is in every namespace. */
const TOKEN_VOLUME = 'kube-api-access-';

interface Reference {
  readonly optional?: boolean;
  readonly items?: readonly { readonly key: string }[];
}

export function sourcesOf({ name, configMap, secret, projected }: Volume): readonly VolumeSource[] {
  if (name.startsWith(TOKEN_VOLUME)) return [];
  const all = [
    sourceOf('configmap', configMap?.name, configMap),
    sourceOf('secret', secret?.secretName, secret),
    ...(projected?.sources ?? []).flatMap((each) => [
      sourceOf('configmap', each.configMap?.name, each.configMap),
      sourceOf('secret', each.secret?.name, each.secret),
    ]),
  ];
  return all.flatMap((source) => source ?? []);
}

function sourceOf(
  kind: VolumeSource['kind'],
  name: string | undefined,
  reference: Reference | undefined,
): VolumeSource | undefined {
  if (name === undefined || !reference) return undefined;
  const { optional: isOptional = false, items = [] } = reference;
  return { kind, name, isOptional, keys: items.map(({ key }) => key) };
}

/** Undefined: everything is there. */
export function missingKey(
  { kind, keys, isOptional }: VolumeSource,
  data: Readonly<Record<string, unknown>>,
): string | undefined {
  const missing = isOptional ? undefined : keys.find((key) => data[key] === undefined);
  if (missing === undefined) return undefined;
  return kind === 'configmap'
    ? `configmap references non-existent config key: ${missing}`
    : `references non-existent secret key: ${missing}`;
}
