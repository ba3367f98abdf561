/** At rest what is derived from something else says what that says: sums of roles, and slices of Endpoints kept by hand. */
import type { ClusterRole } from '../../sim/api/types/rbac-authorization-k8s-io-v1.ts';
import { isGoing, textOf, type RestView } from './rest-view.ts';

/** A role that aggregates others has their rules, and no others. Only plain selectors are held against it. */
export function rolesRest(view: RestView): readonly string[] {
  const roles = view.named('ClusterRole') as readonly ClusterRole[];
  return roles.flatMap((role) => {
    const selectors = role.aggregationRule?.clusterRoleSelectors ?? [];
    if (selectors.length === 0 || isGoing(role) || selectors.some((each) => each.matchExpressions)) return [];
    const isSelected = ({ metadata }: ClusterRole): boolean =>
      metadata.name !== role.metadata.name &&
      selectors.some(({ matchLabels = {} }) =>
        Object.entries(matchLabels).every(([name, value]) => metadata.labels?.[name] === value),
      );
    const should = textsOf(roles.filter(isSelected));
    const is = textsOf([role]);
    const missing = [...should].filter((text) => !is.has(text));
    const surplus = [...is].filter((text) => !should.has(text));
    return [
      ...missing.map((text) => `${textOf(role)} lacks ${text}, which it is to sum up`),
      ...surplus.map((text) => `${textOf(role)} has ${text}, which nobody has that it sums up`),
    ];
  });
}

/** Of roles as they are stored: they are looked at often, and seldom change. */
const knownTexts = new WeakMap<ClusterRole, readonly string[]>();

function textsOf(roles: readonly ClusterRole[]): ReadonlySet<string> {
  return new Set(
    roles.flatMap((role) => {
      const texts = knownTexts.get(role) ?? (role.rules ?? []).map((rule) => JSON.stringify(rule));
      knownTexts.set(role, texts);
      return texts;
    }),
  );
}

const MIRRORER = 'endpointslicemirroring-controller.k8s.io';
const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const OF_SERVICE = 'kubernetes.io/service-name';
const SKIPPED = 'endpointslice.kubernetes.io/skip-mirror';
const OF_LEADER = 'control-plane.alpha.kubernetes.io/leader';

/** Slices that mirror name the addresses of their Endpoints, whose service has no selector, and there are no others. */
export function mirrorsRest(view: RestView): readonly string[] {
  const key = (namespace = '', name = ''): string => `${namespace}/${name}`;
  const byHand = new Set(
    view
      .of('Service')
      .filter((service) => !service.spec?.selector && !isGoing(service))
      .map(({ metadata }) => key(metadata.namespace, metadata.name)),
  );
  const should = new Map<string, string>();
  for (const { metadata, subsets = [] } of view.of('Endpoints')) {
    const { namespace, name, labels, annotations } = metadata;
    if (!byHand.has(key(namespace, name)) || labels?.[SKIPPED] === 'true' || annotations?.[OF_LEADER])
      continue;
    const addresses = subsets.flatMap((subset) => (subset.addresses ?? []).map(({ ip }) => ip));
    should.set(key(namespace, name), [...new Set(addresses)].sort().join(', '));
  }
  const is = new Map<string, string[]>();
  for (const { metadata, endpoints } of view.of('EndpointSlice')) {
    if (metadata.labels?.[MANAGED_BY] !== MIRRORER) continue;
    const of = key(metadata.namespace, metadata.labels[OF_SERVICE]);
    const ready = (endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false);
    is.set(of, [...(is.get(of) ?? []), ...ready.flatMap(({ addresses }) => addresses)]);
  }
  return [...new Set([...should.keys(), ...is.keys()])].flatMap((name) => {
    const [shown, wanted] = [[...new Set(is.get(name))].sort().join(', '), should.get(name) ?? ''];
    return shown === wanted || view.past.slicesAreStuck(name)
      ? []
      : [`slices that mirror ${name} name ${shown || 'nobody'} and should name ${wanted || 'nobody'}`];
  });
}
