/** Which ReplicaSet is the one of a Deployment's present template. Pure. */
import type { Deployment, ReplicaSet } from '../../api/types/apps-v1.ts';
import type { PodTemplateSpec } from '../../api/types/core-v1.ts';
import { isEqualTemplate } from '../workload/template-hash.ts';

export const HASH_LABEL = 'pod-template-hash';

/** The oldest of those whose template differs at the most in the label of its hash. */
export function newSetOf(deployment: Deployment, sets: readonly ReplicaSet[]): ReplicaSet | undefined {
  const template = deployment.spec?.template;
  return template && byAge(sets).find((set) => isSameTemplate(template, set.spec?.template));
}

export const byAge = (sets: readonly ReplicaSet[]): readonly ReplicaSet[] =>
  sets.toSorted((a, b) => compare(ageKey(a), ageKey(b)));

const ageKey = ({ metadata: { creationTimestamp, name = '' } }: ReplicaSet): string =>
  `${creationTimestamp ?? ''} ${name}`;

export const compare = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

const bareTemplates = new WeakMap<PodTemplateSpec, PodTemplateSpec>();

export function isSameTemplate(a: PodTemplateSpec, b: PodTemplateSpec | undefined): boolean {
  return b !== undefined && isEqualTemplate(withoutHash(a), withoutHash(b));
}

/** Without the label that only ReplicaSets give it. */
export function withoutHash(template: PodTemplateSpec): PodTemplateSpec {
  if (template.metadata?.labels?.[HASH_LABEL] === undefined) return template;
  const known = bareTemplates.get(template);
  if (known) return known;
  const { [HASH_LABEL]: _, ...labels } = template.metadata.labels;
  const made = { ...template, metadata: { ...template.metadata, labels } };
  bareTemplates.set(template, made);
  return made;
}
