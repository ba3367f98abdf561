/** Names of the secrets that a pod uses: in its environment, in its volumes, to pull its images. Pure. */
import type { Container, EphemeralContainer, Pod, Volume } from '../types/core-v1.ts';

export function secretsOfPod({ spec }: Pod): ReadonlySet<string> {
  const containers: readonly (Container | EphemeralContainer)[] = [
    ...(spec?.initContainers ?? []),
    ...(spec?.containers ?? []),
    ...(spec?.ephemeralContainers ?? []),
  ];
  const names = [
    ...(spec?.imagePullSecrets ?? []).map(({ name }) => name),
    ...containers.flatMap(secretsOfContainer),
    ...(spec?.volumes ?? []).flatMap(secretsOfVolume),
  ];
  return new Set(names.flatMap((name) => (name === undefined || name === '' ? [] : [name])));
}

const secretsOfContainer = ({
  env = [],
  envFrom = [],
}: Pick<Container, 'env' | 'envFrom'>): readonly (string | undefined)[] => [
  ...envFrom.map(({ secretRef }) => secretRef?.name),
  ...env.map(({ valueFrom }) => valueFrom?.secretKeyRef?.name),
];

const secretsOfVolume = (volume: Volume): readonly (string | undefined)[] => [
  volume.secret?.secretName,
  volume.azureFile?.secretName,
  volume.cephfs?.secretRef?.name,
  volume.cinder?.secretRef?.name,
  volume.flexVolume?.secretRef?.name,
  volume.rbd?.secretRef?.name,
  volume.scaleIO?.secretRef.name,
  volume.iscsi?.secretRef?.name,
  volume.storageos?.secretRef?.name,
  volume.csi?.nodePublishSecretRef?.name,
  ...(volume.projected?.sources ?? []).map(({ secret }) => secret?.name),
];
