/** The history of the built-in kinds, release by release: which versions were served, and deprecated. */
import type { ApiGroup, PolicyRelease, ReleaseHistory } from '../../../model/deprecation/release-history.ts';
import { type LifeCycle, lifeCycles, stageAt } from '../../api/life-cycle/life-cycles.ts';

const FIRST = 15;
const LAST = 37;

/** From 1.15 to 1.37, as far as is known. */
export function builtinHistory(): ReleaseHistory {
  const lives = [...lifeCycles().values()];
  return Array.from({ length: LAST - FIRST + 1 }, (_, index): PolicyRelease => {
    const name = `1.${FIRST + index}`;
    return { name, groups: groupsAt(lives, name) };
  });
}

/** Each kind by itself: versions of one group come and go kind by kind. */
function groupsAt(lives: readonly LifeCycle[], release: string): readonly ApiGroup[] {
  const groups = new Map<string, ApiGroup['versions'][number][]>();
  for (const life of lives) {
    const stage = stageAt(life, release);
    if (stage === 'not yet' || stage === 'removed') continue;
    const slash = life.apiVersion.indexOf('/');
    const group = `${slash < 0 ? '' : life.apiVersion.slice(0, slash)} ${life.kind}`;
    const versions = groups.get(group) ?? [];
    versions.push({
      name: life.apiVersion.slice(slash + 1),
      isDeprecated: stage === 'deprecated',
      ...(life.replacement && { replacement: life.replacement.apiVersion }),
      kinds: { [life.kind]: [] },
    });
    groups.set(group, versions);
  }
  return [...groups].map(([group, versions]) => ({ group, versions }));
}
