/** Of what may change in a pod, only images, seccomp annotations and new ephemeral containers matter to security. */
import type { Pod } from '../../../api/types/core-v1.ts';
import type { CheckedContainer } from './check.ts';
import { CONTAINER_ANNOTATION_PREFIX, POD_ANNOTATION } from './checks/seccomp.ts';

export function isSignificantUpdate(pod: Pod, old: Pod): boolean {
  if (annotationOf(pod, POD_ANNOTATION) !== annotationOf(old, POD_ANNOTATION)) return true;
  const [now, before] = [pod.spec, old.spec];
  const isChanged = (
    containers: readonly CheckedContainer[] = [],
    known: readonly CheckedContainer[] = [],
  ): boolean =>
    containers.length !== known.length ||
    containers.some((container, index) => isChangedContainer(container, known[index]));
  const isChangedContainer = (container: CheckedContainer, known: CheckedContainer | undefined): boolean => {
    if (!known || container.image !== known.image) return true;
    const key = `${CONTAINER_ANNOTATION_PREFIX}${container.name ?? ''}`;
    return annotationOf(pod, key) !== annotationOf(old, key);
  };
  return (
    isChanged(now?.containers, before?.containers) ||
    isChanged(now?.initContainers, before?.initContainers) ||
    (now?.ephemeralContainers ?? []).some((container) =>
      isChangedContainer(
        container,
        before?.ephemeralContainers?.find(({ name }) => name === container.name),
      ),
    )
  );
}

const annotationOf = ({ metadata }: Pod, key: string): string => metadata.annotations?.[key] ?? '';
