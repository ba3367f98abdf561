/** The containers of a pod's specification, each with the part it plays. Pure. */
import type { Container, Pod } from '../../api/types/core-v1.ts';

export type Role = 'init' | 'main' | 'ephemeral';

export interface PodContainer {
  readonly role: Role;
  readonly spec: Container;
}

/** An init container that runs on beside the main containers. */
export const isSidecar = ({ restartPolicy }: Container): boolean => restartPolicy === 'Always';

export const podContainer = (role: Role, spec: Container): PodContainer => ({ role, spec });

export const initContainersOf = ({ spec }: Pod): readonly Container[] => spec?.initContainers ?? [];
export const mainContainersOf = ({ spec }: Pod): readonly Container[] => spec?.containers ?? [];
/** They have what containers have, less what they may not have. */
export const ephemeralContainersOf = ({ spec }: Pod): readonly Container[] =>
  (spec?.ephemeralContainers ?? []) as readonly Container[];

/** In the order in which an agent starts them: ephemeral ones, init containers, main containers. */
export function allContainersOf(pod: Pod): readonly PodContainer[] {
  return [
    ...ephemeralContainersOf(pod).map((spec) => podContainer('ephemeral', spec)),
    ...initContainersOf(pod).map((spec) => podContainer('init', spec)),
    ...mainContainersOf(pod).map((spec) => podContainer('main', spec)),
  ];
}

export const findContainer = (pod: Pod, name: string): PodContainer | undefined =>
  allContainersOf(pod).find(({ spec }) => spec.name === name);

const FIELDS: Readonly<Record<Role, string>> = {
  init: 'initContainers',
  main: 'containers',
  ephemeral: 'ephemeralContainers',
};

/** As Events name a container: `spec.containers{web}`. */
export const fieldPathOf = ({ role, spec: { name } }: PodContainer): string =>
  `spec.${FIELDS[role]}{${name}}`;

/** As messages name a pod: `web_default(5f0c…)`. */
export const podText = ({ metadata: { name = '', namespace = '', uid = '' } }: Pod): string =>
  `${name}_${namespace}(${uid})`;
