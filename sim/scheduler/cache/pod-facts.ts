/** What the scheduler has to know of a pod again and again, worked out once for each spec. */
import type { PodAffinityTerm, PodSpec, Pod, WeightedPodAffinityTerm } from '../../api/types/core-v1.ts';
import { labelSelectorOf, type LabelSelector, NOTHING } from '../../api/selector/label-selector.ts';
import { type Amounts, podRequests } from './amounts.ts';

export interface HostPort {
  readonly ip: string;
  readonly protocol: string;
  readonly port: number;
}

/** Which pods an affinity is about. */
export interface AffinityTerm {
  readonly namespaces: ReadonlySet<string>;
  /** Undefined: no namespaces beside those named. */
  readonly namespaceSelector: LabelSelector | undefined;
  readonly selector: LabelSelector;
  readonly topologyKey: string;
}

export interface WeightedTerm {
  readonly term: AffinityTerm;
  /** Below zero: rather not. */
  readonly weight: number;
}

export interface PodFacts {
  readonly namespace: string;
  readonly requests: Amounts;
  /** With the guess for containers that ask for nothing. */
  readonly guessed: Amounts;
  readonly hostPorts: readonly HostPort[];
  readonly affinity: readonly AffinityTerm[];
  readonly antiAffinity: readonly AffinityTerm[];
  readonly preferences: readonly WeightedTerm[];
  /** Names of claims in the pod's namespace that its volumes name. */
  readonly claims: readonly string[];
}

const known = new WeakMap<PodSpec, PodFacts>();

export function factsOf({ metadata: { namespace = '' }, spec }: Pod): PodFacts {
  const all = spec ?? { containers: [] };
  const found = known.get(all);
  if (found?.namespace === namespace) return found;
  const facts = workedOut(all, namespace);
  known.set(all, facts);
  return facts;
}

/** The other spec differs in nothing that facts are about. */
export function shareFacts({ spec }: Pod, other: PodSpec): void {
  const found = spec && known.get(spec);
  if (found) known.set(other, found);
}

const NONE: readonly never[] = [];

function workedOut(spec: PodSpec, namespace: string): PodFacts {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  const terms = (required: readonly PodAffinityTerm[] = []): readonly AffinityTerm[] =>
    required.map((term) => termOf(term, namespace));
  const weighted = (
    preferred: readonly WeightedPodAffinityTerm[] = [],
    sign: 1 | -1,
  ): readonly WeightedTerm[] =>
    preferred.map(({ weight, podAffinityTerm }) => ({
      term: termOf(podAffinityTerm, namespace),
      weight: sign * weight,
    }));
  return {
    namespace,
    requests: podRequests(spec),
    guessed: podRequests(spec, { isGuessed: true }),
    hostPorts: hostPortsOf(spec),
    affinity: terms(podAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    antiAffinity: terms(podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution),
    preferences: [
      ...weighted(podAffinity?.preferredDuringSchedulingIgnoredDuringExecution, 1),
      ...weighted(podAntiAffinity?.preferredDuringSchedulingIgnoredDuringExecution, -1),
    ],
    claims: spec.volumes?.flatMap(({ persistentVolumeClaim: claim }) => claim?.claimName ?? NONE) ?? NONE,
  };
}

/** Without namespaces and a selector of them a term is about the pod's own. */
function termOf(
  { labelSelector, namespaces = [], namespaceSelector, topologyKey }: PodAffinityTerm,
  namespace: string,
): AffinityTerm {
  const isOwn = namespaces.length === 0 && !namespaceSelector;
  return {
    namespaces: new Set(isOwn ? [namespace] : namespaces),
    namespaceSelector: namespaceSelector && selectorOf(namespaceSelector),
    selector: selectorOf(labelSelector),
    topologyKey,
  };
}

/** What the API server would not take selects nothing. */
function selectorOf(fields: Parameters<typeof labelSelectorOf>[0]): LabelSelector {
  try {
    return labelSelectorOf(fields);
  } catch {
    return NOTHING;
  }
}

function hostPortsOf({ containers }: PodSpec): readonly HostPort[] {
  return containers.flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, hostIP, protocol }) =>
      hostPort ? [{ ip: hostIP || '0.0.0.0', protocol: protocol ?? 'TCP', port: hostPort }] : [],
    ),
  );
}

export const priorityOf = ({ spec }: Pod): number => spec?.priority ?? 0;

/** Pods share a port of their node if they want the same one at the same address. */
export const collide = (one: HostPort, other: HostPort): boolean =>
  one.port === other.port &&
  one.protocol === other.protocol &&
  (one.ip === other.ip || one.ip === '0.0.0.0' || other.ip === '0.0.0.0');
