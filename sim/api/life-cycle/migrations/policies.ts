/** Autoscalers, budgets, priority levels, certificate requests and access reviews. */
import { childOf, itemsOf, type Migration, missing, type Parts, rename } from './migration.ts';

/** Of `autoscaling/v2beta1`: what is measured and what it is to be stood side by side. */
function metric(parts: Parts): void {
  for (const source of ['resource', 'containerResource', 'pods', 'object', 'external']) {
    if (!missing(parts, source)) measured(childOf(parts[source]), source);
  }
}

function measured(parts: Parts, source: string): void {
  if (source === 'object') rename(parts, 'target', 'describedObject');
  const name = parts['metricName'];
  const selector = parts['metricSelector'] ?? parts['selector'];
  if (name !== undefined) parts['metric'] = { name, ...(selector !== undefined && { selector }) };
  const utilization = parts['targetAverageUtilization'];
  const average = parts['targetAverageValue'] ?? parts['averageValue'];
  const value = parts['targetValue'];
  if (utilization !== undefined) parts['target'] = { type: 'Utilization', averageUtilization: utilization };
  else if (average !== undefined) parts['target'] = { type: 'AverageValue', averageValue: average };
  else if (value !== undefined) parts['target'] = { type: 'Value', value };
  for (const old of OLD_MEMBERS) delete parts[old];
}

const OLD_MEMBERS = [
  ...['metricName', 'metricSelector', 'selector', 'targetAverageUtilization'],
  ...['targetAverageValue', 'averageValue', 'targetValue'],
];

const autoscaler: Migration = (object) => {
  for (const parts of itemsOf(childOf(object['spec'])['metrics'])) metric(parts);
  delete object['status'];
  return [];
};

/** Selects nothing, as the empty selector did. */
const NOTHING = {
  matchExpressions: [
    { key: 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match', operator: 'Exists' },
  ],
};

const budget: Migration = (object) => {
  const spec = childOf(object['spec']);
  const { selector } = spec;
  if (selector === undefined || selector === null) return [];
  const { matchLabels, matchExpressions } = childOf(selector);
  if (Object.keys(childOf(matchLabels)).length > 0 || itemsOf(matchExpressions).length > 0) return [];
  spec['selector'] = NOTHING;
  return ['an empty selector chose no pods and would choose all: this one still chooses none'];
};

const priorityLevel: Migration = (object) => {
  const limited = childOf(childOf(object['spec'])['limited']);
  rename(limited, 'assuredConcurrencyShares', 'nominalConcurrencyShares');
  // 0 stood for the default, and now is 0.
  if (limited['nominalConcurrencyShares'] === 0) delete limited['nominalConcurrencyShares'];
  return [];
};

const certificateRequest: Migration = (object) => {
  const spec = childOf(object['spec']);
  const notes: string[] = [];
  if (Array.isArray(spec['usages'])) spec['usages'] = [...new Set(spec['usages'])];
  else notes.push('spec.usages is required');
  if (missing(spec, 'signerName') || spec['signerName'] === 'kubernetes.io/legacy-unknown')
    notes.push('spec.signerName is required, and cannot be kubernetes.io/legacy-unknown');
  return notes;
};

const accessReview: Migration = (object) => {
  rename(childOf(object['spec']), 'group', 'groups');
  return [];
};

const event: Migration = (object) =>
  ['action', 'reason', 'reportingController', 'reportingInstance', 'eventTime']
    .filter((name) => missing(object, name))
    .map((name) => `${name} is required in new events`);

export const POLICIES: Readonly<Record<string, Migration>> = {
  'autoscaling/v2beta1.HorizontalPodAutoscaler': autoscaler,
  'policy/v1beta1.PodDisruptionBudget': budget,
  'flowcontrol.apiserver.k8s.io/v1alpha1.PriorityLevelConfiguration': priorityLevel,
  'flowcontrol.apiserver.k8s.io/v1beta1.PriorityLevelConfiguration': priorityLevel,
  'flowcontrol.apiserver.k8s.io/v1beta2.PriorityLevelConfiguration': priorityLevel,
  'flowcontrol.apiserver.k8s.io/v1beta3.PriorityLevelConfiguration': priorityLevel,
  'certificates.k8s.io/v1beta1.CertificateSigningRequest': certificateRequest,
  'authorization.k8s.io/v1beta1.SubjectAccessReview': accessReview,
  'authorization.k8s.io/v1beta1.LocalSubjectAccessReview': accessReview,
  'events.k8s.io/v1beta1.Event': event,
};
