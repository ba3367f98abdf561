/** Migrations of what is stored, as a real 1.31 server with all alpha features judges them. */
import { beforeEach, describe, expect, it, test } from 'vitest';
import { type Ask, askedServer } from '../../../../cli/golden/asked-server.ts';

const PATH = '/apis/storagemigration.k8s.io/v1alpha1/storageversionmigrations';
const resource = { group: 'apps', version: 'v1', resource: 'deployments' };

let ask: Ask;

beforeEach(() => {
  ask = askedServer({ featureGates: 'AllAlpha=true', runtimeConfig: 'api/all=true' });
  ask('POST', PATH, { metadata: { name: 'a' }, spec: { resource } });
});

const saidOf = ({ status, body }: ReturnType<Ask>): string =>
  status < 300
    ? 'OK'
    : String(body.message)
        .replace(/^.*? is invalid: /, '')
        .replaceAll(/\[\]storagemigration\.MigrationCondition(?:\{.*?\}\}|\(nil\))/g, 'LIST');

test('a migration is of a version of a resource, and of no other later', () => {
  const create = (spec: object): string => saidOf(ask('POST', PATH, { metadata: { name: 'b' }, spec }));
  expect(create({ resource: {} })).toBe(
    '[spec.resource.resource: Required value: resource is required, spec.resource.version: Required value: version is required]',
  );
  expect(saidOf(ask('PATCH', `${PATH}/a`, { spec: { resource: { version: 'v2' } } }))).toBe(
    'version: Invalid value: "v2": field is immutable',
  );
  expect(saidOf(ask('PATCH', `${PATH}/a`, { spec: { continueToken: 'x' } }))).toBe('OK');
});

const condition = (type: string, status = 'True'): object => ({
  type,
  status,
  reason: 'R',
  lastUpdateTime: '2024-01-01T00:00:00Z',
});
const [RUNNING, SUCCEEDED, FAILED] = ['Running', 'Succeeded', 'Failed'].map((type) => condition(type));
const LIST = 'status.conditions: Invalid value: LIST: ';

describe('how far it is', () => {
  const told = (status: object): string => saidOf(ask('PATCH', `${PATH}/a/status`, { status }));

  it.each([
    [{ conditions: [RUNNING] }, 'OK'],
    [
      { conditions: [SUCCEEDED, FAILED] },
      `${LIST}Both success and failed conditions cannot be true at the same time`,
    ],
    [
      { conditions: [RUNNING, FAILED] },
      `${LIST}Running condition cannot be true when failed condition is true`,
    ],
    [
      { conditions: [{ type: 'Running', status: '' }] },
      '[status.conditions[0].status: Unsupported value: "": supported values: "False", "True", "Unknown", status.conditions[0].lastTransitionTime: Required value: must be set, status.conditions[0].reason: Required value: must be set]',
    ],
    [
      { resourceVersion: 'x' },
      'status.resourceVersion: Invalid value: "x": failed to parse resource version "x": strconv.ParseInt: parsing "x": invalid syntax',
    ],
    [
      { resourceVersion: '-1' },
      'status.resourceVersion: Invalid value: -1: must be greater than or equal to 0',
    ],
  ])('is %j', (status, said) => {
    expect(told(status)).toBe(said);
  });

  it.each([
    ['9223372036854775807', 'OK'],
    ['+0005', 'OK'],
    ['9223372036854775808', 'value out of range'],
    ['9'.repeat(1_000_000), 'value out of range'],
    ['-9223372036854775809', 'value out of range'],
    [`${'0'.repeat(1_000_000)}x`, 'invalid syntax'],
  ])('is at a version that is a number: %#', (resourceVersion, said) => {
    expect(told({ resourceVersion })).toMatch(new RegExp(`${said}$`));
  });

  it('is not taken back', () => {
    told({ conditions: [SUCCEEDED], resourceVersion: '5' });
    expect(told({ conditions: [condition('Succeeded', 'False')], resourceVersion: '6' })).toBe(
      `[status.resourceVersion: Invalid value: "6": resourceVersion cannot be updated, ${LIST}Success condition cannot be set to false once it is true]`,
    );
  });
});
