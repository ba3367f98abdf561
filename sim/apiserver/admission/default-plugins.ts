/** The admission plugins of a server, in the order in which they run. */
import type { AdmissionPlugin } from './admission.ts';
import {
  certificateApproval,
  certificateSigning,
  certificateSubjectRestriction,
  clusterTrustBundleAttest,
} from './plugins/certificate-signers.ts';
import { outsidePlugin } from './outside-plugin.ts';
import { defaultIngressClass, defaultStorageClass } from './plugins/default-class.ts';
import { defaultTolerationSeconds } from './plugins/default-toleration-seconds.ts';
import { limitRanger } from './plugins/limit-ranger.ts';
import { namespaceLifecycle } from './plugins/namespace-lifecycle.ts';
import { persistentVolumeClaimResize } from './plugins/persistent-volume-claim-resize.ts';
import { podSecurity } from './plugins/pod-security.ts';
import { priority } from './plugins/priority.ts';
import { privilegeEscalation } from './plugins/privilege-escalation.ts';
import { resourceQuota } from './plugins/resource-quota.ts';
import { runtimeClass } from './plugins/runtime-class.ts';
import { serviceAccount } from './plugins/service-account.ts';
import { storageObjectInUseProtection } from './plugins/storage-object-in-use-protection.ts';
import { validatingAdmissionPolicy } from './plugins/validating-admission-policy.ts';
import { mutatingWebhooks } from './webhooks/mutating-webhooks.ts';
import { validatingWebhooks } from './webhooks/validating-webhooks.ts';
import { taintNodesByCondition } from './plugins/taint-nodes-by-condition.ts';

/** Those that change objects or look at single ones. */
const FIRST: readonly AdmissionPlugin[] = [
  // First, so that what follows may take the namespace for granted.
  namespaceLifecycle,
  limitRanger,
  serviceAccount,
  taintNodesByCondition,
  podSecurity,
  priority,
  defaultTolerationSeconds,
  defaultStorageClass,
  storageObjectInUseProtection,
  persistentVolumeClaimResize,
  runtimeClass,
  certificateApproval,
  certificateSigning,
  clusterTrustBundleAttest,
  certificateSubjectRestriction,
  defaultIngressClass,
];

/** What it makes of objects is held against the rights of who writes, as is what plugins from outside make of them. */
const LAST: readonly AdmissionPlugin[] = [
  mutatingWebhooks,
  // Looks at what the others have made of it.
  privilegeEscalation,
  // After the server's own rules, before webhooks that validate.
  validatingAdmissionPolicy,
  validatingWebhooks,
  // Last, so that only what nothing else refuses is counted.
  resourceQuota,
];

export interface PluginSelection {
  /** Names of those that do not run. */
  readonly disabled?: readonly string[];
  /**
   * Plugins from outside, in their order. Those that change objects see what the server's own have made of them; what
   * they make of roles is held against the rights of who writes, and only what they let through is counted by quotas.
   */
  readonly outside?: readonly AdmissionPlugin[];
}

export const pluginsOf = ({ disabled = [], outside = [] }: PluginSelection): readonly AdmissionPlugin[] => {
  const own = ({ name }: AdmissionPlugin): boolean => !disabled.includes(name);
  return [...FIRST.filter(own), ...outside.map(outsidePlugin), ...LAST.filter(own)];
};

/** Names of all that there are, in the order in which they run. */
export const ADMISSION_PLUGINS: readonly string[] = [...FIRST, ...LAST].map(({ name }) => name);

/** @throws RangeError */
export function checkPluginNames(names: readonly string[]): void {
  const stranger = names.find((name) => !ADMISSION_PLUGINS.includes(name));
  if (stranger !== undefined)
    throw new RangeError(
      `there is no admission plugin ${JSON.stringify(stranger)}; there are ${ADMISSION_PLUGINS.join(', ')}`,
    );
}
