/** Baseline: no seccomp profile but the runtime's own or one of the node. Restricted: and one has to be set. */
import type { SeccompProfile } from '../../../../api/types/core-v1.ts';
import { goQuote } from '../../../../api/go-text.ts';
import {
  type CheckedPod,
  containersText,
  exceptOnWindows,
  type Find,
  plural,
  type PodCheck,
  quoted,
  settersText,
  sortedSet,
  type Violation,
} from '../check.ts';

/** Before there was a field there were annotations. */
export const POD_ANNOTATION = 'seccomp.security.alpha.kubernetes.io/pod';
export const CONTAINER_ANNOTATION_PREFIX = 'container.seccomp.security.alpha.kubernetes.io/';

const REASON = 'seccompProfile';

const isAllowedText = (text: string): boolean =>
  text === 'runtime/default' || text === 'docker/default' || text.startsWith('localhost/');

const findAnnotations: Find = ({ annotations, containers }) => {
  const keys = [
    POD_ANNOTATION,
    ...containers.map(({ name }) => `${CONTAINER_ANNOTATION_PREFIX}${name ?? ''}`),
  ];
  const bad = sortedSet(
    keys.flatMap((key) => {
      const text = annotations[key];
      return text === undefined || isAllowedText(text) ? [] : [`${key}=${goQuote(text)}`];
    }),
  );
  if (bad.length === 0) return undefined;
  return { reason: REASON, detail: `forbidden ${plural('annotation', bad.length)} ${bad.join(', ')}` };
};

const isForbidden = (profile: SeccompProfile | undefined): boolean =>
  profile !== undefined && profile.type !== 'RuntimeDefault' && profile.type !== 'Localhost';

function findForbidden({ spec, containers }: CheckedPod): Violation | undefined {
  const ofPod = spec.securityContext?.seccompProfile;
  const bad = containers.filter(({ securityContext }) => isForbidden(securityContext?.seccompProfile));
  const setters = settersText(isForbidden(ofPod), bad);
  if (setters === '') return undefined;
  const types = sortedSet(
    [ofPod, ...bad.map(({ securityContext }) => securityContext?.seccompProfile)]
      .filter(isForbidden)
      .map((profile) => profile?.type ?? ''),
  );
  return {
    reason: REASON,
    detail: `${setters} must not set securityContext.seccompProfile.type to ${quoted(types)}`,
  };
}

const findUnset: Find = (pod) => {
  const forbidden = findForbidden(pod);
  if (forbidden || pod.spec.securityContext?.seccompProfile) return forbidden;
  const silent = pod.containers.filter(({ securityContext }) => !securityContext?.seccompProfile);
  if (silent.length === 0) return undefined;
  return {
    reason: REASON,
    detail: `pod or ${containersText(silent)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
};

export const seccompProfileBaseline: PodCheck = {
  id: 'seccompProfile_baseline',
  level: 'baseline',
  versions: [
    { since: 0, find: findAnnotations },
    { since: 19, find: findForbidden },
  ],
};

export const seccompProfileRestricted: PodCheck = {
  id: 'seccompProfile_restricted',
  level: 'restricted',
  replaces: seccompProfileBaseline.id,
  versions: [
    { since: 19, find: findUnset },
    { since: 25, find: exceptOnWindows(findUnset) },
  ],
};
