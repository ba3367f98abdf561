/** A release by its name. */
import { findRelease, type Release, RELEASE_NAMES } from '../../sim/index.ts';
import { ScenarioError } from '../language/variables.ts';

/** @throws ScenarioError */
export function requireRelease(name: string): Release {
  const release = findRelease(name);
  if (release) return release;
  const known = `${RELEASE_NAMES[0] ?? ''} to ${RELEASE_NAMES.at(-1) ?? ''}`;
  throw new ScenarioError(`there is no release \`${name}\`; there are ${known}`);
}
