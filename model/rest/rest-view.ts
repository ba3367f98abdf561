/** What there is when a cluster should be at rest, by kind: the input of the rules in this folder. */
import type { ApiObject } from '../../sim/api/object.ts';
import type { CustomResourceDefinition } from '../../sim/api/types/apiextensions-k8s-io-v1.ts';
import type { DaemonSet, Deployment, ReplicaSet, StatefulSet } from '../../sim/api/types/apps-v1.ts';
import type { Job } from '../../sim/api/types/batch-v1.ts';
import type { Lease } from '../../sim/api/types/coordination-k8s-io-v1.ts';
import type {
  ConfigMap,
  Endpoints,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  Pod,
  ResourceQuota,
  Service,
} from '../../sim/api/types/core-v1.ts';
import type { EndpointSlice } from '../../sim/api/types/discovery-k8s-io-v1.ts';
import type { PodDisruptionBudget } from '../../sim/api/types/policy-v1.ts';
import { controllerOf } from '../workloads/owned-pods.ts';
import { NOTHING_PAST, type KeptCopy, type PastFacts, type RunningContainer } from './facts.ts';

interface Kinds {
  readonly ConfigMap: ConfigMap;
  readonly CustomResourceDefinition: CustomResourceDefinition;
  readonly DaemonSet: DaemonSet;
  readonly Deployment: Deployment;
  readonly Endpoints: Endpoints;
  readonly EndpointSlice: EndpointSlice;
  readonly Job: Job;
  readonly Lease: Lease;
  readonly Namespace: Namespace;
  readonly Node: Node;
  readonly PersistentVolume: PersistentVolume;
  readonly PersistentVolumeClaim: PersistentVolumeClaim;
  readonly Pod: Pod;
  readonly PodDisruptionBudget: PodDisruptionBudget;
  readonly ReplicaSet: ReplicaSet;
  readonly ResourceQuota: ResourceQuota;
  readonly Service: Service;
  readonly ServiceAccount: ApiObject;
  readonly StatefulSet: StatefulSet;
}

/** What is to be known beside what is stored. */
export interface RestFacts {
  /** Milliseconds since 1970. */
  readonly nowMs: number;
  /** That live on machines whose agents are up. */
  readonly containers?: readonly RunningContainer[];
  /** What informers have. */
  readonly copies?: readonly KeptCopy[];
  /** Nothing has gone wrong so far, that anybody knows of. */
  readonly isCalm?: boolean;
  readonly past?: PastFacts;
  /** How many API servers there are. */
  readonly servers?: number;
}

export class RestView {
  readonly #facts: RestFacts;
  readonly #kinds = new Map<string, ApiObject[]>();
  readonly #podsOf = new Map<string, Pod[]>();
  #all: readonly ApiObject[] | undefined;
  #containers: readonly RunningContainer[] | undefined;
  #copies: readonly KeptCopy[] | undefined;

  /** What is a getter of `facts` is asked for once, if any rule asks for it. */
  constructor(objects: readonly ApiObject[], facts: RestFacts) {
    this.#facts = facts;
    for (const object of objects) {
      const { kind = '' } = object;
      const same = this.#kinds.get(kind);
      if (same) same.push(object);
      else this.#kinds.set(kind, [object]);
      const owner = kind === 'Pod' ? controllerOf(object)?.uid : undefined;
      if (owner !== undefined) this.#podsOf.set(owner, [...(this.#podsOf.get(owner) ?? []), object]);
    }
  }

  /** Milliseconds since 1970. */
  get nowMs(): number {
    return this.#facts.nowMs;
  }

  get isCalm(): boolean {
    return this.#facts.isCalm ?? false;
  }

  get past(): PastFacts {
    return this.#facts.past ?? NOTHING_PAST;
  }

  get servers(): number {
    return this.#facts.servers ?? 1;
  }

  get containers(): readonly RunningContainer[] {
    return (this.#containers ??= this.#facts.containers ?? []);
  }

  get copies(): readonly KeptCopy[] {
    return (this.#copies ??= this.#facts.copies ?? []);
  }

  of<K extends keyof Kinds>(kind: K): readonly Kinds[K][] {
    return (this.#kinds.get(kind) ?? []) as readonly ApiObject[] as readonly Kinds[K][];
  }

  /** Of a kind by its name. */
  named(kind: string): readonly ApiObject[] {
    return this.#kinds.get(kind) ?? [];
  }

  get all(): readonly ApiObject[] {
    return (this.#all ??= [...this.#kinds.values()].flat());
  }

  /** Pods that an object controls, those that go or have ended too. */
  podsOf({ metadata }: ApiObject): readonly Pod[] {
    return this.#podsOf.get(metadata.uid ?? '') ?? [];
  }

  /** Nodes that take any pod which asks for nothing. */
  get openNodes(): readonly Node[] {
    return this.of('Node').filter(
      ({ spec, metadata }) =>
        metadata.deletionTimestamp === undefined &&
        spec?.unschedulable !== true &&
        (spec?.taints ?? []).every(({ effect }) => effect === 'PreferNoSchedule'),
    );
  }
}

/** Its default service account is lost, without which it takes no pods. */
export const lacksAccount = ({ past }: RestView, namespace = ''): boolean =>
  past.isLost('ServiceAccount', `${namespace}/default`);

/** A rule of rest: what is not right, in words; none when all is well. */
export type RestRule = (view: RestView) => readonly string[];

/** `kind namespace/name`. */
export const textOf = ({ kind, metadata: { namespace, name = '' } }: ApiObject): string =>
  `${kind} ${namespace ? `${namespace}/` : ''}${name}`;

/** Members of a status that are not what they should be; 0 and absence are the same. */
export function differences(
  object: ApiObject,
  is: object | undefined,
  should: Readonly<Record<string, number | string | undefined>>,
): readonly string[] {
  return Object.entries(should).flatMap(([member, value]) => {
    const found = Reflect.get(is ?? {}, member) as number | string | undefined;
    if (found === value || (value === 0 && found === undefined)) return [];
    return [`${textOf(object)} says ${member} ${String(found ?? 0)} where it should be ${String(value)}`];
  });
}

export const isGoing = ({ metadata }: ApiObject): boolean => metadata.deletionTimestamp !== undefined;
export const conditionOf = (
  status: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] } | undefined,
  type: string,
): string | undefined => status?.conditions?.find((one) => one.type === type)?.status;

const STOPS_SLOWLY = /^\{\s*"stopsAfterSeconds"\s*:[^,]*\}$/;

/** Whoever only stops slowly runs as others do. */
const runsOtherwise = ({ annotations = {} }: Pod['metadata']): boolean =>
  Object.entries(annotations).some(
    ([name, value]) => name.startsWith('behaviour.') && !STOPS_SLOWLY.test(value),
  );

/** It asks for nothing that a node could lack, and its containers do nothing unusual: it must run. */
export function isUndemanding({ metadata, spec }: Pod): boolean {
  if (runsOtherwise(metadata)) return false;
  const { nodeSelector, affinity, topologySpreadConstraints, volumes = [], containers = [] } = spec ?? {};
  return (
    !nodeSelector &&
    !affinity &&
    !topologySpreadConstraints &&
    (spec?.initContainers ?? []).length === 0 &&
    (spec?.schedulingGates ?? []).length === 0 &&
    (spec?.schedulerName ?? 'default-scheduler') === 'default-scheduler' &&
    volumes.every(({ name }) => name.startsWith('kube-api-access')) &&
    containers.every(
      ({ resources, ports = [], env = [], envFrom = [], livenessProbe, readinessProbe, startupProbe }) =>
        !resources?.requests &&
        envFrom.length === 0 &&
        env.every(({ valueFrom }) => !(valueFrom?.configMapKeyRef ?? valueFrom?.secretKeyRef)) &&
        !(livenessProbe ?? readinessProbe ?? startupProbe) &&
        ports.every(({ hostPort }) => !hostPort),
    )
  );
}
