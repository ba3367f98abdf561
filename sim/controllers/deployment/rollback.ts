/**
 * Rolling back as an annotation asks, which `spec.rollbackTo` of versions that are gone became: once, to the template
 * of the ReplicaSet of that revision; the annotation goes in any case. Pure. Specification: "Removed API versions by
 * release", and not shown: Kubernetes 1.31.
 */
import type { Deployment, ReplicaSet } from '../../api/types/apps-v1.ts';
import type { EventFacts } from '../../client/event-facts.ts';
import { ROLLBACK_TO } from '../../api/former-members.ts';
import { annotationsOf, revisionOf, withAnnotationsOf } from './revision-annotations.ts';
import { isSameTemplate, withoutHash } from './same-template.ts';

export interface Rollback {
  /** To be written. */
  readonly deployment: Deployment;
  /** Of what could not be done, before it is written. */
  readonly refusal?: EventFacts;
  /** Of what was done, once it is written. */
  readonly success?: EventFacts;
}

const REVISION_NUMBER = /^[+-]?\d+$/;

/** Undefined: nobody asks. 0: the revision before the last. */
export function revisionAskedFor(deployment: Deployment): bigint | undefined {
  const text = annotationsOf(deployment)[ROLLBACK_TO] ?? '';
  return REVISION_NUMBER.test(text) ? BigInt(text.replace('+', '')) : undefined;
}

export function rollback(deployment: Deployment, sets: readonly ReplicaSet[], asked: bigint): Rollback {
  const { [ROLLBACK_TO]: _, ...annotations } = annotationsOf(deployment);
  const settled = { ...deployment, metadata: { ...deployment.metadata, annotations } };
  const revision = asked === 0n ? lastRevision(sets) : asked;
  if (revision === 0n)
    return { deployment: settled, refusal: warning('RevisionNotFound', 'Unable to find last revision.') };
  const set = sets.find((each) => revisionOf(each) === revision);
  const former = set?.spec?.template;
  if (!set || !former) {
    const refusal = warning('RevisionNotFound', 'Unable to find the revision to rollback to.');
    return { deployment: settled, refusal };
  }
  const { name = '' } = deployment.metadata;
  const { spec } = settled;
  if (!spec || isSameTemplate(spec.template ?? {}, former)) {
    const message = `The rollback revision contains the same template as current deployment "${name}"`;
    return { deployment: settled, refusal: warning('TemplateUnchanged', message) };
  }
  return {
    deployment: withAnnotationsOf({ ...settled, spec: { ...spec, template: withoutHash(former) } }, set),
    success: {
      type: 'Normal',
      reason: 'DeploymentRollback',
      message: `Rolled back deployment "${name}" to revision ${revision}`,
    },
  };
}

const warning = (what: 'RevisionNotFound' | 'TemplateUnchanged', message: string): EventFacts => ({
  type: 'Warning',
  reason: `DeploymentRollback${what}`,
  message,
});

/** The highest but one; 0: there is none. */
const lastRevision = (sets: readonly ReplicaSet[]): bigint =>
  sets.map(revisionOf).toSorted((a, b) => (a > b ? -1 : Number(a < b)))[1] ?? 0n;
