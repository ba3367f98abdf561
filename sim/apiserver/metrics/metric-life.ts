/**
 * The life of metrics: deprecated ones say so in their help, are hidden three releases later unless they are asked for,
 * and gone one release after that. Specification: "Metric stability classes".
 */
import type { MetricFamily } from '../../api/exposition.ts';
import { nameOfRelease } from '../../api/release/releases.ts';
import type { Release } from '../../api/release/release.ts';
import { releaseNumber } from '../../api/life-cycle/release-name.ts';

export interface MetricLife {
  /** Absent: as far back as is known. */
  readonly introduced?: string;
  readonly deprecated?: string;
}

/** Those that have not always been there, or are to go. */
const LIVES: Readonly<Record<string, MetricLife>> = {
  apiserver_admission_match_condition_evaluation_errors_total: { introduced: '1.28' },
  apiserver_admission_match_condition_evaluation_seconds: { introduced: '1.28' },
  apiserver_admission_match_condition_exclusions_total: { introduced: '1.28' },
  apiserver_admission_webhook_fail_open_count: { introduced: '1.24' },
  apiserver_admission_webhook_request_total: { introduced: '1.23' },
  apiserver_validating_admission_policy_check_duration_seconds: { introduced: '1.26' },
  apiserver_validating_admission_policy_check_total: { introduced: '1.26' },
  apiserver_request_count: { deprecated: '1.14' },
  apiserver_request_total: { introduced: '1.14' },
  apiserver_request_sli_duration_seconds: { introduced: '1.26' },
  apiserver_requested_deprecated_apis: { introduced: '1.19' },
  apiserver_storage_objects: { introduced: '1.21', deprecated: '1.34' },
  apiserver_resource_objects: { introduced: '1.34' },
  kubernetes_feature_enabled: { introduced: '1.25' },
  kubernetes_healthcheck: { introduced: '1.26' },
};

/** Releases after its deprecation in which a metric is hidden, and in which it is gone. */
const HIDDEN_AFTER = 3;
const GONE_AFTER = 4;

export type MetricStage = 'not yet' | 'shown' | 'deprecated' | 'hidden' | 'gone';

export function metricStage({ introduced, deprecated }: MetricLife, release: string): MetricStage {
  const now = releaseNumber(release);
  if (introduced !== undefined && now < releaseNumber(introduced)) return 'not yet';
  if (deprecated === undefined || now < releaseNumber(deprecated)) return 'shown';
  const age = now - releaseNumber(deprecated);
  return age >= GONE_AFTER ? 'gone' : age >= HIDDEN_AFTER ? 'hidden' : 'deprecated';
}

/** As a release shows them; with `showsHidden`, those too that it has just hidden. */
export function livingFamilies(
  families: readonly MetricFamily[],
  release: Release,
  showsHidden: boolean,
): readonly MetricFamily[] {
  return families.flatMap((family) => {
    const life = LIVES[family.name];
    if (!life) return [family];
    const stage = metricStage(life, nameOfRelease(release));
    if (stage === 'shown') return [family];
    const isThere = stage === 'deprecated' || (stage === 'hidden' && showsHidden);
    return isThere ? [{ ...family, help: deprecatedHelp(family.help, life.deprecated ?? '') }] : [];
  });
}

/** `[STABLE] Text` → `[STABLE] (Deprecated from 1.34) Text`. */
const deprecatedHelp = (help: string, since: string): string =>
  help.replace(/^(\[[A-Z]+\] )?/, (stability) => `${stability}(Deprecated from ${since}) `);

/** What is wrong with the version for which hidden metrics are to be shown: it can only be that of the release before. */
export function hiddenMetricsProblem(release: Release, version: string): string | undefined {
  const { major, minor } = release.versionInfo;
  const before = `${major}.${Number(minor) - 1}`;
  return version === before
    ? undefined
    : `--show-hidden-metrics-for-version must be omitted or have the value '${before}'. Only the previous minor version is allowed`;
}
