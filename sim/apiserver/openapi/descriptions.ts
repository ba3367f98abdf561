/**
 * What kinds and common members are, in words, for `kubectl explain` and generated clients. The members of single kinds
 * speak for themselves: they have a name, a type and what is required.
 */

/** By the name of the type. */
const TYPES: Readonly<Record<string, string>> = {
  APIService: 'Server of a group and version of the API.',
  Binding: 'Ties a pod to the node that it is to run on.',
  CSIDriver: 'Facts about a storage driver.',
  CSINode: 'Storage drivers on a node.',
  CSIStorageCapacity: 'How much storage of a class there is in a part of the cluster.',
  CertificateSigningRequest: 'Request for a certificate, its approval and its result.',
  ClusterRole: 'Set of permissions, for the whole cluster or to be given in namespaces.',
  ClusterRoleBinding: 'Gives a cluster role to users, groups and service accounts, everywhere.',
  ClusterTrustBundle: 'Certificates of authorities that a cluster trusts.',
  ComponentStatus: 'Health of a component of the control plane. Deprecated.',
  ConfigMap: 'Configuration data that pods read.',
  Container: 'One container of a pod.',
  ControllerRevision:
    'Immutable snapshot of state that a controller keeps, so that it can be told apart and restored.',
  CronJob: 'Creates jobs by a schedule.',
  CustomResourceDefinition: 'Resource that the API server serves without knowing it beforehand.',
  DaemonSet: 'Runs a pod on every node, or on those that are selected.',
  DeleteOptions: 'How an object is to be deleted.',
  Deployment: 'Describes pods of an application and brings changes of them about step by step.',
  DeviceClass: 'Kind of device that claims can ask for.',
  EndpointSlice: 'Some of the addresses and ports behind a service.',
  Endpoints: 'Addresses and ports behind a service.',
  Event: 'Report of something that happened to an object. Events are kept for a limited time.',
  Eviction: 'Request to delete a pod that budgets may refuse.',
  FlowSchema: 'Says which requests go to which priority level.',
  HorizontalPodAutoscaler:
    'Changes the number of replicas of a workload so that its metrics stay near their targets.',
  IPAddress: 'Address that an object has been given.',
  Ingress: 'Rules by which requests from outside reach services.',
  IngressClass: 'Kind of ingress, and the controller that implements it.',
  Job: 'Runs pods until enough of them have succeeded.',
  LabelSelector: 'Query over labels. All of its requirements have to hold; an empty one matches everything.',
  Lease: 'Says who holds something, and until when.',
  LeaseCandidate: 'Component that wants to hold a lease.',
  LimitRange: 'Defaults and limits for the resources that single objects of a namespace use.',
  ListMeta: 'What all lists have in common.',
  LocalSubjectAccessReview: 'Asks what a user may do in a namespace.',
  ManagedFieldsEntry: 'Fields that one manager owns, and how it last wrote them.',
  MutatingWebhookConfiguration: 'Webhooks that may accept, reject and change objects.',
  Namespace: 'Scope for names of objects, and for access and quotas.',
  NetworkPolicy: 'Says which traffic pods may send and receive.',
  Node: 'Machine that runs pods.',
  ObjectMeta: 'What all objects have in common.',
  OwnerReference: 'Object that this one belongs to.',
  PersistentVolume: 'Piece of storage that pods can use for longer than they live.',
  PersistentVolumeClaim: 'Request of a user for a persistent volume, and the claim to it.',
  Pod: 'Containers that run together on one node.',
  PodDisruptionBudget: 'Says how many pods of an application may be down of free will at once.',
  PodSchedulingContext: 'What scheduler and drivers tell each other about the devices of a pod.',
  PodSpec: 'What is to run, where and how.',
  PodStatus: 'How a pod is, as far as its node has told.',
  PodTemplate: 'Template for pods.',
  PodTemplateSpec: 'What the pods of a template are like.',
  PriorityClass: 'Name for a priority of pods.',
  PriorityLevelConfiguration: 'Share of the server that requests of a priority level get.',
  ReplicaSet: 'Keeps so many pods of a template running.',
  ReplicationController:
    'Keeps so many pods of a template running. Deployments and ReplicaSets have taken its place.',
  ResourceClaim: 'Request for devices, and what was allocated for it.',
  ResourceClaimTemplate: 'Template for claims of pods.',
  ResourceQuota: 'Limits for what all objects of a namespace use together.',
  ResourceSlice: 'Devices that a driver offers on a node or in a pool.',
  Role: 'Set of permissions in a namespace.',
  RoleBinding: 'Gives a role to users, groups and service accounts, in a namespace.',
  RuntimeClass: 'Container runtime that pods can choose.',
  Scale: 'How many replicas a workload has and is to have.',
  Secret: 'Small amount of sensitive data.',
  SelfSubjectAccessReview: 'Asks what the client itself may do.',
  SelfSubjectReview: 'Tells who the server takes the client for.',
  SelfSubjectRulesReview: 'Lists what the client itself may do in a namespace.',
  Service: 'Stable address and ports for a set of pods.',
  ServiceAccount: 'Identity of the processes in pods.',
  ServiceCIDR: 'Range out of which services get addresses.',
  StatefulSet: 'Runs pods that have identities of their own: a name, an address and storage.',
  Status: 'Answer that is no object: a failure, or the success of a deletion.',
  StorageClass: 'Describes how volumes of a class are made.',
  StorageVersion: 'Versions in which servers store and read a resource.',
  StorageVersionMigration: 'Request to store all objects of a resource in its present version.',
  SubjectAccessReview: 'Asks what a user may do.',
  TokenRequest: 'Request for a token of a service account.',
  TokenReview: 'Asks whose token this is.',
  ValidatingAdmissionPolicy: 'Rules, written as expressions, that objects have to satisfy.',
  ValidatingAdmissionPolicyBinding: 'Puts an admission policy to use, with its parameters.',
  ValidatingWebhookConfiguration: 'Webhooks that may accept and reject objects.',
  VolumeAttachment: 'Intent to attach a volume to a node, and how far that is.',
  VolumeAttributesClass: 'Attributes of volumes that can change while they are used.',
};

/** By the name of the type and the member; `*` stands for kinds and their lists. */
const MEMBERS: Readonly<Record<string, string>> = {
  '*.items': 'The objects of the list.',
  '*.metadata': 'Standard metadata of the object.',
  '*.spec': 'What is wanted.',
  '*.status': 'What is, as controllers have last seen it. Read by most, written by few.',
  'ListMeta.continue': 'Token for the next page of the list, if there is one.',
  'ListMeta.remainingItemCount': 'How many objects are on the pages after this one, if that is known.',
  'ListMeta.resourceVersion': 'Version of the storage that the list shows.',
  'ObjectMeta.annotations': 'Keys and values for tools, which cannot be selected by.',
  'ObjectMeta.creationTimestamp':
    'CreationTimestamp is a timestamp of when the object was made. Set by the server.',
  'ObjectMeta.deletionGracePeriodSeconds':
    'How long the object may take to end. Set when its deletion is asked for.',
  'ObjectMeta.deletionTimestamp':
    'When the object is to be gone. Set by the server when its deletion is asked for.',
  'ObjectMeta.finalizers': 'What has to be done before the object goes. It goes when the list is empty.',
  'ObjectMeta.generateName': 'Prefix of a name that the server chooses if none is given.',
  'ObjectMeta.generation': 'Counts changes of what is wanted. Set by the server.',
  'ObjectMeta.labels': 'Keys and values by which objects are organized and selected.',
  'ObjectMeta.managedFields': 'Which manager owns which fields. Kept by the server.',
  'ObjectMeta.name': 'Name of the object, which is unique within its namespace and cannot be changed.',
  'ObjectMeta.namespace': 'Namespace in which the name is unique. It cannot be changed.',
  'ObjectMeta.ownerReferences':
    'Objects that this one belongs to. When all of them are gone, so is this one.',
  'ObjectMeta.resourceVersion':
    'Version of the object, to find out whether it has changed. Opaque to clients.',
  'ObjectMeta.selfLink': 'Not filled in any more.',
  'ObjectMeta.uid': 'Identifies the object among all that ever were. Set by the server.',
};

/** Of every kind and list. */
const OF_KINDS: Readonly<Record<string, string>> = {
  apiVersion: 'Group and version of the shape of this object.',
  kind: 'Name of the kind of this object, in CamelCase. It cannot be changed.',
};

/** What a type is; undefined where there is nothing to say. */
export function typeDescription(name: string): string | undefined {
  const known = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (known !== undefined || !name.endsWith('List')) return known;
  const item = name.slice(0, -'List'.length);
  return Object.hasOwn(TYPES, item) ? `List of objects of kind ${item}.` : undefined;
}

/** What a member of a type is. `isKind`: the type is a kind or a list of one. */
export function memberDescription(type: string, isKind: boolean, member: string): string | undefined {
  const own = MEMBERS[`${type}.${member}`];
  if (own !== undefined || !isKind) return own;
  return Object.hasOwn(OF_KINDS, member) ? OF_KINDS[member] : MEMBERS[`*.${member}`];
}
