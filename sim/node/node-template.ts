/** What a node is to be, and the Node object that its agent registers. Specification: "Node". */
import type { Release } from '../api/release/release.ts';
import { canonicalQuantity, QuantityError } from '../api/quantity.ts';
import type { Node, NodeAddress, NodeCondition, NodeStatus, Taint } from '../api/types/core-v1.ts';
import type { ClockSettings } from '../engine/clock.ts';
import type { NewObject } from '../client/options.ts';
import type { EvictionSettings } from './eviction/thresholds.ts';

/** Resource quantities by name: `cpu`, `memory`, `pods`, `ephemeral-storage`, … */
export type Resources = Readonly<Record<string, string>>;

export interface NodeTemplate {
  readonly name: string;
  /** Value of the host name label and address; default: the name. */
  readonly hostname?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  /** On registration. */
  readonly taints?: readonly Taint[];
  readonly unschedulable?: boolean;
  readonly zone?: string;
  readonly region?: string;
  readonly capacity?: Resources;
  /** Default: the capacity less what the agent keeps back. */
  readonly allocatable?: Resources;
  readonly internalIP?: string;
  readonly externalIP?: string;
  readonly podCIDR?: string;
  readonly providerID?: string;
  readonly os?: string;
  readonly architecture?: string;
  readonly images?: readonly { readonly names: readonly string[]; readonly sizeBytes: number }[];
  readonly clock?: ClockSettings;
  /** Of its agent; default: that of the cluster. */
  readonly release?: Release;
  /** `--root-dir` of the agent: checkpoints are in `checkpoints` below it. Default `/var/lib/kubelet`. */
  readonly rootDirectory?: string;
  /** Manifests of pods on the machine's disk, in `/etc/kubernetes/manifests`: the agent runs these by itself. */
  readonly staticPods?: readonly object[];
  /** When the agent gives up pods because the node is short of something. */
  readonly eviction?: EvictionSettings;
}

/** Identifiers that a machine has from its first boot on. */
export interface MachineIds {
  readonly machineID: string;
  readonly systemUUID: string;
  readonly bootID: string;
}

/** What an agent knows of its machine and itself beyond the template. */
export interface MachineFacts {
  readonly ids: MachineIds;
  /** Of the agent: `v1.31.14`. */
  readonly version: string;
}

export const AGENT_PORT_NUMBER = 10_250;
const DEFAULT_CAPACITY: Resources = {
  cpu: '4',
  'ephemeral-storage': '102400Mi',
  'hugepages-1Gi': '0',
  'hugepages-2Mi': '0',
  memory: '16384Mi',
  pods: '110',
};
/** 100 MiB of memory and a tenth of the disk are kept back for eviction. */
const DEFAULT_ALLOCATABLE: Resources = {
  ...DEFAULT_CAPACITY,
  'ephemeral-storage': '92160Mi',
  memory: '16284Mi',
};

/** The Node as its agent creates it, with the conditions that it finds then. */
export function nodeOf(
  template: NodeTemplate,
  facts: MachineFacts,
  conditions: readonly NodeCondition[],
): NewObject<Node> {
  const { name, annotations, taints, unschedulable, providerID, podCIDR } = template;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { ...template.labels, ...ownLabelsOf(template) },
      annotations: { ...annotations, 'volumes.kubernetes.io/controller-managed-attach-detach': 'true' },
    },
    spec: {
      ...(podCIDR !== undefined && { podCIDR, podCIDRs: [podCIDR] }),
      ...(providerID !== undefined && { providerID }),
      ...(taints && { taints }),
      ...(unschedulable === true && { unschedulable }),
    },
    status: { ...machineStatusOf(template, facts), conditions },
  };
}

/** Labels that the agent keeps as they should be whenever it registers. */
export function ownLabelsOf({
  name,
  hostname = name,
  zone,
  region,
  os = 'linux',
  architecture = 'amd64',
}: NodeTemplate): Record<string, string> {
  return {
    'beta.kubernetes.io/arch': architecture,
    'beta.kubernetes.io/os': os,
    'kubernetes.io/arch': architecture,
    'kubernetes.io/hostname': hostname,
    'kubernetes.io/os': os,
    ...(zone !== undefined && { 'topology.kubernetes.io/zone': zone }),
    ...(region !== undefined && { 'topology.kubernetes.io/region': region }),
  };
}

/** What the machine has. */
export const capacityOf = ({ capacity }: NodeTemplate): Resources => ({ ...DEFAULT_CAPACITY, ...capacity });

/** As the server will write them, so that an agent sees that they are as it wants them. */
const canonical = (resources: Resources): Resources =>
  Object.fromEntries(Object.entries(resources).map(([name, amount]) => [name, canonicalAmount(amount)]));

function canonicalAmount(amount: string): string {
  try {
    return canonicalQuantity(amount);
  } catch (error) {
    // The server will refuse it.
    if (error instanceof QuantityError) return amount;
    throw error;
  }
}

/** The status without conditions. */
export function machineStatusOf(template: NodeTemplate, { ids, version }: MachineFacts): NodeStatus {
  const { capacity, allocatable, images, os = 'linux', architecture = 'amd64' } = template;
  return {
    capacity: canonical(capacityOf(template)),
    allocatable: canonical({ ...DEFAULT_ALLOCATABLE, ...capacity, ...allocatable }),
    addresses: addressesOf(template),
    daemonEndpoints: { kubeletEndpoint: { Port: AGENT_PORT_NUMBER } },
    nodeInfo: {
      ...ids,
      kernelVersion: '6.1.0-sim',
      osImage: 'Debian GNU/Linux 12 (bookworm)',
      containerRuntimeVersion: 'containerd://1.7.22',
      kubeletVersion: version,
      kubeProxyVersion: version,
      operatingSystem: os,
      architecture,
    },
    ...(images && { images }),
  };
}

function addressesOf({
  name,
  hostname = name,
  internalIP,
  externalIP,
}: NodeTemplate): readonly NodeAddress[] {
  return [
    ...(internalIP !== undefined ? [{ type: 'InternalIP', address: internalIP }] : []),
    ...(externalIP !== undefined ? [{ type: 'ExternalIP', address: externalIP }] : []),
    { type: 'Hostname', address: hostname },
  ];
}
