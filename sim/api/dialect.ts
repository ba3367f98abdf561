/**
 * The words that depend on who is spoken to: the domain that API groups end with, the product's name
 * in media types, the domain of labels and taints. Inside, everything is in the real words; only the
 * edge (paths, headers, bodies) translates, and in the default dialect translating is the identity.
 * Specification: introduction ("Naming conventions").
 */

export interface Dialect {
  /** Domain that API group names carry: `k8s.io`. */
  readonly groupDomain: string;
  /** Product name in media types (`application/vnd.kubernetes.protobuf`). */
  readonly product: string;
  /** Domain of labels, annotations and taints: `kubernetes.io`. */
  readonly labelDomain: string;
}

const REAL: Dialect = { groupDomain: 'k8s.io', product: 'kubernetes', labelDomain: 'kubernetes.io' };

/** The real words, so that real clients work. */
export const KUBERNETES_DIALECT: Dialect = REAL;

/** The specification's neutral words with any group domain. */
export const neutralDialect = (groupDomain: string): Dialect => ({
  groupDomain,
  product: 'orchestrator',
  labelDomain: 'orchestrator.io',
});

const isReal = (dialect: Dialect): boolean =>
  dialect.groupDomain === REAL.groupDomain &&
  dialect.product === REAL.product &&
  dialect.labelDomain === REAL.labelDomain;

/** `name` with domain `from` at its end or as a whole replaced by `to`; other names stay. */
const withDomain = (name: string, from: string, to: string): string => {
  if (name === from) return to;
  return name.endsWith(`.${from}`) ? name.slice(0, -from.length) + to : name;
};

/** The group as the dialect's clients know it: `storage.k8s.io` → `storage.example.org`. */
export const outwardGroup = (dialect: Dialect, group: string): string =>
  withDomain(group, REAL.groupDomain, dialect.groupDomain);

/** The group as it is known inside. */
export const inwardGroup = (dialect: Dialect, group: string): string =>
  withDomain(group, dialect.groupDomain, REAL.groupDomain);

/** `group/version` or a core version. */
const mapGroupVersion = (apiVersion: string, map: (group: string) => string): string => {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? apiVersion : map(apiVersion.slice(0, slash)) + apiVersion.slice(slash);
};

/** The apiVersion of an object on its way out. */
export const outwardApiVersion = (dialect: Dialect, apiVersion: string): string =>
  mapGroupVersion(apiVersion, (group) => outwardGroup(dialect, group));

/** The apiVersion of an object on its way in. */
export const inwardApiVersion = (dialect: Dialect, apiVersion: string): string =>
  mapGroupVersion(apiVersion, (group) => inwardGroup(dialect, group));

/** `domain/name`, or a name without domain. */
const mapKeyDomain = (key: string, map: (domain: string) => string): string => {
  const slash = key.indexOf('/');
  return slash < 0 ? key : map(key.slice(0, slash)) + key.slice(slash);
};

/** Key of a label, annotation or taint on its way out: `node.kubernetes.io/unreachable` → `node.orchestrator.io/unreachable`. */
export const outwardKey = (dialect: Dialect, key: string): string =>
  isReal(dialect)
    ? key
    : mapKeyDomain(key, (domain) =>
        outwardGroup(dialect, withDomain(domain, REAL.labelDomain, dialect.labelDomain)),
      );

/** Key of a label, annotation or taint on its way in. */
export const inwardKey = (dialect: Dialect, key: string): string =>
  isReal(dialect)
    ? key
    : mapKeyDomain(key, (domain) =>
        inwardGroup(dialect, withDomain(domain, dialect.labelDomain, REAL.labelDomain)),
      );

/** The media type of protobuf bodies: `application/vnd.kubernetes.protobuf`. */
export const protobufMediaType = (dialect: Dialect): string => `application/vnd.${dialect.product}.protobuf`;
