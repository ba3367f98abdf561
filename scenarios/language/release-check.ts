/** Releases that a scenario names, and what it is to be checked against where it names some. */
import { findRelease, RELEASE_1_31, type Release, RELEASE_NAMES } from '../../sim/index.ts';
import type { Path } from './read-value.ts';
import type { ClusterSpec, Step } from './scenario-shape.ts';

interface NamedRelease {
  readonly path: Path;
  readonly name: string;
}

/** All that the description of a cluster names. */
export function releasesOfCluster({ release, apiServers, nodes }: ClusterSpec): readonly NamedRelease[] {
  const servers = typeof apiServers === 'object' ? apiServers : [];
  const isList = Array.isArray(nodes);
  const fleets = typeof nodes === 'object' ? (isList ? nodes : [nodes]) : [];
  return [
    ...named(release, ['release']),
    ...servers.flatMap((server, index) => named(server.release, ['apiServers', index, 'release'])),
    ...fleets.flatMap((fleet: { readonly release?: string }, index) =>
      named(fleet.release, isList ? ['nodes', index, 'release'] : ['nodes', 'release']),
    ),
  ];
}

/** All that a step names. */
export const releasesOfStep = ({ upgrade, downgrade, fault }: Step): readonly NamedRelease[] => [
  ...named(upgrade?.release, ['upgrade', 'release']),
  ...named(downgrade?.release, ['downgrade', 'release']),
  ...named(fault?.restart?.release, ['fault', 'restart', 'release']),
];

const named = (name: string | undefined, path: Path): readonly NamedRelease[] =>
  name === undefined || name.includes('${') ? [] : [{ path, name }];

export const EXPECTED_RELEASE = `a release from ${RELEASE_NAMES[0] ?? ''} to ${RELEASE_NAMES.at(-1) ?? ''}, in quotes`;

/** What a cluster begins as; the default where it names no release that there is. */
export const releaseOfCluster = ({ release = '1.31' }: ClusterSpec): Release =>
  findRelease(release) ?? RELEASE_1_31;
