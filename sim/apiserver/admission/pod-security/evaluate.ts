/** Which rules hold at a level and version, and what of a pod breaks them. */
import { compareStrings } from '../../../api/go-text.ts';
import type { CheckedPod, Find, PodCheck, Violation } from './check.ts';
import { appArmorProfile } from './checks/app-armor.ts';
import { capabilitiesBaseline, capabilitiesRestricted } from './checks/capabilities.ts';
import { hostNamespaces, hostPathVolumes, hostPorts, windowsHostProcess } from './checks/host-access.ts';
import { allowPrivilegeEscalation, privileged } from './checks/privilege.ts';
import { procMount } from './checks/proc-mount.ts';
import { runAsNonRoot, runAsUser } from './checks/run-as.ts';
import { seLinuxOptions } from './checks/se-linux.ts';
import { seccompProfileBaseline, seccompProfileRestricted } from './checks/seccomp.ts';
import { sysctls } from './checks/sysctls.ts';
import { restrictedVolumes } from './checks/volumes.ts';
import { type LeveledVersion, textOf } from './policy.ts';

const rankOf = ({ level }: PodCheck): number => (level === 'baseline' ? 0 : 1);

const CHECKS: readonly PodCheck[] = [
  allowPrivilegeEscalation,
  appArmorProfile,
  capabilitiesBaseline,
  capabilitiesRestricted,
  hostNamespaces,
  hostPathVolumes,
  hostPorts,
  privileged,
  procMount,
  restrictedVolumes,
  runAsNonRoot,
  runAsUser,
  seLinuxOptions,
  seccompProfileBaseline,
  seccompProfileRestricted,
  sysctls,
  windowsHostProcess,
].sort((one, other) => rankOf(one) - rankOf(other) || compareStrings(one.id, other.id));

/** Releases after this one have the same rules. */
const NEWEST_MINOR = Math.max(...CHECKS.flatMap(({ versions }) => versions.map(({ since }) => since)));

const rulesByText = new Map<string, readonly Find[]>();

/** Baseline first, each by its id. */
export function violationsOf(pod: CheckedPod, policy: LeveledVersion): readonly Violation[] {
  if (policy.level === 'privileged') return [];
  const known = { level: policy.level, minor: Math.min(policy.minor, NEWEST_MINOR) };
  const text = textOf(known);
  let rules = rulesByText.get(text);
  if (!rules) rulesByText.set(text, (rules = rulesOf(known)));
  return rules.flatMap((find) => find(pod) ?? []);
}

function rulesOf({ level, minor }: LeveledVersion): readonly Find[] {
  const present = CHECKS.filter(
    (check) =>
      (level === 'restricted' || check.level === 'baseline') &&
      check.versions.some(({ since }) => since <= minor),
  );
  const replaced = new Set(present.map(({ replaces }) => replaces));
  return present
    .filter(({ id }) => !replaced.has(id))
    .flatMap(({ versions }) => versions.findLast(({ since }) => since <= minor)?.find ?? []);
}

/** `hostPort (container "c" uses hostPort 80), privileged (…)` */
export const detailsText = (violations: readonly Violation[]): string =>
  violations.map(({ reason, detail }) => `${reason} (${detail})`).join(', ');

/** `hostPort, privileged` */
export const reasonsText = (violations: readonly Violation[]): string =>
  violations.map(({ reason }) => reason).join(', ');
