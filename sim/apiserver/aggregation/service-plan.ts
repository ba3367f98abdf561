/**
 * What becomes of the APIServices of versions that this server answers itself: one for each version is kept. Those with
 * the label `onstart` are looked at when a server starts, those with `true`, which stand for definitions, all the time;
 * whoever takes the label off, or brings an APIService of his own, is left alone. Pure.
 * Specification: not shown (Kubernetes: the registration controller of the aggregation layer).
 */
import type { ApiObject } from '../../api/object.ts';
import type { APIService, APIServiceSpec } from '../../api/types/apiregistration-k8s-io-v1.ts';

const LABEL = 'kube-aggregator.kubernetes.io/automanaged';

/** When it is looked at. */
export type Managed = 'onstart' | 'true';

/** Of a version that stands for itself and no service. */
export interface WantedSpec {
  readonly group?: string;
  readonly version: string;
  readonly groupPriorityMinimum: number;
  readonly versionPriority: number;
}

export type ServiceStep<Entry> =
  | { readonly kind: 'create'; readonly service: ApiObject }
  | { readonly kind: 'restore'; readonly entry: Entry; readonly service: APIService }
  | { readonly kind: 'remove'; readonly entry: Entry };

interface PresentService {
  readonly value: ApiObject;
}

export interface ServiceSituation<Entry extends PresentService> {
  readonly managed: Managed;
  readonly wanted: readonly WantedSpec[];
  readonly present: readonly Entry[];
  /** Names that are looked at at another time. */
  readonly others?: ReadonlySet<string>;
}

export function serviceSteps<Entry extends PresentService>({
  managed,
  wanted,
  present,
  others = new Set<string>(),
}: ServiceSituation<Entry>): readonly ServiceStep<Entry>[] {
  const specs = new Map(wanted.map((spec) => [nameOf(spec), spec]));
  const names = new Set<string>();
  const kept = present.flatMap((entry): readonly ServiceStep<Entry>[] => {
    const service = entry.value as APIService;
    const { name = '' } = service.metadata;
    names.add(name);
    const label = managedOf(service);
    const spec = specs.get(name);
    if (others.has(name) || !isLookedAt(managed, label, spec !== undefined)) return [];
    if (!spec) return [{ kind: 'remove', entry }];
    return isSame(service.spec, spec) ? [] : [{ kind: 'restore', entry, service: { ...service, spec } }];
  });
  const missing = wanted.filter((spec) => !names.has(nameOf(spec)) && !others.has(nameOf(spec)));
  return [
    ...kept,
    ...missing.map((spec) => ({ kind: 'create', service: serviceOf(spec, managed) }) as const),
  ];
}

/** What its label says, if it has one. */
export const managedOf = ({ metadata }: ApiObject): string | undefined => metadata.labels?.[LABEL];

/** What is wanted at the start counts whatever it was labelled with meanwhile. */
function isLookedAt(managed: Managed, label: string | undefined, isWanted: boolean): boolean {
  if (label === managed) return true;
  return managed === 'onstart' && label === 'true' && isWanted;
}

export const nameOf = ({ group = '', version }: WantedSpec): string => `${version}.${group}`;

const isSame = (present: APIServiceSpec | undefined, wanted: WantedSpec): boolean =>
  present !== undefined &&
  present.service === undefined &&
  !present.insecureSkipTLSVerify &&
  !present.caBundle &&
  (present.group ?? '') === (wanted.group ?? '') &&
  present.version === wanted.version &&
  present.groupPriorityMinimum === wanted.groupPriorityMinimum &&
  present.versionPriority === wanted.versionPriority;

/** By what is wanted at the start; the same few are in all clusters of a process. */
const known = new WeakMap<WantedSpec, ApiObject>();

function serviceOf(spec: WantedSpec, managed: Managed): ApiObject {
  if (managed === 'true') return apiService(spec, managed);
  const service = known.get(spec) ?? apiService(spec, managed);
  known.set(spec, service);
  return service;
}

/** As the server writes it; times are those of the moment at which it does. */
const apiService = (spec: WantedSpec, managed: Managed): ApiObject => ({
  kind: 'APIService',
  apiVersion: 'apiregistration.k8s.io/v1',
  metadata: {
    name: nameOf(spec),
    labels: { [LABEL]: managed },
    managedFields: [
      {
        manager: 'kube-apiserver',
        operation: 'Update',
        apiVersion: 'apiregistration.k8s.io/v1',
        fieldsType: 'FieldsV1',
        fieldsV1: {
          'f:metadata': { 'f:labels': { '.': {}, [`f:${LABEL}`]: {} } },
          'f:spec': {
            ...(spec.group !== undefined && { 'f:group': {} }),
            'f:groupPriorityMinimum': {},
            'f:version': {},
            'f:versionPriority': {},
          },
        },
      },
    ],
  },
  spec: { ...spec },
  status: { conditions: [{ ...LOCAL, lastTransitionTime: null }] },
});

/** What is said of the availability of all that have no service. */
export const LOCAL = {
  type: 'Available',
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
} as const;
