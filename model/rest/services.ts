/** At rest whoever counts or lists pods has counted and listed those that there are. */
import type { ConfigMap, Endpoints, Pod, Service } from '../../sim/api/types/core-v1.ts';
import { controllerOf, nameOf } from '../workloads/owned-pods.ts';
import { isReady } from '../pod-facts.ts';
import { differences, isGoing, lacksAccount, textOf, type RestView } from './rest-view.ts';

const selects = (selector: Readonly<Record<string, string>>, { metadata }: Pod): boolean =>
  Object.entries(selector).every(([name, value]) => metadata.labels?.[name] === value);

const inNamespaceOf =
  (one: { readonly metadata: { readonly namespace?: string } }) =>
  ({ metadata }: { readonly metadata: { readonly namespace?: string } }): boolean =>
    metadata.namespace === one.metadata.namespace;

/** Slices and Endpoints of a service name its ready pods as ready, and no others. */
export function servicesRest(view: RestView): readonly string[] {
  return [...view.of('Service').flatMap((service) => problemsOf(service, view)), ...leftEndpoints(view)];
}

/** Endpoints that the cluster made for a service which is gone. */
function leftEndpoints(view: RestView): readonly string[] {
  const services = new Set(
    view.of('Service').map(({ metadata }) => `${metadata.namespace ?? ''}/${metadata.name ?? ''}`),
  );
  const isLeft = (endpoints: Endpoints): boolean => {
    const { namespace = '', name = '', annotations = {}, managedFields = [] } = endpoints.metadata;
    return (
      !services.has(`${namespace}/${name}`) &&
      managedFields.some(({ manager }) => manager === 'kube-controller-manager') &&
      annotations['endpoints.kubernetes.io/last-change-trigger-time'] !== undefined
    );
  };
  return view
    .of('Endpoints')
    .filter(isLeft)
    .map((endpoints) => `${textOf(endpoints)} is left, and its service is gone`);
}

function problemsOf(service: Service, view: RestView): readonly string[] {
  const { selector, publishNotReadyAddresses } = service.spec ?? {};
  if (!selector || isGoing(service) || publishNotReadyAddresses === true) return [];
  const pods = view.of('Pod').filter(inNamespaceOf(service));
  const should = pods
    .filter((pod) => selects(selector, pod) && isReady(pod) && !isGoing(pod))
    .flatMap(({ status }) => status?.podIP ?? [])
    .sort()
    .join(', ');
  const { name = '' } = service.metadata;
  const slices = view
    .of('EndpointSlice')
    .filter(inNamespaceOf(service))
    .filter(({ metadata }) => metadata.labels?.['kubernetes.io/service-name'] === name);
  const inSlices = slices
    .flatMap(({ endpoints }) => endpoints ?? [])
    .filter(({ conditions }) => conditions?.ready !== false)
    .flatMap(({ addresses }) => addresses)
    .sort()
    .join(', ');
  const subsets = view
    .of('Endpoints')
    .filter(inNamespaceOf(service))
    .filter(({ metadata }) => metadata.name === name)
    .flatMap((endpoints) => endpoints.subsets ?? [])
    .map(({ addresses = [] }) => addresses.map(({ ip }) => ip));
  // Who has not all ports is in some of them, once in each.
  const inEndpoints = subsets
    .flatMap((ips, index) => ips.filter((ip) => !subsets.slice(0, index).some((those) => those.includes(ip))))
    .sort()
    .join(', ');
  const isThere = view
    .of('Endpoints')
    .some(({ metadata }) => metadata.name === name && metadata.namespace === service.metadata.namespace);
  const isLost = !isThere && view.past.isLost('Endpoints', nameOf(service));
  return [
    ...(inSlices === should || view.past.slicesAreStuck(nameOf(service))
      ? []
      : [wrong('slices', service, inSlices, should)]),
    ...(inEndpoints === should || isLost ? [] : [wrong('Endpoints', service, inEndpoints, should)]),
    ...(isThere || isLost ? [] : [`${textOf(service)} has no Endpoints`]),
  ];
}

const wrong = (what: string, service: Service, is: string, should: string): string =>
  `${what} of ${textOf(service)} name ${is || 'nobody'} and should name ${should || 'nobody'}`;

/** A budget has counted the pods that it is about. Only plain ones, with numbers, are held against it. */
export function budgetsRest(view: RestView): readonly string[] {
  return view.of('PodDisruptionBudget').flatMap((budget) => {
    const { spec, status, metadata } = budget;
    const labels = spec?.selector?.matchLabels;
    if (isGoing(budget) || !labels || spec?.selector?.matchExpressions) return [];
    // Those that have ended are expected, too.
    const pods = view
      .of('Pod')
      .filter(inNamespaceOf(budget))
      .filter((pod) => selects(labels, pod));
    const healthy = pods.filter((pod) => isReady(pod) && !isGoing(pod)).length;
    const generation = differences(budget, status, {
      observedGeneration: metadata.generation,
      currentHealthy: healthy,
    });
    if (typeof spec?.minAvailable !== 'number') return generation;
    return [
      ...generation,
      ...differences(budget, status, {
        expectedPods: pods.length,
        desiredHealthy: spec.minAvailable,
        disruptionsAllowed: Math.max(0, healthy - spec.minAvailable),
      }),
    ];
  });
}

const CA = 'kube-root-ca.crt';

/** No namespace is stuck in its end; every other has its service account and its root certificate. */
export function namespacesRest(view: RestView): readonly string[] {
  const accounts = new Set(view.of('ServiceAccount').map(textOf));
  const maps = new Map(view.of('ConfigMap').map((map) => [textOf(map), map]));
  const original = maps.get(`ConfigMap kube-system/${CA}`);
  return view.of('Namespace').flatMap((namespace) => {
    const { name = '' } = namespace.metadata;
    if (isGoing(namespace)) {
      const isHeld = view.all.some(
        ({ metadata }) => metadata.namespace === name && (metadata.finalizers ?? []).length > 0,
      );
      return isHeld ? [] : [`${textOf(namespace)} does not come to its end`];
    }
    return [
      ...(accounts.has(`ServiceAccount ${name}/default`) || lacksAccount(view, name)
        ? []
        : [`${textOf(namespace)} has no default service account`]),
      ...certificateProblem(view, { namespace: name, map: maps.get(`ConfigMap ${name}/${CA}`), original }),
    ];
  });
}

interface Certificate {
  readonly namespace: string;
  readonly map: ConfigMap | undefined;
  readonly original: ConfigMap | undefined;
}

function certificateProblem(
  { past }: RestView,
  { namespace, map, original }: Certificate,
): readonly string[] {
  if (!map)
    return past.isLost('ConfigMap', `${namespace}/${CA}`) ? [] : [`Namespace ${namespace} has no ${CA}`];
  const isRight = JSON.stringify(map.data) === JSON.stringify(original?.data ?? map.data);
  return isRight || past.changedUnseen(map)
    ? []
    : [`${CA} of Namespace ${namespace} is not what it should be`];
}

/** Nothing is left that only owners held which are gone. */
export function ownersRest(view: RestView): readonly string[] {
  const uids = new Set(view.all.map(({ metadata }) => metadata.uid));
  const kinds = new Set(view.all.map(({ kind }) => kind));
  return view.all.flatMap((object) => {
    const { ownerReferences = [], namespace, finalizers = [] } = object.metadata;
    if (!namespace || ownerReferences.length === 0 || isGoing(object) || finalizers.length > 0) return [];
    const areKnown = ownerReferences.every(({ kind }) => kinds.has(kind) || KNOWN.has(kind));
    if (!areKnown || ownerReferences.some(({ uid }) => uids.has(uid))) return [];
    const owner = controllerOf(object) ?? ownerReferences[0];
    return [
      `${textOf(object)} is still there, and its owner ${owner?.kind ?? ''} ${owner?.name ?? ''} is gone`,
    ];
  });
}

const KNOWN: ReadonlySet<string> = new Set([
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'CronJob',
  'ConfigMap',
  'Service',
]);
