/** What one rule of the pod security standards is, what it sees of a pod, and the words that rules share. */
import type { Container, EphemeralContainer, PodSpec } from '../../../api/types/core-v1.ts';

export type CheckedContainer = Container | EphemeralContainer;

export interface CheckedPod {
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: PodSpec;
  /** Init containers, containers, ephemeral containers. */
  readonly containers: readonly CheckedContainer[];
}

export interface Violation {
  /** What is wrong, the same for every pod: `hostPort`. */
  readonly reason: string;
  /** Where: `container "c" uses hostPort 80`. */
  readonly detail: string;
}

export type Find = (pod: CheckedPod) => Violation | undefined;

export interface CheckVersion {
  /** The minor release from which it is like this. */
  readonly since: number;
  readonly find: Find;
}

export interface PodCheck {
  /** Violations are told in the order of these, those of the baseline first. */
  readonly id: string;
  readonly level: 'baseline' | 'restricted';
  /** Rising; before the first there is no such rule. */
  readonly versions: readonly CheckVersion[];
  /** The baseline rule that this one says more strictly. */
  readonly replaces?: string;
}

export const checkedPod = (
  annotations: Readonly<Record<string, string>> | undefined,
  spec: PodSpec,
): CheckedPod => ({
  annotations: annotations ?? {},
  spec,
  containers: [
    ...(spec.initContainers ?? []),
    ...(spec.containers ?? []),
    ...(spec.ephemeralContainers ?? []),
  ],
});

export const isOfWindows = ({ spec }: CheckedPod): boolean => spec.os?.name === 'windows';

/** The rule, which spares pods that say that they are of Windows. */
export const exceptOnWindows =
  (find: Find): Find =>
  (pod) =>
    isOfWindows(pod) ? undefined : find(pod);

/** `"a", "b"` */
export const quoted = (items: readonly string[]): string => items.map((item) => `"${item}"`).join(', ');

/** Each once, in order. */
export const sortedSet = (items: readonly string[]): readonly string[] => [...new Set(items)].sort();

export const plural = (word: string, count: number): string => (count === 1 ? word : `${word}s`);

export const namesOf = (containers: readonly CheckedContainer[]): readonly string[] =>
  containers.map(({ name }) => name ?? '');

/** `container "c"`, `containers "c", "d"` */
export const containersText = (containers: readonly CheckedContainer[]): string =>
  `${plural('container', containers.length)} ${quoted(namesOf(containers))}`;

/** `pod and containers "c", "d"`: whoever has set what they must not. Empty: nobody. */
export const settersText = (isPod: boolean, containers: readonly CheckedContainer[]): string =>
  [...(isPod ? ['pod'] : []), ...(containers.length > 0 ? [containersText(containers)] : [])].join(' and ');
