/**
 * Nothing is stored that a fail-closed ValidatingAdmissionPolicy refuses whose binding denies. Told of everything that is
 * stored and removed. Judged is what can be judged from outside: policies without parameters, variables, conditions and
 * selectors, which with their binding have been there for two minutes; creations of objects in the version that the
 * policy names, and changes of those that have no subresources, since of a change nobody can tell how it came.
 */
import type { Expression } from '../../sim/api/cel/syntax/expression.ts';
import { parse } from '../../sim/api/cel/syntax/parser.ts';
import { Source } from '../../sim/api/cel/syntax/source.ts';
import { at, isMapping, type Mapping, textAt } from './json.ts';
import { toldOf } from './told-verdict.ts';

export interface PolicyViolation {
  readonly rule: 'policies-hold';
  /** Virtual microseconds. */
  readonly at: number;
  readonly message: string;
}

/** API servers hear late of a policy, and requests that they are at end within a minute. */
const LATE = 120_000_000;
const POLICIES = '/registry/validatingadmissionpolicies/';
const BINDINGS = '/registry/validatingadmissionpolicybindings/';
const WITHOUT_SUBRESOURCES: ReadonlySet<string> = new Set(['configmaps', 'secrets']);
/** What servers set after or before policies are asked. */
const LATER_MEMBERS: readonly string[] = [
  ...['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'managedFields', 'selfLink'],
  ...['deletionTimestamp', 'deletionGracePeriodSeconds'],
];

interface Policy {
  readonly since: number;
  readonly rules: readonly Mapping[];
  readonly validations: readonly Validation[];
}

interface Validation {
  readonly text: string;
  readonly expression: Expression;
}

export class PolicyRules {
  readonly violations: PolicyViolation[] = [];
  readonly #now: () => number;
  readonly #policies = new Map<string, Policy>();
  /** Which policy is bound since when, by the binding's key. */
  readonly #bound = new Map<string, { readonly policy: string; readonly since: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  stored(key: string, object: unknown, before: unknown): void {
    if (key.startsWith(POLICIES)) this.#declare(key.slice(POLICIES.length), object);
    else if (key.startsWith(BINDINGS)) this.#bind(key, object);
    else if (this.#bound.size > 0) this.#look(key, object, before);
  }

  removed(key: string): void {
    this.#policies.delete(key.slice(POLICIES.length));
    this.#bound.delete(key);
  }

  #declare(name: string, policy: unknown): void {
    const validations = isPlainPolicy(policy) ? validationsOf(policy) : [];
    if (validations.length === 0) this.#policies.delete(name);
    else this.#policies.set(name, { since: this.#now(), rules: rulesOf(policy), validations });
  }

  #bind(key: string, binding: unknown): void {
    const actions = at(binding, 'spec', 'validationActions');
    const denies = Array.isArray(actions) && actions.includes('Deny');
    if (
      denies &&
      isNothing(at(binding, 'spec', 'paramRef')) &&
      isForAll(at(binding, 'spec', 'matchResources'))
    )
      this.#bound.set(key, { policy: textAt(binding, 'spec', 'policyName'), since: this.#now() });
    else this.#bound.delete(key);
  }

  #look(key: string, object: unknown, before: unknown): void {
    const write = writeOf(key, object, before);
    if (!write) return;
    const variables = { object: seen(object), oldObject: before === undefined ? null : seen(before) };
    for (const { policy: name, since } of this.#bound.values()) {
      const policy = this.#policies.get(name);
      if (!policy || this.#now() - Math.max(since, policy.since) < LATE) continue;
      if (!policy.rules.some((rule) => isMeant(rule, write))) continue;
      const broken = policy.validations.find(({ expression }) => isRefused(expression, variables));
      if (broken) this.#report(`${key} was stored though ${name} refuses it: ${broken.text}`);
    }
  }

  #report(message: string): void {
    this.violations.push({ rule: 'policies-hold', at: this.#now(), message });
  }
}

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  (typeof value === 'object' && Object.values(value).every((each) => isNothing(each)));

/** Nothing of it narrows down what is meant. */
function isForAll(match: unknown): boolean {
  const { matchPolicy, ...rest } = isMapping(match) ? match : {};
  return matchPolicy !== 'Exact' && isNothing(rest);
}

function isPlainPolicy(policy: unknown): boolean {
  const { failurePolicy, paramKind, variables, matchConditions, matchConstraints } = mappingAt(
    policy,
    'spec',
  );
  const { resourceRules: _rules, ...narrower } = isMapping(matchConstraints) ? matchConstraints : {};
  return (
    failurePolicy !== 'Ignore' &&
    [paramKind, variables, matchConditions].every(isNothing) &&
    isForAll(narrower)
  );
}

const mappingAt = (value: unknown, name: string): Mapping => {
  const found = at(value, name);
  return isMapping(found) ? found : {};
};

const mappingsAt = (value: unknown, ...path: readonly string[]): readonly Mapping[] => {
  const found = at(value, ...path);
  return Array.isArray(found) ? found.filter(isMapping) : [];
};

const rulesOf = (policy: unknown): readonly Mapping[] =>
  mappingsAt(policy, 'spec', 'matchConstraints', 'resourceRules').filter(
    ({ resourceNames, scope }) => isNothing(resourceNames) && (scope === undefined || scope === '*'),
  );

function validationsOf(policy: unknown): readonly Validation[] {
  return mappingsAt(policy, 'spec', 'validations').flatMap(({ expression: text }) => {
    if (typeof text !== 'string') return [];
    const { expression, errors } = parse(new Source(text), { hasOptionals: true });
    return errors.length > 0 || namesLater(expression) ? [] : [{ text, expression }];
  });
}

interface Write {
  readonly group: string;
  readonly version: string;
  readonly resource: string;
  readonly operation: 'CREATE' | 'UPDATE';
}

/** Undefined: nobody can tell what was asked for. */
function writeOf(key: string, object: unknown, before: unknown): Write | undefined {
  const [version = '', group = ''] = textAt(object, 'apiVersion').split('/').toReversed();
  const [, , first = '', second = ''] = key.split('/');
  const resource = first.includes('.') ? second : first;
  const kind = textAt(object, 'kind').toLowerCase();
  if (kind === '' || !resource.startsWith(kind.slice(0, -1))) return undefined;
  if (before === undefined) return { group, version, resource, operation: 'CREATE' };
  const isGoing = textAt(object, 'metadata', 'deletionTimestamp') !== '';
  return isGoing || !WITHOUT_SUBRESOURCES.has(resource)
    ? undefined
    : { group, version, resource, operation: 'UPDATE' };
}

function isMeant({ apiGroups, apiVersions, resources, operations }: Mapping, write: Write): boolean {
  const has = (list: unknown, wanted: string): boolean =>
    Array.isArray(list) && (list.includes(wanted) || list.includes('*'));
  return (
    has(apiGroups, write.group) &&
    Array.isArray(apiVersions) &&
    apiVersions.includes(write.version) &&
    has(resources, write.resource) &&
    has(operations, write.operation)
  );
}

/** As policies are shown it, as far as that is known. */
function seen(object: unknown): Mapping {
  if (!isMapping(object)) return {};
  const metadata = Object.entries(mappingAt(object, 'metadata'));
  return {
    ...object,
    metadata: Object.fromEntries(metadata.filter(([name]) => !LATER_MEMBERS.includes(name))),
  };
}

/** An error refuses as well. */
function isRefused(expression: Expression, variables: Mapping): boolean {
  const verdict = toldOf(expression, variables);
  return verdict.kind === 'failed' || (verdict.kind === 'value' && verdict.value === false);
}

/** Whether it speaks of what nobody here knows. What is untold anyway is not looked into. */
function namesLater(expression: Expression): boolean {
  switch (expression.kind) {
    case 'literal':
      return LATER_MEMBERS.some((name) => name === expression.value);
    case 'select':
      return LATER_MEMBERS.includes(expression.field) || namesLater(expression.operand);
    case 'call':
      return [...(expression.target ? [expression.target] : []), ...expression.args].some(namesLater);
    case 'list':
      return expression.elements.some(namesLater);
    case 'ident':
    case 'map':
    case 'struct':
    case 'comprehension':
      return false;
  }
}
