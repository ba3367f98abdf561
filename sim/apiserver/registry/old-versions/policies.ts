/** Budgets, autoscalers and priority levels of their beta versions. */
import type { FieldError } from '../../../api/status.ts';
import { autoscalerPair } from '../kinds/autoscaling/horizontal-pod-autoscaler-conversion.ts';
import { ZERO_SHARES_ANNOTATION } from '../kinds/flowcontrol/priority-level-conversion.ts';
import type { VersionPair } from '../../conversion/conversion.ts';
import type { OldVersion, OldVersions } from './old-version.ts';
import { defined, type Fields, fieldsOf, inVersion, itemsOf, ownFieldsOf, withAnnotation } from './parts.ts';

const BUDGETS = 'policy/v1beta1';
const BUDGETS_V1 = 'policy/v1';
/** No pod has a label of this name. */
const NO_LABEL = 'pdb.kubernetes.io/deprecated-v1beta1-empty-selector-match';

const requirement = (operator: 'Exists' | 'DoesNotExist'): Fields => ({
  matchExpressions: [{ key: NO_LABEL, operator }],
});

const isEmpty = (selector: unknown): boolean => {
  const { matchLabels, matchExpressions } = fieldsOf(selector);
  return Object.keys(fieldsOf(matchLabels)).length === 0 && itemsOf(matchExpressions).length === 0;
};

function isRequirement(selector: unknown, operator: 'Exists' | 'DoesNotExist'): boolean {
  const { matchLabels, matchExpressions } = fieldsOf(selector);
  const [first, ...others] = itemsOf(matchExpressions);
  if (Object.keys(fieldsOf(matchLabels)).length > 0 || others.length > 0) return false;
  return (
    first?.['key'] === NO_LABEL && first['operator'] === operator && itemsOf(first['values']).length === 0
  );
}

/** An empty selector chose no pods, and chooses all of them in `v1`. */
const budget: VersionPair = {
  toStorage: (object) => {
    const spec = fieldsOf(object['spec']);
    const { selector } = spec;
    if (selector === undefined) return inVersion(object, BUDGETS_V1);
    if (isEmpty(selector)) return withSelector(object, BUDGETS_V1, requirement('Exists'));
    return isRequirement(selector, 'DoesNotExist')
      ? withSelector(object, BUDGETS_V1, {})
      : inVersion(object, BUDGETS_V1);
  },
  fromStorage: (object) => {
    const { selector } = fieldsOf(object['spec']);
    if (selector === undefined) return inVersion(object, BUDGETS);
    if (isEmpty(selector)) return withSelector(object, BUDGETS, requirement('DoesNotExist'));
    return isRequirement(selector, 'Exists') ? withSelector(object, BUDGETS, {}) : inVersion(object, BUDGETS);
  },
};

const withSelector = (object: Parameters<typeof inVersion>[0], apiVersion: string, selector: Fields) =>
  inVersion(object, apiVersion, { spec: { ...fieldsOf(object['spec']), selector } });

const LEVELS_V1 = 'flowcontrol.apiserver.k8s.io/v1';

function withLimited(
  object: Parameters<typeof inVersion>[0],
  apiVersion: string,
  make: (limited: Fields) => Fields,
) {
  const spec = fieldsOf(object['spec']);
  const { limited } = spec;
  return inVersion(
    object,
    apiVersion,
    limited === undefined ? {} : { spec: { ...spec, limited: make(fieldsOf(limited)) } },
  );
}

/** `assuredConcurrencyShares` became `nominalConcurrencyShares`; 0 of them stood for the default, and now is 0. */
const level = (apiVersion: string): OldVersion => ({
  presets: ({ metadata, spec }) => {
    const limited = fieldsOf(spec)['limited'];
    if (limited === undefined) return;
    const isZeroMeant = metadata.annotations?.[ZERO_SHARES_ANNOTATION] !== undefined;
    if (!isZeroMeant) ownFieldsOf(limited)['assuredConcurrencyShares'] ||= DEFAULT_SHARES;
  },
  pair: {
    toStorage: (object) => {
      const stored = withLimited(object, LEVELS_V1, ({ assuredConcurrencyShares: shares, ...rest }) =>
        defined({ nominalConcurrencyShares: shares, ...rest }),
      );
      return withAnnotation(stored, ZERO_SHARES_ANNOTATION, undefined);
    },
    fromStorage: (object) => {
      const shown = withLimited(object, apiVersion, ({ nominalConcurrencyShares: shares, ...rest }) =>
        defined({ assuredConcurrencyShares: shares, ...rest }),
      );
      const { assuredConcurrencyShares } = fieldsOf(fieldsOf(shown['spec'])['limited']);
      return assuredConcurrencyShares === 0 ? withAnnotation(shown, ZERO_SHARES_ANNOTATION, '') : shown;
    },
  },
});

const DEFAULT_SHARES = 30;

const LEVELS: OldVersions = Object.fromEntries(
  ['v1alpha1', 'v1beta1', 'v1beta2'].map((version) => {
    const apiVersion = `flowcontrol.apiserver.k8s.io/${version}`;
    return [apiVersion, level(apiVersion)];
  }),
);

/** New events had to say nothing of what they have to say since. */
const isOfEvents = ({ field }: FieldError): boolean =>
  ['eventTime', 'type', 'firstTimestamp', 'lastTimestamp', 'count', 'source'].includes(field) ||
  field.startsWith('series');

export const POLICIES: Readonly<Record<string, OldVersions>> = {
  'poddisruptionbudgets.policy': { [BUDGETS]: { pair: budget } },
  'events.events.k8s.io': { 'events.k8s.io/v1beta1': { excuses: isOfEvents } },
  'horizontalpodautoscalers.autoscaling': {
    'autoscaling/v2beta1': { pair: autoscalerPair('autoscaling/v2beta1') },
    'autoscaling/v2beta2': { pair: autoscalerPair('autoscaling/v2beta2') },
  },
  'prioritylevelconfigurations.flowcontrol.apiserver.k8s.io': LEVELS,
  'flowschemas.flowcontrol.apiserver.k8s.io': Object.fromEntries(
    Object.keys(LEVELS).map((name) => [name, {}]),
  ),
};
