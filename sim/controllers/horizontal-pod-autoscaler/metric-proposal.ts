/**
 * What the metrics of an autoscaler propose, one by one and together: the most that one asks for wins. A metric that
 * cannot be had is no reason to go down.
 */
import type {
  MetricSpec,
  MetricStatus,
  MetricTarget,
  MetricValueStatus,
} from '../../api/types/autoscaling-v2.ts';
import type { Process } from '../../engine/process.ts';
import { customProposalOf, milliText } from './custom-proposal.ts';
import type { MetricsQuestion, Proposal } from './metrics-question.ts';
import type { CustomMetricsReader } from './custom-metrics-reader.ts';
import type { MetricsReader } from './metrics-reader.ts';
import { MetricFailure, milliOf, replicasForUsage, replicasForUtilization } from './replica-count.ts';

export interface MetricsReaders {
  readonly resources: MetricsReader;
  readonly custom: CustomMetricsReader;
}

/** What is told of a metric that cannot be had. */
export interface FailedMetric {
  readonly reason: string;
  readonly message: string;
  /** As it is told of all metrics together. */
  readonly summary: string;
}

export interface Proposals {
  readonly statuses: readonly MetricStatus[];
  readonly failures: readonly FailedMetric[];
  /** Undefined: nobody knows. */
  readonly best: { readonly replicas: number; readonly metric: string } | undefined;
  /** Empty: all metrics could be had. */
  readonly error: string;
}

export function* proposalsOf(question: MetricsQuestion, readers: MetricsReaders): Process<Proposals> {
  const { metrics, currentReplicas } = question;
  const proposals: (Proposal | FailedMetric)[] = [];
  for (const metric of metrics) proposals.push(yield* proposalOf(metric, question, readers));
  const found = proposals.filter(isProposal);
  const failures = proposals.filter((one): one is FailedMetric => !isProposal(one));
  let best: Proposal | undefined;
  for (const one of found) if (!best || best.replicas === 0 || one.replicas > best.replicas) best = one;
  const isUnsure = failures.length > 0 && (best?.replicas ?? 0) < currentReplicas;
  const [first] = failures;
  return {
    statuses: proposals.map((one) => (isProposal(one) ? one.status : { type: '' })),
    failures,
    best: isUnsure ? undefined : best,
    error: first
      ? `invalid metrics (${failures.length} invalid out of ${metrics.length}), first error is: ${first.summary}`
      : '',
  };
}

const isProposal = (one: Proposal | FailedMetric): one is Proposal => 'replicas' in one;

function* proposalOf(
  metric: MetricSpec,
  question: MetricsQuestion,
  { resources, custom }: MetricsReaders,
): Process<Proposal | FailedMetric> {
  const { type, resource, containerResource } = metric;
  try {
    if (resource) {
      const { name, target } = resource;
      const { replicas, text, current } = yield* measure(question, resources, {
        name,
        container: '',
        target,
      });
      return { replicas, metric: text, status: { type, resource: { name, current } } };
    }
    if (containerResource) {
      const { name, container, target } = containerResource;
      const { replicas, text, current } = yield* measure(question, resources, { name, container, target });
      return { replicas, metric: text, status: { type, containerResource: { name, container, current } } };
    }
    return yield* customProposalOf(metric, question, custom);
  } catch (error) {
    if (!(error instanceof MetricFailure)) throw error;
    const { message } = error;
    return { reason: `FailedGet${type}Metric`, message, summary: `${summaryOf(metric)}: ${message}` };
  }
}

interface Measured {
  readonly name: string;
  readonly container: string;
  readonly target: MetricTarget;
}

function* measure(
  { namespace, selector, pods, currentReplicas, nowMs }: MetricsQuestion,
  reader: MetricsReader,
  { name, container, target }: Measured,
): Process<{ readonly replicas: number; readonly text: string; readonly current: MetricValueStatus }> {
  const { averageValue, averageUtilization } = target;
  const isUsage = averageValue !== undefined;
  if (!isUsage && averageUtilization === undefined)
    throw new MetricFailure(
      'invalid resource metric source: neither an average utilization target nor an average value (usage) target was set',
    );
  const usages = yield* usagesOf(reader, { namespace, selector, resource: name, container }, isUsage);
  const question = { currentReplicas, resource: name, container, pods, usages, nowMs: nowMs() };
  const { replicas, usage, utilization } = prefixed(failureOf(name, isUsage), () =>
    isUsage
      ? replicasForUsage(question, milliOf(averageValue))
      : replicasForUtilization(question, averageUtilization ?? 0),
  );
  const value = milliText(usage);
  const which = container === '' ? 'resource' : 'container resource';
  return isUsage
    ? { replicas, text: `${name} resource`, current: { averageValue: value } }
    : {
        replicas,
        text: `${name} ${which} utilization (percentage of request)`,
        current: {
          averageValue: value,
          ...(utilization !== undefined && { averageUtilization: utilization }),
        },
      };
}

const failureOf = (name: string, isUsage: boolean): string =>
  `failed to get ${name} ${isUsage ? 'usage' : 'utilization'}`;

function* usagesOf(
  reader: MetricsReader,
  question: Parameters<MetricsReader['usagesOf']>[0],
  isUsage: boolean,
): ReturnType<MetricsReader['usagesOf']> {
  try {
    return yield* reader.usagesOf(question);
  } catch (error) {
    if (!(error instanceof MetricFailure)) throw error;
    const { resource } = question;
    throw new MetricFailure(
      `${failureOf(resource, isUsage)}: unable to get metrics for resource ${resource}: ${error.message}`,
    );
  }
}

function prefixed<T>(prefix: string, compute: () => T): T {
  try {
    return compute();
  } catch (error) {
    if (!(error instanceof MetricFailure)) throw error;
    throw new MetricFailure(`${prefix}: ${error.message}`);
  }
}

/** What failed, as it is told of all metrics together. */
function summaryOf({ resource, containerResource, external, object }: MetricSpec): string {
  if (resource) return `failed to get ${resource.name} resource metric value`;
  if (containerResource) return `failed to get ${containerResource.container} container metric value`;
  if (external) {
    const { name } = external.metric;
    const { averageValue, value } = external.target;
    const about = `failed to get ${name} external metric value`;
    if (averageValue !== undefined) return `${about}: failed to get ${name} external metric`;
    return value === undefined ? about : `${about}: failed to get external metric ${name}`;
  }
  if (!object) return 'failed to get pods metric value';
  const about = 'failed to get object metric value';
  const isShared = object.target.type === 'AverageValue' && object.target.averageValue !== undefined;
  return isShared ? `${about}: failed to get ${object.metric.name} object metric` : about;
}
