/** What agents fill the volumes of a pod with: ConfigMaps, Secrets, the pod's own fields, and tokens. Pure. */
import { decodeBase64 } from '../../api/codec/base64.ts';
import { compareStrings, goQuote } from '../../api/go-text.ts';
import type {
  ConfigMap,
  DownwardAPIVolumeFile,
  Pod,
  Secret,
  ServiceAccountTokenProjection,
  Volume,
} from '../../api/types/core-v1.ts';
import { USUAL_FILE_MODE } from '../runtime/file-tree.ts';
import { ownField, ownResource, type PodSurroundings } from '../environment/own-fields.ts';

export interface ConfigSource {
  readonly kind: 'configmap' | 'secret';
  readonly name: string;
  readonly isOptional: boolean;
  /** Keys that have to be there, and where; none: all that are there. */
  readonly items: readonly { readonly key: string; readonly path: string; readonly mode?: number }[];
  readonly defaultMode: number;
}

export interface OwnSource {
  readonly kind: 'own';
  readonly items: readonly DownwardAPIVolumeFile[];
  readonly defaultMode: number;
}

export interface TokenSource {
  readonly kind: 'token';
  readonly token: ServiceAccountTokenProjection;
  readonly defaultMode: number;
}

export type VolumeSource = ConfigSource | OwnSource | TokenSource;

export const isConfig = (source: VolumeSource): source is ConfigSource =>
  source.kind === 'configmap' || source.kind === 'secret';

export interface ProjectedFile {
  readonly bytes: Uint8Array;
  /** As the volume says. */
  readonly mode: number;
}

/** Files by path below the volume. */
export type ProjectedFiles = ReadonlyMap<string, ProjectedFile>;

/** Every pod has this volume, made by the server; what it is made of is in every namespace. */
const TOKEN_VOLUME = 'kube-api-access-';

export const isTokenVolume = ({ name }: Volume): boolean => name.startsWith(TOKEN_VOLUME);

/** Agents fill it, and nobody else writes there. */
export const isFilled = ({ configMap, secret, downwardAPI, projected }: Volume): boolean =>
  (configMap ?? secret ?? downwardAPI ?? projected) !== undefined;

interface Reference extends Partial<Pick<ConfigSource, 'items' | 'defaultMode'>> {
  readonly optional?: boolean;
}

export function sourcesOf({ configMap, secret, downwardAPI, projected }: Volume): readonly VolumeSource[] {
  const { defaultMode = USUAL_FILE_MODE } = projected ?? {};
  const all = [
    configOf('configmap', configMap?.name, configMap),
    configOf('secret', secret?.secretName, secret),
    ownOf(downwardAPI?.items, downwardAPI?.defaultMode),
    ...(projected?.sources ?? []).flatMap((each) => [
      configOf('configmap', each.configMap?.name, each.configMap && { defaultMode, ...each.configMap }),
      configOf('secret', each.secret?.name, each.secret && { defaultMode, ...each.secret }),
      ownOf(each.downwardAPI?.items, defaultMode),
      each.serviceAccountToken && ({ kind: 'token', token: each.serviceAccountToken, defaultMode } as const),
    ]),
  ];
  return all.flatMap((source) => source ?? []);
}

function configOf(
  kind: ConfigSource['kind'],
  name: string | undefined,
  reference: Reference | undefined,
): ConfigSource | undefined {
  if (name === undefined || !reference) return undefined;
  const { optional: isOptional = false, items = [], defaultMode = USUAL_FILE_MODE } = reference;
  return { kind, name, isOptional, items, defaultMode };
}

const ownOf = (
  items: readonly DownwardAPIVolumeFile[] | undefined,
  defaultMode = USUAL_FILE_MODE,
): OwnSource | undefined => items && { kind: 'own', items, defaultMode };

/** Undefined: everything is there. */
export function missingKey(
  { kind, items, isOptional }: ConfigSource,
  data: Readonly<Record<string, unknown>>,
): string | undefined {
  const missing = isOptional ? undefined : items.find(({ key }) => data[key] === undefined);
  if (missing === undefined) return undefined;
  return kind === 'configmap'
    ? `configmap references non-existent config key: ${missing.key}`
    : `references non-existent secret key: ${missing.key}`;
}

const TEXT = new TextEncoder();

/** Of the keys that are there. */
export function configContents(
  { kind, items, defaultMode }: ConfigSource,
  object: ConfigMap | Secret,
): ProjectedFiles {
  const data = Object.entries(object.data ?? {}).map(
    ([key, value]) => [key, kind === 'secret' ? decodeBase64(value) : TEXT.encode(value)] as const,
  );
  const binary = 'binaryData' in object ? Object.entries(object.binaryData ?? {}) : [];
  const all = new Map([...data, ...binary.map(([key, value]) => [key, decodeBase64(value)] as const)]);
  const wanted = items.length > 0 ? items : Array.from(all.keys(), (key) => ({ key, path: key }));
  return new Map(
    wanted.flatMap(({ key, path, mode = defaultMode }: ConfigSource['items'][number]) => {
      const bytes = all.get(key);
      return bytes ? [[path, { bytes, mode }] as const] : [];
    }),
  );
}

/** What cannot be told is empty. */
export const ownContents = (
  { items, defaultMode }: OwnSource,
  surroundings: PodSurroundings,
): ProjectedFiles =>
  new Map(
    items.map(({ path, fieldRef, resourceFieldRef, mode = defaultMode }) => {
      const text = fieldRef
        ? (mapText(fieldRef.fieldPath, surroundings.pod) ?? ownField(fieldRef.fieldPath, surroundings))
        : resourceFieldRef && ownResource(resourceFieldRef, {}, surroundings);
      return [path, { bytes: TEXT.encode(text ?? ''), mode }] as const;
    }),
  );

/** `app="web"` in a line for each. */
function mapText(path: string, { metadata }: Pod): string | undefined {
  if (path !== 'metadata.labels' && path !== 'metadata.annotations') return undefined;
  const map = path === 'metadata.labels' ? metadata.labels : metadata.annotations;
  return Object.entries(map ?? {})
    .sort(([a], [b]) => compareStrings(a, b))
    .map(([key, value]) => `${key}=${goQuote(value)}`)
    .join('\n');
}
