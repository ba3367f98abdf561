/** Ingresses and endpoint slices of their beta versions. */
import type { FieldError } from '../../../api/status.ts';
import type { VersionPair } from '../../conversion/conversion.ts';
import type { DraftObject } from '../strategy.ts';
import type { OldVersions } from './old-version.ts';
import { defined, type Fields, fieldsOf, inVersion, itemsOf, mapped, ownFieldsOf } from './parts.ts';

const V1 = 'networking.k8s.io/v1';

/** `{serviceName, servicePort}` became `{service: {name, port: {number | name}}}`. */
function newBackend({ serviceName, servicePort, ...rest }: Fields): Fields {
  const isNone = servicePort === undefined || servicePort === 0 || servicePort === '';
  if (!serviceName && isNone) return rest;
  const port = typeof servicePort === 'number' ? { number: servicePort } : { name: servicePort };
  return { ...rest, service: { name: serviceName ?? '', ...(isNone ? {} : { port }) } };
}

function oldBackend({ service, ...rest }: Fields): Fields {
  if (service === undefined) return rest;
  const { name, port } = fieldsOf(service);
  const { number, name: portName } = fieldsOf(port);
  return { ...defined({ serviceName: name || undefined, servicePort: portName ?? number ?? 0 }), ...rest };
}

const withBackends = (rules: unknown, make: (backend: Fields) => Fields): unknown =>
  mapped(rules, (rule) => {
    const { http } = rule;
    if (http === undefined) return rule;
    const paths = mapped(fieldsOf(http)['paths'], (path) => ({
      ...path,
      backend: make(fieldsOf(path['backend'])),
    }));
    return { ...rule, http: { ...fieldsOf(http), paths } };
  });

const ingress = (apiVersion: string): VersionPair => ({
  toStorage: (object) => {
    const { backend, rules, ...spec } = fieldsOf(object['spec']);
    return inVersion(object, V1, {
      spec: defined({
        ...spec,
        defaultBackend: backend === undefined ? undefined : newBackend(fieldsOf(backend)),
        rules: withBackends(rules, newBackend),
      }),
    });
  },
  fromStorage: (object) => {
    const { defaultBackend, rules, ...spec } = fieldsOf(object['spec']);
    return inVersion(object, apiVersion, {
      spec: defined({
        ...spec,
        backend: defaultBackend === undefined ? undefined : oldBackend(fieldsOf(defaultBackend)),
        rules: withBackends(rules, oldBackend),
      }),
    });
  },
});

/** A path without a type meant what its controller made of it. */
function defaultPathTypes(draft: DraftObject): void {
  for (const rule of itemsOf(fieldsOf(draft['spec'])['rules']))
    for (const path of itemsOf(fieldsOf(rule['http'])['paths']))
      ownFieldsOf(path)['pathType'] ??= 'ImplementationSpecific';
}

/** Paths and hosts were looked at less closely. */
const isPathOfNothing = ({ field, reason }: FieldError): boolean =>
  /^spec\.rules\[\d+\]\.http\.paths\[\d+\]\.path$/.test(field) && reason === 'FieldValueInvalid';

const INGRESSES: OldVersions = Object.fromEntries(
  ['extensions/v1beta1', 'networking.k8s.io/v1beta1'].map((apiVersion) => [
    apiVersion,
    {
      pair: ingress(apiVersion),
      presets: defaultPathTypes,
      excuses: (error: FieldError) => isPathOfNothing(error) && error.message === 'Invalid value: ""',
    },
  ]),
);

const HOSTNAME = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';
const SLICES = 'discovery.k8s.io/v1beta1';

function newEndpoint({ topology, nodeName, ...endpoint }: Fields): Fields {
  const { [HOSTNAME]: host, [ZONE]: zone, ...others } = fieldsOf(topology);
  return defined({
    ...endpoint,
    nodeName: nodeName ?? host,
    zone,
    deprecatedTopology: Object.keys(others).length > 0 ? others : undefined,
  });
}

function oldEndpoint({ deprecatedTopology, zone, ...endpoint }: Fields): Fields {
  const { nodeName } = endpoint;
  const topology = defined({ ...fieldsOf(deprecatedTopology), [HOSTNAME]: nodeName, [ZONE]: zone });
  return { ...endpoint, ...(Object.keys(topology).length > 0 && { topology }) };
}

const slices = (apiVersion: string): VersionPair => ({
  toStorage: (object) =>
    inVersion(object, 'discovery.k8s.io/v1', { endpoints: mapped(object['endpoints'], newEndpoint) }),
  fromStorage: (object) =>
    inVersion(object, apiVersion, { endpoints: mapped(object['endpoints'], oldEndpoint) }),
});

const ENDPOINT_SLICES: OldVersions = {
  'discovery.k8s.io/v1alpha1': { pair: slices('discovery.k8s.io/v1alpha1') },
  [SLICES]: { pair: slices(SLICES) },
};

export const NETWORKING: Readonly<Record<string, OldVersions>> = {
  'ingresses.networking.k8s.io': INGRESSES,
  'ingressclasses.networking.k8s.io': { 'networking.k8s.io/v1beta1': {} },
  'networkpolicies.networking.k8s.io': { 'extensions/v1beta1': {} },
  'endpointslices.discovery.k8s.io': ENDPOINT_SLICES,
};
