/** How schedulers are set up, as data: the parts of `kubescheduler.config.k8s.io/v1` that mean something here. */
import { append } from '../../api/append.ts';

export interface PluginChoice {
  readonly name: string;
  /** Of a score; default 1, whatever it counts where nobody names it. */
  readonly weight?: number;
}

export interface PluginSet {
  /** Come after the usual ones, or take their place: at all points where they stood, at one point before all others. */
  readonly enabled?: readonly PluginChoice[];
  /** `*`: all of the usual ones. */
  readonly disabled?: readonly { readonly name: string }[];
}

export const EXTENSION_POINTS = [
  'preFilter',
  'filter',
  'postFilter',
  'reserve',
  'preScore',
  'score',
  'preBind',
  'bind',
  'postBind',
  'permit',
  'preEnqueue',
  'queueSort',
] as const;

export type ExtensionPoint = (typeof EXTENSION_POINTS)[number];

export interface SchedulerProfile {
  /** Default `default-scheduler`. */
  readonly schedulerName?: string;
  /** 0: by the size of the cluster. */
  readonly percentageOfNodesToScore?: number;
  readonly plugins?: Readonly<Partial<Record<ExtensionPoint | 'multiPoint', PluginSet>>>;
}

export interface SchedulerConfiguration {
  /** Default: one, `default-scheduler`. */
  readonly profiles?: readonly SchedulerProfile[];
  readonly percentageOfNodesToScore?: number;
  /** Default 1. */
  readonly podInitialBackoffSeconds?: number;
  /** Default 10. */
  readonly podMaxBackoffSeconds?: number;
  /** After so long an assumed pod that was never seen bound is forgotten; default, as in 1.31: never. */
  readonly assumedPodSeconds?: number;
}

export const DEFAULT_SCHEDULER_NAME = 'default-scheduler';

/** A configuration that makes no sense, in the words of kube-scheduler. */
export class SchedulerConfigurationError extends Error {
  override readonly name = 'SchedulerConfigurationError';
}

/** @throws SchedulerConfigurationError */
export function checkConfiguration(configuration: SchedulerConfiguration): void {
  const problems = problemsOf(configuration);
  const [only] = problems;
  if (only !== undefined)
    throw new SchedulerConfigurationError(problems.length === 1 ? only : `[${problems.join(', ')}]`);
}

function problemsOf({
  profiles,
  percentageOfNodesToScore,
  podInitialBackoffSeconds = 1,
  podMaxBackoffSeconds = 10,
}: SchedulerConfiguration): readonly string[] {
  const problems: string[] = [];
  if (profiles?.length === 0) problems.push('profiles: Required value');
  const seen = new Map<string, number>();
  profiles?.forEach((profile, index) => {
    const path = `profiles[${index}]`;
    const { schedulerName = DEFAULT_SCHEDULER_NAME } = profile;
    if (schedulerName === '') problems.push(`${path}.schedulerName: Required value`);
    append(
      problems,
      percentageProblems(`${path}.percentageOfNodesToScore`, profile.percentageOfNodesToScore),
    );
    append(problems, formerPlugins(path, profile));
    const first = seen.get(schedulerName);
    if (first !== undefined)
      problems.push(`${path}.schedulerName: Duplicate value: "profiles[${first}].schedulerName"`);
    else seen.set(schedulerName, index);
  });
  append(problems, queueSortProblems(profiles ?? []));
  append(problems, percentageProblems('percentageOfNodesToScore', percentageOfNodesToScore));
  if (podInitialBackoffSeconds <= 0)
    problems.push(
      `podInitialBackoffSeconds: Invalid value: ${podInitialBackoffSeconds}: must be greater than 0`,
    );
  if (podMaxBackoffSeconds < podInitialBackoffSeconds)
    problems.push(
      `podMaxBackoffSeconds: Invalid value: ${podMaxBackoffSeconds}: must be greater than or equal to PodInitialBackoffSeconds`,
    );
  return problems;
}

const percentageProblems = (path: string, percentage: number | undefined): readonly string[] =>
  percentage !== undefined && (percentage < 0 || percentage > 100)
    ? [`${path}: Invalid value: ${percentage}: not in valid range [0-100]`]
    : [];

/** Plugins of former times. */
const FORMER: ReadonlySet<string> = new Set(['AzureDiskLimits', 'CinderLimits', 'EBSLimits', 'GCEPDLimits']);

function formerPlugins(path: string, { plugins = {} }: SchedulerProfile): readonly string[] {
  const version = '"kubescheduler.config.k8s.io/v1"';
  return EXTENSION_POINTS.flatMap((point) =>
    (plugins[point]?.enabled ?? []).flatMap(({ name }, index) =>
      FORMER.has(name)
        ? [
            `${path}.plugins.${point}.enabled[${index}]: Invalid value: ${JSON.stringify(name)}: was invalid in version ${version} (KubeSchedulerConfiguration is version ${version})`,
          ]
        : [],
    ),
  );
}

/** All profiles share one queue, so its order has to be the same for all. */
function queueSortProblems(profiles: readonly SchedulerProfile[]): readonly string[] {
  const [first, ...others] = profiles.map(({ plugins }) => plugins?.queueSort);
  const canon = JSON.stringify(first ?? {});
  const length = first?.enabled?.length ?? 0;
  return [
    ...(length > 1
      ? [
          `profiles[0].plugins.queueSort.Enabled: Invalid value: ${length}: only one queue sort plugin can be enabled`,
        ]
      : []),
    ...others.flatMap((set, index) =>
      JSON.stringify(set ?? {}) === canon
        ? []
        : [
            `profiles[${index + 1}].plugins.queueSort: Invalid value: ${JSON.stringify(set ?? {})}: must be the same for all profiles`,
          ],
    ),
  ];
}
