/** Which rights of some rules are not among the rights of others. */
import { compareStrings, goQuote } from '../../api/go-text.ts';
import type { PolicyRule } from '../../api/types/rbac-authorization-k8s-io-v1.ts';

/** One right: a verb on one resource (of one name), or on one URL. */
interface Right {
  readonly verb: string;
  readonly group?: string;
  readonly resource?: string;
  readonly name?: string;
  readonly url?: string;
}

/**
 * The wanted rights that nobody has given: one text for each group, resource and name, and one for each verb on a URL,
 * in order. Verbs stand as often as they are wanted.
 */
export function uncoveredRights(owned: readonly PolicyRule[], wanted: readonly PolicyRule[]): string[] {
  const ofResources = new Map<string, string[]>();
  const texts = new Set<string>();
  for (const right of wanted.flatMap(rightsOf)) {
    if (owned.some((rule) => covers(rule, right))) continue;
    const head = headOf(right);
    if (right.url === undefined) ofResources.set(head, [...(ofResources.get(head) ?? []), right.verb]);
    else texts.add(`{${head}, Verbs:${list([right.verb])}}`);
  }
  for (const [head, verbs] of ofResources) texts.add(`{${head}, Verbs:${list(verbs)}}`);
  return [...texts].sort(compareStrings);
}

/** The wanted rights that nobody has given, as rules of one right each, in the order of those that want them. */
export function missingRules(
  owned: readonly PolicyRule[],
  wanted: readonly PolicyRule[],
): readonly PolicyRule[] {
  const missing = wanted.flatMap(rightsOf).filter((right) => !owned.some((rule) => covers(rule, right)));
  const rules = new Map(missing.map((right) => [JSON.stringify(right), ruleOf(right)]));
  return [...rules.values()];
}

const ruleOf = ({ verb, group = '', resource = '', name, url }: Right): PolicyRule =>
  url === undefined
    ? {
        verbs: [verb],
        apiGroups: [group],
        resources: [resource],
        ...(name !== undefined && { resourceNames: [name] }),
      }
    : { verbs: [verb], nonResourceURLs: [url] };

function rightsOf({
  verbs,
  apiGroups = [],
  resources = [],
  resourceNames = [],
  nonResourceURLs = [],
}: PolicyRule): Right[] {
  const names: readonly (string | undefined)[] = resourceNames.length > 0 ? resourceNames : [undefined];
  // Whether there is one is looked at afterwards.
  return ((verbs as typeof verbs | null) ?? []).flatMap((verb) => [
    ...apiGroups.flatMap((group) =>
      resources.flatMap((resource) =>
        names.map((name) => ({ verb, group, resource, ...(name !== undefined && { name }) })),
      ),
    ),
    ...nonResourceURLs.map((url) => ({ verb, url })),
  ]);
}

function covers(rule: PolicyRule, { verb, group = '', resource = '', name, url }: Right): boolean {
  const { verbs, apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  if (!verbs.includes('*') && !verbs.includes(verb)) return false;
  if (url !== undefined) return nonResourceURLs.some((owned) => urlCovers(owned, url));
  if (!apiGroups.includes('*') && !apiGroups.includes(group)) return false;
  const subresource = resource.split('/')[1];
  const isResourceOwned = resources.some(
    (owned) =>
      owned === '*' || owned === resource || (subresource !== undefined && owned === `*/${subresource}`),
  );
  if (!isResourceOwned) return false;
  return resourceNames.length === 0 || (name !== undefined && resourceNames.includes(name));
}

const urlCovers = (owned: string, url: string): boolean =>
  owned === '*' || owned === url || (owned.endsWith('*') && url.startsWith(owned.slice(0, -1)));

function headOf({ group = '', resource = '', name, url }: Right): string {
  if (url !== undefined) return `NonResourceURLs:${list([url])}`;
  const names = name === undefined ? '' : `, ResourceNames:${list([name])}`;
  return `APIGroups:${list([group])}, Resources:${list([resource])}${names}`;
}

const list = (texts: readonly string[]): string => `[${texts.map(goQuote).join(' ')}]`;
