/**
 * Tar archives (POSIX ustar) in memory, byte for byte the same for the same entries: no times, users
 * or order of their own. Synchronous, because the simulation knows no promises.
 */
export interface TarEntry {
  /** Relative path that `fitsTar`. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly mode: number;
}

const BLOCK = 512;
const TEXT = new TextEncoder();
const FROM_TEXT = new TextDecoder();
/** Fields of a header: offset and length. */
const NAME = [0, 100] as const;
const MODE = [100, 8] as const;
const OWNER = [108, 8] as const;
const GROUP = [116, 8] as const;
const SIZE = [124, 12] as const;
const MODIFIED = [136, 12] as const;
const CHECKSUM = [148, 8] as const;
const TYPE_OFFSET = 156;
const MAGIC_OFFSET = 257;
const PREFIX = [345, 155] as const;
const REGULAR_FILE = 0x30;
const BLANK = 0x20;

/** `modifiedAtSeconds` is the same for all entries. @throws RangeError for names that do not fit */
export function packTar(entries: readonly TarEntry[], modifiedAtSeconds: number): Uint8Array {
  const size = entries.reduce((sum, { bytes }) => sum + BLOCK + padded(bytes.length), 2 * BLOCK);
  const archive = new Uint8Array(size);
  let at = 0;
  for (const entry of entries) {
    writeHeader(archive.subarray(at, at + BLOCK), entry, modifiedAtSeconds);
    archive.set(entry.bytes, at + BLOCK);
    at += BLOCK + padded(entry.bytes.length);
  }
  return archive;
}

/** The regular files. Undefined: not a tar archive, or a damaged one. */
export function unpackTar(archive: Uint8Array): readonly TarEntry[] | undefined {
  const entries: TarEntry[] = [];
  for (let at = 0; at + BLOCK <= archive.length;) {
    const header = archive.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return entries;
    if (readOctal(header, CHECKSUM) !== checksumOf(header)) return undefined;
    const size = readOctal(header, SIZE);
    if (at + BLOCK + size > archive.length) return undefined;
    const type = header[TYPE_OFFSET];
    if (type === REGULAR_FILE || type === 0)
      entries.push({
        name: [readText(header, PREFIX), readText(header, NAME)].filter((part) => part !== '').join('/'),
        bytes: archive.slice(at + BLOCK, at + BLOCK + size),
        mode: readOctal(header, MODE),
      });
    at += BLOCK + padded(size);
  }
  // The two empty blocks at the end are missing: the archive was cut off.
  return undefined;
}

/** Whether an entry can have this name: 100 bytes, or more with a slash at the right place. */
export const fitsTar = (name: string): boolean => splitName(name) !== undefined;

function splitName(name: string): { readonly prefix: string; readonly name: string } | undefined {
  const fits = (text: string, [, length]: readonly [number, number]): boolean =>
    TEXT.encode(text).length <= length;
  if (fits(name, NAME)) return { prefix: '', name };
  for (let slash = name.indexOf('/'); slash > 0; slash = name.indexOf('/', slash + 1)) {
    const [prefix, rest] = [name.slice(0, slash), name.slice(slash + 1)];
    if (fits(prefix, PREFIX) && fits(rest, NAME)) return { prefix, name: rest };
  }
  return undefined;
}

const padded = (length: number): number => Math.ceil(length / BLOCK) * BLOCK;

function writeHeader(header: Uint8Array, { name, bytes, mode }: TarEntry, modifiedAtSeconds: number): void {
  const split = splitName(name);
  if (!split) throw new RangeError(`the name ${name} is too long for a tar archive`);
  header.set(TEXT.encode(split.prefix), PREFIX[0]);
  header.set(TEXT.encode(split.name), NAME[0]);
  writeOctal(header, MODE, mode);
  writeOctal(header, OWNER, 0);
  writeOctal(header, GROUP, 0);
  writeOctal(header, SIZE, bytes.length);
  writeOctal(header, MODIFIED, modifiedAtSeconds);
  header[TYPE_OFFSET] = REGULAR_FILE;
  header.set(TEXT.encode('ustar\x0000root'), MAGIC_OFFSET);
  header.set(TEXT.encode(`${checksumOf(header).toString(8).padStart(6, '0')}\0 `), CHECKSUM[0]);
}

function writeOctal(header: Uint8Array, [offset, length]: readonly [number, number], value: number): void {
  header.set(TEXT.encode(value.toString(8).padStart(length - 1, '0')), offset);
}

function readOctal(header: Uint8Array, [offset, length]: readonly [number, number]): number {
  return Number.parseInt(
    FROM_TEXT.decode(header.subarray(offset, offset + length)).replace(/[\0 ].*$/s, ''),
    8,
  );
}

const readText = (header: Uint8Array, [offset, length]: readonly [number, number]): string =>
  FROM_TEXT.decode(header.subarray(offset, offset + length)).replace(/\0.*$/s, '');

/** The sum of the header's bytes, its own field taken as blanks. */
function checksumOf(header: Uint8Array): number {
  let sum = 0;
  for (let index = 0; index < BLOCK; index += 1) {
    const isOwn = index >= CHECKSUM[0] && index < CHECKSUM[0] + CHECKSUM[1];
    sum += isOwn ? BLANK : (header[index] ?? 0);
  }
  return sum;
}
