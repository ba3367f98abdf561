/** ConfigMaps and Secrets as an agent reads them for its pods. */
import { decodeBase64 } from '../../api/codec/base64.ts';
import type { ConfigMap, Secret } from '../../api/types/core-v1.ts';
import type { ApiClient } from '../../client/api-client.ts';
import { isCallFailure, isNotFound } from '../../client/api-failure.ts';
import { BUILTIN_HANDLES } from '../../client/builtin-handles.ts';
import { NoAnswer } from '../../client/no-answer.ts';
import type { Process } from '../../engine/process.ts';

const { configMaps, secrets } = BUILTIN_HANDLES;

export interface ConfigReference {
  readonly kind: 'configmap' | 'secret';
  readonly namespace: string;
  readonly name: string;
}

/** `message`: what the agent says of it. */
export type ConfigOutcome =
  | { readonly kind: 'found'; readonly object: ConfigMap | Secret }
  | { readonly kind: 'missing'; readonly message: string }
  | { readonly kind: 'unread'; readonly message: string };

export function* readConfig(client: ApiClient, reference: ConfigReference): Process<ConfigOutcome> {
  const { kind, namespace, name } = reference;
  try {
    const handle = kind === 'configmap' ? configMaps : secrets;
    const object: ConfigMap | Secret = yield* client.get<ConfigMap | Secret>(handle, { namespace, name });
    return { kind: 'found', object };
  } catch (error) {
    if (isNotFound(error)) return { kind: 'missing', message: `${kind} ${JSON.stringify(name)} not found` };
    if (!isCallFailure(error)) throw error;
    const isUnheard = error instanceof NoAnswer;
    const message = isUnheard
      ? `failed to sync ${kind} cache: timed out waiting for the condition`
      : error.message;
    return { kind: 'unread', message };
  }
}

/** What is in it as text, by key. */
export function textsOf(
  kind: ConfigReference['kind'],
  { data }: ConfigMap | Secret,
): ReadonlyMap<string, string> {
  const isEncoded = kind === 'secret';
  const entries = Object.entries(data ?? {});
  return new Map(entries.map(([key, value]) => [key, isEncoded ? decodedText(value) : value]));
}

const decodedText = (value: string): string => new TextDecoder().decode(decodeBase64(value));
