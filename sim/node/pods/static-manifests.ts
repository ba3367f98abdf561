/**
 * The manifests on a node's disk, one pod in each file, JSON or YAML: read again whenever the disk has changed. A file
 * that is no pod is passed over.
 */
import type { BuiltinTypes } from '../../api/catalog/builtin-types.ts';
import { DecodeError } from '../../api/codec/decode-error.ts';
import { decodeStruct } from '../../api/codec/decode.ts';
import { encodeJson } from '../../api/codec/encode.ts';
import { yamlToJson } from '../../api/codec/yaml.ts';
import { formatTime } from '../../api/time-format.ts';
import type { Container, Pod } from '../../api/types/core-v1.ts';
import type { Context } from '../../engine/context.ts';
import type { Process } from '../../engine/process.ts';
import { type Disk, OF_ROOT } from '../machine/disk.ts';
import { hexDigest } from '../text-digest.ts';
import { staticPodOf } from './static-pod.ts';

export const MANIFEST_DIRECTORY = '/etc/kubernetes/manifests';
const FROM_TEXT = new TextDecoder();
const TO_TEXT = new TextEncoder();
/** A uid has 32 hexadecimal digits. */
const UID_WORDS = 4;

export interface StaticManifestsOptions {
  readonly context: Context;
  readonly disk: Disk;
  readonly nodeName: string;
  /** Those of the agent's release. */
  readonly types: BuiltinTypes;
  /** All pods that there are manifests for; called again when they have changed. */
  readonly found: (pods: readonly Pod[]) => void;
}

export class StaticManifests {
  readonly #options: StaticManifestsOptions;
  /** By path: the text as it was read, and the pod that it means. */
  readonly #known = new Map<string, { readonly text: string; readonly pod: Pod | undefined }>();

  constructor(options: StaticManifestsOptions) {
    this.#options = options;
  }

  /** Without end. */
  *run(): Process<void> {
    for (;;) {
      this.look();
      yield* this.#options.disk.changed.wait();
    }
  }

  look(): void {
    const { disk, found } = this.#options;
    const paths = disk.list(MANIFEST_DIRECTORY).filter(isManifest);
    let hasNews = false;
    for (const path of [...this.#known.keys()]) {
      if (paths.includes(path)) continue;
      this.#known.delete(path);
      hasNews = true;
    }
    for (const path of paths) hasNews = this.#read(path) || hasNews;
    if (hasNews) found([...this.#known.values()].flatMap(({ pod }) => pod ?? []));
  }

  /** Whether it says something new. */
  #read(path: string): boolean {
    const { disk, context, nodeName, types } = this.#options;
    const text = FROM_TEXT.decode(disk.read(path)?.bytes);
    if (this.#known.get(path)?.text === text) return false;
    const manifest = manifestOf(text, types);
    if (!manifest) {
      this.#known.set(path, { text, pod: undefined });
      context.trace('manifest refused', path);
      return true;
    }
    const seen = formatTime(context.wallMs());
    const hash = hexDigest(`host:${nodeName} file:${path} ${encodeJson(manifest)}`, UID_WORDS);
    this.#known.set(path, { text, pod: staticPodOf(manifest, { nodeName, hash, seen }) });
    return true;
  }
}

/** Directly in the directory, and not hidden. */
function isManifest(path: string): boolean {
  const name = path.slice(MANIFEST_DIRECTORY.length + 1);
  return !name.includes('/') && !name.startsWith('.');
}

/** Undefined: the text is no pod. */
export function manifestOf(text: string, types: BuiltinTypes): Pod | undefined {
  try {
    const { value } = yamlToJson(text);
    const { kind, apiVersion } = (value ?? {}) as { readonly kind?: unknown; readonly apiVersion?: unknown };
    if (kind !== 'Pod' || apiVersion !== 'v1') return undefined;
    const pod = decodeStruct(types.structOf('v1.Pod'), value) as object as Pod;
    const { spec } = pod;
    const containers: readonly Container[] | null = spec?.containers ?? null;
    return pod.metadata.name && spec && containers ? withPullPolicies(pod, spec) : undefined;
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

/** Nobody fills in defaults for a pod that does not come from the API. */
function withPullPolicies(pod: Pod, spec: NonNullable<Pod['spec']>): Pod {
  const withPolicy = (container: Container): Container => ({
    imagePullPolicy: /(:latest|\/[^:]*|^[^:]*)$/.test(container.image ?? '') ? 'Always' : 'IfNotPresent',
    ...container,
  });
  const init = spec.initContainers?.map(withPolicy);
  return {
    ...pod,
    spec: { ...spec, containers: spec.containers.map(withPolicy), ...(init && { initContainers: init }) },
  };
}

/**
 * Puts a manifest on the disk, as whoever sets up the machine does.
 * @throws RangeError when it is no pod
 */
export function writeManifest(disk: Disk, manifest: object, types: BuiltinTypes): void {
  const text = JSON.stringify(manifest);
  const pod = manifestOf(text, types);
  if (!pod)
    throw new RangeError(`a static pod needs apiVersion v1, kind Pod, a name and containers: ${text}`);
  const { namespace = 'default', name = '' } = pod.metadata;
  const path = `${MANIFEST_DIRECTORY}/${namespace}-${name}.json`;
  disk.write(path, { bytes: TO_TEXT.encode(text), mode: 0o600, owner: OF_ROOT });
}
