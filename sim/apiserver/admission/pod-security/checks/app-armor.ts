/** Baseline: the AppArmor profile is the runtime's own or one of the node, in fields and in annotations. */
import type { AppArmorProfile } from '../../../../api/types/core-v1.ts';
import { goQuote } from '../../../../api/go-text.ts';
import { type Find, plural, type PodCheck, quoted, settersText, sortedSet } from '../check.ts';

const ANNOTATION_PREFIX = 'container.apparmor.security.beta.kubernetes.io/';

const isForbidden = (profile: AppArmorProfile | undefined): boolean =>
  profile !== undefined && profile.type !== 'RuntimeDefault' && profile.type !== 'Localhost';

const isForbiddenText = (text: string): boolean =>
  text !== '' && text !== 'runtime/default' && !text.startsWith('localhost/');

const find: Find = ({ annotations, spec, containers }) => {
  const ofPod = spec.securityContext?.appArmorProfile;
  const bad = containers.filter(({ securityContext }) => isForbidden(securityContext?.appArmorProfile));
  const annotated = Object.entries(annotations)
    .filter(([key, text]) => key.startsWith(ANNOTATION_PREFIX) && isForbiddenText(text))
    .map(([key, text]) => `${key}=${goQuote(text)}`)
    .sort();
  const setters = settersText(isForbidden(ofPod), bad);
  const whole = [setters, annotated.length > 0 ? plural('annotation', annotated.length) : '']
    .filter((text) => text !== '')
    .join(' and ');
  if (whole === '') return undefined;
  const types = [ofPod, ...bad.map(({ securityContext }) => securityContext?.appArmorProfile)]
    .filter(isForbidden)
    .map((profile) => profile?.type ?? '');
  const values = [...sortedSet(types), ...annotated];
  return {
    reason: plural('forbidden AppArmor profile', values.length),
    detail: `${whole} must not set AppArmor profile type to ${quoted(values)}`,
  };
};

export const appArmorProfile: PodCheck = {
  id: 'appArmorProfile',
  level: 'baseline',
  versions: [{ since: 0, find }],
};
