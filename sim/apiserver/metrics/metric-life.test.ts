import { describe, expect, it } from 'vitest';
import { findRelease } from '../../api/release/releases.ts';
import { RELEASE_1_31 } from '../../api/release/release-1-31.ts';
import { createCluster } from '../../cluster/create-cluster.ts';
import { WireUser } from '../../cluster/wire-user.ts';
import { FeatureGates } from '../feature-gates.ts';
import { hiddenMetricsProblem, metricStage } from './metric-life.ts';

const user = { name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };

function metricsOf(name: string, showsHiddenMetricsFor?: string): string {
  const release = findRelease(name) ?? RELEASE_1_31;
  const cluster = createCluster({
    release,
    controllers: [],
    ...(showsHiddenMetricsFor !== undefined && { showsHiddenMetricsFor }),
  });
  const wire = new WireUser(cluster);
  const ask = (path: string) => wire.request({ method: 'GET', path, user, headers: { accept: '*/*' } });
  ask('/api/v1/namespaces');
  return String(ask('/metrics')?.body);
}

describe('a metric', () => {
  it('is deprecated, hidden three releases later, and gone one after that', () => {
    const life = { introduced: '1.20', deprecated: '1.24' };
    const stages = ['1.19', '1.20', '1.23', '1.24', '1.26', '1.27', '1.28'].map((name) =>
      metricStage(life, name),
    );
    expect(stages).toEqual(['not yet', 'shown', 'shown', 'deprecated', 'deprecated', 'hidden', 'gone']);
  });

  it('that is deprecated says so in its help', () => {
    expect(metricsOf('1.33')).toContain('# HELP apiserver_storage_objects [STABLE] Number');
    expect(metricsOf('1.34')).toContain(
      '# HELP apiserver_storage_objects [STABLE] (Deprecated from 1.34) Number',
    );
  });

  it('that is hidden is shown to whoever asks for the release before', () => {
    expect(metricsOf('1.37')).not.toContain('# HELP apiserver_storage_objects');
    expect(metricsOf('1.37', '1.36')).toContain(
      '# HELP apiserver_storage_objects [STABLE] (Deprecated from 1.34) Number',
    );
    expect(metricsOf('1.37')).toContain('# HELP apiserver_resource_objects [ALPHA] Number');
    expect(metricsOf('1.31')).not.toContain('apiserver_resource_objects');
  });

  it('is shown for no other release than that before', () => {
    expect(hiddenMetricsProblem(RELEASE_1_31, '1.30')).toBeUndefined();
    for (const version of ['1.31', '1.29', '1.300', 'x'])
      expect(hiddenMetricsProblem(RELEASE_1_31, version)).toBe(
        "--show-hidden-metrics-for-version must be omitted or have the value '1.30'. Only the previous minor version is allowed",
      );
  });
});

describe('a feature gate', () => {
  it('is told with its stage of the release, and whether it is on', () => {
    const line = (name: string): string | undefined =>
      /^kubernetes_feature_enabled\{name="WatchList",stage="[A-Z]*"\} [01]$/m.exec(metricsOf(name))?.[0];
    expect(['1.26', '1.27', '1.32', '1.33'].map(line)).toEqual([
      undefined,
      'kubernetes_feature_enabled{name="WatchList",stage="ALPHA"} 0',
      'kubernetes_feature_enabled{name="WatchList",stage="BETA"} 1',
      'kubernetes_feature_enabled{name="WatchList",stage="BETA"} 0',
    ]);
  });

  const gatesOf = (name: string, text: string): FeatureGates =>
    FeatureGates.parse(findRelease(name)?.gates ?? new Map(), text);

  it('goes its way from release to release', () => {
    expect(() => gatesOf('1.22', 'ServerSideFieldValidation=true')).toThrow('unrecognized feature gate');
    expect(gatesOf('1.23', '').isEnabled('ServerSideFieldValidation')).toBe(false);
    expect(gatesOf('1.25', '').isEnabled('ServerSideFieldValidation')).toBe(true);
    expect(gatesOf('1.25', 'ServerSideFieldValidation=false').isEnabled('ServerSideFieldValidation')).toBe(
      false,
    );
    expect(() => gatesOf('1.27', 'ServerSideFieldValidation=false')).toThrow('locked to true');
    expect(() => gatesOf('1.32', 'ServerSideFieldValidation=true')).toThrow('unrecognized feature gate');
  });

  it('that is stable is warned of when it is set', () => {
    expect(gatesOf('1.31', 'ServerSideApply=true,WatchList=true').warnings).toEqual([
      'Setting GA feature gate ServerSideApply=true. It will be removed in a future release. It is not operational: the feature is always on.',
    ]);
  });
});
