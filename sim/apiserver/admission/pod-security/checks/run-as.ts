/** Restricted: containers say that they do not run as root, and do not name root either. */
import { containersText, type Find, type PodCheck, settersText } from '../check.ts';

const findRoot: Find = ({ spec, containers }) => {
  const ofPod = spec.securityContext?.runAsNonRoot;
  const said = containers.filter(({ securityContext }) => securityContext?.runAsNonRoot === false);
  const setters = settersText(ofPod === false, said);
  const reason = 'runAsNonRoot != true';
  if (setters !== '') return { reason, detail: `${setters} must not set securityContext.runAsNonRoot=false` };
  if (ofPod === true) return undefined;
  const silent = containers.filter(({ securityContext }) => securityContext?.runAsNonRoot === undefined);
  if (silent.length === 0) return undefined;
  return { reason, detail: `pod or ${containersText(silent)} must set securityContext.runAsNonRoot=true` };
};

const findRootUser: Find = ({ spec, containers }) => {
  const setters = settersText(
    spec.securityContext?.runAsUser === 0,
    containers.filter(({ securityContext }) => securityContext?.runAsUser === 0),
  );
  if (setters === '') return undefined;
  return { reason: 'runAsUser=0', detail: `${setters} must not set runAsUser=0` };
};

export const runAsNonRoot: PodCheck = {
  id: 'runAsNonRoot',
  level: 'restricted',
  versions: [{ since: 0, find: findRoot }],
};

export const runAsUser: PodCheck = {
  id: 'runAsUser',
  level: 'restricted',
  versions: [{ since: 23, find: findRootUser }],
};
