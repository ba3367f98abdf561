/** The whole deprecation policy over a history of releases: every violation, with the number of its rule. */
import { keptElements, roundTrips, stableReplacements, steadyStorage, versionLives } from './api-rules.ts';
import { behaviours, commandLines, gates, metrics } from './element-rules.ts';
import type { PolicyViolation, ReleaseHistory } from './release-history.ts';

const RULES: readonly ((history: ReleaseHistory) => readonly PolicyViolation[])[] = [
  ...[keptElements, roundTrips, stableReplacements, versionLives, steadyStorage],
  ...[commandLines, behaviours, gates, metrics],
];

/** In the order of the rules. */
export const policyViolations = (history: ReleaseHistory): readonly PolicyViolation[] =>
  RULES.flatMap((rule) => rule(history));
