/**
 * What a checkpoint of a container holds, as a tar archive: its configuration and runtime spec, the
 * descriptors and memory pages of its processes, a log of the dump. Specification: "Node-agent
 * checkpoint endpoint" 4.
 */
import { encodeJson } from '../../api/codec/encode.ts';
import { memoryPages, PAGE_BYTES, processStateOf, type ProcessState } from './process-memory.ts';
import { packTar, type TarEntry, unpackTar } from './tar-archive.ts';

export interface CheckpointedContainer {
  readonly id: string;
  readonly name: string;
  readonly image: string;
  readonly imageId: string;
  readonly command: readonly string[];
  readonly environment: readonly string[];
  readonly podName: string;
  readonly podNamespace: string;
  readonly podUid: string;
  readonly createdAt: string;
  readonly checkpointedAt: string;
  readonly restoredFrom: string | undefined;
  readonly memoryBytes: number;
  readonly process: ProcessState;
}

/** Only root may look at a process's memory. */
const PRIVATE = 0o600;
const FILE_MODE = 0o644;
const CHANGED_FILES = 'rootfs-diff.tar';
const TEXT = new TextEncoder();
const FROM_TEXT = new TextDecoder();

const json = (value: object): Uint8Array => TEXT.encode(`${encodeJson(value)}\n`);

export function packCheckpoint(container: CheckpointedContainer, nowSeconds: number): Uint8Array {
  const pages = memoryPages(container.process, container.memoryBytes);
  const entries: readonly (readonly [string, Uint8Array])[] = [
    ['config.dump', json(configOf(container))],
    ['spec.dump', json(specOf(container))],
    ...changedFiles(container.process, nowSeconds),
    ['checkpoint/inventory.img', json({ imgVersion: 2, fdinfoPerId: true, rootPid: 1, lsmType: 0 })],
    [
      'checkpoint/core-1.img',
      json({ pid: 1, comm: container.command[0] ?? container.name, taskState: 'TASK_ALIVE' }),
    ],
    ['checkpoint/files.img', json({ descriptors: DESCRIPTORS })],
    [
      'checkpoint/pagemap-1.img',
      json({ pagesId: 1, pageBytes: PAGE_BYTES, pages: pages.length / PAGE_BYTES }),
    ],
    ['checkpoint/pages-1.img', pages],
    [
      'dump.log',
      TEXT.encode(`Dumping finished successfully: ${pages.length / PAGE_BYTES} pages of ${container.id}\n`),
    ],
    ['stats-dump', json({ pagesWritten: pages.length / PAGE_BYTES, memoryBytes: container.memoryBytes })],
  ];
  return packTar(
    entries.map(([name, bytes]): TarEntry => ({ name, bytes, mode: PRIVATE })),
    nowSeconds,
  );
}

/** What the container has written beside its image: an archive in the archive, where there is something. */
function changedFiles(
  { files = {} }: ProcessState,
  nowSeconds: number,
): readonly (readonly [string, Uint8Array])[] {
  const entries = Object.entries(files)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([path, bytes]): TarEntry => ({ name: path.slice(1), bytes, mode: FILE_MODE }));
  return entries.length === 0 ? [] : [[CHANGED_FILES, packTar(entries, nowSeconds)]];
}

const DESCRIPTORS = [
  { fd: 0, type: 'REG', path: '/dev/null' },
  { fd: 1, type: 'PIPE', path: 'stdout' },
  { fd: 2, type: 'PIPE', path: 'stderr' },
];

function configOf(container: CheckpointedContainer): object {
  const { id, name, image, imageId, createdAt, checkpointedAt, restoredFrom } = container;
  return {
    id,
    name,
    rootfsImageName: image,
    rootfsImageRef: imageId,
    runtime: 'kubesim',
    createdTime: createdAt,
    checkpointedTime: checkpointedAt,
    ...(restoredFrom !== undefined && { restoredFrom }),
  };
}

function specOf({
  command,
  environment,
  podName,
  podNamespace,
  podUid,
  name,
  memoryBytes,
}: CheckpointedContainer): object {
  return {
    ociVersion: '1.1.0',
    process: { args: command, env: environment, cwd: '/' },
    hostname: podName,
    annotations: {
      'io.kubernetes.container.name': name,
      'io.kubernetes.pod.name': podName,
      'io.kubernetes.pod.namespace': podNamespace,
      'io.kubernetes.pod.uid': podUid,
    },
    linux: { resources: { memory: { limit: memoryBytes } } },
  };
}

/** What a restore needs of an archive. */
export interface RestoredCheckpoint {
  readonly image: string;
  readonly containerId: string;
  readonly process: ProcessState;
}

/** Undefined: not a checkpoint, or a damaged one. */
export function unpackCheckpoint(archive: Uint8Array): RestoredCheckpoint | undefined {
  const entries = new Map((unpackTar(archive) ?? []).map(({ name, bytes }) => [name, bytes]));
  const config = configIn(entries.get('config.dump'));
  const pages = entries.get('checkpoint/pages-1.img');
  const process = pages && processStateOf(pages);
  if (!config || !process) return undefined;
  const changed = unpackTar(entries.get(CHANGED_FILES) ?? new Uint8Array()) ?? [];
  const files = Object.fromEntries(changed.map(({ name, bytes }) => [`/${name}`, bytes]));
  return {
    ...config,
    process: changed.length > 0 ? { ...process, files } : process,
  };
}

/** Undefined: it is not there, or says no such thing. */
function configIn(bytes: Uint8Array | undefined): Omit<RestoredCheckpoint, 'process'> | undefined {
  try {
    const config: unknown = JSON.parse(FROM_TEXT.decode(bytes));
    if (typeof config !== 'object' || config === null) return undefined;
    const [id, image] = ['id', 'rootfsImageName'].map((name): unknown => Reflect.get(config, name));
    return typeof id === 'string' && typeof image === 'string' ? { containerId: id, image } : undefined;
  } catch {
    return undefined;
  }
}
