import { describe, expect, it } from 'vitest';
import { findRelease } from '../api/release/releases.ts';
import { FeatureGateError, FeatureGates } from './feature-gates.ts';
import { machineryOf } from './machinery.ts';

function gatesAt(name: string, text = ''): FeatureGates {
  return FeatureGates.parse(findRelease(name)?.gates ?? new Map(), text);
}
const isOn = (name: string, gate: string, text = ''): boolean => gatesAt(name, text).isEnabled(gate);
const refusal = (name: string, text: string): string => {
  try {
    gatesAt(name, text);
    return 'taken';
  } catch (error) {
    if (error instanceof FeatureGateError) return error.message;
    throw error;
  }
};

describe('the life of a gate', () => {
  it('alpha: off, until it is opened, alone or with all of them', () => {
    expect(isOn('1.20', 'IPv6DualStack')).toBe(false);
    expect(isOn('1.20', 'IPv6DualStack', 'IPv6DualStack=true')).toBe(true);
    expect(isOn('1.20', 'IPv6DualStack', 'AllAlpha=true')).toBe(true);
    expect(isOn('1.20', 'IPv6DualStack', 'AllAlpha=true,IPv6DualStack=false')).toBe(false);
  });

  it('beta: on, until it is closed', () => {
    expect(isOn('1.21', 'IPv6DualStack')).toBe(true);
    expect(isOn('1.21', 'IPv6DualStack', 'IPv6DualStack=false')).toBe(false);
    expect(isOn('1.21', 'IPv6DualStack', 'AllBeta=false')).toBe(false);
  });

  it('stable: it cannot be closed, and setting it warns that it does nothing', () => {
    expect(refusal('1.24', 'IPv6DualStack=false')).toBe(
      'cannot set feature gate IPv6DualStack to false, feature is locked to true',
    );
    expect(gatesAt('1.24', 'IPv6DualStack=true').warnings[0]).toBe(
      'Setting GA feature gate IPv6DualStack=true. It will be removed in a future release. It is not operational: the feature is always on.',
    );
  });

  it('gone: whoever names it is refused', () => {
    expect(refusal('1.25', 'IPv6DualStack=true')).toBe('unrecognized feature gate: IPv6DualStack');
    expect(refusal('1.14', 'IPv6DualStack=true')).toBe('unrecognized feature gate: IPv6DualStack');
  });

  it('deprecated: setting it warns, and says that it still does something', () => {
    expect(gatesAt('1.22', 'DynamicKubeletConfig=true').warnings[0]).toBe(
      'Setting deprecated feature gate DynamicKubeletConfig=true. It will be removed in a future release. It is operational.',
    );
  });

  it('of a gate that is given twice the last counts', () => {
    expect(isOn('1.31', 'WatchList', 'WatchList=true,WatchList=false')).toBe(false);
    expect(isOn('1.31', 'WatchList', 'WatchList=false,WatchList=true')).toBe(true);
  });

  it('an upgrade refuses settings that mean nothing any more', () => {
    const settings = gatesAt('1.24', 'IPv6DualStack=true');
    expect(() => settings.under(findRelease('1.25')?.gates ?? new Map())).toThrow(FeatureGateError);
  });
});

it('what servers can do comes by its gate, and stays when that is gone', () => {
  const machinery = (name: string, text = '') => {
    const release = findRelease(name);
    if (!release) throw new Error(`there is no release ${name}`);
    return machineryOf(release, FeatureGates.parse(release.gates, text));
  };
  expect(machinery('1.15')).toMatchObject({
    applies: false,
    unknownFields: 'ignored',
    streamsLists: 'unknown',
  });
  expect(machinery('1.15', 'ServerSideApply=true').applies).toBe(true);
  expect(machinery('1.23')).toMatchObject({ unknownFields: 'dropped', tellsOpenApiV3: false });
  expect(machinery('1.26').aggregatesDiscovery).toBe(false);
  expect(machinery('1.27')).toMatchObject({ aggregatesDiscovery: true, streamsLists: 'off' });
  expect(machinery('1.31', 'WatchList=true').streamsLists).toBe('on');
  for (const name of ['1.29', '1.31', '1.33', '1.37'])
    expect(machinery(name)).toMatchObject({
      applies: true,
      dryRuns: true,
      pages: true,
      countsRemaining: true,
      sendsBookmarks: true,
      tellsOpenApiV3: true,
      unknownFields: 'told',
    });
});
