import { describe, expect, it } from 'vitest';
import { atOnce } from '../steps.ts';
import { RELEASE_1_31 } from '../release/release-1-31.ts';
import type { StructSchema } from '../schema.ts';
import { storedForm } from './canonical.ts';
import { decodeJson, decodeStruct } from './decode.ts';
import { encodeJson } from './encode.ts';
import { encodeWatchFrame, unwrapEnvelope, wrapEnvelope } from './envelope.ts';
import { generateValue, seededDraw } from './generated-value.fixture.ts';
import { decodeProtobuf, encodeProtobuf, encodeProtobufItems, encodeProtobufListHead } from './protobuf.ts';

const { types } = RELEASE_1_31.catalog;

const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

/** Objects and the bytes that the public Go types give for them. */
const VECTORS: readonly (readonly [type: string, json: string, bytes: string])[] = [
  [
    'v1.ConfigMap',
    '{"metadata":{"name":"a","labels":{"b":"1","a":"2"},"creationTimestamp":"2024-01-02T03:04:05Z","managedFields":[{"manager":"m","operation":"Update","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{"f:data":{".":{},"f:k":{}}}}]},"immutable":false,"data":{"k":"<v>"},"binaryData":{"b":"AAEC"}}',
    '0a670a016112001a0022002a0032003800420808a5facdac0610005a060a01611201325a060a01621201318a013b0a016d12065570646174651a02763132084669656c647356313a1e0a1c7b22663a64617461223a7b222e223a7b7d2c22663a6b223a7b7d7d7d420012080a016b12033c763e1a080a016212030001022000',
  ],
  [
    'v1.Pod',
    '{"metadata":{"name":"p","deletionGracePeriodSeconds":0},"spec":{"volumes":[{"name":"v","configMap":{"name":"c"}}],"containers":[{"name":"c","image":"i","ports":[{"containerPort":80}],"resources":{"requests":{"cpu":"0.10","memory":"1024Mi"}},"livenessProbe":{"httpGet":{"port":"http"},"periodSeconds":-1}}],"terminationGracePeriodSeconds":30}}',
    '0a130a017012001a0022002a00320038004200500012a0010a0d0a017612089a01050a030a016312710a01631201692a00320a0a001000185022002a004220120d0a0363707512060a043130306d120f0a066d656d6f727912050a0331476952290a1412120a00120a080110001a04687474701a0022001000180020ffffffffffffffffff01280030006a007200800100880100900100a201001a00201e320042004a0052005800600068008201008a01009a0100c201001a100a001a0022002a0032004a005a007200',
  ],
  [
    'coordination.k8s.io/v1.Lease',
    '{"metadata":{"name":"l"},"spec":{"renewTime":"2024-01-02T03:04:05.000001Z","leaseTransitions":-3}}',
    '0a110a016c12001a0022002a003200380042001216220908a5facdac0610e80728fdffffffffffffffff01',
  ],
  [
    'apps/v1.ControllerRevision',
    '{"metadata":{"name":"r"},"data":{"a":[1,"x"]},"revision":-9223372036854775807}',
    '0a110a017212001a0022002a00320038004200120f0a0d7b2261223a5b312c2278225d7d1881808080808080808001',
  ],
  [
    'authorization.k8s.io/v1.SubjectAccessReview',
    '{"spec":{"user":"u","extra":{"b":["1","2"],"a":[]}},"status":{"allowed":true}}',
    '0a100a0012001a0022002a0032003800420012191a01752a050a016112002a0b0a016212060a01310a013232001a08080112001a002000',
  ],
  [
    'apiextensions.k8s.io/v1.CustomResourceDefinition',
    '{"metadata":{"name":"x"},"spec":{"group":"g","names":{"plural":"xs","kind":"X"},"scope":"Cluster","versions":[{"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","maximum":1.5,"default":{"a":1},"items":{"type":"string"},"additionalProperties":false,"properties":{"a":{"additionalProperties":{"type":"integer"}}},"dependencies":{"d":["x","y"]}}}}]}}',
    '0a110a017812001a0022002a0032003800420012f4010a01671a0b0a02787312002201582a002207436c75737465723ad6010a0276311001180122c9010ac6010a00120022002a066f626a65637432003a0042090a077b2261223a317d49000000000000f83f500060007a00900100c201260a240a00120022002a06737472696e6732003a00500060007a00900100a80200b80200c00200ea014f0a0161124a0a00120022002a0032003a00500060007a00900100f20129080112250a00120022002a07696e746567657232003a00500060007a00900100a80200b80200c00200a80200b80200c00200f20102080082020b0a01641206120178120179a80200b80200c00200380050001a0a12080a00120022002a00',
  ],
];

describe('protobuf', () => {
  it.each(VECTORS)('of a %s is what Go writes', (type, json, bytes) => {
    const schema = types.structOf(type);
    const { object } = atOnce(decodeJson(schema, json, false));
    expect(hex(encodeProtobuf(schema, object))).toBe(bytes);
    const back = decodeProtobuf(schema, Buffer.from(bytes, 'hex'));
    expect(encodeJson(back)).toBe(encodeJson(storedForm(schema, object)));
  });

  it('cuts off what a time has below a microsecond', () => {
    const [type, json, bytes] = VECTORS[2] ?? ['', '', ''];
    const schema = types.structOf(type);
    const nanos = (count: string) => Buffer.from(bytes.replace('e807', count), 'hex');
    const { object } = atOnce(decodeJson(schema, json, false));
    const expected = encodeJson(storedForm(schema, object));
    for (const count of ['e807', 'dc0b', 'cf0f'])
      expect(encodeJson(decodeProtobuf(schema, nanos(count)))).toBe(expected);
  });

  it('brings back every object of every built-in type as it is stored', () => {
    const isMessage = (schema: StructSchema): boolean =>
      schema.customJson === undefined && !JSON_ONLY.has(schema.key);
    for (const [index, schema] of types
      .allKeys()
      .map((key) => types.structOf(key))
      .filter(isMessage)
      .entries()) {
      const object = storedForm(schema, decodeStruct(schema, generateValue(schema, seededDraw(index))));
      const back = decodeProtobuf(schema, encodeProtobuf(schema, object));
      expect(withoutTypeMeta(back), schema.key).toBe(withoutTypeMeta(object));
    }
  });

  it('of a list can be put together from the bytes of its items', () => {
    const schema = types.structOf('v1.ConfigMapList');
    const items = [{ metadata: { name: 'a' } }, { data: { k: 'x'.repeat(300) } }];
    const list = decodeStruct(schema, { metadata: { resourceVersion: '5' }, items });
    const item = types.structOf('v1.ConfigMap');
    const encoded = items.map((value) => encodeProtobuf(item, decodeStruct(item, value)));
    const head = encodeProtobufListHead(schema, { metadata: list['metadata'] });
    const rest = encodeProtobufItems(schema, encoded, Uint8Array.of(0xff));
    expect(`${hex(head)}${hex(rest)}`).toBe(`${hex(encodeProtobuf(schema, list))}ff`);
  });

  it.each(['0aff', '08', '0a0a', '07', '12ff80808080808080808001'])(
    'that is broken (%s) is refused',
    (bytes) => {
      expect(() => decodeProtobuf(types.structOf('v1.Pod'), Buffer.from(bytes, 'hex'))).toThrow(
        expect.objectContaining({ name: 'DecodeError' }),
      );
    },
  );
});

/** Types without a message. */
const JSON_ONLY = new Set(
  ['Table', 'TableColumnDefinition', 'TableRow', 'TableRowCondition'].map((name) => `meta.k8s.io/v1.${name}`),
);

/** Kind and version of embedded objects are not in their messages. */
const withoutTypeMeta = (object: unknown): string =>
  JSON.stringify(JSON.parse(encodeJson(object)), (name, value: unknown) =>
    name === 'kind' || name === 'apiVersion' ? undefined : value,
  );

describe('the envelope', () => {
  it('names kind and version around the bytes of the object', () => {
    const raw = Uint8Array.of(1, 2, 3);
    const bytes = wrapEnvelope({ apiVersion: 'v1', kind: 'Pod', raw });
    expect(hex(bytes)).toBe('6b3873000a090a0276311203506f6412030102031a002200');
    const envelope = unwrapEnvelope(bytes);
    expect({ ...envelope, raw: hex(envelope.raw) }).toEqual({ apiVersion: 'v1', kind: 'Pod', raw: '010203' });
  });

  it('is needed', () => {
    expect(() => unwrapEnvelope(Uint8Array.of(0x7b))).toThrow('expected prefix [107 56 115 0]');
    expect(() => unwrapEnvelope(Uint8Array.of(0x6b, 0x38, 0x73, 0, 0x0a, 0x09))).toThrow('unexpected EOF');
  });

  it('stands in watch events that say how long they are', () => {
    expect(hex(encodeWatchFrame('ADDED', Uint8Array.of(9)))).toBe('0000000c0a05414444454412030a0109');
  });
});
