/** Programs of simulated containers that look closely at a file: `stat`, `hexdump`. */
import type { Process } from '../../engine/process.ts';
import type { CommandPlace, CommandStreams } from './command-place.ts';
import { type FileFacts, factsOf, modeText } from './file-facts.ts';
import { readFile } from './file-programs.ts';
import { notModelled } from './text-programs.ts';

const OCTAL = 8;

/** What stands for each letter of a format. */
const FIELDS: Readonly<Record<string, (facts: FileFacts, path: string) => string>> = {
  '%': () => '%',
  a: ({ mode }) => mode.toString(OCTAL),
  A: (facts) => modeText(facts),
  F: ({ isDirectory, sizeBytes }) =>
    isDirectory ? 'directory' : sizeBytes === 0 ? 'regular empty file' : 'regular file',
  g: ({ owner }) => String(owner.gid),
  G: ({ owner }) => nameOf(owner.gid),
  n: (_facts, path) => path,
  s: ({ sizeBytes }) => String(sizeBytes),
  u: ({ owner }) => String(owner.uid),
  U: ({ owner }) => nameOf(owner.uid),
};

const nameOf = (id: number): string => (id === 0 ? 'root' : 'UNKNOWN');

/** `stat -c format file…`: inodes, links and times are not known. */
export function* stat(
  [flag, format = '', ...paths]: readonly string[],
  streams: CommandStreams,
  place: CommandPlace,
): Process<number> {
  const letters = Array.from(format.matchAll(/%(.)/g), ([, letter = '']) => letter);
  if (flag !== '-c' || letters.some((letter) => !(letter in FIELDS)))
    return yield* notModelled('stat but with -c, of names, modes, owners and sizes', streams, place);
  let exitCode = 0;
  for (const path of paths) {
    const facts = factsOf(place, path);
    if (facts)
      streams.write(
        `${format.replaceAll(/%(.)/g, (_, letter: string) => FIELDS[letter]?.(facts, path) ?? '')}\n`,
      );
    else {
      streams.writeError(`stat: can't stat '${path}': No such file or directory\n`);
      exitCode = 1;
    }
  }
  return exitCode;
}

const IN_A_LINE = 16;
const HALF = IN_A_LINE / 2;
const HEX = 16;
const OFFSET_DIGITS = 8;
/** Of the bytes, with the gap in their middle. */
const COLUMNS = IN_A_LINE * 3 + 1;

/** `hexdump -C file`. */
export function* hexdump(
  [flag, path, ...more]: readonly string[],
  streams: CommandStreams,
  place: CommandPlace,
): Process<number> {
  if (flag !== '-C' || path === undefined || more.length > 0)
    return yield* notModelled('hexdump but of one file with -C', streams, place);
  const bytes = readFile(place, path);
  if (typeof bytes === 'string') {
    streams.writeError(`hexdump: ${path}: ${bytes}\n`);
    return 1;
  }
  for (let at = 0; at < bytes.length; at += IN_A_LINE)
    streams.write(`${dumpLine(bytes.subarray(at, at + IN_A_LINE), at)}\n`);
  if (bytes.length > 0) streams.write(`${inHex(bytes.length, OFFSET_DIGITS)}\n`);
  return 0;
}

function dumpLine(bytes: Uint8Array, at: number): string {
  const pairs = Array.from(bytes, (byte, index) => `${index === HALF ? ' ' : ''}${inHex(byte, 2)} `);
  const shown = Array.from(bytes, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'));
  return `${inHex(at, OFFSET_DIGITS)}  ${pairs.join('').padEnd(COLUMNS)} |${shown.join('')}|`;
}

const inHex = (value: number, digits: number): string => value.toString(HEX).padStart(digits, '0');
