/** Names of VolumeAttachments: one for a volume on a node. Pure. Kubernetes 1.31. */
import { sha256 } from '../../api/codec/sha256.ts';
import type { Place } from './wanted-volumes.ts';

export function attachmentName({ volume, node }: Pick<Place, 'volume' | 'node'>): string {
  const digest = sha256(new TextEncoder().encode(`${volume.handle}${volume.driver}${node}`));
  return `csi-${[...digest].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
