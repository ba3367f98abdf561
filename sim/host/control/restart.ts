/**
 * One actor ends, if it has not ended yet, and starts anew: an API server with other settings if that is wished, the
 * agent of a node with another release. Who talks to it hears that the connection is gone.
 */
import type { FeatureGateTable } from '../../api/release/feature-gate.ts';
import type { Release } from '../../api/release/release.ts';
import { findRelease } from '../../api/release/releases.ts';
import { RELEASE_1_31 } from '../../api/release/release-1-31.ts';
import { FeatureGateError, FeatureGates } from '../../apiserver/feature-gates.ts';
import { strangeRuntimeConfigKey } from '../../apiserver/registry/runtime-config.ts';
import type { ServerSettings } from '../../cluster/faulty-server.ts';
import type { World } from '../world.ts';
import { FIRST_SERVER } from './server-faults.ts';

export const RESTART_MEMBERS = ['actor', 'release', 'featureGates', 'runtimeConfig'];

/** Of `RESTART_MEMBERS`. @throws RangeError for what cannot be */
export function restartActor(world: World, wanted: Readonly<Record<string, unknown>>): void {
  if (typeof wanted['actor'] !== 'string') throw new RangeError('actor: expected a text');
  const { cluster } = world;
  const { name, state } = cluster.faults.actor(wanted['actor']);
  if (name === FIRST_SERVER)
    throw new RangeError(`${name} serves this path: with --api-servers others can be restarted`);
  const settings = settingsFrom(world, name, wanted);
  if (state !== 'crashed') world.crash(name);
  cluster.faults.restart(name, settings);
}

/** Undefined: those that it had. */
function settingsFrom(
  { cluster }: World,
  name: string,
  { release: releaseName, featureGates, runtimeConfig }: Readonly<Record<string, unknown>>,
): ServerSettings | undefined {
  const release = typeof releaseName === 'string' ? findRelease(releaseName) : undefined;
  if (releaseName !== undefined && !release)
    throw new RangeError(`release: there is no ${JSON.stringify(releaseName)}`);
  const gates = flagsIn('featureGates', featureGates);
  const config = flagsIn('runtimeConfig', runtimeConfig);
  const present = cluster.apiServers.find((server) => server.name === name);
  if ((gates ?? config) !== undefined && !present)
    throw new RangeError(`${name} is no API server: it has neither featureGates nor runtimeConfig`);
  if (!release && gates === undefined && config === undefined) return undefined;
  const known = (release ?? present?.release ?? RELEASE_1_31).gates;
  return {
    ...(release && { release }),
    ...(gates !== undefined && { featureGates: gatesFrom(known, gates) }),
    ...(config !== undefined && {
      runtimeConfig: configOf(release ?? present?.release ?? RELEASE_1_31, config),
    }),
  };
}

function configOf({ catalog }: Release, config: string): string {
  const strange = strangeRuntimeConfigKey(catalog.resources.all, config);
  if (strange !== undefined) throw new RangeError(`runtimeConfig: there is no ${strange}`);
  return config;
}

/** `name=true,other=false`, as flags have it. */
function flagsIn(member: string, value: unknown): string | undefined {
  if (value === undefined) return undefined;
  const isFlags = typeof value === 'object' && value !== null && !Array.isArray(value);
  const entries = isFlags ? Object.entries(value) : [['', undefined] as const];
  if (!entries.every(([, flag]) => typeof flag === 'boolean'))
    throw new RangeError(`${member}: expected a mapping, each value true or false`);
  return entries.map(([name, flag]) => `${name}=${String(flag)}`).join(',');
}

function gatesFrom(known: FeatureGateTable, text: string): FeatureGates {
  try {
    return FeatureGates.parse(known, text);
  } catch (error) {
    if (error instanceof FeatureGateError) throw new RangeError(error.message, { cause: error });
    throw error;
  }
}
