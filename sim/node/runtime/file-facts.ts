/**
 * What programs see of files beside their bytes: mode, owner, and where they are kept. What lies outside of volumes is as
 * whoever wrote it made it, or root's, as in an image.
 */
import { type FileAttributes, type FileOwner, OF_ROOT, SET_GROUP, STICKY } from '../machine/disk.ts';
import type { CommandPlace } from './command-place.ts';
import { filesOf, isDirectory, resolved } from './file-programs.ts';
import { mountAt, pathInTree, USUAL_FILE_MODE } from './file-tree.ts';

export interface FileFacts extends FileAttributes {
  readonly isDirectory: boolean;
  readonly isInMemory: boolean;
  readonly sizeBytes: number;
}

const DIRECTORY_MODE = 0o755;
const DIRECTORY_BYTES = 4_096;

/** Undefined: there is nothing. */
export function factsOf(place: CommandPlace, given: string): FileFacts | undefined {
  const path = resolved(given);
  const files = filesOf(place);
  const bytes = files.get(path);
  const { mounts = [] } = place.container;
  const mount = mountAt(mounts, path);
  const isInMemory = mount?.isInMemory === true;
  if (bytes) {
    const kept = mount?.tree.attributesOf(pathInTree(mount, path));
    const own = { mode: USUAL_FILE_MODE, owner: ownerOutside(place, path) };
    return { ...(kept ?? own), isInMemory, isDirectory: false, sizeBytes: bytes.length };
  }
  if (!isDirectory(place, files, path)) return undefined;
  // What is shown of a volume by itself was made as the volume is.
  const { mode, owner } = mount?.path === path ? mount.directory : { mode: DIRECTORY_MODE, owner: OF_ROOT };
  return { mode, owner, isInMemory, isDirectory: true, sizeBytes: DIRECTORY_BYTES };
}

const ownerOutside = ({ runtime, container: { id, user } }: CommandPlace, path: string): FileOwner =>
  user && runtime.written.of(id).has(path) ? user : OF_ROOT;

const LETTERS = 'rwxrwxrwx';
const PERMISSIONS = 0o777;

/** `rw-r--r--`. */
export const permissionText = (mode: number): string =>
  LETTERS.replaceAll(/./g, (letter, at: number) => ((mode >> (LETTERS.length - 1 - at)) & 1 ? letter : '-'));

/** As Go writes it: what is special stands before, such as `dgtrwxrwxrwx`. */
export function goModeText({ mode, isDirectory: isFolder }: FileFacts): string {
  const special = `${isFolder ? 'd' : ''}${mode & SET_GROUP ? 'g' : ''}${mode & STICKY ? 't' : ''}`;
  return (special === '' ? '-' : special) + permissionText(mode);
}

/** As `ls` and `stat` write it: what is special stands among the permissions, such as `drwxrwsrwt`. */
export function modeText({ mode, isDirectory: isFolder }: FileFacts): string {
  const text = permissionText(mode & PERMISSIONS);
  const [owner, group, others] = [text.slice(0, 3), text.slice(3, 6), text.slice(6)];
  const marked = (part: string, bit: number, mark: string): string =>
    mode & bit ? part.slice(0, 2) + (part.endsWith('x') ? mark : mark.toUpperCase()) : part;
  return `${isFolder ? 'd' : '-'}${owner}${marked(group, SET_GROUP, 's')}${marked(others, STICKY, 't')}`;
}
