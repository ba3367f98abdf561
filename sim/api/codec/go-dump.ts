/**
 * A value of a built-in type as Go's dump of it reads (types and member names written out, pointers followed, maps by
 * key): what hashes of pod templates are made of, so it must be equal to the letter. Values are taken as they come out of
 * storage, where an empty list or map is none. Specification: not shown: Kubernetes 1.31.
 */
import { compareStrings } from '../go-text.ts';
import { parseQuantity } from '../quantity.ts';
import type { FieldSchema, ScalarSchema, Schema, StructSchema } from '../schema.ts';
import { goTypeOf } from './go-type.ts';

/** Go names that are not the JSON name with a capital, by JSON name or by type and JSON name. */
const GO_NAMES: Readonly<Record<string, string>> = {
  apiGroup: 'APIGroup',
  'DeviceAttribute.bool': 'BoolValue',
  'DeviceAttribute.int': 'IntValue',
  'DeviceAttribute.string': 'StringValue',
  'DeviceAttribute.version': 'VersionValue',
  podIP: 'PodIP',
  apiVersion: 'APIVersion',
  awsElasticBlockStore: 'AWSElasticBlockStore',
  cephfs: 'CephFS',
  cidrs: 'CIDRs',
  chapAuthDiscovery: 'DiscoveryCHAPAuth',
  chapAuthSession: 'SessionCHAPAuth',
  csi: 'CSI',
  diskURI: 'DataDiskURI',
  dnsConfig: 'DNSConfig',
  dnsPolicy: 'DNSPolicy',
  fc: 'FC',
  fsGroup: 'FSGroup',
  fsGroupChangePolicy: 'FSGroupChangePolicy',
  fsType: 'FSType',
  gcePersistentDisk: 'GCEPersistentDisk',
  gmsaCredentialSpec: 'GMSACredentialSpec',
  gmsaCredentialSpecName: 'GMSACredentialSpecName',
  grpc: 'GRPC',
  httpGet: 'HTTPGet',
  httpHeaders: 'HTTPHeaders',
  ip: 'IP',
  iqn: 'IQN',
  iscsi: 'ISCSI',
  iscsiInterface: 'ISCSIInterface',
  metadata: 'ObjectMeta',
  nfs: 'NFS',
  os: 'OS',
  pdName: 'PDName',
  rbd: 'RBD',
  seLinuxOptions: 'SELinuxOptions',
  sslEnabled: 'SSLEnabled',
  storageos: 'StorageOS',
  tcpSocket: 'TCPSocket',
  tty: 'TTY',
  uid: 'UID',
  wwids: 'WWIDs',
  'PodSpec.serviceAccount': 'DeprecatedServiceAccount',
  'GlusterfsVolumeSource.endpoints': 'EndpointsName',
  'GlusterfsPersistentVolumeSource.endpoints': 'EndpointsName',
  'RBDPersistentVolumeSource.image': 'RBDImage',
  'RBDPersistentVolumeSource.monitors': 'CephMonitors',
  'RBDPersistentVolumeSource.pool': 'RBDPool',
  'RBDPersistentVolumeSource.user': 'RadosUser',
  'RBDVolumeSource.image': 'RBDImage',
  'RBDVolumeSource.monitors': 'CephMonitors',
  'RBDVolumeSource.pool': 'RBDPool',
  'RBDVolumeSource.user': 'RadosUser',
};

const NO_TIME = '{Time:(time.Time){wall:(uint64)0 ext:(int64)0 loc:(*time.Location)<nil>}}';
const NIL = '<nil>';

export const goDump = (schema: Schema, value: unknown): string =>
  `(${goTypeOf(schema)})${bare(schema, value)}`;

/** Without the type before it. */
function bare(schema: Schema, value: unknown): string {
  switch (schema.kind) {
    case 'struct':
      return structText(schema, value);
    case 'list':
      return listText(schema.items, value);
    case 'map':
      return mapText(schema.values, value);
    case 'scalar':
      return scalarText(schema, value);
    case 'opaque':
      return NIL;
  }
}

function structText(schema: StructSchema, value: unknown): string {
  const members = isObject(value) ? value : {};
  const texts: string[] = [];
  let inlined: StructSchema | undefined;
  for (const field of schema.fields) {
    if (inlined?.fieldsByName.has(field.name)) continue;
    inlined = schema.inlined.find(({ schema: { fields } }) => fields[0]?.name === field.name)?.schema;
    if (inlined) texts.push(`${inlined.goName}:(${goTypeOf(inlined)})${structText(inlined, members)}`);
    else texts.push(`${goMemberName(schema, field)}:${memberText(field, members[field.name])}`);
  }
  return `{${texts.join(' ')}}`;
}

/** The Go name of a member. */
export const goMemberName = ({ goName }: StructSchema, { name }: FieldSchema): string =>
  GO_NAMES[`${goName}.${name}`] ?? GO_NAMES[name] ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`;

function memberText({ schema, pointer }: FieldSchema, value: unknown): string {
  if (!pointer || schema.kind === 'list' || schema.kind === 'map') return goDump(schema, value);
  const isNone = value === undefined || value === null;
  return `(*${goTypeOf(schema)})${isNone ? NIL : bare(schema, value)}`;
}

function listText(items: Schema, value: unknown): string {
  if (!Array.isArray(value) || value.length === 0) return NIL;
  return `[${value.map((item) => bare(items, item)).join(' ')}]`;
}

function mapText(values: Schema, value: unknown): string {
  const entries = isObject(value) ? Object.entries(value) : [];
  if (entries.length === 0) return NIL;
  const sorted = entries.sort(([a], [b]) => compareStrings(a, b));
  return `map[${sorted.map(([key, item]) => `${key}:${bare(values, item)}`).join(' ')}]`;
}

function scalarText({ scalar }: ScalarSchema, value: unknown): string {
  switch (scalar) {
    case 'string':
      return typeof value === 'string' ? value : '';
    case 'boolean':
      return value === true ? 'true' : 'false';
    case 'quantity':
      return quantityText(typeof value === 'string' ? value : '0');
    case 'intOrString':
      return typeof value === 'string'
        ? `{Type:(intstr.Type)1 IntVal:(int32)0 StrVal:(string)${value}}`
        : `{Type:(intstr.Type)0 IntVal:(int32)${Number(value ?? 0)} StrVal:(string)}`;
    case 'timestamp':
    case 'microtime':
      return NO_TIME;
    default:
      return typeof value === 'number' ? String(value) : '0';
  }
}

/** The text is kept beside the number where it was not worth making it anew. */
function quantityText(given: string): string {
  const { unscaled, scale, format, text = unscaled === 0n ? '0' : '' } = parseQuantity(given);
  const amount = `i:(resource.int64Amount){value:(int64)${unscaled} scale:(resource.Scale)${scale}}`;
  return `{${amount} d:(resource.infDecAmount){Dec:(*inf.Dec)${NIL}} s:(string)${text} Format:(resource.Format)${format}}`;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
