/** Classes of devices and claims, as a real 1.31 server with all alpha features refuses them. */
import { expect, test } from 'vitest';
import type { DeviceClass, ResourceClaim } from '../../../../api/types/resource-k8s-io-v1alpha3.ts';
import { aggregateText } from '../../../../api/validation/field-error.ts';
import { deviceClassKind, resourceClaimKind } from './device-kinds.ts';

const metadata = { name: 'a' };
const unasked = {} as never;

function problemOfClass(spec: DeviceClass['spec']): string {
  const device = { kind: 'DeviceClass', apiVersion: 'resource.k8s.io/v1alpha3', metadata, spec };
  return aggregateText(deviceClassKind.strategy?.validate?.(device, unasked) ?? []);
}

function problemOfClaim(spec: ResourceClaim['spec']): string {
  const claim = { kind: 'ResourceClaim', apiVersion: 'resource.k8s.io/v1alpha3', metadata, spec };
  return aggregateText(resourceClaimKind.strategy?.validate?.(claim, unasked) ?? []);
}

const NONE = '[]';
const FIRST = 'spec.selectors[0].cel.expression: Invalid value: ';

test.each([
  ['device.driver == "a" && device.attributes["a.b"].x == 1', NONE],
  ['device.capacity["a"].mem.isGreaterThan(quantity("1Gi"))', NONE],
  ['device.attributes["a"].x', NONE],
  ['cel.bind(dra, device.attributes["a.b"], dra.one && dra.two)', NONE],
  ['semver("1.2.3").isLessThan(semver("2.0.0")) && isSemver("x")', NONE],
  ['device.driver', `${FIRST}"device.driver": must evaluate to bool or the unknown type, not string`],
  ['dyn(true)', `${FIRST}"dyn(true)": must evaluate to bool or the unknown type, not dyn`],
  [
    'device.foo',
    `${FIRST}"device.foo": compilation failed: ERROR: <input>:1:7: undefined field 'foo'\n | device.foo\n | ......^`,
  ],
  [
    'cel.bind(1, 2, 3)',
    `${FIRST}"cel.bind(1, 2, 3)": compilation failed: ERROR: <input>:1:10: cel.bind() variable names must be simple identifiers\n | cel.bind(1, 2, 3)\n | .........^`,
  ],
])('a class chooses by %s', (expression, problem) => {
  expect(problemOfClass({ selectors: [{ cel: { expression } }] })).toBe(problem);
});

test.each([
  [{ name: 'a', deviceClassName: 'b', allocationMode: 'ExactCount', count: 1 }, NONE],
  [
    { name: 'a', deviceClassName: 'b', allocationMode: 'All', count: 2 },
    "spec.devices.requests[0].count: Invalid value: 2: must not be specified when allocationMode is 'All'",
  ],
  [
    { name: 'a', deviceClassName: '', allocationMode: 'X' },
    '[spec.devices.requests[0].deviceClassName: Required value, spec.devices.requests[0].allocationMode: Unsupported value: "X": supported values: "All", "ExactCount"]',
  ],
])('a claim asks for %j', (request, problem) => {
  expect(problemOfClaim({ devices: { requests: [request] } })).toBe(problem);
});

test('constraints are between requests of the claim', () => {
  const request = { name: 'a', deviceClassName: 'b', allocationMode: 'All' };
  const constraints = [{ requests: ['a', 'a', 'z'], matchAttribute: 'x' }];
  expect(problemOfClaim({ devices: { requests: [request], constraints } })).toBe(
    '[spec.devices.constraints[0].requests[2]: Invalid value: "z": must be the name of a request in the claim, spec.devices.constraints[0].requests[1]: Duplicate value: "a", spec.devices.constraints[0].matchAttribute.domain: Required value: must include a prefix]',
  );
});
