/** Sets of rules by name: what a property may ask for instead of everything. */
import type { ApiRuleName } from '../../model/api/api-rules.ts';
import { CONTROLLER_RULES } from '../../model/controllers/controller-rules.ts';
import { NODE_RULES } from '../../model/nodes/node-rules.ts';
import { READ_RULES } from '../../model/reads/observation.ts';
import { REST_RULES } from '../../model/rest/rest-rules.ts';
import { SCHEDULING_RULES } from '../../model/scheduling/scheduling-rules.ts';
import { WORKLOAD_RULES } from '../../model/workloads/workload-rules.ts';
import type { RuleName } from '../language/checkers.ts';

const only = (names: readonly RuleName[], prefix: string): readonly RuleName[] =>
  names.filter((name) => name.startsWith(prefix));

const of = (...names: readonly ApiRuleName[]): readonly RuleName[] => names;

export const RULE_SETS: Readonly<Record<string, readonly RuleName[]>> = {
  deletion: of(
    'deletes-what-was-meant',
    'uids-are-heeded',
    'late-writers-say-whom-they-mean',
    'going-goes-on',
    'finalizers-hold',
    'identity-stays',
  ),
  writes: of(
    'answers-are-true',
    'creates-what-is-new',
    'updates-replace',
    'patches-change-what-they-name',
    'status-stays-apart',
    'refusals-are-just',
    'refusals-change-nothing',
    'servers-do-not-fail',
    'writes-are-sent-once',
    'reads-are-true',
    'versions-are-of-their-change',
    'generation-moves-with-spec',
    'writes-say-something',
  ),
  apply: of('applies-by-owners', 'managed-fields-are-true'),
  deprecation: of('deprecated-warns'),
  watch: only(READ_RULES, 'watch-'),
  paging: only(READ_RULES, 'list-'),
  nodes: [
    ...NODE_RULES,
    ...SCHEDULING_RULES,
    ...of(
      'pods-go-forward',
      'restarts-only-grow',
      'starts-stay',
      'ends-are-remembered',
      'conditions-turn-honestly',
      'foreign-marks-stay',
    ),
  ],
  workloads: WORKLOAD_RULES,
  controllers: CONTROLLER_RULES,
  convergence: [],
};

/** Rules that do not count where only some sets do. */
export function exemptBy(sets: readonly string[] | undefined): readonly RuleName[] {
  if (!sets) return [];
  const kept = new Set(sets.flatMap((name) => RULE_SETS[name] ?? []));
  return Object.values(RULE_SETS)
    .flat()
    .filter((rule) => !kept.has(rule));
}

/** Rules of rest count unless only other sets were asked for. */
export const restExemptBy = (sets: readonly string[] | undefined): readonly string[] =>
  !sets || sets.includes('convergence') ? [] : REST_RULES;
