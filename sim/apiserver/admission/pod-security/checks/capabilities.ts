/** Baseline: no capabilities beyond the usual ones. Restricted: all dropped, and at most one of low ports. */
import {
  type CheckedContainer,
  containersText,
  exceptOnWindows,
  type Find,
  type PodCheck,
  quoted,
  sortedSet,
} from '../check.ts';

const USUAL: ReadonlySet<string> = new Set([
  'AUDIT_WRITE',
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'MKNOD',
  'NET_BIND_SERVICE',
  'SETFCAP',
  'SETGID',
  'SETPCAP',
  'SETUID',
  'SYS_CHROOT',
]);
const LOW_PORTS: ReadonlySet<string> = new Set(['NET_BIND_SERVICE']);

const findUnusual: Find = ({ containers }) => {
  const detail = additionsText(containers, USUAL);
  return detail === undefined ? undefined : { reason: 'non-default capabilities', detail };
};

const findUnrestricted: Find = ({ containers }) => {
  const keeping = containers.filter(
    ({ securityContext }) => securityContext?.capabilities?.drop?.includes('ALL') !== true,
  );
  const details = [
    keeping.length > 0
      ? `${containersText(keeping)} must set securityContext.capabilities.drop=["ALL"]`
      : undefined,
    additionsText(containers, LOW_PORTS),
  ].filter((detail) => detail !== undefined);
  if (details.length === 0) return undefined;
  return { reason: 'unrestricted capabilities', detail: details.join('; ') };
};

function additionsText(
  containers: readonly CheckedContainer[],
  allowed: ReadonlySet<string>,
): string | undefined {
  const wrong = ({ securityContext }: CheckedContainer): readonly string[] =>
    (securityContext?.capabilities?.add ?? []).filter((capability) => !allowed.has(capability));
  const bad = containers.filter((container) => wrong(container).length > 0);
  if (bad.length === 0) return undefined;
  const capabilities = sortedSet(bad.flatMap(wrong));
  return `${containersText(bad)} must not include ${quoted(capabilities)} in securityContext.capabilities.add`;
}

export const capabilitiesBaseline: PodCheck = {
  id: 'capabilities_baseline',
  level: 'baseline',
  versions: [{ since: 0, find: findUnusual }],
};

export const capabilitiesRestricted: PodCheck = {
  id: 'capabilities_restricted',
  level: 'restricted',
  replaces: capabilitiesBaseline.id,
  versions: [
    { since: 22, find: findUnrestricted },
    { since: 25, find: exceptOnWindows(findUnrestricted) },
  ],
};
