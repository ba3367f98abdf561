/**
 * Puts the words of one dialect in the place of those of another, in JSON: groups, keys of labels,
 * annotations and taints, and texts meant for people. Only members that hold such words are touched, so
 * that what users store in data stays as it is. Specification: introduction ("Naming conventions").
 */
import {
  type Dialect,
  inwardApiVersion,
  inwardGroup,
  inwardKey,
  KUBERNETES_DIALECT,
  outwardApiVersion,
  outwardGroup,
  outwardKey,
} from '../api/dialect.ts';

/** How the words of one direction are said. */
export interface Words {
  apiVersion(text: string): string;
  group(text: string): string;
  /** Key of a label, annotation or taint. */
  key(text: string): string;
  mediaType(text: string): string;
  /** A text for people. */
  prose(text: string): string;
}

export function outwardWords(dialect: Dialect): Words {
  return {
    apiVersion: (text) => outwardApiVersion(dialect, text),
    group: (text) => outwardGroup(dialect, text),
    key: (text) => outwardKey(dialect, text),
    mediaType: mediaTypeWords(KUBERNETES_DIALECT, dialect),
    prose: proseWords(KUBERNETES_DIALECT, dialect),
  };
}

export function inwardWords(dialect: Dialect): Words {
  return {
    apiVersion: (text) => inwardApiVersion(dialect, text),
    group: (text) => inwardGroup(dialect, text),
    key: (text) => inwardKey(dialect, text),
    mediaType: mediaTypeWords(dialect, KUBERNETES_DIALECT),
    prose: proseWords(dialect, KUBERNETES_DIALECT),
  };
}

/** The product's name, and the groups of the parameter `g`. */
const mediaTypeWords = (from: Dialect, to: Dialect): ((text: string) => string) => {
  const prose = proseWords(from, to);
  return (text) =>
    prose(text.replaceAll(`application/vnd.${from.product}.`, `application/vnd.${to.product}.`));
};

function proseWords(from: Dialect, to: Dialect): (text: string) => string {
  const domains: readonly (readonly [RegExp, string])[] = [
    [domainPattern(from.labelDomain), to.labelDomain],
    [domainPattern(from.groupDomain), to.groupDomain],
  ];
  return (text) => domains.reduce((result, [pattern, word]) => result.replace(pattern, word), text);
}

/** The domain as the end of a name, not in the middle of one. */
const domainPattern = (domain: string): RegExp =>
  new RegExp(`(?<![\\w-])${domain.replaceAll('.', '\\.')}(?![\\w-]|\\.\\w)`, 'g');

const VERSION_MEMBERS: ReadonlySet<string> = new Set(['apiVersion', 'groupVersion']);
const GROUP_MEMBERS: ReadonlySet<string> = new Set(['group', 'apiGroup', 'apiGroups']);
const KEY_MEMBERS: ReadonlySet<string> = new Set([
  'key',
  'topologyKey',
  'signerName',
  'finalizers',
  'type',
  'reason',
]);
const PROSE_MEMBERS: ReadonlySet<string> = new Set(['message']);
const OWNED_MEMBER = 'f:';

/** A copy of a JSON value in the other words. */
export function inOtherWords(value: unknown, words: Words): unknown {
  if (Array.isArray(value)) return value.map((item) => inOtherWords(item, words));
  if (typeof value !== 'object' || value === null) return value;
  const isGroup = Reflect.get(value, 'kind') === 'APIGroup' || 'preferredVersion' in value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      if (isGroup && name === 'name' && typeof member === 'string') return [name, words.group(member)];
      return [memberName(name, words), memberValue(name, member, words)];
    }),
  );
}

function memberName(name: string, words: Words): string {
  if (!name.includes('/')) return name;
  return name.startsWith(OWNED_MEMBER)
    ? OWNED_MEMBER + words.key(name.slice(OWNED_MEMBER.length))
    : words.key(name);
}

function memberValue(name: string, member: unknown, words: Words): unknown {
  const say = VERSION_MEMBERS.has(name)
    ? words.apiVersion
    : GROUP_MEMBERS.has(name)
      ? words.group
      : KEY_MEMBERS.has(name)
        ? words.key
        : PROSE_MEMBERS.has(name)
          ? words.prose
          : undefined;
  if (!say) return inOtherWords(member, words);
  if (typeof member === 'string') return say(member);
  const isTexts = Array.isArray(member) && member.every((item) => typeof item === 'string');
  return isTexts ? member.map((item) => say(item)) : inOtherWords(member, words);
}
