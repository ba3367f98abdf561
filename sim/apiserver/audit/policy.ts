/**
 * Which requests are audited and how much is said of each: the first rule that matches decides, and
 * what no rule matches is not audited. Specification: "Audit".
 */
import { yamlToJson } from '../../api/codec/yaml.ts';
import type { RequestInfo } from '../request/request-info.ts';
import type { UserInfo } from '../request/request.ts';

const LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
const STAGES = ['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'] as const;
export type AuditLevel = (typeof LEVELS)[number];
export type AuditStage = (typeof STAGES)[number];

/** How one request is audited. */
export interface AuditDecision {
  readonly level: AuditLevel;
  readonly omits: ReadonlySet<AuditStage>;
  readonly omitsManagedFields: boolean;
}

interface ResourceRule {
  readonly group: string;
  /** `pods`, `pods/log`, `pods/*`, `*`, `*` with a subresource; empty: all of the group. */
  readonly resources: readonly string[];
  readonly resourceNames: readonly string[];
}

interface Rule extends AuditDecision {
  readonly users: readonly string[];
  readonly groups: readonly string[];
  readonly verbs: readonly string[];
  readonly resources: readonly ResourceRule[];
  readonly namespaces: readonly string[];
  readonly nonResourceURLs: readonly string[];
}

/** A policy that makes no sense; the message is for the command line. */
export class AuditPolicyError extends Error {
  override readonly name = 'AuditPolicyError';
}

const UNAUDITED: AuditDecision = { level: 'None', omits: new Set(), omitsManagedFields: false };

export class AuditPolicy {
  readonly #rules: readonly Rule[];

  constructor(rules: readonly Rule[]) {
    this.#rules = rules;
  }

  /** Reads a `Policy` of `audit.k8s.io/v1` in YAML or JSON. @throws AuditPolicyError */
  static parse(text: string): AuditPolicy {
    const policy = recordOf(yamlToJson(text).value, 'policy');
    if (policy['apiVersion'] !== 'audit.k8s.io/v1' || policy['kind'] !== 'Policy') {
      throw new AuditPolicyError('expected a Policy of audit.k8s.io/v1');
    }
    const rules = listOf(policy['rules'], 'rules');
    if (rules.length === 0) throw new AuditPolicyError('loaded illegal policy with 0 rules');
    const omitStages = stagesOf(policy['omitStages'], 'omitStages');
    const omitsManagedFields = policy['omitManagedFields'] === true;
    return new AuditPolicy(
      rules.map((rule, index) => parseRule(rule, `rules[${index}]`, { omitStages, omitsManagedFields })),
    );
  }

  decide(info: RequestInfo, user: UserInfo): AuditDecision {
    return this.#rules.find((rule) => matches(rule, info, user)) ?? UNAUDITED;
  }
}

interface PolicyDefaults {
  readonly omitStages: readonly AuditStage[];
  readonly omitsManagedFields: boolean;
}

function parseRule(value: unknown, path: string, { omitStages, omitsManagedFields }: PolicyDefaults): Rule {
  const rule = recordOf(value, path);
  const level = LEVELS.find((each) => each === rule['level']);
  if (level === undefined) {
    throw new AuditPolicyError(
      `${path}.level: Unsupported value: ${JSON.stringify(rule['level'] ?? '')}: supported values: ${quoted(LEVELS)}`,
    );
  }
  const resources = listOf(rule['resources'], `${path}.resources`).map((each, index) =>
    parseResourceRule(each, `${path}.resources[${index}]`),
  );
  const namespaces = textsOf(rule['namespaces'], `${path}.namespaces`);
  const nonResourceURLs = textsOf(rule['nonResourceURLs'], `${path}.nonResourceURLs`);
  if (nonResourceURLs.length > 0 && (resources.length > 0 || namespaces.length > 0)) {
    throw new AuditPolicyError(
      `${path}.nonResourceURLs: Invalid value: rules cannot apply to both regular resources and non-resource URLs`,
    );
  }
  return {
    level,
    omits: new Set([...omitStages, ...stagesOf(rule['omitStages'], `${path}.omitStages`)]),
    omitsManagedFields:
      typeof rule['omitManagedFields'] === 'boolean' ? rule['omitManagedFields'] : omitsManagedFields,
    users: textsOf(rule['users'], `${path}.users`),
    groups: textsOf(rule['userGroups'], `${path}.userGroups`),
    verbs: textsOf(rule['verbs'], `${path}.verbs`),
    resources,
    namespaces,
    nonResourceURLs,
  };
}

function parseResourceRule(value: unknown, path: string): ResourceRule {
  const rule = recordOf(value, path);
  return {
    group: typeof rule['group'] === 'string' ? rule['group'] : '',
    resources: textsOf(rule['resources'], `${path}.resources`),
    resourceNames: textsOf(rule['resourceNames'], `${path}.resourceNames`),
  };
}

/** An empty list of a rule is no condition. */
function matches(rule: Rule, info: RequestInfo, user: UserInfo): boolean {
  if (rule.users.length > 0 && !rule.users.includes(user.name)) return false;
  if (rule.groups.length > 0 && !rule.groups.some((group) => user.groups.includes(group))) return false;
  if (rule.verbs.length > 0 && !rule.verbs.includes(info.verb) && !rule.verbs.includes('*')) return false;
  if (rule.resources.length > 0 || rule.namespaces.length > 0) return matchesResource(rule, info);
  if (rule.nonResourceURLs.length > 0) {
    return !info.isResourceRequest && rule.nonResourceURLs.some((pattern) => matchesPath(pattern, info.path));
  }
  return true;
}

function matchesResource({ namespaces, resources }: Rule, info: RequestInfo): boolean {
  if (!info.isResourceRequest) return false;
  if (namespaces.length > 0 && !namespaces.includes(info.namespace)) return false;
  return resources.length === 0 || resources.some((rule) => matchesResourceRule(rule, info));
}

function matchesResourceRule(
  rule: ResourceRule,
  { group, resource, subresource, name }: RequestInfo,
): boolean {
  if (rule.group !== group) return false;
  if (rule.resources.length === 0) return true;
  if (rule.resourceNames.length > 0 && !rule.resourceNames.includes(name)) return false;
  const whole = subresource === '' ? resource : `${resource}/${subresource}`;
  return rule.resources.some(
    (pattern) =>
      pattern === whole ||
      pattern === '*' ||
      (subresource !== '' && (pattern === `*/${subresource}` || pattern === `${resource}/*`)) ||
      (subresource === '' && pattern === `${resource}/*`),
  );
}

const matchesPath = (pattern: string, path: string): boolean =>
  pattern.endsWith('*') ? path.startsWith(pattern.slice(0, -1)) : pattern === path;

function recordOf(value: unknown, path: string): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value))
    return value as Readonly<Record<string, unknown>>;
  throw new AuditPolicyError(`${path}: expected an object`);
}

function listOf(value: unknown, path: string): readonly unknown[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value;
  throw new AuditPolicyError(`${path}: expected a list`);
}

const textsOf = (value: unknown, path: string): readonly string[] =>
  listOf(value, path).map((item) => {
    if (typeof item === 'string') return item;
    throw new AuditPolicyError(`${path}: expected a list of strings`);
  });

const stagesOf = (value: unknown, path: string): readonly AuditStage[] =>
  textsOf(value, path).map((text) => {
    const stage = STAGES.find((each) => each === text);
    if (stage === undefined) {
      throw new AuditPolicyError(
        `${path}: Invalid value: ${JSON.stringify(text)}: allowed stages are ${STAGES.join(',')}`,
      );
    }
    return stage;
  });

const quoted = (words: readonly string[]): string => words.map((word) => JSON.stringify(word)).join(', ');
