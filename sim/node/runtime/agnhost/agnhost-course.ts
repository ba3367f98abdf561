/**
 * What programs of Kubernetes' test image do that ask nobody: `mounttest` shows and writes files of volumes,
 * `entrypoint-tester` its own words, `etc-hosts` the names of hosts; `pause` waits. Modes and owners of files are not known.
 * Pure. Kubernetes 1.31: test/images/agnhost.
 */
import { goQuote } from '../../../api/go-text.ts';
import type { CommandCourse, CourseFiles } from '../course.ts';
import { valueOfFlag } from './agnhost-image.ts';

const WRITTEN = 'mount-tester new file\n';
const NEW_FILES = ['--new_file_0644', '--new_file_0666', '--new_file_0660', '--new_file_0777'];
const SHOWN = '--file_content';

/** `path`: as it was called. Undefined: it just runs, or not all of it is known. */
export function courseOfAgnhost(
  path: string,
  [program, ...flags]: readonly string[],
  files: CourseFiles,
): CommandCourse | undefined {
  if (program === 'pause' || program === undefined) return { logs: [{ text: 'Paused' }] };
  const text = agnhostText([program, ...flags], (file) => files.at(file));
  if (text !== undefined) return printed([text.replace(/\n$/, '')], 0);
  if (program === 'entrypoint-tester') return printed([`[${[path, program, ...flags].join(' ')}]`], 0);
  return program === 'mounttest' ? mountTest(flags, files) : undefined;
}

/** What programs show of the files that the system puts into containers; undefined: it is none of them. */
export function agnhostText(
  [program]: readonly string[],
  fileAt: (path: string) => Uint8Array | undefined,
): string | undefined {
  const textAt = (path: string): string => new TextDecoder().decode(fileAt(path));
  const resolver = (name: string): readonly string[] =>
    textAt('/etc/resolv.conf')
      .split('\n')
      .filter((line) => line.startsWith(`${name} `))
      .flatMap((line) => line.split(' ').slice(1));
  switch (program) {
    case 'etc-hosts':
      return textAt('/etc/hosts');
    case 'dns-suffix':
      return resolver('search').join(',');
    case 'dns-server-list':
      return resolver('nameserver').join(',');
    default:
      return undefined;
  }
}

const printed = (lines: readonly string[], exitCode: number): CommandCourse => ({
  logs: lines.flatMap((text) => text.split('\n').map((line) => ({ text: line, afterSeconds: 0 }))),
  runsForSeconds: 0,
  exitCode,
});

function mountTest(flags: readonly string[], files: CourseFiles): CommandCourse | undefined {
  const isKnown = flags.every((flag) => [...NEW_FILES, SHOWN].some((name) => flag.startsWith(`${name}=`)));
  if (flags.length === 0 || !isKnown) return undefined;
  const made = NEW_FILES.flatMap((name) => valueOfFlag(flags, name) ?? []);
  const shown = valueOfFlag(flags, SHOWN);
  if ([...made, ...(shown === undefined ? [] : [shown])].some((path) => !files.knows(path))) return undefined;
  const writes = new Map(made.map((path) => [path, new TextEncoder().encode(WRITTEN)] as const));
  const lines = made.map((path) => contentLine(path, WRITTEN));
  const bytes = shown === undefined ? undefined : (writes.get(shown) ?? files.at(shown));
  if (shown !== undefined)
    lines.push(
      bytes
        ? contentLine(shown, new TextDecoder().decode(bytes))
        : `error reading file content for ${goQuote(shown)}: open ${shown}: no such file or directory`,
    );
  const course = printed(lines, shown !== undefined && !bytes ? 1 : 0);
  return writes.size > 0 ? { ...course, writes } : course;
}

const contentLine = (path: string, text: string): string => `content of file ${goQuote(path)}: ${text}`;
