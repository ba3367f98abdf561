import { describe, expect, it } from 'vitest';
import { atOnce } from '../steps.ts';
import { RELEASE_1_31 } from '../release/release-1-31.ts';
import { canonical, storedForm } from './canonical.ts';
import { decodeJson, decodeStruct } from './decode.ts';
import { encodeJson } from './encode.ts';
import { generateValue, seededDraw } from './generated-value.fixture.ts';
import { rawTextOf } from './raw-text.ts';

const { types } = RELEASE_1_31.catalog;

const configMap = types.structOf('v1.ConfigMap');
const deployment = types.structOf('apps/v1.Deployment');

const decoded = (type: string, text: string): string =>
  encodeJson(atOnce(decodeJson(types.structOf(type), text, true)).object);

describe('decoding gives the form that the server writes', () => {
  it('brings members into order and writes what Go writes without being asked', () => {
    const text =
      '{"spec":{"template":{}},"metadata":{"name":"a"},"kind":"Deployment","apiVersion":"apps/v1"}';
    expect(decoded('apps/v1.Deployment', text)).toBe(
      '{"kind":"Deployment","apiVersion":"apps/v1","metadata":{"name":"a","creationTimestamp":null},' +
        '"spec":{"selector":null,"template":{"metadata":{"creationTimestamp":null},"spec":{"containers":null}},' +
        '"strategy":{}},"status":{}}',
    );
  });

  it('reads null as the zero value', () => {
    const text = '{"metadata":{"labels":{"a":null}},"data":null,"immutable":null,"binaryData":{"b":null}}';
    expect(decoded('v1.ConfigMap', text)).toBe(
      '{"metadata":{"creationTimestamp":null,"labels":{"a":""}},"binaryData":{"b":null}}',
    );
  });

  it('writes leaf values in their canonical texts', () => {
    const limits = '{"cpu":1.5,"memory":"1024Mi","a":1e3}';
    const text = `{"spec":{"containers":[{"name":"c","resources":{"limits":${limits}}}]}}`;
    expect(decoded('v1.Pod', text)).toContain('"limits":{"a":"1e3","cpu":"1500m","memory":"1Gi"}');
    expect(decoded('v1.Secret', '{"data":{"a":[97,98],"b":"Y\\nQ=="}}')).toContain('{"a":"YWI=","b":"YQ=="}');
  });

  it('keeps integers of 64 bits exact', () => {
    const text = '{"data":{},"revision":9223372036854775807}';
    expect(decoded('apps/v1.ControllerRevision', text)).toContain('"revision":9223372036854775807');
  });

  it('keeps the text of raw extensions beside them', () => {
    const schema = types.structOf('apps/v1.ControllerRevision');
    const { object } = atOnce(decodeJson(schema, '{"data": {"b": 1.0, "a":2}}', false));
    expect(rawTextOf(object['data'])).toBe('{"b": 1.0, "a":2}');
  });

  it('merges structs and maps that come twice, and takes the last of anything else', () => {
    const text = '{"data":{"a":"1"},"immutable":true,"data":{"b":"2"},"immutable":false}';
    expect(decoded('v1.ConfigMap', text)).toContain('"immutable":false,"data":{"a":"1","b":"2"}');
  });

  it('is not fooled by names that mean something in JavaScript', () => {
    const text = '{"data":{"__proto__":"x","constructor":"y"},"__proto__":{"polluted":true}}';
    const { object, findings } = atOnce(decodeJson(configMap, text, true));
    expect(encodeJson(object)).toContain('"data":{"__proto__":"x","constructor":"y"}');
    expect(findings).toEqual(['unknown field "__proto__"']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });
});

describe('field validation', () => {
  it('finds unknown and repeated members in the order of the text', () => {
    const text =
      '{"metadata":{"name":"n"},"zeta":1,"alpha":{"deep":1},"data":{"a":"1","a":"2"},' +
      '"metadata":{"name":"n","labels":{"l":"1","l":"2"},"unknown":[]}}';
    expect(atOnce(decodeJson(configMap, text, true)).findings).toEqual([
      'unknown field "zeta"',
      'unknown field "alpha"',
      'duplicate field "data.a"',
      'duplicate field "metadata"',
      'duplicate field "metadata.labels.l"',
      'unknown field "metadata.unknown"',
    ]);
    expect(atOnce(decodeJson(configMap, text, false)).findings).toEqual([]);
  });

  it('names elements of lists by index', () => {
    const paths: string[] = [];
    const value = { spec: { template: { spec: { containers: [{ name: 'a' }, { env: [{ valu: 1 }] }] } } } };
    decodeStruct(deployment, value, { unknown: (path) => paths.push(path) });
    expect(paths).toEqual(['spec.template.spec.containers[1].env[0].valu']);
  });

  it('does not look into raw extensions and unknown members', () => {
    const text = '{"data":{"a":1,"a":2},"other":{"b":1,"b":2}}';
    const { findings } = atOnce(decodeJson(types.structOf('apps/v1.ControllerRevision'), text, true));
    expect(findings).toEqual(['unknown field "other"']);
  });
});

describe('type errors are told in the words of Go', () => {
  const unmarshal = (found: string, where: string): string =>
    `json: cannot unmarshal ${found} into Go ${where}`;
  const LAYOUT = '2006-01-02T15:04:05Z07:00';

  it.each([
    ['{"spec":[]}', unmarshal('array', 'struct field Deployment.spec of type v1.DeploymentSpec')],
    [
      '{"spec":{"replicas":"1"}}',
      unmarshal('string', 'struct field DeploymentSpec.spec.replicas of type int32'),
    ],
    [
      '{"spec":{"replicas":1.0}}',
      unmarshal('number 1.0', 'struct field DeploymentSpec.spec.replicas of type int32'),
    ],
    [
      '{"spec":{"replicas":2147483648}}',
      unmarshal('number 2147483648', 'struct field DeploymentSpec.spec.replicas of type int32'),
    ],
    [
      '{"spec":{"selector":{"matchLabels":{"a":1}}}}',
      unmarshal('number', 'struct field LabelSelector.spec.selector.matchLabels of type string'),
    ],
    [
      '{"spec":{"selector":{"matchLabels":[]}}}',
      unmarshal('array', 'struct field LabelSelector.spec.selector.matchLabels of type map[string]string'),
    ],
    [
      '{"spec":{"strategy":{"type":true}}}',
      unmarshal(
        'bool',
        'struct field DeploymentStrategy.spec.strategy.type of type v1.DeploymentStrategyType',
      ),
    ],
    [
      '{"spec":{"template":{"spec":{"containers":{}}}}}',
      unmarshal('object', 'struct field PodSpec.spec.template.spec.containers of type []v1.Container'),
    ],
    [
      '{"spec":{"strategy":{"rollingUpdate":{"maxSurge":true}}}}',
      unmarshal(
        'bool',
        'struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32',
      ),
    ],
    [
      '{"metadata":{"managedFields":[{"time":5}]}}',
      unmarshal('number', 'struct field ManagedFieldsEntry.metadata.managedFields.time of type string'),
    ],
    ['{"metadata":{"creationTimestamp":"x"}}', `parsing time "x" as "${LAYOUT}": cannot parse "x" as "2006"`],
  ])('%s', (text, message) => {
    expect(() => atOnce(decodeJson(deployment, text, true))).toThrow(message);
    expect(() => atOnce(decodeJson(deployment, text, false))).toThrow(message);
  });

  it('the first is told, unless a type that decodes itself ends the walk', () => {
    const two = '{"spec":{"replicas":"1","paused":"x"}}';
    expect(() => atOnce(decodeJson(deployment, two, false))).toThrow(
      'DeploymentSpec.spec.replicas of type int32',
    );
    const ended = '{"spec":{"replicas":"1"},"metadata":{"creationTimestamp":"2024-13-01T00:00:00Z"}}';
    expect(() => atOnce(decodeJson(deployment, ended, false))).toThrow('month out of range');
  });

  it.each([
    ['"YQ"', 'illegal base64 data at input byte 0'],
    ['"Y Q=="', 'illegal base64 data at input byte 1'],
    ['"YQ==="', 'illegal base64 data at input byte 4'],
    ['5', 'json: cannot unmarshal number into Go struct field Secret.data of type []uint8'],
  ])('bytes that are %s', (value, message) => {
    expect(() => atOnce(decodeJson(types.structOf('v1.Secret'), `{"data":{"a":${value}}}`, false))).toThrow(
      message,
    );
  });
});

describe('every built-in type', () => {
  const schemas = types.allKeys().map((key) => types.structOf(key));
  // The unions have JSON of their own and occur only inside others.
  const structs = schemas.filter(({ customJson }) => customJson === undefined);
  const values = structs.flatMap((schema, index) => {
    return [1, 2].map((round) => ({
      schema,
      value: generateValue(schema, seededDraw(index * 31 + round)),
    }));
  });

  it('decodes to something canonical, which is decoded and normalised to itself', () => {
    for (const { schema, value } of values) {
      const object = decodeStruct(schema, value);
      expect(canonical(schema, object), schema.key).toBe(object);
      expect(atOnce(decodeJson(schema, encodeJson(object), true)), schema.key).toEqual({
        object,
        findings: [],
      });
    }
  });

  it('has a stored form that is stored as it is', () => {
    for (const { schema, value } of values) {
      const stored = storedForm(schema, decodeStruct(schema, value));
      expect(storedForm(schema, stored), schema.key).toBe(stored);
    }
  });
});

describe('the canonical form', () => {
  it('keeps the parts that are canonical already', () => {
    const object = decodeStruct(deployment, { spec: { template: { metadata: { labels: { a: 'b' } } } } });
    const changed = canonical(deployment, { ...object, status: { replicas: 0, readyReplicas: 1 } });
    expect(changed['spec']).toBe(object['spec']);
    expect(changed['status']).toEqual({ readyReplicas: 1 });
  });

  it('does not change what it is given', () => {
    const value = Object.freeze({ data: Object.freeze({ b: '1', a: '2' }) });
    expect(Object.keys(canonical(configMap, value)['data'] ?? {})).toEqual(['a', 'b']);
  });

  it('of a value that does not fit is a defect', () => {
    expect(() => canonical(configMap, { data: 'x' })).toThrow(TypeError);
    expect(encodeJson(canonical(configMap, { data: { a: 'b' } }))).toContain('"data":{"a":"b"}');
  });

  it('in storage has no empty lists', () => {
    const role = types.structOf('rbac.authorization.k8s.io/v1.Role');
    expect(decodeStruct(role, { rules: [] })['rules']).toEqual([]);
    expect(storedForm(role, { rules: [] })['rules']).toBeNull();
  });
});
