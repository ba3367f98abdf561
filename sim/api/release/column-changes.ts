/**
 * What of the columns of Tables is not as in 1.31, and since which release: other columns, and other words of the API for
 * what a column says. Asked of a server of 1.34; when between 1.31 and that, as the API's documentation of each tells it.
 */
import type { ColumnTable, ColumnTexts } from '../catalog/printer-columns.ts';

interface Columns {
  readonly since: number;
  /** Of a group, whichever its version: `/resourcequotas`. */
  readonly resource: string;
  readonly columns: ColumnTable[string];
}

interface Text {
  readonly since: number;
  readonly resource: string;
  readonly column: string;
  readonly text: string;
}

const NAME = ['Name', 'string', 'name', 0] as const;
const AGE = ['Age', 'string', '', 0] as const;

const COLUMNS: readonly Columns[] = [
  {
    since: 32,
    resource: 'scheduling.k8s.io/priorityclasses',
    columns: [
      NAME,
      ['Value', 'integer', '', 0],
      ['Global-Default', 'boolean', '', 0],
      AGE,
      ['PreemptionPolicy', 'string', '', 0],
    ],
  },
  {
    since: 33,
    resource: '/resourcequotas',
    columns: [NAME, ['Request', 'string', '', 0], ['Limit', 'string', '', 0], AGE],
  },
];

const ADDRESSES =
  "List of addresses reachable to the node. Queried from cloud provider, if available. More info: https://kubernetes.io/docs/reference/node/node-status/#addresses Note: This field is declared as mergeable, but the merge key is not sufficiently unique, which can cause data corruption when it is merged. Callers should instead use a full-replacement patch. See https://pr.k8s.io/79391 for an example. Consumers should assume that addresses can change during the lifetime of a Node. However, there are some exceptions where this may not be possible, such as Pods that inherit a Node's address in its own status or consumers of the downward API (status.hostIP).";

const TEXTS: readonly Text[] = [
  { since: 32, resource: '/nodes', column: 'Internal-IP', text: ADDRESSES },
  { since: 32, resource: '/nodes', column: 'External-IP', text: ADDRESSES },
  {
    since: 32,
    resource: '/serviceaccounts',
    column: 'Secrets',
    text: 'Secrets is a list of the secrets in the same namespace that pods running using this ServiceAccount are allowed to use. Pods are only limited to this list if this service account has a "kubernetes.io/enforce-mountable-secrets" annotation set to "true". The "kubernetes.io/enforce-mountable-secrets" annotation is deprecated since v1.32. Prefer separate namespaces to isolate access to mounted secrets. This field should not be used to find auto-generated service account token secrets for use outside of pods. Instead, tokens can be requested directly using the TokenRequest API, or service account token secrets can be manually created. More info: https://kubernetes.io/docs/concepts/configuration/secret',
  },
  {
    since: 32,
    resource: 'scheduling.k8s.io/priorityclasses',
    column: 'PreemptionPolicy',
    text: 'preemptionPolicy is the Policy for preempting pods with lower priority. One of Never, PreemptLowerPriority. Defaults to PreemptLowerPriority if unset.',
  },
  {
    since: 33,
    resource: 'apps/deployments',
    column: 'Up-to-date',
    text: 'Total number of non-terminating pods targeted by this deployment that have the desired template spec.',
  },
  {
    since: 33,
    resource: 'apps/deployments',
    column: 'Available',
    text: 'Total number of available non-terminating pods (ready for at least minReadySeconds) targeted by this deployment.',
  },
  {
    since: 33,
    resource: 'apps/replicasets',
    column: 'Desired',
    text: 'Replicas is the number of desired pods. This is a pointer to distinguish between explicit zero and unspecified. Defaults to 1. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicaset',
  },
  {
    since: 33,
    resource: 'apps/replicasets',
    column: 'Current',
    text: 'Replicas is the most recently observed number of non-terminating pods. More info: https://kubernetes.io/docs/concepts/workloads/controllers/replicaset',
  },
  {
    since: 33,
    resource: 'apps/replicasets',
    column: 'Ready',
    text: 'The number of non-terminating pods targeted by this ReplicaSet with a Ready Condition.',
  },
  {
    since: 33,
    resource: 'networking.k8s.io/ipaddresses',
    column: 'ParentRef',
    text: 'ParentRef references the resource that an IPAddress is attached to. An IPAddress must reference a parent object.',
  },
  {
    since: 33,
    resource: 'networking.k8s.io/servicecidrs',
    column: 'CIDRs',
    text: 'CIDRs defines the IP blocks in CIDR notation (e.g. "192.168.0.0/24" or "2001:db8::/64") from which to assign service cluster IPs. Max of two CIDRs is allowed, one of each IP family. This field is immutable.',
  },
  {
    since: 34,
    resource: 'storage.k8s.io/csidrivers',
    column: 'AttachRequired',
    text: 'attachRequired indicates this CSI volume driver requires an attach operation (because it implements the CSI ControllerPublishVolume() method), and that the Kubernetes attach detach controller should call the attach volume interface which checks the volumeattachment status and waits until the volume is attached before proceeding to mounting. The CSI external-attacher coordinates with CSI volume driver and updates the volumeattachment status when the attach operation is complete. If the value is specified to false, the attach operation will be skipped. Otherwise the attach operation will be called.\n\nThis field is immutable.',
  },
  {
    since: 34,
    resource: 'storage.k8s.io/volumeattributesclasses',
    column: 'DriverName',
    text: 'Name of the CSI driver This field is immutable.',
  },
  {
    since: 34,
    resource: 'resource.k8s.io/resourceslices',
    column: 'Node',
    text: 'NodeName identifies the node which provides the resources in this pool. A field selector can be used to list only ResourceSlice objects belonging to a certain node.\n\nThis field can be used to limit access from nodes to ResourceSlices with the same node name. It also indicates to autoscalers that adding new nodes of the same type as some old node might also make new resources available.\n\nExactly one of NodeName, NodeSelector, AllNodes, and PerDeviceNodeSelection must be set. This field is immutable.',
  },
  {
    since: 34,
    resource: 'resource.k8s.io/resourceslices',
    column: 'Driver',
    text: 'Driver identifies the DRA driver providing the capacity information. A field selector can be used to list only ResourceSlice objects with a certain driver name.\n\nMust be a DNS subdomain and should end with a DNS domain owned by the vendor of the driver. This field is immutable.',
  },
  {
    since: 34,
    resource: 'resource.k8s.io/resourceslices',
    column: 'Pool',
    text: 'Name is used to identify the pool. For node-local devices, this is often the node name, but this is not required.\n\nIt must not be longer than 253 characters and must consist of one or more DNS sub-domains separated by slashes. This field is immutable.',
  },
  {
    since: 34,
    resource: 'resource.k8s.io/resourceclaims',
    column: 'State',
    text: 'A summary of the current state (allocated, pending, reserved, etc.).',
  },
];

const isOf = (resource: string, key: string): boolean => {
  const [group = '', , name = ''] = key.split('/');
  return `${group}/${name}` === resource;
};

export function columnsAt(minor: number, table: ColumnTable): ColumnTable {
  const changes = COLUMNS.filter(({ since }) => minor >= since);
  if (changes.length === 0) return table;
  return Object.fromEntries(
    Object.entries(table).map(([key, columns]) => [
      key,
      changes.find(({ resource }) => isOf(resource, key))?.columns ?? columns,
    ]),
  );
}

export function columnTextsAt(minor: number, known: ColumnTexts, columns: ColumnTable): ColumnTexts {
  const changes = TEXTS.filter(({ since }) => minor >= since);
  if (changes.length === 0) return known;
  const texts = [...known.texts, ...changes.map(({ text }) => text)];
  const rows: Record<string, Readonly<Record<string, number>>> = { ...known.rows };
  for (const key of Object.keys(columns)) {
    changes.forEach(({ resource, column }, at) => {
      if (isOf(resource, key)) rows[key] = { ...rows[key], [column]: known.texts.length + at };
    });
  }
  return { texts, rows };
}
