/**
 * Which admission plugins of the real server are asked about an operation, in their order. They are asked whatever the
 * resource is, and look away themselves; metrics count how often. Specification: not shown (Kubernetes 1.31).
 */
export type AdmissionOperation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

/** Changing objects, or refusing them. */
export type AdmissionStep = 'admit' | 'validate';

type Handled = readonly [name: string, admit: string, validate: string];

/** By the first letters of the operations: create, update, delete, connect (`X`). */
const HANDLED: readonly Handled[] = [
  ['NamespaceLifecycle', 'CUD', ''],
  ['LimitRanger', 'CU', 'CU'],
  ['ServiceAccount', 'CU', 'CU'],
  ['TaintNodesByCondition', 'C', ''],
  ['PodSecurity', '', 'CU'],
  ['Priority', 'CUD', 'CUD'],
  ['DefaultTolerationSeconds', 'CU', ''],
  ['DefaultStorageClass', 'C', ''],
  ['StorageObjectInUseProtection', 'C', ''],
  ['PersistentVolumeClaimResize', '', 'U'],
  ['RuntimeClass', 'C', 'C'],
  ['CertificateApproval', '', 'U'],
  ['CertificateSigning', '', 'U'],
  ['ClusterTrustBundleAttest', '', 'CU'],
  ['CertificateSubjectRestriction', '', 'C'],
  ['DefaultIngressClass', 'C', ''],
  ['MutatingAdmissionWebhook', 'CUDX', ''],
  ['ValidatingAdmissionPolicy', '', 'CUDX'],
  ['ValidatingAdmissionWebhook', '', 'CUDX'],
  ['ResourceQuota', '', 'CU'],
];

const LETTERS: Readonly<Record<AdmissionOperation, string>> = {
  CREATE: 'C',
  UPDATE: 'U',
  DELETE: 'D',
  CONNECT: 'X',
};

export const pluginsAsked = (operation: AdmissionOperation, step: AdmissionStep): readonly string[] =>
  HANDLED.filter(([, admit, validate]) =>
    (step === 'admit' ? admit : validate).includes(LETTERS[operation]),
  ).map(([name]) => name);
