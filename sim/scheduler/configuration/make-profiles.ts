/** Makes profiles of a configuration, and complains of one that makes no sense as kube-scheduler does. Pure. */
import type { Plugin } from '../framework/plugin.ts';
import { Profile, type ProfileParts } from '../framework/profile.ts';
import { type KnownPlugin, knownPlugins } from './default-plugins.ts';
import {
  checkConfiguration,
  DEFAULT_SCHEDULER_NAME,
  EXTENSION_POINTS,
  type ExtensionPoint,
  type PluginChoice,
  type PluginSet,
  type SchedulerConfiguration,
  SchedulerConfigurationError,
  type SchedulerProfile,
} from './scheduler-configuration.ts';

/** What a scheduler that is not told otherwise does. */
export const USUAL_CONFIGURATION: SchedulerConfiguration = {};

/** In the place of the plugin that each scheduler has its own of. */
const STAND_IN: Plugin = { name: 'VolumeBinding' };

/** By name of the scheduler that pods ask for. @throws SchedulerConfigurationError */
export const makeProfiles = (
  configuration: SchedulerConfiguration,
  volumeBinding: Plugin,
): ReadonlyMap<string, Profile> =>
  new Map(
    partsOf(configuration).map((parts) => [parts.schedulerName, new Profile(bound(parts, volumeBinding))]),
  );

/** @throws SchedulerConfigurationError */
export const checkSchedulerConfiguration = (configuration: SchedulerConfiguration): void =>
  void partsOf(configuration);

/** Of nearly all schedulers. */
let usualParts: readonly ProfileParts[] | undefined;

function partsOf(configuration: SchedulerConfiguration): readonly ProfileParts[] {
  if (configuration !== USUAL_CONFIGURATION) return chosenParts(configuration);
  return (usualParts ??= chosenParts(configuration));
}

/** @throws SchedulerConfigurationError */
export function chosenParts(configuration: SchedulerConfiguration): readonly ProfileParts[] {
  checkConfiguration(configuration);
  const known = knownPlugins(STAND_IN);
  const { profiles = [{}], percentageOfNodesToScore } = configuration;
  return profiles.map((profile) => {
    const { schedulerName = DEFAULT_SCHEDULER_NAME } = profile;
    return profileOf({ percentageOfNodesToScore, ...profile, schedulerName }, known);
  });
}

function bound(parts: ProfileParts, volumeBinding: Plugin): ProfileParts {
  const own = (plugin: Plugin): Plugin => (plugin === STAND_IN ? volumeBinding : plugin);
  return {
    ...parts,
    preEnqueue: parts.preEnqueue.map(own),
    filters: parts.filters.map(own),
    scores: parts.scores.map(({ plugin, weight }) => ({ plugin: own(plugin), weight })),
  };
}

type NamedProfile = Omit<SchedulerProfile, 'percentageOfNodesToScore'> & {
  readonly schedulerName: string;
  readonly percentageOfNodesToScore?: number | undefined;
};

function profileOf(profile: NamedProfile, known: readonly KnownPlugin[]): ProfileParts {
  const { schedulerName, percentageOfNodesToScore } = profile;
  const at = (point: ExtensionPoint): readonly Chosen[] => chosenAt(point, profile, known);
  const chosen = new Map(EXTENSION_POINTS.map((point) => [point, at(point)] as const));
  const of = (point: ExtensionPoint): readonly Chosen[] => chosen.get(point) ?? [];
  const sorts = of('queueSort').length;
  const name = JSON.stringify(schedulerName);
  if (sorts !== 1) {
    const why =
      sorts === 0
        ? `at least one queue sort plugin is needed for profile with scheduler name ${name}`
        : `only one queue sort plugin required for profile with scheduler name ${name}, but got ${sorts}`;
    throw complaint(schedulerName, why);
  }
  if (of('bind').length === 0)
    throw complaint(
      schedulerName,
      `at least one bind plugin is needed for profile with scheduler name ${name}`,
    );
  return {
    schedulerName,
    preEnqueue: of('preEnqueue').map(({ plugin }) => plugin),
    filters: of('filter').map(({ plugin }) => plugin),
    scores: of('score'),
    preempts: of('postFilter').length > 0,
    ...(percentageOfNodesToScore && { percentageOfNodesToScore }),
  };
}

interface Chosen {
  readonly plugin: Plugin;
  readonly weight: number;
}

function chosenAt(
  point: ExtensionPoint,
  { schedulerName, plugins = {} }: NamedProfile,
  known: readonly KnownPlugin[],
): readonly Chosen[] {
  const find = (name: string): KnownPlugin => {
    const found = known.find(({ plugin }) => plugin.name === name);
    if (!found) throw complaint(schedulerName, `${typeNameOf(point)} ${JSON.stringify(name)} does not exist`);
    return found;
  };
  const everywhere = merged(
    known.map(({ plugin: { name }, weight }) => ({ name, ...(weight && { weight }) })),
    plugins.multiPoint,
  );
  const own = plugins[point];
  for (const { name } of own?.enabled ?? [])
    if (!find(name).points.includes(point))
      throw complaint(
        schedulerName,
        `plugin ${JSON.stringify(name)} does not extend ${typeNameOf(point)} plugin`,
      );
  const names = new Set<string>();
  const usual = everywhere.filter(({ name }) => find(name).points.includes(point));
  return arranged(usual, own).map(({ name, weight }) => {
    if (names.has(name))
      throw complaint(
        schedulerName,
        `plugin ${JSON.stringify(name)} already registered as ${JSON.stringify(typeNameOf(point))}`,
      );
    names.add(name);
    // Whoever is named without a weight has one of its own no more.
    return { plugin: find(name).plugin, weight: weight || 1 };
  });
}

/** At all points: what is enabled anew takes the place of a usual one of its name, or comes last. */
function merged(
  usual: readonly PluginChoice[],
  { enabled = [], disabled }: PluginSet = {},
): readonly PluginChoice[] {
  const kept = notDisabled(usual, disabled);
  const replaced = kept.map((choice) => enabled.find(({ name }) => name === choice.name) ?? choice);
  const isInPlace = (choice: PluginChoice): boolean => replaced.includes(choice);
  return [...replaced, ...enabled.filter((choice) => !isInPlace(choice))];
}

/** At one point: what is enabled anew in the place of a usual one comes first, and what is no usual one last. */
function arranged(
  usual: readonly PluginChoice[],
  { enabled = [], disabled }: PluginSet = {},
): readonly PluginChoice[] {
  const kept = notDisabled(usual, disabled);
  const isIn = (choices: readonly PluginChoice[], { name }: PluginChoice): boolean =>
    choices.some((choice) => choice.name === name);
  return [
    ...enabled.filter((choice) => isIn(kept, choice)),
    ...kept.filter((choice) => !isIn(enabled, choice)),
    ...enabled.filter((choice) => !isIn(kept, choice)),
  ];
}

function notDisabled(
  usual: readonly PluginChoice[],
  disabled: PluginSet['disabled'] = [],
): readonly PluginChoice[] {
  const off = new Set(disabled.map(({ name }) => name));
  return off.has('*') ? [] : usual.filter(({ name }) => !off.has(name));
}

/** `filter` → `FilterPlugin` */
const typeNameOf = (point: ExtensionPoint): string =>
  `${point.charAt(0).toUpperCase()}${point.slice(1)}Plugin`;

const complaint = (schedulerName: string, why: string): SchedulerConfigurationError =>
  new SchedulerConfigurationError(
    `initializing profiles: creating profile for scheduler name ${schedulerName}: ${why}`,
  );
