/** The rules about what belongs together and goes together, by name. They see what is stored, and what is asked of servers. */
import type { NodeRule, RuleSettings } from '../nodes/observation.ts';
import { EvictionsAreCharged } from './evictions-are-charged.ts';
import { GarbageIsCollected, OnlyGarbageIsCollected } from './garbage-is-collected.ts';
import { NamespaceGoesLast } from './namespace-goes-last.ts';
import { OneClaimPerVolume } from './one-claim-per-volume.ts';
import { OneNodePerVolume } from './one-node-per-volume.ts';
import { QuotaCountsWhatIsThere } from './quota-counts-what-is-there.ts';

export const LIFECYCLE_RULE_CLASSES = {
  'garbage-is-collected': GarbageIsCollected,
  'only-garbage-is-collected': OnlyGarbageIsCollected,
  'namespace-goes-last': NamespaceGoesLast,
  'one-claim-per-volume': OneClaimPerVolume,
  'one-node-per-volume': OneNodePerVolume,
  'evictions-are-charged': EvictionsAreCharged,
  'quota-counts-what-is-there': QuotaCountsWhatIsThere,
} as const satisfies Readonly<Record<string, new (settings: RuleSettings) => NodeRule>>;
