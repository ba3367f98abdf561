/** Baseline: no privileged containers. Restricted: none that could gain privileges. */
import { containersText, exceptOnWindows, type Find, type PodCheck } from '../check.ts';

const findPrivileged: Find = ({ containers }) => {
  const bad = containers.filter(({ securityContext }) => securityContext?.privileged === true);
  if (bad.length === 0) return undefined;
  return {
    reason: 'privileged',
    detail: `${containersText(bad)} must not set securityContext.privileged=true`,
  };
};

const findEscalation: Find = ({ containers }) => {
  const bad = containers.filter(({ securityContext }) => securityContext?.allowPrivilegeEscalation !== false);
  if (bad.length === 0) return undefined;
  return {
    reason: 'allowPrivilegeEscalation != false',
    detail: `${containersText(bad)} must set securityContext.allowPrivilegeEscalation=false`,
  };
};

export const privileged: PodCheck = {
  id: 'privileged',
  level: 'baseline',
  versions: [{ since: 0, find: findPrivileged }],
};

export const allowPrivilegeEscalation: PodCheck = {
  id: 'allowPrivilegeEscalation',
  level: 'restricted',
  versions: [
    { since: 8, find: findEscalation },
    { since: 25, find: exceptOnWindows(findEscalation) },
  ],
};
