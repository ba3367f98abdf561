/** Rules of what a FlowSchema matches: whose requests, and which. */
import { append } from '../../../../api/append.ts';
import { goStringSlice } from '../../../../api/go-text.ts';
import type { FieldError } from '../../../../api/status.ts';
import type {
  FlowSchemaSpec,
  NonResourcePolicyRule,
  PolicyRulesWithSubjects,
  ResourcePolicyRule,
} from '../../../../api/types/flowcontrol-apiserver-k8s-io-v1.ts';
import { checkedBy, oneOf } from '../../../../api/validation/field-checks.ts';
import { forbidden, invalid, notSupported, required } from '../../../../api/validation/field-error.ts';
import type { FieldPath } from '../../../../api/validation/field-path.ts';
import { dns1123Label, dns1123Subdomain } from '../../../../api/validation/names.ts';

type Subject = NonNullable<PolicyRulesWithSubjects['subjects']>[number];
type Errors = readonly FieldError[];

export function flowRulesErrors(rules: FlowSchemaSpec['rules'], path: FieldPath): Errors {
  return (rules ?? []).flatMap((rule, at) => ruleErrors(rule, path.index(at)));
}

function ruleErrors(rule: PolicyRulesWithSubjects, path: FieldPath): FieldError[] {
  const { subjects } = rule;
  const [resourceRules, nonResourceRules] = [rule.resourceRules ?? [], rule.nonResourceRules ?? []];
  const own = path.child('subjects');
  const errors: FieldError[] = [];
  if (!subjects?.length) errors.push(required(own, 'subjects must contain at least one value'));
  subjects?.forEach((subject, at) => append(errors, subjectErrors(subject, own.index(at))));
  if (resourceRules.length === 0 && nonResourceRules.length === 0) {
    errors.push(required(path, 'at least one of resourceRules and nonResourceRules has to be non-empty'));
  }
  resourceRules.forEach((rule, at) =>
    append(errors, resourceRuleErrors(rule, path.child('resourceRules').index(at))),
  );
  nonResourceRules.forEach((rule, at) =>
    append(errors, otherRuleErrors(rule, path.child('nonResourceRules').index(at))),
  );
  return errors;
}

const MEMBERS = [
  ['serviceAccount', 'ServiceAccount'],
  ['user', 'User'],
  ['group', 'Group'],
] as const;

function subjectErrors(subject: Subject, path: FieldPath): FieldError[] {
  const expected = MEMBERS.find(([, kind]) => kind === subject.kind)?.[0];
  if (!expected) return [...oneOf(subject.kind, ['Group', 'ServiceAccount', 'User'], path.child('kind'))];
  const errors: FieldError[] = memberErrors(subject, expected, path.child(expected));
  for (const [member, kind] of MEMBERS) {
    if (member === expected || !subject[member]) continue;
    const why = `${member} is forbidden when subject kind is not '${kind}'`;
    errors.push(forbidden(path.child(member), why));
  }
  return errors;
}

function memberErrors(subject: Subject, member: (typeof MEMBERS)[number][0], path: FieldPath): FieldError[] {
  const value = subject[member];
  if (!value) return [required(path, `${member} is required when subject kind is '${subject.kind}'`)];
  const name = path.child('name');
  if (member !== 'serviceAccount') return value.name ? [] : [required(name)];
  const { namespace = '' } = subject.serviceAccount ?? {};
  const errors: FieldError[] = value.name ? [] : [required(name)];
  if (value.name && value.name !== '*') append(errors, checkedBy(dns1123Subdomain, value.name, name));
  const place = path.child('namespace');
  if (namespace) append(errors, checkedBy(dns1123Label, namespace, place));
  else errors.push(required(place, 'must specify namespace for service account'));
  return errors;
}

const VERBS = [
  ...['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'proxy', 'update', 'watch'],
];

/** A list in which `*` stands alone. */
function listErrors(
  list: readonly string[],
  path: FieldPath,
  words: readonly [string, string],
): FieldError[] {
  if (list.length === 0) return [required(path, words[0])];
  if (!list.includes('*') || list.length === 1) return [];
  return [invalid(path, goStringSlice(list), `if '*' is present, must not specify other ${words[1]}`)];
}

function verbsErrors(verbs: readonly string[], path: FieldPath): FieldError[] {
  const errors = listErrors(verbs, path, ['verbs must contain at least one value', 'verbs']);
  if (errors.length > 0 || verbs.includes('*') || verbs.every((verb) => VERBS.includes(verb))) return errors;
  return [notSupported(path, goStringSlice(verbs), VERBS)];
}

function resourceRuleErrors(rule: ResourcePolicyRule, path: FieldPath): FieldError[] {
  const { clusterScope = false } = rule;
  // Lists that must be there may be null.
  const [verbs, apiGroups] = [rule.verbs ?? [], rule.apiGroups ?? []];
  const [resources, namespaces] = [rule.resources ?? [], rule.namespaces ?? []];
  const errors: FieldError[] = [
    ...verbsErrors(verbs, path.child('verbs')),
    ...listErrors(apiGroups, path.child('apiGroups'), [
      'resource rules must supply at least one api group',
      'api groups',
    ]),
    ...listErrors(resources, path.child('resources'), [
      'resource rules must supply at least one resource',
      'resources',
    ]),
  ];
  const own = path.child('namespaces');
  if (namespaces.length === 0) {
    const why = 'resource rules that are not cluster scoped must supply at least one namespace';
    return clusterScope ? errors : [...errors, required(own, why)];
  }
  if (namespaces.includes('*')) return [...errors, ...listErrors(namespaces, own, ['', 'namespaces'])];
  namespaces.forEach((name, at) => {
    for (const finding of dns1123Label(name)) {
      const why = `each member of this list must be '*' or a DNS-1123 label; ${finding}`;
      errors.push(invalid(own.index(at), name, why));
    }
  });
  return errors;
}

function otherRuleErrors(rule: NonResourcePolicyRule, path: FieldPath): Errors {
  // Written as `null` they are null.
  const [verbs, nonResourceURLs] = [rule.verbs ?? [], rule.nonResourceURLs ?? []];
  const own = path.child('nonResourceURLs');
  const errors = verbsErrors(verbs, path.child('verbs'));
  append(
    errors,
    listErrors(nonResourceURLs, own, [
      'nonResourceURLs must contain at least one value',
      'non-resource URLs',
    ]),
  );
  if (nonResourceURLs.includes('*')) return errors;
  nonResourceURLs.forEach((url, at) => append(errors, urlErrors(url, own.index(at))));
  return errors;
}

function urlErrors(url: string, path: FieldPath): Errors {
  if (url === '') return [invalid(path, url, 'must not be empty')];
  if (url === '/') return [];
  const finding = urlFinding(url);
  return finding === undefined ? [] : [invalid(path, url, finding)];
}

/** The first that is wrong; the server does not look further. */
function urlFinding(url: string): string | undefined {
  if (!url.startsWith('/')) return 'must start with slash';
  if (url.includes(' ')) return 'must not contain white-space';
  if (url.includes('//')) return 'must not contain double slash';
  const wildcards = url.split('*').length - 1;
  const isSuffix = wildcards === 0 || (wildcards === 1 && url.endsWith('/*'));
  return isSuffix ? undefined : 'wildcard can only do suffix matching';
}
