/** Labels of nodes that have new names. */

const REPLACEMENTS: Readonly<Record<string, readonly [since: string, label: string]>> = {
  'beta.kubernetes.io/arch': ['v1.14', 'kubernetes.io/arch'],
  'beta.kubernetes.io/os': ['v1.14', 'kubernetes.io/os'],
  'failure-domain.beta.kubernetes.io/region': ['v1.17', 'topology.kubernetes.io/region'],
  'failure-domain.beta.kubernetes.io/zone': ['v1.17', 'topology.kubernetes.io/zone'],
  'beta.kubernetes.io/instance-type': ['v1.17', 'node.kubernetes.io/instance-type'],
};

/** `path: deprecated since …`, if the label is an old one. */
export function nodeLabelWarning(path: string, label: string): readonly string[] {
  const known = REPLACEMENTS[label];
  return known ? [`${path}: deprecated since ${known[0]}; use "${known[1]}" instead`] : [];
}

/** As `nodeLabelWarning`, where the path does not show the label. */
export function nodeLabelKeyWarning(path: string, label: string): readonly string[] {
  const known = REPLACEMENTS[label];
  return known ? [`${path}: ${label} is deprecated since ${known[0]}; use "${known[1]}" instead`] : [];
}
