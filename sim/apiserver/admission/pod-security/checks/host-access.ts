/** Baseline: no namespaces, paths, ports or Windows processes of the host. */
import {
  containersText,
  type Find,
  plural,
  type PodCheck,
  quoted,
  settersText,
  sortedSet,
} from '../check.ts';

const findNamespaces: Find = ({ spec }) => {
  const shared = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter((name) => spec[name] === true);
  if (shared.length === 0) return undefined;
  return { reason: 'host namespaces', detail: shared.map((name) => `${name}=true`).join(', ') };
};

const findPaths: Find = ({ spec }) => {
  const names = (spec.volumes ?? []).filter(({ hostPath }) => hostPath).map(({ name }) => name);
  if (names.length === 0) return undefined;
  return { reason: 'hostPath volumes', detail: `${plural('volume', names.length)} ${quoted(names)}` };
};

const findPorts: Find = ({ containers }) => {
  const used = (container: (typeof containers)[number]): string[] =>
    (container.ports ?? []).flatMap(({ hostPort }) => (hostPort ? [String(hostPort)] : []));
  const bad = containers.filter((container) => used(container).length > 0);
  if (bad.length === 0) return undefined;
  const ports = sortedSet(bad.flatMap(used));
  const verb = bad.length === 1 ? 'uses' : 'use';
  return {
    reason: 'hostPort',
    detail: `${containersText(bad)} ${verb} ${plural('hostPort', ports.length)} ${ports.join(', ')}`,
  };
};

const findProcesses: Find = ({ spec, containers }) => {
  const setters = settersText(
    spec.securityContext?.windowsOptions?.hostProcess === true,
    containers.filter(({ securityContext }) => securityContext?.windowsOptions?.hostProcess === true),
  );
  if (setters === '') return undefined;
  return {
    reason: 'hostProcess',
    detail: `${setters} must not set securityContext.windowsOptions.hostProcess=true`,
  };
};

export const hostNamespaces: PodCheck = {
  id: 'hostNamespaces',
  level: 'baseline',
  versions: [{ since: 0, find: findNamespaces }],
};

export const hostPathVolumes: PodCheck = {
  id: 'hostPathVolumes',
  level: 'baseline',
  versions: [{ since: 0, find: findPaths }],
};

export const hostPorts: PodCheck = {
  id: 'hostPorts',
  level: 'baseline',
  versions: [{ since: 0, find: findPorts }],
};

export const windowsHostProcess: PodCheck = {
  id: 'windowsHostProcess',
  level: 'baseline',
  versions: [{ since: 0, find: findProcesses }],
};
