/** What a container leaves as its last word: the file that it is told to write, or the end of its log. */
import type { Container } from '../../api/types/core-v1.ts';
import { outputOf } from '../runtime/container-output.ts';
import type { RuntimeContainer } from '../runtime/container-runtime.ts';

const DEFAULT_PATH = '/dev/termination-log';
const MOST_OF_FILE = 4_096;
const MOST_OF_LOG = 2_048;
const MOST_LINES = 80;

/** Undefined: it says nothing. */
export function terminationMessageOf(
  { terminationMessagePath = DEFAULT_PATH, terminationMessagePolicy }: Container,
  ended: RuntimeContainer,
  { exitCode, atMs }: { readonly exitCode: number; readonly atMs: number },
): string | undefined {
  const file = ended.behaviour.files?.[terminationMessagePath] ?? '';
  if (file !== '') return file.slice(0, MOST_OF_FILE);
  if (terminationMessagePolicy !== 'FallbackToLogsOnError' || exitCode === 0) return undefined;
  const lines = outputOf(ended, { untilMs: atMs }).slice(-MOST_LINES);
  const log = lines.map(({ text }) => `${text}\n`).join('');
  return log === '' ? undefined : log.slice(-MOST_OF_LOG);
}
