/**
 * What programs of Kubernetes' test image do that ask nobody: `entrypoint-tester` shows its own words, `etc-hosts` the names
 * of hosts; `pause` waits. What `mounttest` finds in volumes is known once it runs. Pure. Kubernetes 1.31: test/images/agnhost.
 */
import type { CommandCourse, CourseFiles } from '../course.ts';

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
  return program === 'mounttest' ? { isOpen: true, logs: [] } : undefined;
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
