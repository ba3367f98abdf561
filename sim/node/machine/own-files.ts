/** Files that a machine has from its image. Pure. */
import { type DiskFile, OF_ROOT } from './disk.ts';

export const LOCAL_HOSTS = [
  '127.0.0.1\tlocalhost',
  '::1\tlocalhost ip6-localhost ip6-loopback',
  'fe00::0\tip6-localnet',
  'fe00::0\tip6-mcastprefix',
  'fe00::1\tip6-allnodes',
  'fe00::2\tip6-allrouters',
];

const text = (lines: readonly string[]): DiskFile => ({
  bytes: new TextEncoder().encode(`${lines.join('\n')}\n`),
  // The room of the image is counted nowhere.
  sizeBytes: 0,
  mode: 0o644,
  owner: OF_ROOT,
});

/** By path. */
export const OWN_FILES: Readonly<Record<string, DiskFile>> = { '/etc/hosts': text(LOCAL_HOSTS) };
