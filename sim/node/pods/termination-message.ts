/**
 * What a container leaves as its last word: the file that it is told to write, or the end of its log. All containers of a
 * pod together have so much room. Kubernetes 1.31 (kubelet).
 */
import type { Container, PodSpec } from '../../api/types/core-v1.ts';
import { outputOf, textOfLine } from '../runtime/container-output.ts';
import type { ContainerRuntime, RuntimeContainer } from '../runtime/container-runtime.ts';

const DEFAULT_PATH = '/dev/termination-log';
/** Bytes. */
const MOST_OF_FILE = 4_096;
const MOST_OF_LOG = 2_048;
const MOST_OF_POD = 12 * 1_024;
const MOST_LINES = 80;

export interface EndedContainer {
  readonly spec: Container;
  readonly pod: Pick<PodSpec, 'containers' | 'initContainers'>;
  readonly running: RuntimeContainer;
  readonly runtime: ContainerRuntime;
  readonly exitCode: number;
  /** By the runtime's clock. */
  readonly atMs: number;
}

/** Undefined: it says nothing. */
export function terminationMessageOf(ended: EndedContainer): string | undefined {
  const { containers, initContainers = [] } = ended.pod;
  const most = Math.floor(MOST_OF_POD / (containers.length + initContainers.length));
  const said = fileOf(ended);
  const bytes = said.length > 0 ? said : logOf(ended);
  return bytes.length > 0 ? FROM_TEXT.decode(bytes.subarray(0, most)) : undefined;
}

const TEXT = new TextEncoder();
const FROM_TEXT = new TextDecoder();

/** Its end. */
function fileOf({ spec, running, runtime }: EndedContainer): Uint8Array {
  const { terminationMessagePath: path = DEFAULT_PATH } = spec;
  const written = runtime.written.of(running.id);
  const bytes = written.has(path) ? written.get(path) : TEXT.encode(running.behaviour.files?.[path] ?? '');
  return (bytes ?? NOTHING).subarray(-MOST_OF_FILE);
}

const NOTHING = new Uint8Array();

function logOf({ spec, running, exitCode, atMs }: EndedContainer): Uint8Array {
  if (spec.terminationMessagePolicy !== 'FallbackToLogsOnError' || exitCode === 0) return NOTHING;
  const lines = outputOf(running, { untilMs: atMs }).slice(-MOST_LINES);
  return TEXT.encode(lines.map(textOfLine).join('')).subarray(-MOST_OF_LOG);
}
