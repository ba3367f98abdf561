/** Reads what agents fill a volume with. */
import type { TokenRequest } from '../../api/types/authentication-k8s-io-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import type { Process } from '../../engine/process.ts';
import { readConfig } from '../environment/config-source.ts';
import type { PodSurroundings } from '../environment/own-fields.ts';
import type { FileAttributes } from '../machine/disk.ts';
import {
  type ConfigSource,
  configContents,
  missingKey,
  ownContents,
  type ProjectedFiles,
  type TokenSource,
  type VolumeSource,
} from './projected-sources.ts';
import { filledFile, filledToken } from './volume-ownership.ts';

export interface VolumeFile {
  readonly bytes: Uint8Array;
  readonly attributes: FileAttributes;
}

/** Files by path below the volume. */
export type VolumeContents = ReadonlyMap<string, VolumeFile>;

/** A text: why there is none. */
export function* contentsOf(
  client: ApiClient,
  sources: readonly VolumeSource[],
  surroundings: PodSurroundings,
): Process<VolumeContents | string> {
  const { pod } = surroundings;
  const all = new Map<string, VolumeFile>();
  for (const source of sources) {
    const found = yield* contentsOfOne(client, source, surroundings);
    if (typeof found === 'string') return found;
    const owned = source.kind === 'token' ? filledToken : filledFile;
    for (const [path, { bytes, mode }] of found) all.set(path, { bytes, attributes: owned(mode, pod) });
  }
  return all;
}

function* contentsOfOne(
  client: ApiClient,
  source: VolumeSource,
  surroundings: PodSurroundings,
): Process<ProjectedFiles | string> {
  switch (source.kind) {
    case 'own':
      return ownContents(source, surroundings);
    case 'token':
      return yield* tokenContents(client, source, surroundings);
    default:
      return yield* configured(client, source, surroundings.pod.metadata.namespace ?? '');
  }
}

function* configured(
  client: ApiClient,
  source: ConfigSource,
  namespace: string,
): Process<ProjectedFiles | string> {
  const { kind, name, isOptional } = source;
  const outcome = yield* readConfig(client, { kind, namespace, name });
  if (outcome.kind !== 'found') return outcome.kind === 'missing' && isOptional ? new Map() : outcome.message;
  const { object } = outcome;
  const binary = 'binaryData' in object ? object.binaryData : undefined;
  return missingKey(source, { ...object.data, ...binary }) ?? configContents(source, object);
}

const DEFAULT_TOKEN_SECONDS = 3600;

function* tokenContents(
  client: ApiClient,
  { token: { path, audience = '', expirationSeconds = DEFAULT_TOKEN_SECONDS }, defaultMode }: TokenSource,
  { pod: { metadata, spec } }: PodSurroundings,
): Process<ProjectedFiles | string> {
  const { name = '', namespace = '', uid = '' } = metadata;
  const request = {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    metadata: { name: spec?.serviceAccountName ?? 'default', namespace },
    spec: {
      audiences: audience === '' ? [] : [audience],
      expirationSeconds,
      boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name, uid },
    },
  };
  try {
    const handle = BUILTIN_HANDLES.serviceAccounts;
    const answer = yield* client.create(handle, request, { subresource: 'token' });
    const { status } = answer as unknown as TokenRequest;
    return new Map([[path, { bytes: new TextEncoder().encode(status?.token ?? ''), mode: defaultMode }]]);
  } catch (error) {
    if (!isCallFailure(error)) throw error;
    return `failed to fetch token: ${error.message}`;
  }
}
