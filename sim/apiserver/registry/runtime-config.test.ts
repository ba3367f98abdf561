/** Settings as a real 1.31 server takes and refuses them. */
import { describe, expect, it, test } from 'vitest';
import { findRelease } from '../../api/release/releases.ts';
import { RELEASE_1_31 } from '../../api/release/release-1-31.ts';
import { FeatureGates } from '../feature-gates.ts';
import { parseRuntimeConfig, unknownGroupsOf, unregisteredVersionOf } from './runtime-config.ts';

describe('--runtime-config', () => {
  it.each([
    [
      'batch/v1=maybe',
      'invalid value of batch/v1: maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax',
    ],
    [
      'batch/v1/jobs=x',
      'invalid value of batch/v1/jobs: x, err: strconv.ParseBool: parsing "x": invalid syntax',
    ],
    ['api/all=x', 'invalid value api/all=x'],
    ['api/ga', 'invalid value api/ga='],
    ['batch=true', 'runtime-config invalid key batch'],
    ['v9=false', 'runtime-config invalid key v9'],
    ['a/b/c/d=true', 'runtime-config invalid key a/b/c/d'],
    ['=true', 'runtime-config invalid key '],
  ])('refuses %s', (text, message) => {
    expect(() => parseRuntimeConfig(text)).toThrow(message);
  });

  it.each([
    '',
    'batch/v1',
    'batch/v1=T',
    'batch/v1=1',
    'v1=false',
    '/v1=false',
    'api/v1=false',
    'batch/v1/nope=false',
  ])('takes "%s"', (text) => {
    expect(() => parseRuntimeConfig(text)).not.toThrow();
    expect(unknownGroupsOf(RELEASE_1_31.catalog.resources.all, text)).toEqual([]);
  });

  it.each([
    ['nope/v1=true,zope/v1=true', ['nope', 'zope']],
    ['api/foo=true', ['api']],
    ['widgets.example.com/v1=true,batch/v1=true', ['widgets.example.com']],
    ['apiregistration.k8s.io/v1=false,extensions/v1beta1=true,api/all=true', []],
  ])('knows of %s which groups there are not', (text, groups) => {
    expect(unknownGroupsOf(RELEASE_1_31.catalog.resources.all, text)).toEqual(groups);
  });

  it.each([
    ['batch/v9=true', '1.31', 'batch/v9'],
    ['api/all=true,v1,/v1=true,api/v1=true,batch/v1=false,batch/v1beta1=true', '1.31', undefined],
    ['autoscaling/v2beta2=true', '1.31', undefined],
    ['autoscaling/v2beta2=true', '1.36', 'autoscaling/v2beta2'],
    ['apps/v1,resource.k8s.io/v1/resourceclaims=true', '1.31', 'resource.k8s.io/v1'],
    ['apps/v1,resource.k8s.io/v1/resourceclaims=true', '1.34', undefined],
  ])('knows of %s at %s which version there is not', (text, name, version) => {
    const { catalog } = findRelease(name) ?? RELEASE_1_31;
    expect(unregisteredVersionOf(catalog.kinds.groupVersions, text)).toBe(version);
  });
});

test.each([
  ['WatchList', 'missing bool value for WatchList'],
  ['WatchList=true,AllAlpha', 'missing bool value for AllAlpha'],
  [
    'WatchList=maybe',
    'invalid value of WatchList=maybe, err: strconv.ParseBool: parsing "maybe": invalid syntax',
  ],
  ['Foo=true', 'unrecognized feature gate: Foo'],
  ['=true', 'unrecognized feature gate: '],
])('--feature-gates=%s is refused', (text, message) => {
  expect(() => FeatureGates.parse(RELEASE_1_31.gates, text)).toThrow(message);
});

test.each(['WatchList=T', 'WatchList=1', '', ',', ' WatchList = true '])(
  '--feature-gates="%s" is taken',
  (text) => {
    const gates = FeatureGates.parse(RELEASE_1_31.gates, text);
    expect(gates.isEnabled('WatchList')).toBe(text.includes('WatchList'));
  },
);

test.each([
  [
    'PodSchedulingReadiness=false',
    'cannot set feature gate PodSchedulingReadiness to false, feature is locked to true',
  ],
  ['WatchListClients=true', 'unrecognized feature gate: WatchListClients'],
])('--feature-gates=%s is refused in the words of the real server', (text, message) => {
  expect(() => FeatureGates.parse(RELEASE_1_31.gates, text)).toThrow(message);
});

test('gates that nothing here depends on are taken, and it is said of them', () => {
  const gates = FeatureGates.parse(RELEASE_1_31.gates, 'GracefulNodeShutdown=false,ExecProbeTimeout=false');
  expect(gates.isEnabled('GracefulNodeShutdown')).toBe(false);
  expect(gates.warnings).toEqual([
    'Feature gate GracefulNodeShutdown is known, but nothing in kubesim depends on it.',
    'Setting GA feature gate ExecProbeTimeout=false. It will be removed in a future release. It is operational.',
    'Feature gate ExecProbeTimeout is known, but nothing in kubesim depends on it.',
  ]);
});
