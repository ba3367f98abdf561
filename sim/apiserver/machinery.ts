/**
 * What the machinery of API servers has not always been able to do: which parameters it reads, which ways of writing and
 * of telling what is served it has. What a gate decides follows the gate, from its first release to the one in which it
 * went because nobody can do without the feature any more. Specification: "Feature states named".
 */
import { isReleasedBy, type Release } from '../api/release/release.ts';
import type { FeatureGates } from './feature-gates.ts';

export interface Machinery {
  /** `ignored`: so is `fieldValidation`; `dropped`: it is read, and always means `Ignore`. */
  readonly unknownFields: 'ignored' | 'dropped' | 'told';
  readonly dryRuns: boolean;
  /** Server-side apply, and who owns which field. */
  readonly applies: boolean;
  /** Owners are noted of what was never applied, too. */
  readonly notesEveryOwner: boolean;
  /** `limit` and `continue` count. */
  readonly pages: boolean;
  readonly countsRemaining: boolean;
  /** `resourceVersionMatch` counts. */
  readonly matchesVersions: boolean;
  readonly sendsBookmarks: boolean;
  /** `unknown`: `sendInitialEvents` is a parameter like any that nobody knows. */
  readonly streamsLists: 'unknown' | 'off' | 'on';
  /** A generated name that is taken is generated anew. */
  readonly retriesNames: boolean;
  readonly aggregatesDiscovery: boolean;
  readonly tellsOpenApiV3: boolean;
  /**
   * A watch for one name in all namespaces that begins with what is there misses just that: a fault of 1.31, which 1.29 and
   * 1.34 do not have.
   */
  readonly missesNamedEverywhere: boolean;
}

/** Whether its gate is open, or gone because the feature is always on. */
export const hasFeature = ({ release, featureGates }: Gated, gate: string): boolean =>
  featureGates.hasFeature(release, gate);

export interface Gated {
  readonly release: Release;
  readonly featureGates: FeatureGates;
}

/** For rules that depend on them. */
export interface Features {
  isFeatureEnabled(gate: string): boolean;
  /** Whether the server is of the named release, such as `1.33`, or of a later one. */
  isReleasedBy(release: string): boolean;
}

export const featuresOf = ({ release, featureGates }: Gated): Features => ({
  isFeatureEnabled: (gate) => featureGates.hasFeature(release, gate),
  isReleasedBy: (since) => isReleasedBy(release, since),
});

export function machineryOf(release: Release, featureGates: FeatureGates): Machinery {
  const has = (gate: string): boolean => hasFeature({ release, featureGates }, gate);
  return {
    unknownFields: has('ServerSideFieldValidation')
      ? 'told'
      : isReleasedBy(release, '1.23')
        ? 'dropped'
        : 'ignored',
    dryRuns: has('DryRun'),
    applies: has('ServerSideApply'),
    notesEveryOwner: isReleasedBy(release, '1.18'),
    pages: has('APIListChunking'),
    countsRemaining: has('RemainingItemCount'),
    matchesVersions: isReleasedBy(release, '1.19'),
    sendsBookmarks: has('WatchBookmark'),
    streamsLists: !isReleasedBy(release, '1.27') ? 'unknown' : has('WatchList') ? 'on' : 'off',
    retriesNames: has('RetryGenerateName'),
    aggregatesDiscovery: has('AggregatedDiscoveryEndpoint'),
    tellsOpenApiV3: has('OpenAPIV3'),
    missesNamedEverywhere: isReleasedBy(release, '1.31') && !isReleasedBy(release, '1.32'),
  };
}

/** Query parameters that such servers do not tell of. */
export function unknownParametersOf({
  unknownFields,
  matchesVersions,
  streamsLists,
}: Machinery): ReadonlySet<string> {
  return new Set([
    ...(unknownFields === 'ignored' ? ['fieldValidation'] : []),
    ...(matchesVersions ? [] : ['resourceVersionMatch']),
    ...(streamsLists === 'unknown' ? ['sendInitialEvents'] : []),
  ]);
}
